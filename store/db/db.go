// Package db is the engine below package store: connections, transactions, the differences between SQLite and
// PostgreSQL, errors, migrations, checks and backups. It does not depend on the domain, such as members or decisions.
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
	// Write runs fn in a write transaction, and returns after the commit is durable. If fn returns an error or panics,
	// its changes are undone. If ctx ends before fn begins, nothing changes. A running fn is not interrupted. On a
	// server, fn may run several times, and Write returns [Uncertain] if the connection broke during the commit.
	Write(ctx context.Context, fn func(tx *Tx) error) error
	// Read runs fn in a transaction that sees one snapshot. It returns [Unavailable] if fn runs a statement after an
	// old snapshot was given up.
	Read(ctx context.Context, fn func(tx *Tx) error) error
	// CheckWrite returns an error if the database cannot be written, for example on a full disk. If this is in doubt,
	// it runs probe in a write transaction. The function probe must change a row.
	CheckWrite(ctx context.Context, probe func(tx *Tx) error) error
	// Alone runs fn. On a server, it returns nil without a call of fn while another call, of this or another process,
	// has the [lease] with this name. The context of fn ends if the lease is lost, for example because this process was
	// suspended.
	Alone(ctx context.Context, name string, fn func(ctx context.Context)) error
	// Send sends a message to the other processes that share a database on a server. It does not wait. A message may be
	// lost.
	Send(message string)
	// LongRead announces a long read, during which the write-ahead log may grow. The caller must call done at the end.
	LongRead() (done func())
	// Path returns the path of the database file, or the URL of a server without the password.
	Path() string
	// Folder returns the data folder, or "" for a database on a server.
	Folder() string
	// Check looks for damage in the whole database file, or for unsafe settings and invalid constraints and indexes on
	// a server. The database may be in use.
	Check(ctx context.Context) error
	// Backup writes a consistent copy of the database, with every change acknowledged before the call, to the new file
	// dst while the database is in use. The function pack may add to the copy before it gets its name. Backup returns
	// [Conflict] if dst exists, and [Invalid] for a database on a server.
	Backup(ctx context.Context, dst string, pack func(part string) error) error
	// Stats returns present sizes, and counts since the opening of the database. It does not wait.
	Stats() Stats
	// Announce writes the URL of this process, and the host and port at which this machine reaches it, to the lock file
	// of a data folder ([Serving]).
	Announce(url, listens string) error
	// Close waits for the accepted writes and closes the database.
	Close() error
}

// Options configures [Open].
type Options struct {
	// Schema has the numbered migrations, in the folders sqlite and postgres.
	Schema fs.FS
	Clock  func() time.Time
	// Beside opens a folder even if another process has it open, but then does not migrate the database.
	Beside bool
	// Reading permits a data folder that cannot be written. Every write then returns an error.
	Reading bool
	// Companions are the names of files and folders that a data folder has only together with a database. If there is
	// such a file, or a file in such a folder, but no database, [Open] returns an error.
	Companions []string
	// Prepare is called after the migrations, for example to create an index that not every build of SQLite supports.
	// On a server, only one process calls it at a time.
	Prepare func(ctx context.Context, conn *sqlx.Conn, server bool) error
	// Receive is called with each message of another process, and with "" if messages may have been lost.
	Receive func(message string)
	// Outdated is called once if another process has migrated the database to a newer schema. Every later transaction
	// returns the same error.
	Outdated func(err error)
}

// OnServer reports whether `where` is the URL of a PostgreSQL database, and not the path of a folder.
func OnServer(where string) bool {
	return strings.HasPrefix(where, "postgres://") || strings.HasPrefix(where, "postgresql://")
}

// Open opens the database in a folder or at a postgres:// URL, and creates or migrates it if necessary. It returns
// [*InUse] if another process has the folder open, unless [Options.Beside] is set. It returns [Unavailable] if the file
// is damaged.
func Open(ctx context.Context, where string, o Options) (DB, error) {
	if OnServer(where) {
		return openPostgres(ctx, o, where)
	}
	return openSQLite(ctx, o, where)
}

// AtMost is a LIMIT clause with a parameter. SQLite plans a query with a plain "LIMIT ?" again for each value of the
// parameter. It does not evaluate the sum while planning (sqlite3ExprIsInteger, 3.53).
const AtMost = ` LIMIT ? + 0`
