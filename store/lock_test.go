package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"samepage/store"
	"samepage/store/archive"
)

func TestAFolderIsOpenedOnce(t *testing.T) {
	w := newFileWorld(t)
	for _, url := range []string{"", "http://127.0.0.1:8080", "http://a"} {
		if url != "" {
			if err := w.Announce(url, "127.0.0.1:1"); err != nil {
				t.Fatal(err)
			}
		}
		_, err := store.Open(t.Context(), w.dir, store.Options{})
		use, ok := errors.AsType[*store.InUse](err)
		if !ok || use.PID != os.Getpid() || use.URL != url || !strings.Contains(use.Error(), url) {
			t.Errorf("second Open: %v", err)
		}
		if _, err := archive.Restore(t.Context(), filepath.Join(w.dir, store.FileName), w.dir); !errors.As(err, &use) &&
			store.CodeOf(err) != store.Invalid {
			t.Errorf("Restore into a folder in use: %v", err)
		}
	}
	w.read(func(tx *store.Tx) error { _, err := tx.FindStudio(w.alice, "team"); return err }) // the first store still works
	w.reopen()
	w.Store.Close()
	// The lock file of a killed process blocks no other process, whatever its content.
	for _, note := range []string{`{"pid":1}`, "", "{", strings.Repeat("x", 1000)} {
		if err := os.WriteFile(filepath.Join(w.dir, "samepage.lock"), []byte(note), 0o600); err != nil {
			t.Fatal(err)
		}
		w.open()
		_, err := store.Open(t.Context(), w.dir, store.Options{})
		if use, ok := errors.AsType[*store.InUse](err); !ok || use.PID != os.Getpid() {
			t.Errorf("after %q: %v", note, err)
		}
		w.Store.Close()
	}
}

// TestALockOutlivesItsFile removes the lock file, or replaces it, while a store has the folder open. No other store may
// open the folder.
func TestALockOutlivesItsFile(t *testing.T) {
	w := newFileWorld(t)
	path, backup := filepath.Join(w.dir, "samepage.lock"), filepath.Join(t.TempDir(), "backup")
	if _, err := archive.Backup(t.Context(), w.Store, backup, nil); err != nil {
		t.Fatal(err)
	}
	for _, change := range []func() error{
		func() error { return os.Remove(path) },
		func() error { return nil },
		func() error { return os.WriteFile(path, nil, 0o600) },
		func() error { return os.Rename(path, path+".old") },
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		s, err := store.Open(t.Context(), w.dir, store.Options{})
		if _, used := errors.AsType[*store.InUse](err); !used {
			t.Errorf("a second store opens the folder: %v", err)
		}
		if err == nil {
			s.Close()
		}
		if _, err := archive.Restore(t.Context(), backup, w.dir); !errors.As(err, new(*store.InUse)) {
			t.Errorf("a restore into the folder: %v", err)
		}
	}
}
