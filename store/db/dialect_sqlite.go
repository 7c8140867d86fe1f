package db

import (
	"context"
	"fmt"
	"io/fs"
	"net/url"
	"runtime"
	"strconv"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/pressly/goose/v3"
)

// How SQLite is connected to, and what its errors mean.

// Migrations returns the numbered files that make the tables of a database and bring them up to date.
func Migrations(schema fs.FS, dialect goose.Dialect, db *sqlx.DB) (*goose.Provider, error) {
	folder := map[goose.Dialect]string{goose.DialectSQLite3: "sqlite", goose.DialectPostgres: "postgres"}[dialect]
	files, err := fs.Sub(schema, folder)
	if err != nil {
		return nil, fmt.Errorf("migrations: %w", err)
	}
	p, err := goose.NewProvider(dialect, db.DB, files, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return nil, fmt.Errorf("migrations: %w", err)
	}
	return p, nil
}

// sqliteVersion is what a database was migrated to. Unlike goose it changes nothing to find out.
func sqliteVersion(ctx context.Context, db *sqlx.DB) (version int64, err error) {
	err = db.GetContext(ctx, &version, `SELECT max(version_id) FROM goose_db_version WHERE is_applied`)
	return version, err
}

// busyTimeout is how long a statement waits for another process to let go of the database.
const busyTimeout = 10 * time.Second

// readersKeep is how much of the database those who read keep in memory together, in KiB: of a million rows, all that leads to
// them.
const readersKeep = 32 << 10

// readerCount is how many read side by side.
func readerCount() int { return min(max(runtime.GOMAXPROCS(0), 2), 8) }

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
		q.Set("_cache_size", strconv.Itoa(-readersKeep/readerCount()))
	}
	if s := testSynchronous; s != "" {
		q.Set("_synchronous", s)
	}
	return FileURL(path) + "?" + q.Encode()
}

// FileURL is the file as the driver names it.
func FileURL(path string) string { return "file:" + (&url.URL{Path: path}).EscapedPath() }

// sqlitePoisons reports an error after which nothing in the same transaction can be trusted.
func sqlitePoisons(code int) bool {
	switch code {
	case sqliteFull, sqliteIOErr, sqliteCorrupt, sqliteNotADB, sqliteNoMem, sqliteBusy,
		sqliteProtocol, sqliteCantOpen, sqliteReadOnly:
		return true
	}
	return false
}

// sqliteTold says what to do after an error, or nothing.
func sqliteTold(code int) string {
	switch code {
	case sqliteFull:
		return saysFull
	case sqliteIOErr, sqliteReadOnly, sqliteCantOpen:
		return saysReadOnly
	case sqliteCorrupt, sqliteNotADB:
		return "The database is damaged. Nothing was changed; the operator should run samepage doctor and " +
			"restore a backup with samepage restore."
	case sqliteNoMem:
		return saysMemory
	case sqliteBusy, sqliteLocked:
		return saysBusy
	}
	return ""
}

// The result codes of SQLite that are told apart here (https://sqlite.org/rescode.html).
const (
	sqliteBusy       = 5
	sqliteLocked     = 6
	sqliteNoMem      = 7
	sqliteReadOnly   = 8
	sqliteIOErr      = 10
	sqliteCorrupt    = 11
	sqliteFull       = 13
	sqliteCantOpen   = 14
	sqliteProtocol   = 15
	sqliteConstraint = 19
	sqliteNotADB     = 26
	sqlitePrimaryKey = 1555
	sqliteUnique     = 2067
)

// sqliteCodes are the result code and the extended result code of an error.
type sqliteCodes struct{ code, extended int }
