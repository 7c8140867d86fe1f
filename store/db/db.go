// Package db is the engine below store: connections, the one writer, transactions, what differs between SQLite and PostgreSQL,
// scanning, errors, time, migrations, checks and backups of the file. It knows no noun.
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
	// Write runs fn in a transaction of its own and returns after it is durable. An error or a panic of fn undoes the changes of
	// fn and nothing else. A caller that gives up before fn has begun changes nothing; once begun, fn is finished and its outcome
	// returned, whatever becomes of ctx. Where other processes share the database, fn runs again if its transaction collided.
	Write(ctx context.Context, fn func(tx *Tx) error) error
	// Read runs fn in one snapshot of the database. A snapshot that is too old may be given up: [Unavailable].
	Read(ctx context.Context, fn func(tx *Tx) error) error
	// Alone runs fn unless another process that shares the database is running one of that name.
	Alone(ctx context.Context, name string, fn func()) error
	// Send hands a message to the other processes that share the database, some time later and at most once each.
	Send(message string)
	// LongRead is called before a read that takes long, and done after it: the log may grow meanwhile.
	LongRead() (done func())
	// Path is the database file; on a server, its address without the password.
	Path() string
	// Folder is the data folder; empty on a server.
	Folder() string
	// Check looks at the whole database while it is in use. Its error names the damage and the remedy.
	Check(ctx context.Context) error
	// Backup writes a consistent copy of the database to the new file dst while the database is in use. It holds every change
	// that was acknowledged before the call. Pack may add to the copy before it gets its name. An existing dst: [Conflict].
	Backup(ctx context.Context, dst string, pack func(part string) error) error
	// Announce notes the address at which this process answers, for others that want the same data folder.
	Announce(url string) error
	// Close finishes the writes that were accepted and closes the database.
	Close() error
}

// Options say how a database is opened.
type Options struct {
	// Schema has the numbered migrations, in a folder sqlite and a folder postgres.
	Schema fs.FS
	Clock  func() time.Time
	// Beside opens a folder also while another process serves it.
	Beside bool
	// Prepare makes after the migrations what they cannot know, such as an index that not every build of SQLite has. On a server one
	// process does so at a time.
	Prepare func(ctx context.Context, conn *sqlx.Conn, server bool) error
	// Receive is called with each message that another process sent; with the empty string where some may have been lost.
	Receive func(message string)
}

// OnServer reports whether a database is named by the URL of a PostgreSQL server, and not by a folder.
func OnServer(where string) bool {
	return strings.HasPrefix(where, "postgres://") || strings.HasPrefix(where, "postgresql://")
}

// Open opens the database in a folder, or that with a postgres:// URL, making and migrating it as needed. A folder that another
// process has open: [*InUse], unless [Options.Beside] is set. A damaged file: [Unavailable].
func Open(ctx context.Context, where string, o Options) (DB, error) {
	if OnServer(where) {
		return openPostgres(ctx, o, where)
	}
	return openSQLite(ctx, o, where)
}

// AtMost ends a SELECT with a limit that is a parameter. SQLite looks at the value of a bare "LIMIT ?" and so plans the query
// anew whenever one is bound, which costs more than to run it; into a sum it does not look (sqlite3ExprIsInteger, 3.53).
const AtMost = ` LIMIT ? + 0`
