// Package shm lets tests keep their files in memory, where there is room: few tests are about the disk.
package shm

import "os"

// Use puts the temporary folders of this process in memory if a gigabyte is free there, and leaves them
// on the disk otherwise.
func Use() {
	if dir := Folder(1 << 30); dir != "" {
		os.Setenv("TMPDIR", dir)
	}
}
