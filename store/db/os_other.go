//go:build !linux

package db

import "os"

// flushData flushes a file to the disk.
func flushData(f *os.File) error { return f.Sync() }

// allocate takes up room on the disk for an empty file.
func allocate(f *os.File, size int64) error { return writeZeros(f, size) }
