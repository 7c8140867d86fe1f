//go:build !cgo

package db

import (
	"context"

	"github.com/jmoiron/sqlx"
)

// A build without cgo has no SQLite: it runs on PostgreSQL, and opening a folder fails with this sentence.
var errNoSQLite = Errorf(Unavailable,
	"This program was built without SQLite. Build it with CGO_ENABLED=1, or name a server with --database.")

func sqliteError(error) (sqliteCodes, bool) { return sqliteCodes{}, false }

func autoCommit(any) (bool, error) { return false, errNoSQLite }

func copyPages(context.Context, *sqlx.DB, *sqlx.DB) error { return errNoSQLite }
