package store

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"

	"samepage/store/blob"
	"samepage/store/db"
)

// Blobs returns the store of the bytes of attached files.
func (s *Store) Blobs() blob.Store { return s.blobs }

// Blobs returns the store of the bytes of attached files.
func (tx *Tx) Blobs() blob.Store { return tx.store.blobs }

// KeepBlob stores data permanently and returns its SHA-256 hash, by which an action may then attach the data to
// an item. It returns [Unavailable] if the disk is full.
func (s *Store) KeepBlob(data []byte) ([]byte, error) {
	sum := sha256.Sum256(data)
	return sum[:], s.blobs.Keep(nil, sum[:], data)
}

// Receive writes the bytes of r to a temporary file, as [blob.Receive] describes.
func (s *Store) Receive(r io.Reader) (f *os.File, size int64, hash []byte, err error) {
	return blob.Receive(s.blobs, r)
}

// KeepFile stores a file from [Store.Receive] permanently under its hash. An action may then attach the file to
// an item.
func (s *Store) KeepFile(f *os.File, hash []byte) error { return s.blobs.KeepPart(f, hash) }

// OpenBlob opens the bytes with this hash and size. It returns an error with a sentence for the reader of the
// page if the bytes are missing or damaged.
func (s *Store) OpenBlob(hash []byte, size int64) (blob.Reader, error) {
	return s.openBlob(nil, hash, size)
}

func (s *Store) openBlob(tx *db.Tx, hash []byte, size int64) (blob.Reader, error) {
	r, err := blob.OpenWhole(s.blobs, tx, hash, size)
	if fault, ok := blob.AsFault(err); ok {
		return nil, fmt.Errorf("%w: blob %x: %w", fault.Told(), hash, fault)
	}
	return r, err
}

// SweepBlobs deletes bytes that are older than [blob.OrphanAge] and that no attached file uses. It returns the
// number of deleted blobs.
func (s *Store) SweepBlobs(ctx context.Context) (removed int, err error) { return s.blobs.Sweep(ctx) }
