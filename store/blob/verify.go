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

// Fault is the error about bytes that are missing or damaged.
type Fault struct {
	Clause string // for example "it is missing" or "its bytes have changed"
	Cause  error  // error of the operating system or the database; nil for none
}

func (f *Fault) Error() string { return f.Clause }

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Cause }

// Told returns an error for readers of the file's page, about the fault and the next step.
func (f *Fault) Told() error {
	return db.Errorf(db.Internal, "The bytes of this file are missing or damaged: %s. Attach the same file again, which heals it, "+
		"or have the operator restore it from a backup.", f.Clause)
}

// AsFault returns the [Fault] that err wraps, and whether there is one.
func AsFault(err error) (*Fault, bool) { return errors.AsType[*Fault](err) }

func faultOf(err error) *Fault {
	if errors.Is(err, fs.ErrNotExist) {
		return &Fault{"it is missing", err}
	}
	reason := err
	if e, ok := errors.AsType[syscall.Errno](err); ok {
		reason = e // the error without the path, which page readers cannot use
	}
	return &Fault{fmt.Sprintf("it cannot be read (%v)", reason), err}
}

// SizeFault returns the fault of bytes with the wrong size.
func SizeFault(have, want int64) *Fault {
	return &Fault{Clause: fmt.Sprintf("it has %d bytes, not %d", have, want)}
}

var errChanged = &Fault{Clause: "its bytes have changed"}

// hashedAtOpen is a size in bytes. Of larger blobs, [OpenWhole] checks only the size, so that they open quickly.
const hashedAtOpen = 1 << 20

// OpenWhole opens the bytes with this hash and size. It returns a [*Fault] if they are missing, unreadable or of
// another size, or if they have another hash. It does not check the hash if size is above hashedAtOpen.
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

// mustBeWhole makes the checks of [OpenWhole] on r. If it returns nil, r is at its beginning.
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

// Inspect verifies the bytes with this hash and returns their size, which may differ from the parameter size. It
// returns a [*Fault] if they are missing or damaged.
func Inspect(s Store, tx *db.Tx, hash []byte, size int64) (have int64, err error) {
	r, err := s.Open(tx, hash)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	return verified(r, hash, size)
}

// Read returns the verified bytes with this hash, or a [*Fault] if they are missing or damaged. If they have another
// size, it verifies their hash before it loads them into memory, because a damaged file may be very large.
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

// verified compares the SHA-256 of all bytes of r with hash, and returns the number of bytes. If the hash differs, the
// error is a [*Fault] about the size if the size differs too, and otherwise about the content.
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

// MustHash returns a [*Fault] if data does not have this hash.
func MustHash(data, hash []byte) error {
	if sum := sha256.Sum256(data); !bytes.Equal(sum[:], hash) {
		return errChanged
	}
	return nil
}
