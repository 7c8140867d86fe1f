package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"samepage/store"
	"samepage/store/archive"
	"samepage/store/effort"
)

// TestBackupsUnderLoad makes backups while eight goroutines write. Each backup must be undamaged, and must have every
// write that was acknowledged before the backup began.
func TestBackupsUnderLoad(t *testing.T) {
	w := newFileWorld(t)
	var mu sync.Mutex
	var acknowledged []string
	var stop atomic.Bool
	var wg sync.WaitGroup
	for i := range 8 {
		by := w.member(w.acme, fmt.Sprintf("voter-%d", i))
		w.write(func(tx *store.Tx) error { return tx.JoinStudio(by.Member, w.team) })
		wg.Go(func() {
			for n := 0; !stop.Load(); n++ {
				key := fmt.Sprintf("%d-%06d", i, n)
				if err := w.Write(context.Background(), func(tx *store.Tx) error {
					if err := castJournalled(tx, by, "team", w.standups.ID, key); err != nil {
						return err
					}
					return keep(key)(tx)
				}); err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				acknowledged = append(acknowledged, key)
				mu.Unlock()
			}
		})
	}
	into, backups := t.TempDir(), effort.Of(5, 10, 20)
	effort.LeftOut(t, "all but %d backups", backups)
	for n := range backups {
		mu.Lock()
		want := slices.Clone(acknowledged)
		mu.Unlock()
		dst := filepath.Join(into, fmt.Sprintf("backup-%d.db", n))
		if _, err := archive.Backup(t.Context(), w.Store, dst, nil); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(dst); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v (%v)", info.Mode(), err)
		}
		dir := t.TempDir()
		if _, err := archive.Restore(t.Context(), dst, dir); err != nil {
			t.Fatal(err)
		}
		copied := &world{t: t, clock: w.clock, dir: dir}
		copied.open()
		have := copied.kept()
		for _, key := range want {
			if _, ok := slices.BinarySearch(have, key); !ok {
				t.Errorf("backup %d lacks %s", n, key)
			}
		}
		_, err := copied.verify("acme")
		if err := errors.Join(err, copied.Check(t.Context())); err != nil {
			t.Error(err)
		}
		copied.Store.Close()
	}
	stop.Store(true)
	wg.Wait()
	if _, err := archive.Backup(t.Context(), w.Store, filepath.Join(into, "backup-0.db"), nil); store.CodeOf(err) != store.Conflict {
		t.Error("over an existing file:", err)
	}
	if _, err := archive.Backup(t.Context(), w.Store, filepath.Join(into, "nowhere", "b.db"), nil); err == nil {
		t.Error("into a folder that does not exist")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := archive.Backup(ctx, w.Store, filepath.Join(into, "cancelled.db"), nil); err == nil {
		t.Error("cancelled")
	}
	left, err := filepath.Glob(filepath.Join(into, "*"))
	if err != nil || len(left) != backups {
		t.Errorf("%d files are left (%v): %s", len(left), err, left)
	}
}

func TestRestore(t *testing.T) {
	w := newFileWorld(t)
	backup := filepath.Join(t.TempDir(), "it's a backup?.db") // a name that needs escaping
	w.write(keep("backed up"))
	if _, err := archive.Backup(t.Context(), w.Store, backup, nil); err != nil {
		t.Fatal(err)
	}
	w.write(keep("later"))
	w.Store.Close()

	if _, err := archive.Restore(t.Context(), backup, w.dir); err != nil {
		t.Fatal(err)
	}
	w.open()
	if got := w.kept(); !slices.Equal(got, []string{"backed up"}) {
		t.Errorf("restored %s", got)
	}
	w.Store.Close()
	aside, err := filepath.Glob(w.Path() + ".2*Z")
	if err != nil || len(aside) != 1 {
		t.Fatalf("moved aside: %s (%v)", aside, err)
	}
	if _, err := archive.Restore(t.Context(), aside[0], w.dir); err != nil { // restore the database that was moved aside
		t.Fatal(err)
	}
	w.open()
	if got := w.kept(); !slices.Equal(got, []string{"backed up", "later"}) {
		t.Errorf("restored %s", got)
	}
	w.Store.Close()

	empty := filepath.Join(t.TempDir(), "new", "folder")
	if _, err := archive.Restore(t.Context(), backup, empty); err != nil {
		t.Error(err)
	}
	other := filepath.Join(t.TempDir(), "other.txt")
	if err := os.WriteFile(other, []byte(strings.Repeat("not a backup ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(w.Path())
	if err != nil {
		t.Fatal(err)
	}
	for src, says := range map[string]string{
		other: "not begin like an SQLite database", filepath.Join(t.TempDir(), "none.db"): "no backup",
		w.dir: "no backup", w.Path(): "of this folder itself"} {
		if _, err := archive.Restore(t.Context(), src, w.dir); store.CodeOf(err) != store.Invalid || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", src, err)
		}
	}
	if after, err := os.ReadFile(w.Path()); err != nil || !slices.Equal(after, before) {
		t.Error("a refused restore changed the database")
	}
}

// TestRestoreAfterACrash restores over a database with a write-ahead log: the log must not be applied to
// the new database.
func TestRestoreAfterACrash(t *testing.T) {
	w := newFileWorld(t)
	backup := filepath.Join(t.TempDir(), "backup.db")
	if _, err := archive.Backup(t.Context(), w.Store, backup, nil); err != nil {
		t.Fatal(err)
	}
	w.write(keep("only in the log"))
	dir := t.TempDir() // the files that a killed process leaves
	for _, suffix := range []string{"", "-wal", "-shm"} {
		text, err := os.ReadFile(w.Path() + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, store.FileName+suffix), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := archive.Restore(t.Context(), filepath.Join(dir, store.FileName), t.TempDir()); store.CodeOf(err) != store.Invalid ||
		!strings.Contains(err.Error(), "has a log beside it") {
		t.Error("a copy with a log:", err)
	}
	if _, err := archive.Restore(t.Context(), backup, dir); err != nil {
		t.Fatal(err)
	}
	restored := &world{t: t, clock: w.clock, dir: dir}
	restored.open()
	defer restored.Store.Close()
	if got := restored.kept(); len(got) != 0 {
		t.Errorf("restored %s", got)
	}
	if err := restored.Check(t.Context()); err != nil {
		t.Error(err)
	}
	aside, err := filepath.Glob(filepath.Join(dir, store.FileName+".2*Z"))
	if err != nil || len(aside) != 1 {
		t.Fatalf("moved aside: %s (%v)", aside, err)
	}
	kept := t.TempDir()
	if _, err := archive.Restore(t.Context(), aside[0], kept); err != nil {
		t.Fatal(err)
	}
	old := &world{t: t, clock: w.clock, dir: kept}
	old.open()
	defer old.Store.Close()
	if got := old.kept(); !slices.Equal(got, []string{"only in the log"}) {
		t.Errorf("moved aside %s", got)
	}
}
