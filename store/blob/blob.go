// Package blob stores the bytes of attached files under their SHA-256, and equal contents only once. The bytes are in
// files beside the database, or in rows of a database on a server.
package blob

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"samepage/store/db"
)

// OrphanAge is the age after which bytes without a row in the table `files` are removed. Younger bytes may belong to an
// action that has not ended.
const OrphanAge = 24 * time.Hour

// Reader reads the bytes of one blob. The caller must close it.
type Reader = io.ReadSeekCloser

// Store stores bytes under their SHA-256. The parameter tx of its methods may be nil.
type Store interface {
	// Keep stores data under its hash, and replaces damaged bytes there. It returns [db.Unavailable] if the data cannot
	// be written, for example on a full disk.
	Keep(tx *db.Tx, hash, data []byte) error
	// Part creates a temporary file for bytes that are still being received.
	Part() (*os.File, error)
	// KeepPart stores a file from [Receive] permanently under its hash. A second call for the same bytes changes
	// nothing but their age. KeepPart returns the errors of Keep.
	KeepPart(f *os.File, hash []byte) error
	// Open opens the bytes with this hash without verifying them. It returns a [*Fault] if they are missing or
	// unreadable.
	Open(tx *db.Tx, hash []byte) (Reader, error)
	// Sweep removes unused bytes and temporary files that are older than [OrphanAge], and returns their number.
	Sweep(ctx context.Context) (removed int, err error)
}

// Receive copies r to a temporary file, which the caller must [Drop] in the end. It returns the file's size in bytes
// and its SHA-256. Errors of r are returned unchanged. Receive returns [db.Unavailable] if the file cannot be written.
func Receive(s Store, r io.Reader) (f *os.File, size int64, hash []byte, err error) {
	if f, err = s.Part(); err != nil {
		return nil, 0, nil, unkept(err)
	}
	sum := sha256.New()
	// The struct hides the method WriteTo of r, which io.Copy would call and which may write everything at once.
	size, err = io.Copy(io.MultiWriter(f, sum), struct{ io.Reader }{r})
	if _, ours := errors.AsType[*fs.PathError](err); ours {
		err = unkept(err)
	}
	if err != nil {
		Drop(f)
		return nil, 0, nil, err
	}
	return f, size, sum.Sum(nil), nil
}

// Drop closes a file from [Receive]. It removes the file unless it was stored permanently.
func Drop(f *os.File) {
	own, err := f.Stat()
	named, nerr := os.Stat(f.Name())
	f.Close()
	if err == nil && nerr == nil && os.SameFile(own, named) { // otherwise the file was stored under another name
		os.Remove(f.Name())
	}
}

// unkept turns an error about the storage of bytes into [db.Unavailable] with a sentence for the uploader.
func unkept(err error) error {
	if err == nil {
		return nil
	}
	why := "the folder of attached files cannot be written. Nothing was changed; the operator should check its disk and its permissions"
	if db.IsFullDisk(err) {
		why = "the disk is full. Nothing was changed; free some space and try again"
	}
	return fmt.Errorf("%w: %w", db.Errorf(db.Unavailable, "The file could not be kept: %s.", why), err)
}
