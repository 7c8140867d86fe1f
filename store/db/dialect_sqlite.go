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

// Migrations returns a provider of the schema's numbered migrations for a dialect.
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

func sqliteVersion(ctx context.Context, db sqlx.QueryerContext) (version int64, err error) {
	err = sqlx.GetContext(ctx, db, &version, versionQuery)
	return version, err
}

// busyTimeout is how long a statement waits for a lock of another connection.
const busyTimeout = 10 * time.Second

// readerCacheKiB is the total size of the readers' page caches in KiB. It is enough for the inner index pages of a
// million rows.
const readerCacheKiB = 32 << 10

func readerCount() int { return min(max(runtime.GOMAXPROCS(0), 2), 8) }

// sqliteDSN returns the data source name of a connection. The driver silently ignores unknown keys, so a test reads
// every pragma back. The pragma secure_delete makes SQLite overwrite deleted rows, which anonymous ballots require. The
// pragma synchronous is FULL, because with NORMAL a power cut may lose acknowledged writes.
func sqliteDSN(path string, writer bool) string {
	q := url.Values{
		"_journal_mode":    {"WAL"},
		"_synchronous":     {"FULL"},
		"_foreign_keys":    {"1"},
		"_busy_timeout":    {strconv.FormatInt(busyTimeout.Milliseconds(), 10)},
		"_stmt_cache_size": {"64"},
		"_txlock":          {"deferred"},
		"_mutex":           {"no"}, // database/sql lets only one goroutine use a connection at a time
	}
	if writer {
		q.Set("_txlock", "immediate")
		q.Set("_secure_delete", "1")
	} else {
		q.Set("_query_only", "1")
		q.Set("_cache_size", strconv.Itoa(-readerCacheKiB/readerCount()))
	}
	if s := testSynchronous; s != "" {
		q.Set("_synchronous", s)
	}
	return FileURL(path) + "?" + q.Encode()
}

// FileURL returns the URL of a file for the SQLite driver.
func FileURL(path string) string { return "file:" + (&url.URL{Path: path}).EscapedPath() }

func sqlitePoisons(code int) bool {
	switch code {
	case sqliteFull, sqliteIOErr, sqliteCorrupt, sqliteNotADB, sqliteNoMem, sqliteBusy,
		sqliteProtocol, sqliteCantOpen, sqliteReadOnly:
		return true
	}
	return false
}

func sqliteRemedy(code int) string {
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

// These are the result codes of SQLite that this package distinguishes (https://sqlite.org/rescode.html).
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

type sqliteCodes struct{ code, extended int }
