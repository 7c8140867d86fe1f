package store

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

// Backup writes a consistent copy of the database to the new file dst while the store is in use. It holds everything that
// was acknowledged before the call, attached files included. An existing dst: [Conflict].
func (s *sqliteFile) Backup(ctx context.Context, dst string) error {
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
	return install(dst, func(part string) error {
		if _, err := db.ExecContext(ctx, "VACUUM INTO ?", part); err != nil {
			return told(err)
		}
		return told(packBlobs(ctx, s.dir, part))
	})
}

// install makes the file dst by writing part beside it: dst is there as a whole and on the disk, or not at all. Nobody but
// its owner may read it, for it holds everything.
func install(dst string, write func(part string) error) error {
	part := dst + ".part"
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	f.Close()
	err = write(part)
	if err == nil {
		err = syncFile(part)
	}
	if err == nil {
		err = os.Rename(part, dst)
	}
	if err != nil {
		os.Remove(part)
		return err
	}
	return syncFile(filepath.Dir(dst))
}

// Restore makes the backup src the database of the data folder dir. It checks src first, and moves a database that is there
// to a name with the time. A damaged or unsuitable src: [Invalid], and nothing was changed. A folder in use: [*InUse].
func Restore(src, dir string) error {
	if OnServer(dir) {
		return Errorf(Invalid, "The server has its own tool: pg_restore --clean --if-exists --dbname=URL FILE. samepage import organization brings back one organization from a file of samepage export.")
	}
	if err := checkFile(src); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("create data folder: %w", err)
	}
	lock, err := lockFolder(dir)
	if err != nil {
		return err
	}
	defer lock.Close()
	dst := filepath.Join(dir, FileName)
	if a, err := os.Stat(src); err == nil {
		if b, err := os.Stat(dst); err == nil && os.SameFile(a, b) {
			return Errorf(Invalid, "%s is the database of this folder itself. Name a backup.", src)
		}
	}
	fresh := dst + ".restore"
	if err := install(fresh, func(part string) error {
		if err := copyFile(src, part); err != nil {
			return err
		}
		return unpackBlobs(context.Background(), dir, part)
	}); err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	foldLog(dst)
	aside := dst + time.Now().UTC().Format(".20060102T150405.000Z")
	// A second name first, so that at no moment there is no database: a start would make a new one.
	if err := os.Link(dst, aside); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("restore: %w", err)
	}
	for _, suffix := range []string{"-wal", "-shm", "-journal"} { // before the new one comes: a log beside another's database is damage
		if err := os.Rename(dst+suffix, aside+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("restore: %w", err)
		}
	}
	if err := syncFile(dir); err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	if err := os.Rename(fresh, dst); err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	return syncFile(dir)
}

// foldLog moves the log of a database nobody uses into it, so that it is kept as one file; a damaged one stays as it is.
func foldLog(path string) {
	if fresh, err := checkHeader(path); fresh || err != nil {
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

func copyFile(src, dst string) error {
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

func syncFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
