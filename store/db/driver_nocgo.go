//go:build !cgo

package db

import (
	"context"

	"github.com/jmoiron/sqlx"
)

// errNoSQLite is the error of a program that was built without cgo, which SQLite needs.
var errNoSQLite = Errorf(Unavailable,
	"This program was built without SQLite. Build it with CGO_ENABLED=1, or name a server with --database.")

func sqliteError(error) (sqliteCodes, bool) { return sqliteCodes{}, false }

func autoCommit(any) (bool, error) { return false, errNoSQLite }

func copyPages(context.Context, *sqlx.DB, *sqlx.DB) error { return errNoSQLite }
