package db

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/jmoiron/sqlx"
)

// Backup implements [DB].
func (s *sqliteFile) Backup(ctx context.Context, dst string, pack func(part string) error) error {
	if _, err := os.Lstat(dst); err == nil {
		return Errorf(Conflict, "%s exists already. Choose a new file.", dst)
	}
	s.backups.Add(1)
	defer s.backups.Add(-1)
	// VACUUM needs a connection that may write, and must not wait for the writer.
	db, err := sqlx.Open("sqlite3", s.dsn(true))
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	defer db.Close()
	return Install(dst, func(part string) error {
		if _, err := db.ExecContext(ctx, "VACUUM INTO ?", part); err != nil {
			return Explain(err)
		}
		return pack(part)
	})
}

// logSuffixes are the suffixes of the files that SQLite creates beside a database.
var logSuffixes = []string{"-wal", "-shm", "-journal"}

// PartSuffix is the suffix of a file that is not finished.
const PartSuffix = ".part"

// RemoveLeftovers removes an unfinished file that an interrupted run has left. It also removes the files that
// SQLite created beside it, which SQLite would otherwise apply to the next file with this name.
func RemoveLeftovers(part string) error {
	for _, suffix := range append([]string{""}, logSuffixes...) {
		if err := os.Remove(part + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Install creates the file dst with the function write, which writes a temporary file that is then renamed.
// After a crash, dst either is complete or does not exist. Only the owner may read the file.
func Install(dst string, write func(part string) error) error {
	part := dst + PartSuffix
	if err := RemoveLeftovers(part); err != nil {
		return err
	}
	f, err := os.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	f.Close()
	err = write(part)
	if err == nil {
		err = SyncFile(part)
	}
	if err == nil {
		err = os.Rename(part, dst)
	}
	if err != nil {
		return errors.Join(err, RemoveLeftovers(part))
	}
	return SyncFile(filepath.Dir(dst))
}

// Exchange renames the database dst to a name with the time, and then gives the database fresh the name dst.
func Exchange(fresh, dst string) error {
	mergeLog(dst)
	aside := dst + time.Now().UTC().Format(".20060102T150405.000Z")
	// The hard link comes first so that dst exists at any time. Without dst, a start would create a new
	// database.
	if err := os.Link(dst, aside); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, suffix := range logSuffixes { // before the rename, because SQLite would apply the log to the new database
		if err := os.Rename(dst+suffix, aside+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	dir := filepath.Dir(dst)
	if err := SyncFile(dir); err != nil {
		return err
	}
	if err := os.Rename(fresh, dst); err != nil {
		return err
	}
	return SyncFile(dir)
}

// mergeLog copies the write-ahead log of a database that is not in use into the database, so that one file has
// everything. It leaves a damaged log as it is.
func mergeLog(path string) {
	if fresh, err := checkHeader(Unavailable, path); fresh || err != nil {
		return
	}
	db, err := sqlx.Open("sqlite3", sqliteDSN(path, true))
	if err != nil {
		return
	}
	defer db.Close()
	if _, err := runCheckpoint(context.Background(), db, "TRUNCATE"); err != nil {
		slog.Warn("the write-ahead log is kept beside its database", "error", err)
	}
}

// CopyFile copies the bytes of src into the existing file dst.
func CopyFile(src, dst string) error {
	in, err := os.Open(src)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(dst, os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}

// SyncFile flushes a file or a folder to the disk.
func SyncFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// OnFile runs fn in a transaction on a database file that no other process has open. It uses no journal, so
// that a killed process leaves none; after an error the file is unusable.
func OnFile(ctx context.Context, path string, fn func(q *sqlx.Tx) error) error {
	db, err := sqlx.Open("sqlite3", FileURL(path)+"?_journal_mode=OFF&_synchronous=FULL&_txlock=exclusive")
	if err != nil {
		return err
	}
	defer db.Close()
	q, err := db.BeginTxx(ctx, nil)
	if err != nil {
		return err
	}
	if err := fn(q); err != nil {
		q.Rollback()
		return err
	}
	return q.Commit()
}

// OpenFile opens a database file for reading and creates no files beside it.
func OpenFile(path string) (*sqlx.DB, error) {
	return sqlx.Open("sqlite3", FileURL(path)+"?mode=ro&immutable=1")
}
