package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/pressly/goose/v3"
)

// FileName is the name of the database file in a data folder.
const FileName = "samepage.db"

// testSynchronous replaces the value of SQLite's pragma synchronous. The tests of power cuts set a less durable value,
// to show that they detect lost writes.
var testSynchronous = os.Getenv("SAMEPAGE_TEST_SYNCHRONOUS")

// sqliteFile is a database in one file, with a pool of connections for reading and one writer.
type sqliteFile struct {
	options Options
	closed  sync.Once
	dir     string
	path    string
	readers *sqlx.DB
	writing *sqlx.DB
	writer  *writer
	lock    *FolderLock // nil if another process has locked the folder
	file    *os.File    // the database file, for the checkpointer to flush
	reads   reads
	backups atomic.Int32 // running backups and long reads
	counts  counts
	guard   schemaGuard
	reading string         // parameters of the URI if the folder cannot be written; otherwise empty
	others  sync.WaitGroup // goroutines that end after the writer
}

func openSQLite(ctx context.Context, o Options, dir string) (DB, error) {
	if err := MakeFolder(dir); err != nil {
		return nil, fmt.Errorf("create data folder: %w", err)
	}
	s, err := openWriting(ctx, o, dir)
	if err != nil && o.Reading && (wantsRoom(err) || isReadOnly(err)) {
		s, err = openReading(ctx, o, dir)
	}
	if err != nil {
		return nil, NameDamage(filepath.Join(dir, FileName), err)
	}
	return s, nil
}

// openWriting opens the database for reading and writing. On a full disk it removes the reserve (see [reserveName]) and
// tries again.
func openWriting(ctx context.Context, o Options, dir string) (*sqliteFile, error) {
	lock, err := LockFolder(dir)
	if _, used := errors.AsType[*InUse](err); err != nil && !(used && o.Beside) {
		return nil, err
	}
	for {
		s := &sqliteFile{options: o, dir: dir, path: filepath.Join(dir, FileName)}
		s.lock, s.guard = lock, schemaGuard{path: s.path, report: o.Outdated}
		err := s.open(ctx)
		if err == nil {
			if lock != nil && !s.keepReserve() {
				s.others.Go(s.restoreReserve)
			}
			return s, nil
		}
		s.lock = nil
		s.Close()
		if lock == nil || !spendReserve(dir, err) {
			lock.Close()
			return nil, err
		}
	}
}

func (s *sqliteFile) open(ctx context.Context) (err error) {
	if err := checkBeside(s.path); err != nil {
		return err
	}
	if err := rollBackJournal(ctx, s.path); err != nil {
		return err
	}
	fresh, err := checkHeader(Unavailable, s.path)
	if err != nil {
		return err
	}
	if testSynchronous != "" {
		slog.Warn("SAMEPAGE_TEST_SYNCHRONOUS is set: a power cut will lose what was acknowledged. Unset it.",
			"synchronous", testSynchronous)
	}
	if fresh {
		if err := s.mustBeFresh(); err != nil {
			return err
		}
		// Only the owner can read the file, even if the folder is open to others. SQLite gives its log the same mode.
		f, err := os.OpenFile(s.path, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return fmt.Errorf("create database: %w", err)
		}
		f.Close()
	}
	if s.writing, err = sqlx.Open("sqlite3", s.dsn(true)); err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	s.writing.SetMaxOpenConns(1)
	if !fresh {
		if err := checkStart(ctx, s.writing, s.path); err != nil {
			return err
		}
	}
	if err := s.prepare(ctx, fresh); err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	if err := s.finish(ctx); err != nil {
		return err
	}
	if s.readers, err = sqlx.Open("sqlite3", s.dsn(false)); err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	s.readers.SetMaxOpenConns(readerCount())
	s.readers.SetMaxIdleConns(readerCount())
	if s.file, err = os.Open(s.path); err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	s.writer, err = startWriter(s)
	return err
}

// mustBeFresh returns an error if one of [Options.Companions] shows that the folder had a database before. A new
// database in its place would be an empty workspace, which anyone with the setup link could take over.
func (s *sqliteFile) mustBeFresh() error {
	for _, name := range s.options.Companions {
		left := ""
		err := filepath.WalkDir(filepath.Join(s.dir, name), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			left = path
			return fs.SkipAll
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("look for an earlier database: %w", err)
		}
		if left != "" {
			return Errorf(Unavailable,
				"%s is missing or empty, but %s is there, so this folder had a database. Nothing was changed. Put the "+
					"database back, or restore a backup with samepage restore. To start anew, name an empty folder.",
				s.path, left)
		}
	}
	return nil
}

func (s *sqliteFile) prepare(ctx context.Context, fresh bool) error {
	if s.lock == nil { // another process has locked the folder
		return s.mustBeCurrent(ctx)
	}
	if fresh {
		return s.create(ctx)
	}
	return s.migrate(ctx, s.writing)
}

func (s *sqliteFile) migrate(ctx context.Context, db *sqlx.DB) error {
	p, err := Migrations(s.options.Schema, goose.DialectSQLite3, db)
	if err != nil {
		return err
	}
	return migrate(ctx, p, s.path, func(version int64) error {
		if version == 0 {
			return nil
		}
		return s.copyBefore(ctx, db, version)
	})
}

