package store_test

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"samepage/store"
	"samepage/store/archive"
	"samepage/store/blob"
	"samepage/store/effort"
)

// TestBackupsInAFolder makes a backup a day and keeps two. Each attached file must be copied once. A file that is
// damaged later must stay undamaged in the backups, and files that no kept backup names must be removed.
func TestBackupsInAFolder(t *testing.T) {
	effort.Slow(t)
	w := newFileWorld(t)
	dir := filepath.Join(t.TempDir(), "backups")
	rotate := func() *archive.Rotated {
		t.Helper()
		w.clock.advance(24 * time.Hour)
		made, err := archive.Rotate(t.Context(), w.Store, dir, 2)
		if err != nil {
			t.Fatal(err)
		}
		if last, err := archive.LastRotated(dir); err != nil || last.Path != made.Path || !last.At.Equal(w.clock.Now()) {
			t.Errorf("the last is %+v, %v", last, err)
		}
		return made
	}
	if last, err := archive.LastRotated(dir); last != nil || err != nil {
		t.Errorf("%v, %v", last, err)
	}
	stays, goes := w.attach("stays"), w.attach("goes")
	first := rotate()
	before, err := os.Stat(blob.Path(dir, stays))
	if err != nil {
		t.Fatal(err)
	}
	w.write(func(tx *store.Tx) error { return tx.Exec(`DELETE FROM files WHERE hash = ?`, goes) })
	if err := os.WriteFile(blob.Path(w.dir, stays), []byte("stayz"), 0o600); err != nil {
		t.Fatal(err)
	}
	second := rotate()
	if len(second.Damaged.Broken) != 1 || len(second.Lost.Broken) != 0 || len(second.Removed) != 0 {
		t.Errorf("%+v", second)
	}
	if after, err := os.Stat(blob.Path(dir, stays)); err != nil || !os.SameFile(before, after) {
		t.Errorf("the file was copied again: %v", err)
	}
	stray := filepath.Join(dir, blob.FolderName, ".part-1")
	for _, path := range []string{stray, filepath.Join(dir, "mine.txt")} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	third := rotate()
	if len(third.Removed) != 1 || third.Removed[0] != first.Path {
		t.Errorf("removed: %q", third.Removed)
	}
	if _, err := os.Stat(blob.Path(dir, goes)); !os.IsNotExist(err) {
		t.Errorf("a file that no backup names stays: %v", err)
	}
	for _, path := range []string{stray, filepath.Join(dir, "mine.txt"), second.Path, blob.Path(dir, stays)} {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
	restored := t.TempDir()
	found, err := archive.Restore(t.Context(), third.Path, restored)
	mustFind(t, "restore", found, err, 1, "")
	if data, err := os.ReadFile(blob.Path(restored, stays)); string(data) != "stays" {
		t.Errorf("%q, %v", data, err)
	}
	// A backup that was moved away from its folder has no attached files, and the check reports that.
	moved := filepath.Join(t.TempDir(), "moved.backup")
	if err := os.Rename(third.Path, moved); err != nil {
		t.Fatal(err)
	}
	found, err = archive.VerifyBackup(t.Context(), moved)
	mustFind(t, "verify", found, err, 1, "and was so when the backup was made")
}

// TestABackupThatLacksAFile expects no earlier backup to be removed if the new one lacks a file, because an earlier one
// may have it.
func TestABackupThatLacksAFile(t *testing.T) {
	effort.Slow(t)
	w := newFileWorld(t)
	dir := t.TempDir()
	for i := range 3 {
		w.clock.advance(time.Hour)
		hash := w.attach(strings.Repeat("lost ", i+1))
		if err := os.Remove(blob.Path(w.dir, hash)); err != nil {
			t.Fatal(err)
		}
		made, err := archive.Rotate(t.Context(), w.Store, dir, 1)
		if err != nil || len(made.Lost.Broken) != i+1 || len(made.Removed) != 0 {
			t.Errorf("%+v, %v", made, err)
		}
	}
	if list, err := filepath.Glob(filepath.Join(dir, "samepage-*.backup")); err != nil || len(list) != 3 {
		t.Errorf("%q, %v", list, err)
	}
	_, err := archive.Rotate(t.Context(), w.Store, dir, 1) // at the same second
	says(t, err, store.Conflict, []string{"exists already"})
	sum := sha256.Sum256([]byte("lost "))
	found, err := archive.VerifyBackup(t.Context(), filepath.Join(dir, "samepage-20261120T130000Z.backup"))
	mustFind(t, "verify", found, err, 1, "it is missing, and was so when the backup was made")
	if found != nil && string(found.Broken[0].Hash) != string(sum[:]) {
		t.Error("another file is named")
	}
}
