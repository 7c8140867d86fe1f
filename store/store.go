// Package store says what is: every noun with its SQL and its invariants, on one SQLite file or on a PostgreSQL server that
// several processes share. Reads run in parallel, each in one snapshot; writes in an organization run one after another.
package store

import (
	"context"
	"embed"
	"io/fs"
	"time"

	"github.com/jmoiron/sqlx"

	"samepage/store/blob"
	"samepage/store/db"
)

//go:embed migrations
var migrationFiles embed.FS

// schema has the migrations of both databases.
var schema = func() fs.FS {
	dir, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		panic(err)
	}
	return dir
}()

const (
	atMost = db.AtMost

	// FileName is the name of the database inside a data folder.
	FileName = db.FileName
)

// Store is an open database. It is safe for concurrent use.
type Store struct {
	db.DB
	clock    func() time.Time
	spy      func(query string, args []any)
	watchers watchers
	blobs    blob.Store
	text     fullText // nil where there is none
	index    *indexer // nil beside another process
}

// Options configure a [Store]. The zero value is what product code wants.
type Options struct {
	Clock  func() time.Time // nil means time.Now
	Beside bool             // open a folder also while another process serves it: for single commands of its operator
}

// OnServer reports whether a database is named by the URL of a PostgreSQL server, and not by a folder.
func OnServer(where string) bool { return db.OnServer(where) }

// Open opens the database in a folder, or that with a postgres:// URL, making and migrating it as needed. It fails if the
// folder is in use by another process, or if the file is damaged.
func Open(ctx context.Context, where string, o Options) (*Store, error) {
	s := &Store{clock: o.Clock}
	if s.clock == nil {
		s.clock = time.Now
	}
	var err error
	s.DB, err = db.Open(ctx, where,
		db.Options{Schema: schema, Clock: s.clock, Beside: o.Beside, Prepare: s.prepare, Receive: s.watchers.received})
	if err != nil {
		return nil, err
	}
	if s.blobs = blob.InFolder(s.Folder(), s.DB); OnServer(where) {
		s.blobs = blob.Table{DB: s.DB}
	}
	if !o.Beside {
		if s.index, err = s.startIndexer(ctx); err != nil {
			s.Close()
			return nil, s.NameDamage(err)
		}
	}
	return s, nil
}

// NameDamage adds [Store.Path] to an error that says that the data is damaged; other errors pass. The operator
// needs the name; an answer to a member does not hold it.
func (s *Store) NameDamage(err error) error { return db.NameDamage(s.Path(), err) }

// prepare makes the full-text index, which no migration makes: not every build of SQLite can.
func (s *Store) prepare(ctx context.Context, conn *sqlx.Conn, server bool) (err error) {
	if !server {
		s.text, err = openSQLiteText(ctx, conn)
		return err
	}
	s.text, err = openPostgresText(ctx, conn)
	return err
}

// Now is the store's clock.
func (s *Store) Now() time.Time { return s.clock() }

// Close finishes what was accepted and closes the database.
func (s *Store) Close() error {
	if s.index != nil {
		s.index.stop()
	}
	return s.DB.Close()
}

// Write runs fn in a transaction of its own, as [db.DB] says, and indexes the documents that it changed.
func (s *Store) Write(ctx context.Context, fn func(tx *Tx) error) error {
	return s.DB.Write(ctx, func(of *db.Tx) error {
		tx := s.begin(of)
		if err := fn(tx); err != nil {
			return err
		}
		if err := tx.summarizeChanged(); err != nil {
			return err
		}
		tx.tellTopics()
		return tx.indexMarked()
	})
}

// Read runs fn in one snapshot of the database. A snapshot that is too old may be given up: [Unavailable].
func (s *Store) Read(ctx context.Context, fn func(tx *Tx) error) error {
	return s.DB.Read(ctx, func(of *db.Tx) error { return fn(s.begin(of)) })
}
