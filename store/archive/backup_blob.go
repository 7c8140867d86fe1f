package archive

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/jmoiron/sqlx"

	"samepage/store"
	"samepage/store/blob"
	"samepage/store/db"
)

// A backup has tables that a database in use does not have. The table `blobs` has the bytes of attached files; in a
// folder of backups, a subfolder has these bytes instead. The table `blobs_missing` lists the files that were missing
// or damaged during the backup.

const (
	makeMissing = `CREATE TABLE blobs_missing (hash BLOB PRIMARY KEY, reason TEXT NOT NULL)`
	makePacked  = `CREATE TABLE blobs (hash BLOB PRIMARY KEY, data BLOB NOT NULL);` + makeMissing
)

func noteMissing(ctx context.Context, q *sqlx.Tx, hash []byte, fault *blob.Fault) error {
	_, err := q.ExecContext(ctx, `INSERT INTO blobs_missing (hash, reason) VALUES (?, ?)`, hash, fault.Clause)
	return err
}

func packBlobs(ctx context.Context, s *store.Store, path string) error {
	return db.OnFile(ctx, path, func(q *sqlx.Tx) error {
		var attached bool
		if err := q.GetContext(ctx, &attached, `SELECT EXISTS (SELECT 1 FROM files)`); err != nil || !attached {
			return err
		}
		if _, err := q.ExecContext(ctx, makePacked); err != nil {
			return err
		}
		_, err := store.CheckBlobs(ctx, selectFrom(ctx, q), "", func(hash []byte, size int64) (int64, error) {
			data, err := blob.Read(s.Blobs(), nil, hash, size)
			if fault, ok := blob.AsFault(err); ok {
				if err := noteMissing(ctx, q, hash, fault); err != nil {
					return 0, err
				}
			}
			if err != nil {
				return 0, err
			}
			_, err = q.ExecContext(ctx, `INSERT INTO blobs (hash, data) VALUES (?, ?)`, hash, data)
			return int64(len(data)), err
		})
		return err
	})
}

// selectFrom adapts a database file that is not open as a store for [store.CheckBlobs].
func selectFrom(ctx context.Context, q sqlx.QueryerContext) func(dst any, query string, args ...any) error {
	return func(dst any, query string, args ...any) error { return sqlx.SelectContext(ctx, q, dst, query, args...) }
}

type packed struct {
	*sqlx.DB
	extended bool              // has any table that only a backup has
	tables   []string          // the tables of this backup that only a backup has
	holds    bool              // has the table `blobs`
	keys     bool              // has the table `keys`
	beside   *blob.Folder      // attached files in the subfolder beside the backup
	missing  map[string]string // hash → reason recorded in the backup
}

// openPacked opens a backup for reading, without creating files beside it.
func openPacked(ctx context.Context, path string) (*packed, error) {
	file, err := db.OpenFile(path)
	if err != nil {
		return nil, err
	}
	p := &packed{DB: file, missing: map[string]string{}, beside: blob.InFolder(filepath.Dir(path), nil)}
	if err := p.load(ctx); err != nil {
		file.Close()
		return nil, err
	}
	return p, nil
}

func (p *packed) load(ctx context.Context) error {
	var tables []string
	if err := p.SelectContext(ctx, &tables, `SELECT name FROM sqlite_schema
		WHERE type = 'table' AND name IN ('blobs', 'blobs_missing', 'keys', 'digests')`); err != nil {
		return err
	}
	p.tables, p.extended = tables, len(tables) > 0
	p.holds, p.keys = slices.Contains(tables, "blobs"), slices.Contains(tables, "keys")
	if !slices.Contains(tables, "blobs_missing") {
		return nil
	}
	var list []struct {
		Hash   []byte `db:"hash"`
		Reason string `db:"reason"`
	}
	err := p.SelectContext(ctx, &list, `SELECT hash, reason FROM blobs_missing`)
	for _, m := range list {
		p.missing[string(m.Hash)] = m.Reason
	}
	if db.IsDamage(err) { // damage in blobs_missing loses only the reasons
		return nil
	}
	return err
}

