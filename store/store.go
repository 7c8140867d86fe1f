// Package store says what is: every noun with its SQL and its invariants, on one SQLite file. Reads run in parallel, each
// in one snapshot; writes go through one writer that commits what is waiting together.
package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/pressly/goose/v3"
)

// FileName is the name of the database inside a data folder.
const FileName = "samepage.db"

// testSynchronous weakens durability, so that the power-cut harness can show that it would notice.
var testSynchronous = os.Getenv("SAMEPAGE_TEST_SYNCHRONOUS")

// Store is an open database. It is safe for concurrent use.
type Store struct {
	dir    string
	path   string
	clock  func() time.Time
	read   *sqlx.DB
	write  *sqlx.DB
	writer *writer
	lock   *os.File
	file   *os.File // the database, for the checkpointer to flush
	once   sync.Once
	reads  reads
	text   fullText // nil where there is none
	index  *indexer // nil beside another process

	backups atomic.Int32 // under way
	spy     func(query string, args []any)
}

// Options configure a [Store]. The zero value is what product code wants.
type Options struct {
	Clock  func() time.Time // nil means time.Now
	Beside bool             // open it also while another process serves it: for single commands of its operator
}

// Open opens the database in the folder dir, creating both and migrating as needed. It fails if another process has it open
// for writing, or if the file is damaged.
func Open(ctx context.Context, dir string, o Options) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create data folder: %w", err)
	}
	lock, err := lockFolder(dir)
	if _, used := errors.AsType[*InUse](err); err != nil && !(used && o.Beside) {
		return nil, err
	}
	s := &Store{dir: dir, path: filepath.Join(dir, FileName), clock: o.Clock, lock: lock}
	if s.clock == nil {
		s.clock = time.Now
	}
	if err := s.open(ctx); err != nil {
		s.Close()
		return nil, err
	}
	if !o.Beside {
		if s.index, err = s.startIndexer(ctx); err != nil {
			s.Close()
			return nil, err
		}
	}
	return s, nil
}

func (s *Store) open(ctx context.Context) (err error) {
	fresh, err := checkHeader(s.path)
	if err != nil {
		return err
	}
	if testSynchronous != "" {
		slog.Warn("SAMEPAGE_TEST_SYNCHRONOUS is set: a power cut will lose what was acknowledged. Unset it.", "synchronous", testSynchronous)
	}
	if fresh {
		// Nobody but its owner may read it, whatever the folder allows. SQLite gives the log beside it the same mode.
		f, err := os.OpenFile(s.path, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return fmt.Errorf("create database: %w", err)
		}
		f.Close()
	}
	if s.write, err = sqlx.Open("sqlite3", sqliteDSN(s.path, true)); err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	s.write.SetMaxOpenConns(1)
	if !fresh {
		if err := checkStart(ctx, s.write, s.path); err != nil {
			return err
		}
	}
	if err := s.migrate(ctx); err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	if s.text, err = s.openText(ctx); err != nil {
		return err
	}
	if s.read, err = sqlx.Open("sqlite3", sqliteDSN(s.path, false)); err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	readers := min(max(runtime.GOMAXPROCS(0), 2), 8)
	s.read.SetMaxOpenConns(readers)
	s.read.SetMaxIdleConns(readers)
	if s.file, err = os.Open(s.path); err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	s.writer, err = startWriter(s)
	return err
}

func (s *Store) migrate(ctx context.Context) error {
	p, err := goose.NewProvider(goose.DialectSQLite3, s.write.DB, migrations())
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	version, err := p.GetDBVersion(ctx)
	if err != nil {
		return fmt.Errorf("migrations: %w", told(err))
	}
	if err := checkVersion(s.path, version, p); err != nil {
		return err
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", told(err))
	}
	return nil
}

// Path is the database file.
func (s *Store) Path() string { return s.path }

// Now is the store's clock.
func (s *Store) Now() time.Time { return s.clock() }

// Close finishes what was accepted and closes the database.
func (s *Store) Close() error {
	var err error
	s.once.Do(func() {
		if s.index != nil {
			s.index.stop()
		}
		if s.writer != nil {
			s.writer.stop()
		}
		if s.read != nil {
			err = s.read.Close()
		}
		if s.write != nil {
			if werr := s.write.Close(); err == nil {
				err = werr
			}
		}
		if s.file != nil {
			// Last, because closing any descriptor of a file frees the locks that this process holds on it.
			s.file.Close()
		}
		s.lock.Close()
	})
	return err
}

// Write runs fn in a transaction of its own and returns after it is durable. An error or a panic of fn undoes what fn did
// and nothing else. A caller that gives up before fn has begun changes nothing; once begun, fn is finished and its outcome
// returned, whatever becomes of ctx.
func (s *Store) Write(ctx context.Context, fn func(tx *Tx) error) error {
	return s.writer.do(ctx, fn)
}
