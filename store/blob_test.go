package store_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"samepage/store"
	"samepage/store/archive"
	"samepage/store/blob"
)

// attach stores data, and attaches it as a file to the decision w.standups. It returns the hash.
func (w *world) attach(data string) []byte {
	w.t.Helper()
	hash, err := w.KeepBlob([]byte(data))
	if err != nil {
		w.t.Fatal(err)
	}
	w.write(func(tx *store.Tx) error {
		return tx.AttachFile(w.alice, &w.standups.Item,
			store.File{Name: "name.txt", Type: "text/plain; charset=utf-8", Size: int64(len(data)), Hash: hash})
	})
	return hash
}

func (w *world) blob(hash []byte) string {
	data, err := blob.Read(w.Blobs(), nil, hash, 0)
	if err != nil {
		return ""
	}
	return string(data)
}

// TestBackupHoldsFiles restores a backup to another folder. Every attached file must be undamaged there, and stored
// once.
func TestBackupHoldsFiles(t *testing.T) {
	w := newFileWorld(t)
	large := string(bytes.Repeat([]byte("large "), 200_000))
	a, b := w.attach("one"), w.attach(large)
	w.attach("one")
	if _, err := w.KeepBlob([]byte("of no item")); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "backup.db")
	if _, err := archive.Backup(t.Context(), w.Store, file, nil); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if _, err := archive.Restore(t.Context(), file, dir); err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(t.Context(), dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	copied := &world{Store: st, t: t}
	if copied.blob(a) != "one" || copied.blob(b) != large {
		t.Error("a file is not whole")
	}
	n := 0
	filepath.WalkDir(filepath.Join(dir, blob.FolderName), func(_ string, e os.DirEntry, _ error) error {
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

// TestSweep expects a sweep to remove bytes that are older than a day and belong to no row of files, and nothing else.
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
	past := time.Now().Add(-2 * blob.OrphanAge)
	for _, hash := range [][]byte{used, old} {
		if w.onServer() {
			w.raw(`UPDATE blobs SET kept_at = ? WHERE hash = ?`, store.At(friday.Add(-2*blob.OrphanAge)), hash)
		} else if err := os.Chtimes(blob.Path(w.dir, hash), past, past); err != nil {
			t.Fatal(err)
		}
	}
	n, err := w.SweepBlobs(context.Background())
	if err != nil || n != 1 || w.blob(old) != "" || w.blob(used) == "" || w.blob(young) == "" {
		t.Errorf("%d removed (%v): %q, %q, %q", n, err, w.blob(old), w.blob(used), w.blob(young))
	}
}

func TestBlobName(t *testing.T) {
	for in, want := range map[string]string{"a.txt": "a.txt", "": "file", "../../etc/passwd": "passwd",
		`C:\\tmp\\x.png`: "x.png", "..": "file", "/": "file", "a\nb\".txt": "ab.txt", " é ": "é"} {
		if got := store.BlobName(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

// TestReceive receives files byte by byte. A kept file must become a blob, and a dropped file must be removed.
func TestReceive(t *testing.T) {
	w := newWorld(t)
	data := strings.Repeat("0123456789", 10_000)
	receive := func() (*os.File, []byte) {
		t.Helper()
		f, size, hash, err := w.Receive(iotest.OneByteReader(strings.NewReader(data)))
		if sum := sha256.Sum256([]byte(data)); err != nil || size != int64(len(data)) || !bytes.Equal(hash, sum[:]) {
			t.Fatalf("%d bytes, hash %x: %v", size, hash, err)
		}
		return f, hash
	}
	gone := func(f *os.File) {
		t.Helper()
		if _, err := os.Stat(f.Name()); !os.IsNotExist(err) {
			t.Errorf("%s is left: %v", f.Name(), err)
		}
	}
	f, hash := receive()
	blob.Drop(f)
	gone(f)
	if w.blob(hash) != "" {
		t.Error("a dropped file is a blob")
	}
	f, _ = receive()
	for range 2 {
		if err := w.KeepFile(f, hash); err != nil {
			t.Fatal(err)
		}
	}
	again, _ := receive()
	if err := w.KeepFile(again, hash); err != nil {
		t.Fatal(err)
	}
	blob.Drop(f)
	blob.Drop(again)
	gone(f)
	gone(again)
	if w.blob(hash) != data {
		t.Error("the bytes differ")
	}
	broken := errors.New("broken")
	if _, _, _, err := w.Receive(iotest.ErrReader(broken)); err != broken {
		t.Errorf("a broken reader: %v", err)
	}
}

// TestDropLeavesOthers drops a kept file after another file has taken its temporary name. The other file must stay.
func TestDropLeavesOthers(t *testing.T) {
	w := newFileWorld(t)
	f, _, hash, err := w.Receive(strings.NewReader("kept"))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.KeepFile(f, hash); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f.Name(), []byte("another"), 0o600); err != nil {
		t.Fatal(err)
	}
	blob.Drop(f)
	if data, err := os.ReadFile(f.Name()); string(data) != "another" {
		t.Errorf("another's file is removed: %v", err)
	}
}

// TestMediaType checks that text is told from other bytes, wherever a buffer splits a character and wherever the first
// invalid byte is.
func TestMediaType(t *testing.T) {
	const text, other = "text/plain; charset=utf-8", "application/octet-stream"
	for shift := range 4 {
		long := strings.Repeat("a", shift) + strings.Repeat("𝄞", 20_000)
		for _, c := range []struct{ data, want string }{
			{long, text}, {long + "\xff", other}, {long[:len(long)-1], other},
			{long[:40_001] + "\xff" + long[40_001:], other}, {"\xff" + long, other},
		} {
			for _, r := range []io.Reader{strings.NewReader(c.data), iotest.HalfReader(strings.NewReader(c.data)),
				iotest.DataErrReader(strings.NewReader(c.data))} {
				if got, err := store.MediaType(r); err != nil || got != c.want {
					t.Errorf("shifted by %d, %d bytes: %s, %v; want %s", shift, len(c.data), got, err, c.want)
				}
			}
		}
	}
	for data, want := range map[string]string{"": text, "x": text, "<html>": text, "%PDF-1.7": "application/pdf",
		"\x00": other, "\x89PNG\r\n\x1a\n": "image/png"} {
		if got, err := store.MediaType(strings.NewReader(data)); err != nil || got != want {
			t.Errorf("%q: %s, %v; want %s", data, got, err, want)
		}
	}
}
