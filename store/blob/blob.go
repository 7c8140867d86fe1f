// Package blob keeps the bytes of attached files, each content once, under its SHA-256: as files in a
// folder beside the database, or as rows on a server that several processes share. Kept bytes never
// change. Bytes that no row of the table files names are removed after [OrphanAge].
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

// OrphanAge is the age at which bytes without a row are removed. A younger orphan may belong to an
// action that is still under way.
const OrphanAge = 24 * time.Hour

// Reader reads the bytes of one file. The caller closes it.
type Reader = io.ReadSeekCloser

// Store keeps bytes by their hash, a SHA-256. A nil transaction stands for one of the call's own.
type Store interface {
	// Keep keeps data under its hash, and heals damaged bytes under that hash. A full disk gives
	// [db.Unavailable].
	Keep(tx *db.Tx, hash, data []byte) error
	// Part creates a temporary file for bytes under way.
	Part() (*os.File, error)
	// KeepPart keeps a file of [Receive] under its hash. A second call does nothing.
	KeepPart(f *os.File, hash []byte) error
	// Open opens the bytes without verifying them. Missing or unreadable bytes give a [*Fault].
	Open(tx *db.Tx, hash []byte) (Reader, error)
	// Sweep removes orphans and returns their number.
	Sweep(ctx context.Context) (removed int, err error)
}

// Receive writes the bytes of r to a temporary file and returns it with its size in bytes and its
// SHA-256. The caller calls [Drop] at the end. Errors of r are returned unwrapped; a full disk:
// [db.Unavailable].
func Receive(s Store, r io.Reader) (f *os.File, size int64, hash []byte, err error) {
	if f, err = s.Part(); err != nil {
		return nil, 0, nil, unkept(err)
	}
	sum := sha256.New()
	size, err = io.Copy(io.MultiWriter(f, sum), struct{ io.Reader }{r}) // without WriterTo, which may write all at once
	if _, ours := errors.AsType[*fs.PathError](err); ours {
		err = unkept(err)
	}
	if err != nil {
		Drop(f)
		return nil, 0, nil, err
	}
	return f, size, sum.Sum(nil), nil
}

// Drop closes a file of [Receive], and removes it unless it was kept.
func Drop(f *os.File) {
	own, err := f.Stat()
	named, nerr := os.Stat(f.Name())
	f.Close()
	if err == nil && nerr == nil && os.SameFile(own, named) { // a kept file has another name, and its old one may be in use again
		os.Remove(f.Name())
	}
}

// unkept wraps the error of keeping bytes in a sentence for the sender. Nil stays nil.
func unkept(err error) error {
	if err == nil {
		return nil
	}
	told := db.Errorf(db.Unavailable, "The file could not be kept. Nothing was changed; the operator should check the disk.")
	return fmt.Errorf("%w: %w", told, err)
}
