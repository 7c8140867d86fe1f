// Package db is the engine below package store. It has connections, the single writer, transactions, the
// differences between SQLite and PostgreSQL, scanning, errors, time, migrations, and checks and backups of the
// database file. It knows nothing of the domain, such as members or decisions.
package db

import (
	"context"
	"io/fs"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"
)

// DB is an open database. It is safe for concurrent use.
type DB interface {
	// Write runs fn in a write transaction, and returns after the commit is durable. If fn returns an error or
	// panics, only its own changes are undone. If ctx ends before fn begins, nothing changes. Once begun, fn
	// runs to its end even if ctx ends. On a database that several processes share, fn runs again after a
	// collision.
	Write(ctx context.Context, fn func(tx *Tx) error) error
	// Read runs fn in a transaction that sees one snapshot. It returns [Unavailable] if the snapshot had to be
	// given up because it was too old.
	Read(ctx context.Context, fn func(tx *Tx) error) error
	// CheckWrite returns an error if the database cannot be written, for example on a full disk. If a write has
	// failed since the last call, it runs probe in a write transaction to find out. The function probe must change a
	// row.
	CheckWrite(ctx context.Context, probe func(tx *Tx) error) error
	// Alone runs fn unless another process that shares the database runs a function with the same name. The context
	// of fn ends when this process loses that right, for example because it was paused.
	Alone(ctx context.Context, name string, fn func(ctx context.Context)) error
	// Send sends a message to the other processes that share the database. It does not wait. A message may be
	// lost.
	Send(message string)
	// LongRead announces a long read, during which the write-ahead log may grow. The caller must call done at
	// its end.
	LongRead() (done func())
	// Path returns the path of the database file. On a server it returns the URL without the password.
	Path() string
	// Folder returns the data folder. It is empty for a database on a server.
	Folder() string
	// Check checks the whole database while it is in use. It returns an error that describes the damage and the
	// remedy.
	Check(ctx context.Context) error
	// Backup writes a consistent copy of the database to the new file dst while the database is in use. The
	// copy has every change that was acknowledged before the call. The function pack may add to the copy before
	// it gets its name. Backup returns [Conflict] if dst exists.
	Backup(ctx context.Context, dst string, pack func(part string) error) error
	// Stats returns counts and present sizes. It does not wait.
	Stats() Stats
	// Announce publishes the URL of this process, and the host and port at which this machine reaches it. The error of
	// another process that tries to open the data folder then names the URL.
	Announce(url, listens string) error
	// Close waits for the accepted writes and closes the database.
	Close() error
}

// Options configures [Open].
type Options struct {
	// Schema has the numbered migrations, in the folders sqlite and postgres.
	Schema fs.FS
	Clock  func() time.Time
	// Beside opens a folder even if another process has opened it.
	Beside bool
	// Reading permits a folder in which nothing can be written. Its database is then read-only, and every write
	// returns an error.
	Reading bool
	// Companions are the names of files and folders that exist in a data folder only together with a database. A
	// folder with one of them and without a database is refused.
	Companions []string
	// Prepare is called after the migrations, for example to create an index that not every build of SQLite
	// supports. On a server, only one process calls it at a time.
	Prepare func(ctx context.Context, conn *sqlx.Conn, server bool) error
	// Receive is called with each message of another process. It is called with the empty string if messages
	// may have been lost.
	Receive func(message string)
	// Outdated is called once if another process has migrated the database to a newer schema. Every later
	// transaction returns this error.
	Outdated func(err error)
}

// OnServer reports whether where is the URL of a PostgreSQL database. Otherwise it is the path of a folder.
func OnServer(where string) bool {
	return strings.HasPrefix(where, "postgres://") || strings.HasPrefix(where, "postgresql://")
}

// Open opens the database in a folder or at a postgres:// URL. It creates and migrates the database if
// necessary. It returns [*InUse] if another process has the folder open, unless [Options.Beside] is set. It
// returns [Unavailable] if the file is damaged.
func Open(ctx context.Context, where string, o Options) (DB, error) {
	if OnServer(where) {
		return openPostgres(ctx, o, where)
	}
	return openSQLite(ctx, o, where)
}

// AtMost is a LIMIT clause with a parameter. The sum is necessary because SQLite plans a query with a plain
// "LIMIT ?" again for each value of the parameter, which takes longer than the query itself. SQLite does not
// look into a sum (sqlite3ExprIsInteger, 3.53).
const AtMost = ` LIMIT ? + 0`
