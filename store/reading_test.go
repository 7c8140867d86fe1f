package store_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"samepage/store"
	"samepage/store/archive"
	"samepage/store/blobtest"
	"samepage/store/effort"
	"samepage/store/pgtest"
)

// TestReadingAFolderThatCannotBeWritten opens, checks and backs up data folders without permission to write there. A
// clean end left the first. A crash left the second. The third is like the second, but lacks the index of the
// write-ahead log, which is the file with the suffix -shm. The store must refuse only the third.
func TestReadingAFolderThatCannotBeWritten(t *testing.T) {
	effort.Slow(t)
	pgtest.Folder(t, "it is about files")
	if blobtest.AsNobody(t) {
		return
	}
	w := newFileWorld(t)
	w.write(keep("in the log"))
	crashed := copyFolder(t, w.dir)
	w.Store.Close()
	noIndex := copyFolder(t, crashed)
	if err := os.Remove(filepath.Join(noIndex, store.FileName+"-shm")); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{w.dir, crashed, noIndex} {
		protect(t, dir)
		before := names(t, dir)
		if _, err := store.Open(t.Context(), dir, store.Options{Beside: true}); err == nil {
			t.Error("a command that writes opens it")
		}
		s, err := store.Open(t.Context(), dir, store.Options{Beside: true, Reading: true})
		if dir == noIndex {
			says(t, err, store.Unavailable, []string{"write-ahead log that was not taken over", "Copy the folder"})
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		r := &world{Store: s, t: t, dir: dir}
		if keys := r.kept(); len(keys) != 1 {
			t.Errorf("%d keys", len(keys))
		}
		if err := errors.Join(s.Check(t.Context()), second(s.CheckFiles(t.Context()))); err != nil {
			t.Error(err)
		}
		says(t, s.Write(t.Context(), keep("x")), store.Unavailable, []string{"cannot be written"})
		says(t, s.CheckWrite(t.Context()), store.Unavailable, []string{"cannot be written"})
		backup := filepath.Join(t.TempDir(), "backup")
		if _, err := archive.Backup(t.Context(), s, backup, nil); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if after := names(t, dir); len(after) != len(before) {
			t.Errorf("%v, and before %v", after, before)
		}
		restored := t.TempDir()
		if _, err := archive.Restore(t.Context(), backup, restored); err != nil {
			t.Error(err)
		}
	}
}

// TestReadingAnEmptyFile opens a folder that cannot be written, with an empty file in place of the database.
func TestReadingAnEmptyFile(t *testing.T) {
	pgtest.Folder(t, "it is about files")
	if blobtest.AsNobody(t) {
		return
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, store.FileName), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	protect(t, dir)
	_, err := store.Open(t.Context(), dir, store.Options{Beside: true, Reading: true})
	says(t, err, store.Unavailable, []string{"is missing or empty, and its folder cannot be written", "samepage restore"})
}

func second[A any](_ A, err error) error { return err }

// copyFolder copies a data folder as a crash would leave it.
func copyFolder(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "data")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

// protect takes away the permission to write to a folder and its files, until the end of the test.
func protect(t *testing.T, dir string) {
	t.Helper()
	set := func(file, folder fs.FileMode) {
		if err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			mode := file
			if e.IsDir() {
				mode = folder
			}
			return os.Chmod(path, mode)
		}); err != nil {
			t.Error(err)
		}
	}
	set(0o400, 0o500)
	t.Cleanup(func() { set(0o600, 0o700) })
}

func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}
