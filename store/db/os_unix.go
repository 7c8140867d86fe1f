//go:build unix

package db

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// freeBytes is the room on the disk of a folder for somebody who is not root.
func freeBytes(dir string) (int64, bool) {
	var disk unix.Statfs_t
	if err := unix.Statfs(dir, &disk); err != nil {
		return 0, false
	}
	return int64(disk.Bavail) * int64(disk.Bsize), true
}

// tryLock locks a file until it is closed, or reports that another process has.
func tryLock(f *os.File) (taken bool, err error) {
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return true, nil
	}
	return false, err
}
