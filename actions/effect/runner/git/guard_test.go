package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestNewFilesMustBeSmall adds files to a tree until they are too large for a snapshot. The files are sparse, so they
// take no space on the disk.
func TestNewFilesMustBeSmall(t *testing.T) {
	w := newWorld(t)
	grow := func(name string, size int64) {
		t.Helper()
		path := filepath.Join(w.tree.Dir, name)
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, size)); err != nil {
			t.Fatal(err)
		}
	}
	check := func(state string, want error) {
		t.Helper()
		if err := w.tree.mustBeSmall(t.Context()); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", state, err, want)
		}
	}
	head, err := w.repo.Resolve(t.Context(), "trunk")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.tree.stage(t.Context(), &State{Head: head}); err != nil { // the index shows which files are new
		t.Fatal(err)
	}
	grow("seeds.bin", mostNewBytes)
	check("as much as fits", nil)
	w.write(w.tree.Dir, ".gitignore", "waste.bin\n")
	check("a second file", ErrTooLarge)
	grow("seeds.bin", mostNewBytes/2)
	grow("waste.bin", mostNewBytes)
	check("an ignored file", nil)
	ended, end := context.WithCancel(t.Context())
	end()
	if err := w.tree.mustBeSmall(ended); err == nil {
		t.Error("the files were not listed, and are small nevertheless")
	}
}
