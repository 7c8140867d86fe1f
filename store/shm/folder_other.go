//go:build !linux

package shm

// Folder returns an empty path, because only Linux is known to have a folder in memory.
func Folder(uint64) string { return "" }
