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
	// VACUUM cannot run on a query-only connection, and must not wait in the writer's way.
	db, err := sqlx.Open("sqlite3", sqliteDSN(s.path, true))
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

// logSuffixes are the ends of the names of the files that SQLite keeps beside a database.
var logSuffixes = []string{"-wal", "-shm", "-journal"}

// PartSuffix ends the name of a file that is being written.
const PartSuffix = ".part"

// RemoveLeftovers removes a file that an interrupted run was still writing, and what SQLite has kept beside it, which it would
// take for a part of the next one.
func RemoveLeftovers(part string) error {
	for _, suffix := range append([]string{""}, logSuffixes...) {
		if err := os.Remove(part + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Install makes the file dst by writing part beside it: dst is there as a whole and on the disk, or not at all. Nobody but
// its owner may read it, for it holds everything.
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

// Exchange puts the database fresh in the place of dst, which is moved to a name with the time.
func Exchange(fresh, dst string) error {
	foldLog(dst)
	aside := dst + time.Now().UTC().Format(".20060102T150405.000Z")
	// A second name first, so that at no moment there is no database: a start would make a new one.
	if err := os.Link(dst, aside); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, suffix := range logSuffixes { // before the new one comes: a log beside another's database is damage
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

// foldLog moves the log of a database nobody uses into it, so that it is kept as one file; a damaged one stays as it is.
func foldLog(path string) {
	if fresh, err := checkHeader(Unavailable, path); fresh || err != nil {
		return
	}
	db, err := sqlx.Open("sqlite3", sqliteDSN(path, true))
	if err != nil {
		return
	}
	defer db.Close()
	if _, err := move(context.Background(), db, "TRUNCATE"); err != nil {
		slog.Warn("the write-ahead log is kept beside its database", "error", err)
	}
}

// CopyFile writes the bytes of src into the file dst, which is there.
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

// OnFile runs fn in a transaction on a database file that no other process has open. The file is of no use after an error:
// there is no journal to undo the changes, and so none that a killed process could leave behind.
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

// OpenFile opens a database file that is only read, and leaves no trace beside it.
func OpenFile(path string) (*sqlx.DB, error) {
	return sqlx.Open("sqlite3", FileURL(path)+"?mode=ro&immutable=1")
}
