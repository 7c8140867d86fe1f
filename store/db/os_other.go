//go:build !linux

package db

import "os"

func flushData(f *os.File) error { return f.Sync() }

// allocate gives an empty file the given size in bytes and reserves the disk space.
func allocate(f *os.File, size int64) error { return writeZeros(f, size) }
