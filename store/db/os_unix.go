//go:build unix

package db

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// freeBytes returns the number of free bytes on the disk of a folder, for users other than root, and whether it is
// known.
func freeBytes(dir string) (int64, bool) {
	var disk unix.Statfs_t
	if err := unix.Statfs(dir, &disk); err != nil {
		return 0, false
	}
	return int64(disk.Bavail) * int64(disk.Bsize), true
}

// tryLockFolder locks a folder until [unlock]. The result `taken` is true if another process has locked it. The result
// f is nil if the folder is not locked, for example because the file system cannot lock folders.
func tryLockFolder(dir string) (f *os.File, taken bool, err error) {
	if f, err = os.Open(dir); err != nil {
		return nil, false, err
	}
	taken, err = tryLock(f)
	if taken || err != nil {
		f.Close()
		f = nil
	}
	return f, taken, nil
}

// tryLock locks a file until [unlock]. The result `taken` is true if another process has locked it.
func tryLock(f *os.File) (taken bool, err error) {
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return true, nil
	}
	return false, err
}

// unlock unlocks and closes a file, which may be nil. Closing alone could leave the file locked for a moment, because a
// child process holds a copy of the descriptor until it executes its program.
func unlock(f *os.File) {
	if f != nil {
		unix.Flock(int(f.Fd()), unix.LOCK_UN)
		f.Close()
	}
}
