package blob

import (
	"crypto/sha256"
	"os"
	"testing"
	"time"
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
