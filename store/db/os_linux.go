package db

import (
	"os"
	"syscall"
)

// flushData flushes the bytes of a file to the disk, and of its metadata only the size.
func flushData(f *os.File) error { return syscall.Fdatasync(int(f.Fd())) }
