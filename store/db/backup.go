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
	// VACUUM gets a connection of its own, because it must be able to write and the writer's may be busy.
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

// logSuffixes are the suffixes of the files that SQLite keeps beside a database.
var logSuffixes = []string{"-wal", "-shm", "-journal"}

// PartSuffix is the suffix of an unfinished file of [Install].
const PartSuffix = ".part"

// RemoveLeftovers removes an unfinished file and the files that SQLite kept beside it. SQLite would otherwise apply
// these to the next file with this name.
func RemoveLeftovers(part string) error {
	for _, suffix := range append([]string{""}, logSuffixes...) {
		if err := os.Remove(part + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Install creates the file dst: it calls write for a temporary file, and renames that file. After a crash, dst is
// complete or as it was before. Only the file's owner can read it.
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

// Exchange replaces the database file dst with the file fresh. It returns the new name of the former database, or "" if
// there was none.
func Exchange(fresh, dst string) (aside string, err error) {
	mergeLog(dst)
	aside = dst + time.Now().UTC().Format(".20060102T150405.000Z")
	// The hard link comes first, so that dst always exists. Without dst, a start would create a new database.
	err = os.Link(dst, aside)
	none := errors.Is(err, fs.ErrNotExist)
	if err != nil && !none {
		return "", err
	}
	// The former log is renamed before the file `fresh`. Otherwise SQLite could apply that log to the new database.
	for _, suffix := range logSuffixes {
		if err := os.Rename(dst+suffix, aside+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	dir := filepath.Dir(dst)
	if err := SyncFile(dir); err != nil {
		return "", err
	}
	if err := os.Rename(fresh, dst); err != nil {
		return "", err
	}
	if none {
		aside = ""
	}
	return aside, SyncFile(dir)
}

// mergeLog copies the write-ahead log of an unused database into the database file. If that fails, the log stays as it
// is.
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

// MakeFolder makes a folder and the missing folders above it, which only the owner can read. It flushes their names to
// the disk, so that they survive a power cut.
func MakeFolder(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil
	}
	above := filepath.Dir(path)
	if above != path {
		if err := MakeFolder(above); err != nil {
			return err
		}
	}
	if err := os.Mkdir(path, 0o700); errors.Is(err, fs.ErrExist) {
		return os.MkdirAll(path, 0o700) // no error if another process has made the folder meanwhile
	} else if err != nil {
		return err
	}
	// A folder that is writable but not readable cannot be flushed.
	if err := SyncFile(above); !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return nil
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

// OnFile runs fn in a transaction on a database file that no other process has open. There is no rollback journal, so
// an error or a crash may make the file unusable.
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
