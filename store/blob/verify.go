package blob

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"syscall"

	"samepage/store/db"
)

// Fault is the error for missing or damaged bytes.
type Fault struct {
	Clause string // "it is missing", "its bytes have changed"
	Cause  error  // may be nil
}

func (f *Fault) Error() string { return f.Clause }

// Unwrap implements errors.Unwrap.
func (f *Fault) Unwrap() error { return f.Cause }

// Told is the fault in a sentence for readers of the page.
func (f *Fault) Told() error {
	return db.Errorf(db.Internal, "The bytes of this file are missing or damaged: %s. Attach the same file again, which heals it, "+
		"or have the operator restore it from a backup.", f.Clause)
}

// AsFault returns the fault that err wraps, if any. Other errors say nothing about the bytes.
func AsFault(err error) (*Fault, bool) { return errors.AsType[*Fault](err) }

// faultOf is the fault of bytes that the system could not open or read.
func faultOf(err error) *Fault {
	if errors.Is(err, fs.ErrNotExist) {
		return &Fault{"it is missing", err}
	}
	reason := err
	if e, ok := errors.AsType[syscall.Errno](err); ok {
		reason = e // without the path, of no use to a reader of the page
	}
	return &Fault{fmt.Sprintf("it cannot be read (%v)", reason), err}
}

// SizeFault is the fault of bytes of another size than their row says.
func SizeFault(have, want int64) *Fault {
	return &Fault{Clause: fmt.Sprintf("it has %d bytes, not %d", have, want)}
}

// errChanged is the fault of bytes with another hash.
var errChanged = &Fault{Clause: "its bytes have changed"}

// hashedAtOpen is the size in bytes up to which [OpenWhole] verifies the hash. Of larger files it
// compares the size alone; samepage doctor verifies the hash of every file.
const hashedAtOpen = 1 << 20

// OpenWhole opens bytes of this hash and size. Missing, unreadable or damaged bytes give a [*Fault].
func OpenWhole(s Store, tx *db.Tx, hash []byte, size int64) (Reader, error) {
	r, err := s.Open(tx, hash)
	if err != nil {
		return nil, err
	}
	if err := mustBeWhole(r, hash, size); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// mustBeWhole refuses bytes of another size, and small ones of another hash. It leaves r at its beginning.
func mustBeWhole(r Reader, hash []byte, size int64) error {
	have, err := r.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = r.Seek(0, io.SeekStart)
	}
	switch {
	case err != nil:
		return faultOf(err)
	case have != size:
		return SizeFault(have, size)
	case size > hashedAtOpen:
		return nil
	}
	if _, err := verified(r, hash, size); err != nil {
		return err
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return faultOf(err)
	}
	return nil
}

// Inspect reads bytes to their end and returns their size. Missing or damaged bytes give a [*Fault].
func Inspect(s Store, tx *db.Tx, hash []byte, size int64) (have int64, err error) {
	r, err := s.Open(tx, hash)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	return verified(r, hash, size)
}

// Read returns verified bytes. Missing or damaged bytes give a [*Fault]. Bytes of another size than the row says
// come into memory only after their hash was found right.
func Read(s Store, tx *db.Tx, hash []byte, size int64) ([]byte, error) {
	r, err := s.Open(tx, hash)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	have, err := r.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, faultOf(err)
	}
	if have != size {
		if _, err := verified(r, hash, size); err != nil {
			return nil, err
		}
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, faultOf(err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, faultOf(err)
	}
	return data, MustHash(data, hash)
}

// verified reads r from its beginning to its end and returns its size. Another hash gives a [*Fault], which
// names the size if the row says another.
func verified(r Reader, hash []byte, size int64) (have int64, err error) {
	digest := sha256.New()
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return 0, faultOf(err)
	}
	if have, err = io.Copy(digest, r); err != nil {
		return have, faultOf(err)
	}
	switch {
	case bytes.Equal(digest.Sum(nil), hash):
		return have, nil
	case have != size:
		return have, SizeFault(have, size)
	}
	return have, errChanged
}

// MustHash refuses data of another hash with a [*Fault].
func MustHash(data, hash []byte) error {
	if sum := sha256.Sum256(data); !bytes.Equal(sum[:], hash) {
		return errChanged
	}
	return nil
}
