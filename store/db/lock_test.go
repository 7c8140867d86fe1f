//go:build linux

package db_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"samepage/store/db"
)

// TestALockIsReleasedByClose holds a copy of each descriptor of this process on the folder, as a child process does
// until it executes its program. The folder must nevertheless be lockable again once the lock is closed.
func TestALockIsReleasedByClose(t *testing.T) {
	dir := t.TempDir()
	lock, err := db.LockFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	// All descriptors are found before the first copy. The list also has the number of the descriptor with which it
	// was read. That descriptor is closed, so a copy may get its number.
	var found []int
	for _, e := range list {
		name := e.Name()
		if to, err := os.Readlink(filepath.Join("/proc/self/fd", name)); err == nil && (to == dir || filepath.Dir(to) == dir) {
			fd, err := strconv.Atoi(name)
			if err != nil {
				t.Fatal(err)
			}
			found = append(found, fd)
		}
	}
	if len(found) != 2 {
		t.Fatalf("%d descriptors of the lock were found, want those of the folder and of its lock file", len(found))
	}
	for _, fd := range found {
		held, err := unix.Dup(fd)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(held)
	}
	if _, err := db.LockFolder(dir); err == nil {
		t.Fatal("the folder was locked twice")
	}
	lock.Close()
	again, err := db.LockFolder(dir)
	if err != nil {
		t.Fatalf("the lock is held by a copy of a descriptor: %v", err)
	}
	again.Close()
}