// copyBefore copies the database to another file in the folder, because the migration cannot be undone.
func (s *sqliteFile) copyBefore(ctx context.Context, db *sqlx.DB, version int64) error {
	dst := fmt.Sprintf("%s.schema-%d.%s", s.path, version, time.Now().UTC().Format("20060102T150405.000Z"))
	if err := Install(dst, func(part string) error {
		_, err := db.ExecContext(ctx, "VACUUM INTO ?", part)
		return Explain(err)
	}); err != nil {
		return fmt.Errorf("copy the database before it is migrated: %w", err)
	}
	slog.Info("the database is migrated to a newer version; a copy of the earlier one is kept beside it", "copy", dst)
	return nil
}

// create migrates a new database in memory, and copies it into the file in one transaction. A migration of the file
// itself would flush the disk after each step.
func (s *sqliteFile) create(ctx context.Context) error {
	made, err := sqlx.Open("sqlite3", ":memory:")
	if err != nil {
		return fmt.Errorf("create database: %w", err)
	}
	defer made.Close()
	made.SetMaxOpenConns(1)
	if err := s.migrate(ctx, made); err != nil {
		return err
	}
	if err := copyPages(ctx, s.writing, made); err != nil {
		return fmt.Errorf("create database: %w", Explain(err))
	}
	return nil
}

// mustBeCurrent returns an error if the database needs a migration, which is impossible while another process has it
// open or the folder cannot be written.
func (s *sqliteFile) mustBeCurrent(ctx context.Context) error {
	p, err := Migrations(s.options.Schema, goose.DialectSQLite3, s.writing)
	if err != nil {
		return err
	}
	version, err := sqliteVersion(ctx, s.writing)
	s.guard.known = newest(p)
	if err == nil && version >= newest(p) {
		return checkVersion(s.path, version, p)
	}
	found := fmt.Sprintf("its tables are of version %d, not %d", version, newest(p))
	if err != nil {
		found = Explain(err).Error()
	}
	return Errorf(Unavailable,
		"The process that has the database open is still making it, or is an older version (%s). Try again in a "+
			"moment; if that does not help, stop it first.", found)
}

// mustKnow returns an error if the schema is newer than this program knows. A process that holds the lock needs no
// check, because only that process migrates.
func (s *sqliteFile) mustKnow(ctx context.Context, conn *sqlx.Conn) error {
	if s.lock != nil {
		return nil
	}
	version, err := sqliteVersion(ctx, conn)
	if err != nil {
		return fmt.Errorf("check the schema: %w", Explain(err))
	}
	return s.guard.check(version)
}

// migrate migrates a database to the newest schema. If a migration is needed, it first calls the function `before` with
// the present version. It returns an error for a database with a newer schema.
func migrate(ctx context.Context, p *goose.Provider, path string, before func(version int64) error) error {
	version, err := p.GetDBVersion(ctx)
	if err != nil {
		return fmt.Errorf("migrations: %w", Explain(err))
	}
	if err := checkVersion(path, version, p); err != nil {
		return err
	}
	if version == newest(p) {
		return nil
	}
	if err := before(version); err != nil {
		return err
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", Explain(err))
	}
	return nil
}

// Path implements [DB].
func (s *sqliteFile) Path() string { return s.path }

// Folder implements [DB].
func (s *sqliteFile) Folder() string { return s.dir }

func (s *sqliteFile) finish(ctx context.Context) error {
	if s.options.Prepare == nil {
		return nil
	}
	conn, err := s.writing.Connx(ctx)
	if err != nil {
		return Explain(err)
	}
	defer conn.Close()
	return s.options.Prepare(ctx, conn, false)
}

// Close implements [DB].
func (s *sqliteFile) Close() (err error) {
	s.closed.Do(func() { err = s.close() })
	return err
}

func (s *sqliteFile) close() error {
	var err error
	if s.writer != nil {
		s.writer.stop()
	}
	s.others.Wait()
	if s.readers != nil {
		err = errors.Join(err, s.readers.Close())
	}
	if s.writing != nil {
		err = errors.Join(err, s.writing.Close())
	}
	if s.file != nil {
		// The file is closed last, because closing a descriptor releases all locks of this process on the file.
		s.file.Close()
	}
	if s.lock != nil && s.reading == "" {
		s.leaveReserve()
	}
	s.lock.Close()
	return err
}

// Write implements [DB].
func (s *sqliteFile) Write(ctx context.Context, fn func(tx *Tx) error) error {
	if s.reading != "" {
		return errReading
	}
	return s.writer.do(ctx, fn)
}

const leastRoom = 1 << 20

// CheckWrite implements [DB]. It also runs probe if the disk has less than leastRoom free bytes.
func (s *sqliteFile) CheckWrite(ctx context.Context, probe func(tx *Tx) error) error {
	if s.reading != "" {
		return errReading
	}
	room, known := freeBytes(s.dir)
	if !s.writer.doubt.Load() && (!known || room >= leastRoom) {
		return nil
	}
	s.writer.doubt.Store(false) // before the write, which sets doubt again if it fails
	return s.Write(ctx, probe)
}

// Alone implements [DB]. It always runs fn, because only one process can serve a data folder.
func (s *sqliteFile) Alone(ctx context.Context, _ string, fn func(ctx context.Context)) error {
	fn(ctx)
	return nil
}

// Send implements [DB]. It does nothing, because no other process receives messages.
func (s *sqliteFile) Send(string) {}

// LongRead implements [DB].
func (s *sqliteFile) LongRead() (done func()) {
	s.backups.Add(1)
	return func() { s.backups.Add(-1) }
}
