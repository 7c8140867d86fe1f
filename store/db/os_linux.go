package db

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// flushData flushes the content and the size of a file to the disk.
func flushData(f *os.File) error { return syscall.Fdatasync(int(f.Fd())) }

// allocate gives an empty file the given size in bytes and reserves the disk space.
func allocate(f *os.File, size int64) error {
	err := unix.Fallocate(int(f.Fd()), 0, 0, size)
	if errors.Is(err, unix.EOPNOTSUPP) {
		return writeZeros(f, size)
	}
	return err
}
