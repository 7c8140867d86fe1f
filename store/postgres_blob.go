package store

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"

	"samepage/store/db"
)

// On a server the bytes of attached files are in the table blobs, so that every process finds them.

// tableBlobs are blobs in a table of the server.
type tableBlobs struct{ store *Store }

// keep implements blobs. The data is written also where it is kept already: that heals bytes that were damaged.
func (b tableBlobs) keep(tx *Tx, hash, data []byte) error {
	if tx == nil {
		return b.store.Write(context.Background(), func(tx *Tx) error { return b.keep(tx, hash, data) })
	}
	return tx.Exec(`INSERT INTO blobs (hash, data, kept_at) VALUES (?, ?, ?)
		ON CONFLICT (hash) DO UPDATE SET data = excluded.data, kept_at = excluded.kept_at`, hash, data, At(tx.Now))
}

// part makes a temporary file of the system's: the table has no place for half a file.
func (b tableBlobs) part() (*os.File, error) { return os.CreateTemp("", "samepage-part-") }

func (b tableBlobs) keepFile(f *os.File, hash []byte) error {
	info, err := f.Stat()
	if err != nil {
		return unkept(err)
	}
	data := make([]byte, info.Size())
	if _, err := f.ReadAt(data, 0); err != nil && err != io.EOF {
		return unkept(err)
	}
	return b.keep(nil, hash, data)
}

// heldBlob is a blob in memory.
type heldBlob struct{ *bytes.Reader }

// Close implements io.Closer.
func (heldBlob) Close() error { return nil }

func (b tableBlobs) open(tx *Tx, hash []byte) (blob Blob, err error) {
	if tx == nil {
		err = b.store.Read(context.Background(), func(tx *Tx) error { blob, err = b.open(tx, hash); return err })
		if db.IsDamage(err) {
			err = &blobFault{"the server cannot read it", err}
		}
		return blob, err
	}
	var data []byte
	err = tx.Get(&data, `SELECT data FROM blobs WHERE hash = ?`, hash)
	if CodeOf(err) == NotFound {
		return nil, faultOf(fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	return heldBlob{bytes.NewReader(data)}, nil
}

func (b tableBlobs) sweep(ctx context.Context) (removed int, err error) {
	err = b.store.Write(ctx, func(tx *Tx) error {
		var gone [][]byte
		err := tx.Select(&gone, `DELETE FROM blobs WHERE kept_at < ? AND NOT EXISTS (SELECT 1 FROM files
			WHERE files.hash = blobs.hash) RETURNING hash`, At(tx.Now.Add(-orphanAge)))
		removed = len(gone)
		return err
	})
	return removed, err
}
