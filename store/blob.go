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

// Blobs is the store of the bytes of attached files.
func (s *Store) Blobs() blob.Store { return s.blobs }

// Blobs is the store of the bytes of attached files.
func (tx *Tx) Blobs() blob.Store { return tx.store.blobs }

// KeepBlob keeps data for good and returns its hash, by which an action may then attach it. A full
// disk gives [Unavailable].
func (s *Store) KeepBlob(data []byte) ([]byte, error) {
	sum := sha256.Sum256(data)
	return sum[:], s.blobs.Keep(nil, sum[:], data)
}

// Receive writes the bytes of r to a temporary file, as [blob.Receive] says.
func (s *Store) Receive(r io.Reader) (f *os.File, size int64, hash []byte, err error) {
	return blob.Receive(s.blobs, r)
}

// KeepFile keeps a file of [Store.Receive] under its hash. An action may then attach it.
func (s *Store) KeepFile(f *os.File, hash []byte) error { return s.blobs.KeepPart(f, hash) }

// OpenBlob opens the bytes with this hash and size. Missing or damaged bytes are an error with a
// sentence for the reader.
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

// SweepBlobs removes bytes that no row names and that are older than [blob.OrphanAge].
func (s *Store) SweepBlobs(ctx context.Context) (removed int, err error) { return s.blobs.Sweep(ctx) }
