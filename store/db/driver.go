//go:build cgo

package db

import (
	"context"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"
	"github.com/mattn/go-sqlite3"
)

// This file has the uses of the SQLite driver that database/sql does not offer. The driver needs cgo.

func sqliteError(err error) (sqliteCodes, bool) {
	e, ok := errors.AsType[sqlite3.Error](err)
	return sqliteCodes{int(e.Code), int(e.ExtendedCode)}, ok
}

func sqliteConn(c any) (*sqlite3.SQLiteConn, error) {
	conn, ok := c.(*sqlite3.SQLiteConn)
	if !ok {
		return nil, fmt.Errorf("not an SQLite connection: %T", c)
	}
	return conn, nil
}

// autoCommit reports whether a connection is outside a transaction.
func autoCommit(c any) (bool, error) {
	conn, err := sqliteConn(c)
	if err != nil {
		return false, err
	}
	return conn.AutoCommit(), nil
}

// copyPages replaces the content of one database with that of another, in one transaction.
func copyPages(ctx context.Context, to, from *sqlx.DB) error {
	dst, err := to.Conn(ctx)
	if err != nil {
		return err
	}
	defer dst.Close()
	src, err := from.Conn(ctx)
	if err != nil {
		return err
	}
	defer src.Close()
	return dst.Raw(func(d any) error {
		return src.Raw(func(s any) error {
			dst, derr := sqliteConn(d)
			src, serr := sqliteConn(s)
			if err := errors.Join(derr, serr); err != nil {
				return err
			}
			b, err := dst.Backup("main", src, "main")
			if err != nil {
				return err
			}
			_, err = b.Step(-1)
			return errors.Join(err, b.Finish())
		})
	})
}
