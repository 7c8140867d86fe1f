package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"samepage/store"
	"samepage/store/archive"
	"samepage/store/effort"
)

// mustRefuse expects that the folder cannot be opened, and that the error has the given words and the command samepage
// restore.
func mustRefuse(t *testing.T, dir string, words ...string) {
	t.Helper()
	s, err := store.Open(t.Context(), dir, store.Options{})
	if err == nil {
		s.Close()
		t.Errorf("%s opens", dir)
		return
	}
	for _, part := range append(words, "samepage restore") {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
}

// TestAFolderThatHadADatabase opens a folder that has attached files, or the file with the heads of the journals, but
// whose database is missing or empty. The store must not create a new database there.
func TestAFolderThatHadADatabase(t *testing.T) {
	effort.Slow(t)
	w := newFileWorld(t)
	w.attach("minutes")
	backup := filepath.Join(t.TempDir(), "backup.db")
	if _, err := archive.Backup(t.Context(), w.Store, backup, nil); err != nil {
		t.Fatal(err)
	}
	w.Store.Close()
	heads := filepath.Join(w.dir, store.HeadsName)
	if err := os.Remove(w.Path()); err != nil {
		t.Fatal(err)
	}
	mustRefuse(t, w.dir, "is missing or empty", heads, "name an empty folder")
	if err := os.WriteFile(w.Path(), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	mustRefuse(t, w.dir, "is missing or empty", heads)
	if err := os.Remove(heads); err != nil {
		t.Fatal(err)
	}
	mustRefuse(t, w.dir, "is missing or empty", filepath.Join(w.dir, "files"))
	if info, err := os.Stat(w.Path()); err != nil || info.Size() != 0 {
		t.Error("the refusal changed the file:", info, err)
	}
	if _, err := archive.Restore(t.Context(), backup, w.dir); err != nil {
		t.Fatal(err)
	}
	w.open()
	w.Store.Close()
	fresh := t.TempDir()
	if err := os.MkdirAll(filepath.Join(fresh, "files", "ab"), 0o700); err != nil {
		t.Fatal(err)
	}
	empty(t, fresh) // folders without files do not show that there was a database
}

// TestALostLogIsNoticed removes or truncates the write-ahead log that a killed process left, or replaces the database
// with an older one. The next start must notice that.
func TestALostLogIsNoticed(t *testing.T) {
	w := newFileWorld(t)
	w.draft(w.alice, w.team, "Before", "One", "Two")
	w.reopen()
	old := readFolder(t, w.dir)
	w.draft(w.alice, w.team, "Lost", "One", "Two")
	w.NoteHeads()
	killed := readFolder(t, w.dir) // the files as they would be if the process were killed now
	for name, change := range map[string]func(files map[string][]byte){
		"removed": func(f map[string][]byte) { delete(f, "samepage.db-wal"); delete(f, "samepage.db-shm") },
		"emptied": func(f map[string][]byte) { f["samepage.db-wal"] = nil; delete(f, "samepage.db-shm") },
		"cut off": func(f map[string][]byte) {
			f["samepage.db-wal"] = f["samepage.db-wal"][:5000]
			delete(f, "samepage.db-shm")
		},
		"an older database": func(f map[string][]byte) { f["samepage.db"] = old["samepage.db"]; f["samepage.db-wal"] = nil },
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string][]byte{}
			for file, data := range killed {
				files[file] = data
			}
			change(files)
			dir := t.TempDir()
			for file, data := range files {
				if err := os.WriteFile(filepath.Join(dir, file), data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			heads := filepath.Join(dir, store.HeadsName)
			mustRefuse(t, dir, "lost acknowledged work", "samepage.db-wal", heads, "the journal of acme")
			beside, err := store.Open(t.Context(), dir, store.Options{Beside: true})
			if err != nil {
				t.Fatal(err)
			}
			noted, err := beside.NotedHeads(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := beside.Read(t.Context(), func(tx *store.Tx) error {
				o, err := tx.FindOrganization(w.alice, "acme")
				if err != nil {
					return err
				}
				_, err = tx.VerifyJournal(o, noted...)
				return err
			}); err == nil || !strings.Contains(err.Error(), "was noted down") {
				t.Error("verified:", err)
			}
			beside.Close()
			if err := os.Remove(heads); err != nil {
				t.Fatal(err)
			}
			s, err := store.Open(t.Context(), dir, store.Options{})
			if err != nil {
				t.Fatal("without the heads:", err)
			}
			s.Close()
		})
	}
	dir := t.TempDir()
	for file, data := range killed {
		if err := os.WriteFile(filepath.Join(dir, file), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := store.Open(t.Context(), dir, store.Options{})
	if err != nil {
		t.Fatal("after a kill alone:", err)
	}
	s.Close()
	if info, err := os.Stat(filepath.Join(dir, store.HeadsName)); err != nil || info.Mode().Perm() != 0o600 {
		t.Error("the file with the heads:", info, err)
	}
}

// TestTheHeadsMustBeThere removes or empties the file with the heads of the journals, and expects an error. A missing
// file is no error if the database has no record of it, or if a restore was killed after it had renamed the file.
func TestTheHeadsMustBeThere(t *testing.T) {
	w := newFileWorld(t)
	w.draft(w.alice, w.team, "Before", "One", "Two")
	w.NoteHeads()
	path := filepath.Join(w.dir, store.HeadsName)
	must := func(state string, s *store.Store, want store.Code, is error) {
		t.Helper()
		if err := errors.Join(is, s.MustHaveHeads(t.Context())); store.CodeOf(err) != want && (want != "" || err != nil) {
			t.Errorf("%s: %v", state, err)
		}
	}
	must("the file is there", w.Store, "", nil)
	must("a restore was killed", w.Store, "", os.Rename(path, path+store.ReplacedSuffix))
	if _, err := os.Stat(path); err != nil {
		t.Error("the file is not back:", err)
	}
	must("the file is empty", w.Store, store.Invalid, os.Truncate(path, 0))
	must("the file is gone", w.Store, store.Invalid, os.Remove(path))
	w.write(func(tx *store.Tx) error { return tx.Exec("ALTER TABLE instance RENAME TO away") })
	must("it cannot be known whether it was there", w.Store, store.Internal, nil)
	w.write(func(tx *store.Tx) error { return tx.Exec("ALTER TABLE away RENAME TO instance") })
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := store.ForgetHeads(t.Context(), filepath.Join(w.dir, store.FileName)); err != nil {
		t.Fatal(err)
	}
	beside, err := store.Open(t.Context(), w.dir, store.Options{Beside: true})
	if err != nil {
		t.Fatal(err)
	}
	defer beside.Close()
	must("there never was a file", beside, "", os.RemoveAll(path))
}

// readFolder returns the contents of the files in a folder.
func readFolder(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if e.IsDir() {
			continue
		}
		if files[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return files
}
