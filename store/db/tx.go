package db

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"time"

	"github.com/jmoiron/sqlx"
)

// Tx is a transaction with one clock.
type Tx struct {
	Now     time.Time                      // UTC
	Queries int                            // statements that have run, for the budgets that tests hold
	Trace   func(query string, args []any) // sees every statement, for tests; nil for none

	// checked between two statements, never within one: none is long, and to watch it costs more than most
	ctx    context.Context
	conn   *sqlx.Conn
	words  dialect
	after  []func()
	poison error    // the first error after which nothing here can be trusted
	scrub  func()   // has the log overwritten where rows were deleted; nil in a reader and on a server
	read   *reading // nil in a writer and on a server
	turn   *turn    // nil where there is one writer
	held   []string // names that no other transaction holds until this one ends
}

// dialect is the difference between the databases within a transaction.
type dialect struct {
	// puts a statement in the database's own words; nil where ours are
	plain  func(query string, args []any) (string, []any)
	schema schemaQueries
}

// AfterCommit runs fn once the changes of this transaction are durable, and never if they are undone.
func (tx *Tx) AfterCommit(fn func()) { tx.after = append(tx.after, fn) }

// Scrub has deleted rows overwritten in the log too, soon after the commit.
func (tx *Tx) Scrub() {
	if tx.scrub != nil {
		tx.AfterCommit(tx.scrub)
	}
}

// begin is called before every statement, and done after it unless begin failed.
func (tx *Tx) begin(query string, args []any) error {
	tx.Queries++
	if tx.Trace != nil {
		tx.Trace(query, args)
	}
	switch {
	case tx.ctx.Err() != nil:
		return context.Cause(tx.ctx)
	case tx.poison != nil:
		return tx.poison
	case tx.read != nil:
		return tx.read.begin()
	}
	return nil
}

func (tx *Tx) done() {
	if tx.read != nil {
		tx.read.done()
	}
}

// failed notes an error that spoils the whole transaction, lest the caller goes on as if nothing had happened.
func (tx *Tx) failed(err error) error {
	if err != nil && tx.poison == nil && poisons(err) {
		tx.poison = err
	}
	return err
}

// query hands the rows of a query to read.
func (tx *Tx) query(query string, args []any, read func(*sql.Rows) error) error {
	if err := tx.begin(query, args); err != nil {
		return err
	}
	defer tx.done()
	if tx.words.plain != nil {
		query, args = tx.words.plain(query, args)
	}
	rows, err := tx.conn.QueryContext(context.Background(), query, args...)
	if err != nil {
		return tx.failed(err)
	}
	defer rows.Close()
	return tx.failed(read(rows))
}

// Get reads one row into dst, a pointer; no row is [Missing].
func (tx *Tx) Get(dst any, query string, args ...any) error {
	err := tx.query(query, args, func(rows *sql.Rows) error { return scanOne(rows, dst) })
	if err == io.EOF {
		return Missing()
	}
	return err
}

// GetLocked is Get for a row by which everything under name is found, such as an organization's. In a write no other transaction
// writes under that name from then on, and the row is read again if one may have.
func (tx *Tx) GetLocked(dst any, name *string, query string, args ...any) error {
	if err := tx.Get(dst, query, args...); err != nil {
		return err
	}
	if waited, err := tx.Serialize(*name); err != nil || !waited {
		return err
	}
	return tx.Get(dst, query, args...)
}

// Select reads every row into dst, a pointer to a slice.
func (tx *Tx) Select(dst any, query string, args ...any) error {
	return tx.query(query, args, func(rows *sql.Rows) error { return scanAll(rows, dst) })
}

// EachRow runs fn with the values of every row, as the driver gives them.
func (tx *Tx) EachRow(query string, args []any, fn func(row []any) error) error {
	return tx.query(query, args, func(rows *sql.Rows) error {
		for rows.Next() {
			row, err := sqlx.SliceScan(rows)
			if err != nil {
				return err
			}
			if err := fn(row); err != nil {
				return err
			}
		}
		return rows.Err()
	})
}

// Exec runs a statement that has no rows.
func (tx *Tx) Exec(query string, args ...any) error {
	_, err := tx.exec(query, args)
	return err
}

// Changed is Exec that reports whether a row was changed.
func (tx *Tx) Changed(query string, args ...any) (bool, error) {
	r, err := tx.exec(query, args)
	if err != nil {
		return false, err
	}
	n, err := r.RowsAffected()
	return n > 0, err
}

func (tx *Tx) exec(query string, args []any) (sql.Result, error) {
	if err := tx.begin(query, args); err != nil {
		return nil, err
	}
	defer tx.done()
	if tx.words.plain != nil {
		query, args = tx.words.plain(query, args)
	}
	r, err := tx.conn.ExecContext(context.Background(), query, args...)
	return r, tx.failed(err)
}

// Each runs statements that take the same argument.
func (tx *Tx) Each(statements []string, arg any) error {
	for _, s := range statements {
		if err := tx.Exec(s, arg); err != nil {
			return err
		}
	}
	return nil
}

// Nested runs fn in a savepoint of its own: an error undoes the changes of fn and leaves the rest.
func (tx *Tx) Nested(fn func() error) error {
	if err := tx.Exec("SAVEPOINT nested"); err != nil {
		return err
	}
	before, held := len(tx.after), len(tx.held)
	ferr := fn()
	if ferr != nil {
		tx.after, tx.held = tx.after[:before], tx.held[:held]
		if err := tx.Exec("ROLLBACK TO nested"); err != nil {
			return errors.Join(ferr, err)
		}
	}
	if err := tx.Exec("RELEASE nested"); err != nil {
		return errors.Join(ferr, err)
	}
	return ferr
}
