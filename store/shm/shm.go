// Package shm lets tests write temporary files to memory, which is faster than a disk. Only a few tests depend on the
// disk.
package shm

import "os"

// Use sets the folder for temporary files of this process to a folder in memory, if that has a gigabyte of free space.
// Otherwise it changes nothing.
func Use() {
	if dir := Folder(1 << 30); dir != "" {
		os.Setenv("TMPDIR", dir)
	}
}