// read returns the verified content of a blob, or a [*blob.Fault] if the bytes are missing or damaged.
func (p *packed) read(ctx context.Context, hash []byte, size int64) (data []byte, err error) {
	reason, known := p.missing[string(hash)]
	if !p.holds {
		data, err := blob.Read(p.beside, nil, hash, size)
		if _, broken := blob.AsFault(err); broken && known {
			err = &blob.Fault{Clause: reason + ", and was so when the backup was made"}
		}
		return data, err
	}
	err = p.GetContext(ctx, &data, `SELECT data FROM blobs WHERE hash = ?`, hash)
	if db.IsDamage(err) || errors.Is(err, sql.ErrNoRows) && !known { // perhaps only the index is damaged
		err = p.GetContext(ctx, &data, `SELECT data FROM blobs NOT INDEXED WHERE hash = ?`, hash)
	}
	switch {
	case errors.Is(err, sql.ErrNoRows) && known:
		return nil, &blob.Fault{Clause: reason + ", and was so when the backup was made"}
	case errors.Is(err, sql.ErrNoRows):
		return nil, &blob.Fault{Clause: "it is not in the backup"}
	case db.IsDamage(err):
		return nil, &blob.Fault{Clause: fmt.Sprintf("it cannot be read from the backup (%v)", err), Cause: err}
	case err != nil:
		return nil, err
	}
	if blob.MustHash(data, hash) != nil {
		return nil, &blob.Fault{Clause: "its bytes in the backup have changed"}
	}
	return data, nil
}

func (p *packed) check(ctx context.Context) (*store.FileCheck, error) {
	return p.each(ctx, func(hash []byte, size int64) (int64, error) {
		data, err := p.read(ctx, hash, size)
		return int64(len(data)), err
	})
}

// each calls inspect once for each hash of attached files, and lists the changed tables. A backup without the table
// `files` gives an empty result.
func (p *packed) each(ctx context.Context, inspect func(hash []byte, size int64) (int64, error)) (*store.FileCheck, error) {
	var tables int
	if err := p.GetContext(ctx, &tables, `SELECT count(*) FROM sqlite_schema
		WHERE type = 'table' AND name = 'files'`); err != nil || tables == 0 {
		return &store.FileCheck{}, err
	}
	found, err := store.CheckBlobs(ctx, selectFrom(ctx, p), "", inspect)
	if err == nil {
		found.Changed, err = p.changed(ctx)
	}
	return found, err
}

// unpack stores the attached files in the data folder dir. A file that is missing or damaged in the backup is not
// reported if the folder already has its bytes.
func (p *packed) unpack(ctx context.Context, dir string) (*store.FileCheck, error) {
	kept := blob.InFolder(dir, nil)
	return p.each(ctx, func(hash []byte, size int64) (int64, error) {
		data, err := p.read(ctx, hash, size)
		if fault, ok := blob.AsFault(err); ok {
			have, err := blob.Inspect(kept, nil, hash, size)
			if err != nil {
				err = fault
			}
			return have, err
		}
		if err != nil {
			return 0, err
		}
		return int64(len(data)), kept.Keep(nil, hash, data)
	})
}

// strip writes the database of a backup to the file dst, without the tables that only a backup has. It removes them
// from the schema without reading them, so that damage in them has no effect. It changes the file at path.
func strip(ctx context.Context, path, dst string) error {
	if err := db.OnFile(ctx, path, func(q *sqlx.Tx) error {
		_, err := q.ExecContext(ctx, `PRAGMA writable_schema = ON; DELETE FROM sqlite_schema
			WHERE tbl_name IN ('blobs', 'blobs_missing', 'keys', 'digests')`)
		return err
	}); err != nil {
		return err
	}
	file, err := db.OpenFile(path)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = file.ExecContext(ctx, "VACUUM INTO ?", dst)
	return err
}
