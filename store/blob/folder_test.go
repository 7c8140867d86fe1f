package blob

import (
	"context"
	"crypto/sha256"
	"os"
	"testing"
	"time"

	"samepage/store/db"
)

// TestSweepBesideAnUpload stores the bytes of an orphan again before a sweep removes the orphan. The file must stay.
func TestSweepBesideAnUpload(t *testing.T) {
	dir := t.TempDir()
	b := InFolder(dir, nil)
	data := []byte("again")
	sum := sha256.Sum256(data)
	keep := func() {
		if err := b.Keep(nil, sum[:], data); err != nil {
			t.Fatal(err)
		}
	}
	keep()
	path, past := Path(dir, sum[:]), time.Now().Add(-2*OrphanAge)
	if err := os.Chtimes(path, past, past); err != nil {
		t.Fatal(err)
	}
	keep()
	if gone, err := b.removeOrphan(path); gone || err != nil {
		t.Errorf("removed: %v (%v)", gone, err)
	}
	if have, err := Read(b, nil, sum[:], int64(len(data))); string(have) != "again" {
		t.Errorf("%q, %v", have, err)
	}
	if err := os.Chtimes(path, past, past); err != nil {
		t.Fatal(err)
	}
	if gone, err := b.removeOrphan(path); !gone || err != nil {
		t.Errorf("an orphan stays: %v", err)
	}
}

// watched is a database in which no file is in use. It calls the function when it is asked.
type watched struct {
	db.DB
	asked func()
}

func (w watched) Read(context.Context, func(*db.Tx) error) error {
	w.asked()
	return nil
}

// TestSweepBesideARemoval removes an orphan while a sweep is about to do so. The sweep must remove the other orphans.
func TestSweepBesideARemoval(t *testing.T) {
	dir, first := t.TempDir(), ""
	b := InFolder(dir, watched{asked: func() { os.Remove(first) }})
	past := time.Now().Add(-2 * OrphanAge)
	for _, data := range []string{"one", "two", "three"} {
		sum := sha256.Sum256([]byte(data))
		if err := b.Keep(nil, sum[:], []byte(data)); err != nil {
			t.Fatal(err)
		}
		path := Path(dir, sum[:])
		if err := os.Chtimes(path, past, past); err != nil {
			t.Fatal(err)
		}
		if first == "" || path < first {
			first = path
		}
	}
	if n, err := b.Sweep(t.Context()); n != 2 || err != nil {
		t.Errorf("%d were removed: %v", n, err)
	}
	if n, err := InFolder(t.TempDir(), nil).Sweep(t.Context()); n != 0 || err != nil {
		t.Errorf("without a folder: %d, %v", n, err)
	}
}
