package store

import (
	"bytes"
	"context"
	"io/fs"
)

// On a server the bytes of attached files are in the table blobs, so that every process finds them.

// keepBlob implements database. The data is written also where it is kept already: that heals bytes that were damaged.
func (p *postgresServer) keepBlob(tx *Tx, hash, data []byte) error {
	if tx == nil {
		return p.write(context.Background(), func(tx *Tx) error { return p.keepBlob(tx, hash, data) })
	}
	return tx.Exec(`INSERT INTO blobs (hash, data, kept_at) VALUES (?, ?, ?) ON CONFLICT (hash) DO UPDATE SET data = excluded.data, kept_at = excluded.kept_at`, hash, data, At(tx.Now))
}

// heldBlob is a blob in memory.
type heldBlob struct{ *bytes.Reader }

// Close implements io.Closer.
func (heldBlob) Close() error { return nil }

func (p *postgresServer) openBlob(tx *Tx, hash []byte) (b Blob, err error) {
	if tx == nil {
		err = p.read(context.Background(), func(tx *Tx) error { b, err = p.openBlob(tx, hash); return err })
		if isDamage(err) {
			err = &blobFault{"the server cannot read it", err}
		}
		return b, err
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

func (p *postgresServer) sweepBlobs(ctx context.Context) (removed int, err error) {
	err = p.write(ctx, func(tx *Tx) error {
		var gone [][]byte
		err := tx.Select(&gone, `DELETE FROM blobs WHERE kept_at < ? AND NOT EXISTS (SELECT 1 FROM files WHERE files.hash = blobs.hash) RETURNING hash`, At(tx.Now.Add(-orphanAge)))
		removed = len(gone)
		return err
	})
	return removed, err
}
