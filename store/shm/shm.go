// Package shm lets tests write temporary files to memory, which is faster than a disk.
package shm

import "os"

// Use sets the folder for temporary files of this process to one in memory, if that has a gigabyte of free space.
func Use() {
	if dir := Folder(1 << 30); dir != "" {
		os.Setenv("TMPDIR", dir)
	}
}
