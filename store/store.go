// Package store says what is: every noun with its SQL and its invariants, on one SQLite file or on a PostgreSQL server that
// several processes share. Reads run in parallel, each in one snapshot; writes in an organization run one after another.
package store

import (
	"context"
	"strings"
	"sync"
	"time"
)

// Store is an open database. It is safe for concurrent use.
type Store struct {
	database
	clock    func() time.Time
	spy      func(query string, args []any)
	watchers watchers
	once     sync.Once
	text     fullText // nil where there is none
	index    *indexer // nil beside another process
}

// database is what a store runs on.
type database interface {
	// write runs fn in a transaction of its own and returns after it is durable.
	write(ctx context.Context, fn func(tx *Tx) error) error
	// read runs fn in one snapshot.
	read(ctx context.Context, fn func(tx *Tx) error) error
	// alone runs fn unless another process that shares the database is running one of that name.
	alone(ctx context.Context, name string, fn func()) error
	// announce tells other processes that organizations have changed.
	announce(orgID string)
	// schema is how it describes its tables.
	schema() schemaQueries
	// The bytes of attached files, by their hash; within the transaction if there is one. Those that are missing or cannot be
	// read are a [*blobFault]; the bytes themselves are not verified.
	keepBlob(tx *Tx, hash, data []byte) error
	openBlob(tx *Tx, hash []byte) (Blob, error)
	sweepBlobs(ctx context.Context) (removed int, err error)
	// tidy is called before a read that takes long.
	tidy() (done func())
	close() error

	// Path is the database file; on a server, its address without the password.
	Path() string
	// Check looks at the whole database while it is in use. What it finds names the damage and the remedy.
	Check(ctx context.Context) error
	// Backup writes a consistent copy of the database to the new file dst while the store is in use. It holds everything
	// that was acknowledged before the call, attached files included. Those that are missing or damaged do not stop it: it
	// records them in the copy and returns them. An existing dst: [Conflict].
	Backup(ctx context.Context, dst string) (*FileCheck, error)
	// Announce notes where this process answers, for others that want the same data folder.
	Announce(url string) error
}

// Options configure a [Store]. The zero value is what product code wants.
type Options struct {
	Clock  func() time.Time // nil means time.Now
	Beside bool             // open a folder also while another process serves it: for single commands of its operator
}

// OnServer reports whether a database is named by the URL of a PostgreSQL server, and not by a folder.
func OnServer(where string) bool {
	return strings.HasPrefix(where, "postgres://") || strings.HasPrefix(where, "postgresql://")
}

// Open opens the database in a folder, or that with a postgres:// URL, making and migrating it as needed. It fails if the
// folder is in use by another process, or if the file is damaged.
func Open(ctx context.Context, where string, o Options) (*Store, error) {
	s := &Store{clock: o.Clock}
	if s.clock == nil {
		s.clock = time.Now
	}
	var err error
	if OnServer(where) {
		s.database, err = openPostgres(ctx, s, where)
	} else {
		s.database, err = openSQLite(ctx, s, where, o.Beside)
	}
	if err != nil {
		return nil, err
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
func (s *Store) NameDamage(err error) error { return nameDamage(s.Path(), err) }

// Now is the store's clock.
func (s *Store) Now() time.Time { return s.clock() }

// Close finishes what was accepted and closes the database.
func (s *Store) Close() (err error) {
	s.once.Do(func() {
		if s.index != nil {
			s.index.stop()
		}
		err = s.database.close()
	})
	return err
}

// Write runs fn in a transaction of its own and returns after it is durable. An error or a panic of fn undoes what fn did
// and nothing else. A caller that gives up before fn has begun changes nothing; once begun, fn is finished and its outcome
// returned, whatever becomes of ctx. Where others share the database, fn is run again if it ran into them.
func (s *Store) Write(ctx context.Context, fn func(tx *Tx) error) error {
	return s.database.write(ctx, fn)
}

// Read runs fn in one snapshot of the database. A snapshot that is too old may be given up: [Unavailable].
func (s *Store) Read(ctx context.Context, fn func(tx *Tx) error) error {
	return s.database.read(ctx, fn)
}

// Alone runs fn, unless another process that shares the database is just running one of that name. It keeps processes out of
// each other's way; what must happen only once is still for a guard to say.
func (s *Store) Alone(ctx context.Context, name string, fn func()) error {
	return s.database.alone(ctx, name, fn)
}
