package shm

import "syscall"

// Folder returns a folder in memory, or "" if there is none. The parameter `room` is the number of bytes that must be
// free in the folder.
func Folder(room uint64) string {
	const dir = "/dev/shm"
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil || st.Bavail*uint64(st.Bsize) < room {
		return ""
	}
	return dir
}
