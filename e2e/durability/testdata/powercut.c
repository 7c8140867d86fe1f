/* A disk that can lose its power. Preloaded into samepage, it passes what SQLite does to the files in POWERCUT_DIR on to the
   kernel and notes it in POWERCUT_LOG: every write, every change of length, every name, every flush. It flushes nothing
   itself. Before operation number POWERCUT_AFTER the process ends without a word; the harness then makes from the log a disk
   as it could be (disk_test.go). While the file POWERCUT_FULL exists, no file can grow: the disk is full. While POWERCUT_FAIL
   exists, every flush fails. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { NAME = 1, WRITE, TRUNCATE, SYNC, UNLINK, SYNCDIR };
enum { FILES = 4096, DESCRIPTORS = 65536, DIRECTORY = FILES };

struct record {
	uint32_t kind, file;
	uint64_t at;     /* number of this record */
	uint64_t offset; /* WRITE: where; TRUNCATE: the length; SYNC: the first record that it does not cover; NAME: 1 if made new */
	uint64_t size;   /* of the bytes or the name that follow */
};

static int (*real_open)(const char *, int, ...);
static int (*real_close)(int), (*real_sync)(int), (*real_datasync)(int), (*real_unlink)(const char *), (*real_truncate)(int, off_t);
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t), (*real_write)(int, const void *, size_t);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char dir[PATH_MAX];
static const char *full, *fail;
static int log_fd = -1;
static uint64_t at, operations, after;
static unsigned dice = 1;
static uint32_t file_of[DESCRIPTORS]; /* 0: none of ours */
static struct { dev_t dev; ino_t ino; int dead; } files[FILES];
static uint32_t last_file;

