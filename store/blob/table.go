package blob

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"

	"samepage/store/db"
)

// Table is a [Store] in the table `blobs` of a database server.
type Table struct{ DB db.DB }

// Keep implements [Store].
func (b Table) Keep(tx *db.Tx, hash, data []byte) error {
	if tx == nil {
		return b.DB.Write(context.Background(), func(tx *db.Tx) error { return b.Keep(tx, hash, data) })
	}
	return tx.Exec(`INSERT INTO blobs (hash, data, kept_at) VALUES (?, ?, ?)
		ON CONFLICT (hash) DO UPDATE SET data = excluded.data, kept_at = excluded.kept_at`, hash, data, db.At(tx.Now))
}

// Part implements [Store]. The file is in the system's temporary folder, because the table cannot store incomplete
// bytes.
func (b Table) Part() (*os.File, error) { return os.CreateTemp("", "samepage-part-") }

// KeepPart implements [Store].
func (b Table) KeepPart(f *os.File, hash []byte) error {
	info, err := f.Stat()
	if err != nil {
		return unkept(err)
	}
	data := make([]byte, info.Size())
	if _, err := f.ReadAt(data, 0); err != nil && err != io.EOF {
		return unkept(err)
	}
	return b.Keep(nil, hash, data)
}

type held struct{ *bytes.Reader }

// Close implements [io.Closer].
func (held) Close() error { return nil }

// Open implements [Store].
func (b Table) Open(tx *db.Tx, hash []byte) (r Reader, err error) {
	if tx == nil {
		err = b.DB.Read(context.Background(), func(tx *db.Tx) error { r, err = b.Open(tx, hash); return err })
		if db.IsDamage(err) {
			err = &Fault{"the server cannot read it", err}
		}
		return r, err
	}
	var data []byte
	err = tx.Get(&data, `SELECT data FROM blobs WHERE hash = ?`, hash)
	if db.CodeOf(err) == db.NotFound {
		return nil, faultOf(fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	return held{bytes.NewReader(data)}, nil
}

// Sweep implements [Store].
func (b Table) Sweep(ctx context.Context) (removed int, err error) {
	err = b.DB.Write(ctx, func(tx *db.Tx) error {
		var gone [][]byte
		err := tx.Select(&gone, `DELETE FROM blobs WHERE kept_at < ?
			AND NOT EXISTS (SELECT 1 FROM files WHERE files.hash = blobs.hash) RETURNING hash`, db.At(tx.Now.Add(-OrphanAge)))
		removed = len(gone)
		return err
	})
	return removed, err
}
