// Package db is the engine below store: connections, the single writer, transactions, the differences between SQLite
// and PostgreSQL, scanning, errors, time, migrations, and checks and backups of the file. It knows no noun.
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
	// Write runs fn in a write transaction and returns after the commit is durable. An error or a panic of
	// fn undoes only the changes of fn. If ctx ends before fn begins, nothing changes; once begun, fn runs
	// to its end and Write returns its outcome. On a shared database fn runs again after a collision.
	Write(ctx context.Context, fn func(tx *Tx) error) error
	// Read runs fn in one snapshot of the database. A snapshot that is too old may be given up, with
	// [Unavailable].
	Read(ctx context.Context, fn func(tx *Tx) error) error
	// Alone runs fn unless another process that shares the database is running a function of that name. The
	// context of fn ends if another process may run one from then on, for example after this one was paused.
	Alone(ctx context.Context, name string, fn func(ctx context.Context)) error
	// Send sends a message to the other processes that share the database: later, and at most once each.
	Send(message string)
	// LongRead begins a long read, and done ends it; the write-ahead log may grow meanwhile.
	LongRead() (done func())
	// Path returns the path of the database file; on a server, the URL without the password.
	Path() string
	// Folder returns the data folder; empty on a server.
	Folder() string
	// Check checks the whole database while it is in use. Its error describes the damage and the remedy.
	Check(ctx context.Context) error
	// Backup writes a consistent copy of the database to the new file dst while the database is in use,
	// with every change acknowledged before the call. Pack may add to the copy before it gets its name. An
	// existing dst gives [Conflict].
	Backup(ctx context.Context, dst string, pack func(part string) error) error
	// Stats returns counts and sizes of this moment. It does not wait.
	Stats() Stats
	// Announce stores the URL of this process for other processes that try to open the data folder.
	Announce(url string) error
	// Close finishes the accepted writes and closes the database.
	Close() error
}

// Options configure [Open].
type Options struct {
	// Schema has the numbered migrations, in a folder sqlite and a folder postgres.
	Schema fs.FS
	Clock  func() time.Time
	// Beside opens a folder even if another process has it open.
	Beside bool
	// Companions are files and folders in a data folder that only a database has beside it. A folder with one of
	// them and without a database is refused.
	Companions []string
	// Prepare runs after the migrations, for example for an index that not every build of SQLite has. On a
	// server one process runs it at a time.
	Prepare func(ctx context.Context, conn *sqlx.Conn, server bool) error
	// Receive is called with each message of another process, and with the empty string if messages may
	// have been lost.
	Receive func(message string)
	// Outdated is called once if another process has migrated the database to a newer schema. From then on every
	// transaction is refused with this error.
	Outdated func(err error)
}

// OnServer reports that the name of a database is the URL of a PostgreSQL server, and not a folder.
func OnServer(where string) bool {
	return strings.HasPrefix(where, "postgres://") || strings.HasPrefix(where, "postgresql://")
}

// Open opens the database in a folder or with a postgres:// URL, and creates and migrates it as needed. A folder that
// another process has open gives [*InUse], unless [Options.Beside] is set. A damaged file gives [Unavailable].
func Open(ctx context.Context, where string, o Options) (DB, error) {
	if OnServer(where) {
		return openPostgres(ctx, o, where)
	}
	return openSQLite(ctx, o, where)
}

// AtMost is the LIMIT clause with a parameter. SQLite plans a query anew for each value of a bare "LIMIT
// ?", which costs more than running it; it does not look into a sum (sqlite3ExprIsInteger, 3.53).
const AtMost = ` LIMIT ? + 0`