__attribute__((constructor)) static void start(void) {
	real_open = dlsym(RTLD_NEXT, "open64");
	real_close = dlsym(RTLD_NEXT, "close");
	real_sync = dlsym(RTLD_NEXT, "fsync");
	real_datasync = dlsym(RTLD_NEXT, "fdatasync");
	real_unlink = dlsym(RTLD_NEXT, "unlink");
	real_truncate = dlsym(RTLD_NEXT, "ftruncate64");
	real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
	real_write = dlsym(RTLD_NEXT, "write");
	const char *d = getenv("POWERCUT_DIR"), *l = getenv("POWERCUT_LOG"), *n = getenv("POWERCUT_AFTER");
	full = getenv("POWERCUT_FULL");
	fail = getenv("POWERCUT_FAIL");
	if (!d || !l || strlen(d) >= sizeof dir)
		return;
	strcpy(dir, d);
	after = n ? strtoull(n, NULL, 10) : 0;
	dice = (unsigned)after + 1;
	log_fd = real_open(l, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
}

/* note appends a record; the lock is held. */
static void note(uint32_t kind, uint32_t file, uint64_t offset, const void *data, size_t size) {
	struct record r = { kind, file, at++, offset, size };
	struct iovec v[2] = { { &r, sizeof r }, { (void *)data, size } };
	if (syscall(SYS_writev, log_fd, v, 2) != (long)(sizeof r + size))
		syscall(SYS_exit_group, 99); /* a log with a hole would prove nothing */
}

/* tick counts an operation and cuts the power when its time has come; the lock is held. */
static void tick(void) {
	if (++operations == after)
		syscall(SYS_exit_group, 137);
}

static uint32_t tracked(int fd) { return log_fd >= 0 && fd >= 0 && fd < DESCRIPTORS ? file_of[fd] : 0; }

/* within returns the name of a file in the folder, "" for the folder itself, and NULL for all others and the shared index,
   which need not survive. */
static const char *within(const char *path) {
	size_t n = strlen(dir), m = strlen(path);
	if (log_fd < 0 || strncmp(path, dir, n) != 0 || (path[n] != '/' && path[n] != 0))
		return NULL;
	if (path[n] == 0)
		return "";
	if (strchr(path + n + 1, '/') || (m > 4 && strcmp(path + m - 4, "-shm") == 0))
		return NULL;
	return path + n + 1;
}

static uint32_t identify(const struct stat *s) {
	for (uint32_t i = 1; i <= last_file; i++)
		if (!files[i].dead && files[i].dev == s->st_dev && files[i].ino == s->st_ino)
			return i;
	if (++last_file >= FILES)
		syscall(SYS_exit_group, 99);
	files[last_file].dev = s->st_dev;
	files[last_file].ino = s->st_ino;
	return last_file;
}

int open64(const char *path, int flags, ...) {
	va_list args;
	va_start(args, flags);
	mode_t mode = va_arg(args, mode_t);
	va_end(args);
	const char *name = within(path);
	if (!name)
		return real_open(path, flags, mode);
	pthread_mutex_lock(&lock);
	struct stat s;
	int made = stat(path, &s) != 0;
	int fd = real_open(path, flags, mode), saved = errno;
	if (fd >= 0 && fd < DESCRIPTORS && !*name)
		file_of[fd] = DIRECTORY;
	else if (fd >= 0 && fd < DESCRIPTORS && fstat(fd, &s) == 0) {
		uint32_t before = last_file, id = file_of[fd] = identify(&s);
		if (made || last_file != before)
			note(NAME, id, made, name, strlen(name));
	}
	pthread_mutex_unlock(&lock);
	errno = saved;
	return fd;
}

int open(const char *path, int flags, ...) {
	va_list args;
	va_start(args, flags);
	mode_t mode = va_arg(args, mode_t);
	va_end(args);
	return open64(path, flags, mode);
}

int close(int fd) {
	pthread_mutex_lock(&lock);
	if (tracked(fd))
		file_of[fd] = 0;
	pthread_mutex_unlock(&lock);
	return real_close(fd);
}

/* room tells whether a write fits on the disk. */
static int room(int fd, uint64_t end) {
	struct stat s;
	return !full || access(full, F_OK) != 0 || (fstat(fd, &s) == 0 && end <= (uint64_t)s.st_size);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off_t offset) {
	uint32_t file = tracked(fd);
	if (!file)
		return real_pwrite(fd, data, size, offset);
	if (!room(fd, offset + size)) {
		errno = ENOSPC;
		return -1;
	}
	pthread_mutex_lock(&lock);
	tick();
	ssize_t n = real_pwrite(fd, data, size, offset);
	int saved = errno;
	if (n > 0)
		note(WRITE, file, offset, data, n);
	pthread_mutex_unlock(&lock);
	errno = saved;
	return n;
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t offset) { return pwrite64(fd, data, size, offset); }

ssize_t write(int fd, const void *data, size_t size) {
	if (!tracked(fd))
		return real_write(fd, data, size);
	off_t offset = lseek(fd, 0, SEEK_CUR);
	ssize_t n = pwrite64(fd, data, size, offset);
	if (n > 0)
		lseek(fd, offset + n, SEEK_SET);
	return n;
}

int ftruncate64(int fd, off_t size) {
	uint32_t file = tracked(fd);
	if (!file)
		return real_truncate(fd, size);
	pthread_mutex_lock(&lock);
	tick();
	int result = real_truncate(fd, size), saved = errno;
	if (result == 0)
		note(TRUNCATE, file, size, NULL, 0);
	pthread_mutex_unlock(&lock);
	errno = saved;
	return result;
}

int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }

/* flush takes as long as a quick disk, so that others write meanwhile; it covers what was written before it began. */
static int flush(int fd, int (*real)(int)) {
	uint32_t file = tracked(fd);
	if (!file)
		return real(fd);
	if (fail && access(fail, F_OK) == 0) {
		errno = EIO;
		return -1;
	}
	pthread_mutex_lock(&lock);
	tick();
	uint64_t covered = at;
	unsigned pause = rand_r(&dice) % 400;
	pthread_mutex_unlock(&lock);
	usleep(pause);
	pthread_mutex_lock(&lock);
	tick();
	note(file == DIRECTORY ? SYNCDIR : SYNC, file, covered, NULL, 0);
	pthread_mutex_unlock(&lock);
	return 0;
}

int fsync(int fd) { return flush(fd, real_sync); }
int fdatasync(int fd) { return flush(fd, real_datasync); }

int unlink(const char *path) {
	const char *name = within(path);
	if (!name)
		return real_unlink(path);
	pthread_mutex_lock(&lock);
	tick();
	struct stat s;
	int known = stat(path, &s) == 0;
	uint32_t file = known ? identify(&s) : 0;
	int result = real_unlink(path), saved = errno;
	if (result == 0 && file) {
		files[file].dead = 1;
		note(UNLINK, file, 0, name, strlen(name));
	}
	pthread_mutex_unlock(&lock);
	errno = saved;
	return result;
}
