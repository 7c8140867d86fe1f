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
// was acknowledged before the call, attached files included. Those that are missing or damaged do not stop it: it records them
// in the copy and returns them. The copy is verified before it gets its name. An existing dst: [Conflict].
func (s *sqliteFile) Backup(ctx context.Context, dst string) (found *FileCheck, err error) {
	if _, err := os.Lstat(dst); err == nil {
		return nil, Errorf(Conflict, "%s exists already. Choose a new file.", dst)
	}
	s.backups.Add(1)
	defer s.backups.Add(-1)
	// VACUUM cannot run on a query-only connection, and must not wait in the writer's way.
	db, err := sqlx.Open("sqlite3", sqliteDSN(s.path, true))
	if err != nil {
		return nil, fmt.Errorf("backup: %w", err)
	}
	defer db.Close()
	err = install(dst, func(part string) error {
		if _, err := db.ExecContext(ctx, "VACUUM INTO ?", part); err != nil {
			return told(err)
		}
		if err := s.packBlobs(ctx, part); err != nil {
			return told(err)
		}
		if found, err = VerifyBackup(ctx, part); CodeOf(err) == Invalid {
			return Errorf(Unavailable, "What was written is damaged, so there is no backup at %s. Run samepage doctor: if the database is sound, write to another disk.", dst)
		}
		return err
	})
	return found, err
}

// VerifyBackup checks the backup at path: the database as a whole, and the bytes of every attached file that a row names. It
// changes nothing, and returns the files that are missing or damaged. A damaged database, or another file: [Invalid].
func VerifyBackup(ctx context.Context, path string) (*FileCheck, error) {
	if err := checkFile(ctx, path); err != nil {
		return nil, err
	}
	p, err := openPacked(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("verify backup: %w", told(err))
	}
	defer p.Close()
	found, err := p.check(ctx)
	if err != nil {
		return nil, fmt.Errorf("verify backup: %w", told(err))
	}
	return found, nil
}

// logSuffixes are the ends of the names of the files that SQLite keeps beside a database.
var logSuffixes = []string{"-wal", "-shm", "-journal"}

// The ends of the names of files that are being written.
const (
	partSuffix  = ".part"
	wholeSuffix = ".whole" // a copy with the attached files, which the database is taken out of
)

// removeLeftovers removes a file that an interrupted run was still writing, and what SQLite has kept beside it, which it would
// take for a part of the next one.
func removeLeftovers(part string) error {
	for _, suffix := range append([]string{""}, logSuffixes...) {
		if err := os.Remove(part + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// install makes the file dst by writing part beside it: dst is there as a whole and on the disk, or not at all. Nobody but
// its owner may read it, for it holds everything.
func install(dst string, write func(part string) error) error {
	part := dst + partSuffix
	if err := removeLeftovers(part); err != nil {
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
		return errors.Join(err, removeLeftovers(part))
	}
	return syncFile(filepath.Dir(dst))
}

// Restore makes the backup src the database of the data folder dir. It checks src first, and moves a database that is there
// to a name with the time. Attached files that are missing or damaged do not stop it: all others are brought back, and those
// are returned. A damaged or unsuitable src: [Invalid], and nothing was changed. A folder in use: [*InUse].
func Restore(ctx context.Context, src, dir string) (*FileCheck, error) {
	if OnServer(dir) {
		return nil, Errorf(Invalid, "The server has its own tool: pg_restore --clean --if-exists --dbname=URL FILE. samepage import organization brings back one organization from a file of samepage export.")
	}
	if err := checkFile(ctx, src); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create data folder: %w", err)
	}
	lock, err := lockFolder(dir)
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	dst := filepath.Join(dir, FileName)
	if a, err := os.Stat(src); err == nil {
		if b, err := os.Stat(dst); err == nil && os.SameFile(a, b) {
			return nil, Errorf(Invalid, "%s is the database of this folder itself. Name a backup.", src)
		}
	}
	fresh := dst + ".restore"
	for _, suffix := range []string{"", partSuffix, partSuffix + wholeSuffix} {
		if err := removeLeftovers(fresh + suffix); err != nil {
			return nil, fmt.Errorf("restore: %w", err)
		}
	}
	found, err := unpack(ctx, src, fresh, dir)
	if err == nil {
		err = exchange(fresh, dst)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("restore: %w", err), removeLeftovers(fresh))
	}
	return found, nil
}

// unpack writes the database of the backup src to the file fresh and its attached files to the data folder dir.
func unpack(ctx context.Context, src, fresh, dir string) (found *FileCheck, err error) {
	p, err := openPacked(ctx, src)
	if err != nil {
		return nil, told(err)
	}
	defer p.Close()
	if found, err = p.unpack(ctx, dir); err != nil {
		return nil, told(err)
	}
	return found, install(fresh, func(part string) error {
		if !p.holds {
			err = copyFile(src, part)
		} else {
			err = stripped(ctx, src, part)
		}
		if err != nil {
			return told(err)
		}
		return checkFile(ctx, part)
	})
}

// stripped writes the database of the backup src to the file dst, without the attached files.
func stripped(ctx context.Context, src, dst string) error {
	whole := dst + wholeSuffix
	f, err := os.OpenFile(whole, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	f.Close()
	if err = copyFile(src, whole); err == nil {
		err = strip(ctx, whole, dst)
	}
	return errors.Join(err, removeLeftovers(whole))
}

// exchange puts the database fresh in the place of dst, which is moved to a name with the time.
func exchange(fresh, dst string) error {
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
	if err := syncFile(dir); err != nil {
		return err
	}
	if err := os.Rename(fresh, dst); err != nil {
		return err
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
