//go:build !linux

package db

import "os"

// flushData flushes a file to the disk.
func flushData(f *os.File) error { return f.Sync() }
