package blob

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"testing"

	"samepage/store/db"
)

// frail is a store with one blob. Its reader fails at the seek with the number fails, counted from 1. If fails is 0, no
// seek fails.
type frail struct {
	Store
	data  []byte
	fails int
}

func (h *frail) Open(*db.Tx, []byte) (Reader, error) {
	return &frailReader{bytes.NewReader(h.data), h}, nil
}

type frailReader struct {
	*bytes.Reader
	h *frail
}

func (r *frailReader) Close() error { return nil }

func (r *frailReader) Seek(at int64, from int) (int64, error) {
	if r.h.fails--; r.h.fails == 0 {
		return 0, io.ErrClosedPipe
	}
	return r.Reader.Seek(at, from)
}

// TestOnlyWholeBytesAreOpened opens damaged blobs. It expects an error for a blob of another size, and for a small blob
// with other bytes. A large blob with other bytes opens, because its hash takes too long to compute at each opening.
func TestOnlyWholeBytesAreOpened(t *testing.T) {
	bytesOf := func(n int) []byte { return bytes.Repeat([]byte("m"), n) }
	changed := func(n int) []byte { return append(bytesOf(n-1), 'x') }
	for _, c := range []struct {
		name       string
		data, want []byte
		fails      int
		fault      error // nil if the bytes are opened
	}{
		{"whole", bytesOf(9), bytesOf(9), 0, nil},
		{"empty", nil, nil, 0, nil},
		{"changed", changed(9), bytesOf(9), 0, errChanged},
		{"cut off", bytesOf(8), bytesOf(9), 0, SizeFault(8, 9)},
		{"longer", bytesOf(10), bytesOf(9), 0, SizeFault(10, 9)},
		{"large and changed", changed(hashedAtOpen), bytesOf(hashedAtOpen), 0, errChanged},
		{"too large and changed", changed(hashedAtOpen + 1), bytesOf(hashedAtOpen + 1), 0, nil},
		{"too large and cut off", bytesOf(hashedAtOpen), bytesOf(hashedAtOpen + 1), 0, SizeFault(hashedAtOpen, hashedAtOpen+1)},
		{"unreadable at its end", bytesOf(9), bytesOf(9), 1, io.ErrClosedPipe},
		{"unreadable at its beginning", bytesOf(9), bytesOf(9), 2, io.ErrClosedPipe},
		{"unreadable while it is compared", bytesOf(9), bytesOf(9), 3, io.ErrClosedPipe},
		{"unreadable after that", bytesOf(9), bytesOf(9), 4, io.ErrClosedPipe},
	} {
		hash := sha256.Sum256(c.want)
		r, err := OpenWhole(&frail{data: c.data, fails: c.fails}, nil, hash[:], int64(len(c.want)))
		if c.fault != nil {
			var fault *Fault
			if !errors.As(err, &fault) || err.Error() != c.fault.Error() && !errors.Is(err, c.fault) {
				t.Errorf("%s: %v, want %v", c.name, err, c.fault)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, c.data) {
			t.Errorf("%s: %d of %d bytes are read, %v", c.name, len(got), len(c.data), err)
		}
	}
	hash := sha256.Sum256(bytesOf(9))
	if err := MustHash(bytesOf(9), hash[:]); err != nil {
		t.Error(err)
	}
	if err := MustHash(changed(9), hash[:]); err != errChanged {
		t.Errorf("other bytes: %v", err)
	}
}
