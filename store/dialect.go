package store

import (
	"database/sql"
	"database/sql/driver"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"strconv"
	"time"

	"github.com/mattn/go-sqlite3"
)

// This file holds what differs between databases: how to connect, how errors are told apart, how a moment is written.

//go:embed migrations/sqlite/*.sql
var sqliteMigrations embed.FS

func migrations() fs.FS {
	dir, err := fs.Sub(sqliteMigrations, "migrations/sqlite")
	if err != nil {
		panic(err)
	}
	return dir
}

// busyTimeout is how long a statement waits for another process to let go of the database.
const busyTimeout = 10 * time.Second

// The keys of this driver begin with an underscore and unknown ones are ignored in silence, so a test reads every pragma
// back on every connection. secure_delete, because of anonymous ballots; synchronous=FULL, because NORMAL loses acknowledged writes when power fails.
func sqliteDSN(path string, writer bool) string {
	q := url.Values{
		"_journal_mode":    {"WAL"},
		"_synchronous":     {"FULL"},
		"_foreign_keys":    {"1"},
		"_busy_timeout":    {strconv.FormatInt(busyTimeout.Milliseconds(), 10)},
		"_stmt_cache_size": {"64"},
		"_txlock":          {"deferred"},
		"_mutex":           {"no"}, // database/sql never lets two goroutines use one connection at a time
	}
	if writer {
		q.Set("_txlock", "immediate")
		q.Set("_secure_delete", "1")
	} else {
		q.Set("_query_only", "1")
	}
	if s := testSynchronous; s != "" {
		q.Set("_synchronous", s)
	}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode()
}

// atMost ends a SELECT with a limit that is a parameter. SQLite looks at the value of a bare "LIMIT ?" and so plans the query
// anew whenever one is bound, which costs more than running it; into a sum it does not look (sqlite3ExprIsInteger, 3.53).
const atMost = ` LIMIT ? + 0`

// isConstraint reports a violated UNIQUE, CHECK or FOREIGN KEY.
func isConstraint(err error) bool {
	e, ok := errors.AsType[sqlite3.Error](err)
	return ok && e.Code == sqlite3.ErrConstraint
}

// isUnique reports a violated UNIQUE or PRIMARY KEY.
func isUnique(err error) bool {
	e, ok := errors.AsType[sqlite3.Error](err)
	return ok && (e.ExtendedCode == sqlite3.ErrConstraintUnique || e.ExtendedCode == sqlite3.ErrConstraintPrimaryKey)
}

// isDamage reports an error that says that the file itself is wrong.
func isDamage(err error) bool {
	e, ok := errors.AsType[sqlite3.Error](err)
	return ok && (e.Code == sqlite3.ErrCorrupt || e.Code == sqlite3.ErrNotADB)
}

// poisons reports an error after which nothing in the same transaction can be trusted.
func poisons(err error) bool {
	e, ok := errors.AsType[sqlite3.Error](err)
	if !ok {
		return false
	}
	switch e.Code {
	case sqlite3.ErrFull, sqlite3.ErrIoErr, sqlite3.ErrCorrupt, sqlite3.ErrNotADB, sqlite3.ErrNomem, sqlite3.ErrBusy, sqlite3.ErrProtocol, sqlite3.ErrCantOpen, sqlite3.ErrReadonly:
		return true
	}
	return false
}

// told turns an error of the database into one that says what to do; others pass.
func told(err error) error {
	e, ok := errors.AsType[sqlite3.Error](err)
	if !ok {
		return err
	}
	if _, ok := errors.AsType[*Error](err); ok {
		return err // told already
	}
	switch e.Code {
	case sqlite3.ErrFull:
		return fmt.Errorf("%w: %w", Errorf(Unavailable, "The disk is full. Nothing was changed; free some space and try again."), err)
	case sqlite3.ErrIoErr, sqlite3.ErrReadonly, sqlite3.ErrCantOpen:
		return fmt.Errorf("%w: %w", Errorf(Unavailable, "The database could not be written. Nothing was changed; the operator should check the disk."), err)
	case sqlite3.ErrCorrupt, sqlite3.ErrNotADB:
		return fmt.Errorf("%w: %w", Errorf(Unavailable, "The database is damaged. Nothing was changed; the operator should run samepage doctor and restore a backup with samepage restore."), err)
	case sqlite3.ErrNomem:
		return fmt.Errorf("%w: %w", Errorf(Unavailable, "The server has too little memory. Nothing was changed; try again in a moment."), err)
	case sqlite3.ErrBusy, sqlite3.ErrLocked:
		return fmt.Errorf("%w: %w", Errorf(Unavailable, "The database is busy. Nothing was changed; try again."), err)
	}
	return err
}

func sqliteConn(c any) (*sqlite3.SQLiteConn, error) {
	conn, ok := c.(*sqlite3.SQLiteConn)
	if !ok {
		return nil, fmt.Errorf("not an SQLite connection: %T", c)
	}
	return conn, nil
}

// Scan implements [sql.Scanner].
func (t *Time) Scan(v any) error {
	switch v := v.(type) {
	case nil:
		t.Time = time.Time{}
	case int64:
		t.Time = time.UnixMilli(v).UTC()
	default:
		return fmt.Errorf("time: cannot scan %T", v)
	}
	return nil
}

// Value implements [driver.Valuer].
func (t Time) Value() (driver.Value, error) {
	if t.IsZero() {
		return nil, nil
	}
	return t.UnixMilli(), nil
}

var (
	_ sql.Scanner   = (*Time)(nil)
	_ driver.Valuer = Time{}
)
