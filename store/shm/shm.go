// Package shm lets tests write their files to memory if there is room. That is faster, and only a few tests are
// about the disk.
package shm

import "os"

// Use sets the folder for temporary files of this process to one in memory, if a gigabyte is free there.
// Otherwise it changes nothing.
func Use() {
	if dir := Folder(1 << 30); dir != "" {
		os.Setenv("TMPDIR", dir)
	}
}
