//go:build linux

package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"samepage/store"
	"samepage/store/governance"
)

// fill writes until the disk is full and returns the acknowledged keys and the refusal.
func (w *world) fill() (keys []string, refusal error) {
	for n := 0; n < 10000; n++ {
		key := fmt.Sprintf("%06d", n)
		if err := w.Write(context.Background(), func(tx *store.Tx) error {
			return tx.Exec(`INSERT INTO instance (key, value) VALUES (?, randomblob(3000))`, key)
		}); err != nil {
			return keys, err
		}
		keys = append(keys, key)
	}
	return keys, nil
}

func (w *world) fullDisk(free func()) {
	t := w.t
	t.Helper()
	keys, err := w.fill()
	if store.CodeOf(err) != store.Unavailable || !strings.Contains(err.Error(), "Nothing was changed") {
		t.Fatalf("after %d: %v", len(keys), err)
	}
	for range 3 { // still full, still the same refusal
		if err := w.Write(t.Context(), func(tx *store.Tx) error {
			return tx.Exec(`INSERT INTO instance (key, value)
			VALUES ('x', randomblob(9000))`)
		}); store.CodeOf(err) != store.Unavailable {
			t.Error(err)
		}
		w.read(func(tx *store.Tx) error {
			_, err := governance.FindDecision(tx, w.alice, "team", w.standups.ID)
			return err
		})
	}
	if got := w.kept(); !slices.Equal(got, keys) {
		t.Errorf("%d kept, %d acknowledged", len(got), len(keys))
	}
	free()
	w.write(keep("freed"))
	if err := w.vote(w.bob, w.standups, "[1]"); err != nil {
		t.Error(err)
	}
	if _, err := w.verify("acme"); err != nil {
		t.Error(err)
	}
	w.reopen()
	if got := w.kept(); !slices.Equal(got, append(keys, "freed")) {
		t.Errorf("%d kept, %d acknowledged", len(got), len(keys)+1)
	}
	if err := w.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestAFullDatabase(t *testing.T) {
	w := newFileWorld(t)
	limit := func(pages int) {
		if _, err := w.file().Writer().ExecContext(t.Context(),
			fmt.Sprint("PRAGMA max_page_count = ", pages)); err != nil {
			t.Fatal(err)
		}
	}
	limit(200)
	w.fullDisk(func() { limit(1 << 30) })
}

func TestAFullDisk(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root to mount a small disk")
	}
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=4m"); err != nil {
		t.Skip("cannot mount:", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
	w := newFileWorld(t)
	w.Store.Close()
	text, err := os.ReadFile(w.Path())
	if err != nil {
		t.Fatal(err)
	}
	w.dir = dir
	if err := os.WriteFile(filepath.Join(dir, store.FileName), text, 0o600); err != nil {
		t.Fatal(err)
	}
	w.open()
	w.fullDisk(func() {
		if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT, "size=64m"); err != nil {
			t.Fatal(err)
		}
	})
	w.Store.Close()
}

// smallDisk mounts a disk of the given size until the end of the test, and returns its folder. If it cannot do this, it
// skips the test.
func smallDisk(t *testing.T, megabytes int) (dir string) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("left out: root alone mounts a small disk")
	}
	dir = t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%dm", megabytes)); err != nil {
		t.Skip("left out: no disk can be mounted:", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

// fillUp fills the disk of a folder, so that no byte is free.
func fillUp(t *testing.T, dir string) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, "filler"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, size := range []int{1 << 20, 4 << 10, 1} {
		for err = nil; err == nil; {
			_, err = f.Write(make([]byte, size))
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatal(err)
		}
	}
}

// TestAStartOnAFullDisk opens a database on a full disk, after a clean end and after a crash. Reads must succeed,
// writes must be refused until there is room, and no acknowledged write may be lost.
func TestAStartOnAFullDisk(t *testing.T) {
	w := newFileWorld(t)
	w.Store.Close()
	text, err := os.ReadFile(w.Path())
	if err != nil {
		t.Fatal(err)
	}
	disk := smallDisk(t, 16)
	w.dir = filepath.Join(disk, "data")
	if err := errors.Join(os.Mkdir(w.dir, 0o700), os.WriteFile(filepath.Join(w.dir, store.FileName), text, 0o600)); err != nil {
		t.Fatal(err)
	}
	w.open()
	w.write(keep("before"))
	w.Store.Close()
	fillUp(t, disk)
	w.open()
	keys, err := w.fill()
	says(t, err, store.Unavailable, []string{"Nothing was changed"})
	says(t, w.CheckWrite(t.Context()), store.Unavailable, []string{"Nothing was changed"})
	w.Store.Close()
	fillUp(t, disk)
	w.open()
	says(t, w.Write(t.Context(), func(tx *store.Tx) error {
		return tx.Exec(`INSERT INTO instance (key, value) VALUES ('large', randomblob(1000000))`)
	}), store.Unavailable, []string{"Nothing was changed"})
	crashed := filepath.Join(t.TempDir(), "crashed")
	if err := os.CopyFS(crashed, os.DirFS(w.dir)); err != nil {
		t.Fatal(err)
	}
	w.Store.Close()
	if err := errors.Join(os.RemoveAll(w.dir), os.CopyFS(w.dir, os.DirFS(crashed))); err != nil {
		t.Fatal(err)
	}
	fillUp(t, disk)
	w.open()
	for _, key := range append(keys, "before") {
		if !slices.Contains(w.kept(), key) {
			t.Fatalf("%s is lost", key)
		}
	}
	if err := os.Remove(filepath.Join(disk, "filler")); err != nil {
		t.Fatal(err)
	}
	if err := w.CheckWrite(t.Context()); err != nil {
		t.Error(err)
	}
	w.write(keep("after"))
	if err := w.Check(t.Context()); err != nil {
		t.Error(err)
	}
	w.Store.Close()
}
