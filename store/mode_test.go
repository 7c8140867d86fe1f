package store_test

import (
	"os"
	"path/filepath"
	"testing"

	"samepage/store"
)

// TestOpenIsPrivate checks that only the owner can read the database, even in a folder that others can read.
func TestOpenIsPrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "open")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, name := range []string{store.FileName, store.FileName + "-wal", store.FileName + "-shm"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}
