package store

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// attach keeps data and attaches it to the stand-ups.
func (w *world) attach(data string) []byte {
	w.t.Helper()
	hash, err := w.KeepBlob([]byte(data))
	if err != nil {
		w.t.Fatal(err)
	}
	w.write(func(tx *Tx) error { return tx.Attach(w.alice, &w.standups.Item, "name.txt", []byte(data), hash) })
	return hash
}

func (w *world) blob(hash []byte) string {
	data, err := w.readBlob(nil, hash, 0)
	if err != nil {
		return ""
	}
	return string(data)
}

// TestBackupHoldsFiles restores a backup to another folder, where every attached file is whole, and each once.
func TestBackupHoldsFiles(t *testing.T) {
	w := newFileWorld(t)
	large := string(bytes.Repeat([]byte("large "), 200_000))
	a, b := w.attach("one"), w.attach(large)
	w.attach("one")
	if _, err := w.KeepBlob([]byte("of no item")); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "backup.db")
	if _, err := w.Backup(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if _, err := Restore(t.Context(), file, dir); err != nil {
		t.Fatal(err)
	}
	st, err := Open(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	copied := &world{Store: st, t: t}
	if copied.blob(a) != "one" || copied.blob(b) != large {
		t.Error("a file is not whole")
	}
	n := 0
	filepath.WalkDir(filepath.Join(dir, blobFolder), func(_ string, e os.DirEntry, _ error) error {
		if !e.IsDir() {
			n++
		}
		return nil
	})
	if n != 2 {
		t.Errorf("%d files, want 2", n)
	}
	if err := st.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestSweep removes what no row names, once it is a day old, and nothing else.
func TestSweep(t *testing.T) {
	w := newWorld(t)
	used := w.attach("used")
	young, err := w.KeepBlob([]byte("young"))
	if err != nil {
		t.Fatal(err)
	}
	old, err := w.KeepBlob([]byte("old"))
	if err != nil {
		t.Fatal(err)
	}
	past := time.Now().Add(-2 * orphanAge)
	for _, hash := range [][]byte{used, old} {
		if w.onServer() {
			w.raw(`UPDATE blobs SET kept_at = ? WHERE hash = ?`, At(friday.Add(-2*orphanAge)), hash)
		} else if err := os.Chtimes(blobPath(w.dir, hash), past, past); err != nil {
			t.Fatal(err)
		}
	}
	n, err := w.SweepBlobs(context.Background())
	if err != nil || n != 1 || w.blob(old) != "" || w.blob(used) == "" || w.blob(young) == "" {
		t.Errorf("%d removed (%v): %q, %q, %q", n, err, w.blob(old), w.blob(used), w.blob(young))
	}
}

// TestSweepBesideAnUpload finds an orphan old, and then the same bytes are uploaded again: the file stays.
func TestSweepBesideAnUpload(t *testing.T) {
	w := newFileWorld(t)
	hash := w.attach("again")
	path, past := blobPath(w.dir, hash), time.Now().Add(-2*orphanAge)
	if err := os.Chtimes(path, past, past); err != nil {
		t.Fatal(err)
	}
	w.attach("again")
	if gone, err := w.blobs.(*fileBlobs).removeOrphan(path); gone || err != nil || w.blob(hash) != "again" {
		t.Errorf("removed: %v (%v)", gone, err)
	}
}

func TestBlobName(t *testing.T) {
	for in, want := range map[string]string{"a.txt": "a.txt", "": "file", "../../etc/passwd": "passwd", `C:\\tmp\\x.png`: "x.png", "..": "file", "/": "file", "a\nb\".txt": "ab.txt", " é ": "é"} {
		if got := BlobName(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}
