package runner

import (
	"errors"
	"io/fs"
	"os"
	"testing"
)

// TestCopyOfAFileThatCannotBeRead expects no file after an error in the middle of it, because an existing file is not
// copied again. The memory of a process is a file whose first bytes cannot be read.
func TestCopyOfAFileThatCannotBeRead(t *testing.T) {
	from, err := os.OpenRoot("/proc/self")
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	into, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer into.Close()
	if err := copyFile(from, into, "mem"); err == nil {
		t.Error("it was copied")
	}
	if _, err := into.Lstat("mem"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a part stays: %v", err)
	}
	if err := copyFile(from, into, "status"); err != nil {
		t.Error("another file:", err)
	}
}
