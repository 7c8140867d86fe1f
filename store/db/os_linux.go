package db

import (
	"os"
	"syscall"
)

// flushData flushes the content and the size of a file to the disk.
func flushData(f *os.File) error { return syscall.Fdatasync(int(f.Fd())) }
