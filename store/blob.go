package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/jmoiron/sqlx"
)

// Blobs are the bytes of attached files: one file each in a folder beside the database, named by its SHA-256. What is there
// never changes, so it is written once, however often it is attached, and needs no transaction.

// blobFolder is the name of the folder.
const blobFolder = "files"

// orphanAge is how long a blob may be without a row that names it: its action may still be under way.
const orphanAge = 24 * time.Hour

func blobPath(dir string, hash []byte) string {
	name := hex.EncodeToString(hash)
	return filepath.Join(dir, blobFolder, name[:2], name[2:])
}

// Blob is the bytes of a file, to be read and closed.
type Blob = io.ReadSeekCloser

// KeepBlob keeps data for good and returns its hash, by which an action may then attach it.
func (s *Store) KeepBlob(data []byte) ([]byte, error) {
	sum := sha256.Sum256(data)
	return sum[:], s.database.keepBlob(nil, sum[:], data)
}

// OpenBlob opens the bytes with this hash.
func (s *Store) OpenBlob(hash []byte) (Blob, error) { return s.database.openBlob(nil, hash) }

// SweepBlobs removes blobs that no row names and that are older than a day.
func (s *Store) SweepBlobs(ctx context.Context) (removed int, err error) {
	return s.database.sweepBlobs(ctx)
}

func (s *sqliteFile) keepBlob(_ *Tx, hash, data []byte) error { return keepBlob(s.dir, hash, data) }

func (s *sqliteFile) openBlob(_ *Tx, hash []byte) (Blob, error) {
	f, err := os.Open(blobPath(s.dir, hash))
	if err != nil {
		return nil, missingBlob(fmt.Sprintf("restore the folder %s from a backup", blobFolder), err)
	}
	return f, nil
}

func missingBlob(remedy string, err error) error {
	return fmt.Errorf("%w: %w", Errorf(Unavailable, "The bytes of this file are missing. The operator should %s.", remedy), err)
}

func keepBlob(dir string, hash, data []byte) error {
	path := blobPath(dir, hash)
	if _, err := os.Stat(path); err == nil {
		return touchFile(path) // so that it is no orphan before its row is there
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("keep file: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".part-")
	if err != nil {
		return fmt.Errorf("keep file: %w", err)
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("%w: %w", Errorf(Unavailable, "The file could not be kept. Nothing was changed; the operator should check the disk."), err)
	}
	return errors.Join(syncFile(filepath.Dir(path)), syncFile(filepath.Join(dir, blobFolder)))
}

func touchFile(path string) error {
	now := time.Now()
	return os.Chtimes(path, now, now)
}

func (s *sqliteFile) sweepBlobs(ctx context.Context) (removed int, err error) {
	root := filepath.Join(s.dir, blobFolder)
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil || time.Since(info.ModTime()) < orphanAge {
			return err
		}
		hash, err := hex.DecodeString(filepath.Base(filepath.Dir(path)) + e.Name())
		used := 0
		if err == nil {
			err = s.read(ctx, func(tx *Tx) error { return tx.Get(&used, `SELECT count(*) FROM files WHERE hash = ?`, hash) })
			if err != nil {
				return err
			}
		}
		if used > 0 {
			return nil
		}
		removed++
		return os.Remove(path)
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return removed, err
}

// packBlobs puts the blobs that the rows of a backup name into the backup.
func packBlobs(ctx context.Context, dir, path string) error {
	return onFile(path, func(q *sqlx.Tx) error {
		var hashes [][]byte
		if err := q.SelectContext(ctx, &hashes, `SELECT DISTINCT hash FROM files`); err != nil {
			return err
		}
		if len(hashes) == 0 {
			return nil
		}
		if _, err := q.ExecContext(ctx, `CREATE TABLE blobs (hash BLOB PRIMARY KEY, data BLOB NOT NULL)`); err != nil {
			return err
		}
		for _, hash := range hashes {
			data, err := os.ReadFile(blobPath(dir, hash))
			if err != nil {
				return fmt.Errorf("an attached file is missing: %w", err)
			}
			if _, err := q.ExecContext(ctx, `INSERT INTO blobs (hash, data) VALUES (?, ?)`, hash, data); err != nil {
				return err
			}
		}
		return nil
	})
}

// onFile runs fn in a transaction on a database that nobody else has open, and leaves one file.
func onFile(path string, fn func(q *sqlx.Tx) error) error {
	db, err := sqlx.Open("sqlite3", fileURL(path)+"?_journal_mode=DELETE&_synchronous=FULL&_txlock=exclusive")
	if err != nil {
		return err
	}
	defer db.Close()
	q, err := db.Beginx()
	if err != nil {
		return err
	}
	if err := fn(q); err != nil {
		q.Rollback()
		return err
	}
	return q.Commit()
}

// unpackBlobs takes the blobs out of a database that was a backup, and puts them where they belong.
func unpackBlobs(ctx context.Context, dir, path string) error {
	return onFile(path, func(q *sqlx.Tx) error {
		var packed int
		if err := q.GetContext(ctx, &packed, `SELECT count(*) FROM sqlite_schema WHERE name = 'blobs'`); err != nil || packed == 0 {
			return err
		}
		var hashes [][]byte
		if err := q.SelectContext(ctx, &hashes, `SELECT hash FROM blobs`); err != nil {
			return err
		}
		for _, hash := range hashes {
			var data []byte
			if err := q.GetContext(ctx, &data, `SELECT data FROM blobs WHERE hash = ?`, hash); err != nil {
				return err
			}
			if sum := sha256.Sum256(data); string(sum[:]) != string(hash) {
				return Errorf(Invalid, "An attached file in the backup is damaged. Take another backup.")
			}
			if err := keepBlob(dir, hash, data); err != nil {
				return err
			}
		}
		_, err := q.ExecContext(ctx, `DROP TABLE blobs`)
		return err
	})
}
