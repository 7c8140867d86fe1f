package db

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"time"

	"github.com/jmoiron/sqlx"
)

// Tx is a transaction. Now is the same for all its statements.
type Tx struct {
	Now     time.Time                      // present time in UTC
	Queries int                            // number of statements so far
	Trace   func(query string, args []any) // if set, called with every statement; for tests

	// ctx is checked only between statements, because watching it would cost more than most statements.
	ctx    context.Context
	conn   *sqlx.Conn
	words  dialect
	after  []func()
	poison error // the first error that made the transaction unusable
	fault  error // the first error of a statement
	// scrub requests that the write-ahead log is emptied, because it has deleted rows. It is nil in a read and on a
	// server.
	scrub func()
	read  *reading   // nil in a write and on a server
	locks *heldLocks // nil in a read, and on SQLite, which has only one writer
	held  []string   // names that [Tx.Lock] has locked
}

// dialect has the differences between SQLite and PostgreSQL for the statements of a transaction.
type dialect struct {
	// plain translates a statement and its arguments. It is nil for SQLite.
	plain  func(query string, args []any) (string, []any)
	schema schemaQueries
}

// AfterCommit registers fn to be called when this transaction is durable. It is not called if the transaction is a
// read, is undone, or ends with [Uncertain].
func (tx *Tx) AfterCommit(fn func()) { tx.after = append(tx.after, fn) }

// Scrub requests that the write-ahead log, which still has the deleted rows, is emptied soon after the commit.
func (tx *Tx) Scrub() {
	if tx.scrub != nil {
		tx.AfterCommit(tx.scrub)
	}
}

// begin is called before every statement. If it returns nil, done must be called after the statement.
func (tx *Tx) begin(query string, args []any) error {
	tx.Queries++
	if tx.Trace != nil {
		tx.Trace(query, args)
	}
	switch {
	case tx.ctx.Err() != nil:
		return tx.failed(context.Cause(tx.ctx))
	case tx.poison != nil:
		return tx.poison
	case tx.read != nil:
		return tx.failed(tx.read.begin())
	}
	return nil
}

func (tx *Tx) done() {
	if tx.read != nil {
		tx.read.done()
	}
}

// failed returns the error of a statement, and records it unless it only says that there is no row. If the error makes
// the transaction unusable, the transaction cannot be committed, even if the caller ignores the error.
func (tx *Tx) failed(err error) error {
	if err != nil && err != io.EOF && tx.fault == nil {
		tx.fault = err
	}
	if err != nil && tx.poison == nil && poisons(err) {
		tx.poison = err
	}
	return err
}

// outcome returns the error of a read after its function has returned err. If a statement has failed, outcome returns
// the error of that statement, because the function may have taken it for a missing row.
func (tx *Tx) outcome(err error) error {
	if tx.fault != nil && !errors.Is(err, tx.fault) {
		err = tx.fault
	}
	return Explain(err)
}

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

// Get reads one row into the pointer dst. It returns [Missing] if there is no row.
func (tx *Tx) Get(dst any, query string, args ...any) error {
	err := tx.query(query, args, func(rows *sql.Rows) error { return scanOne(rows, dst) })
	if err == io.EOF {
		return Missing()
	}
	return err
}

// GetLocked is like [Tx.Get]. The query must set *name, for example to an organization's id, through a field of dst. In
// a write on a server, GetLocked also locks this name ([Tx.Serialize]), and reads the row again if another transaction
// may have changed it before.
func (tx *Tx) GetLocked(dst any, name *string, query string, args ...any) error {
	if err := tx.Get(dst, query, args...); err != nil {
		return err
	}
	if waited, err := tx.Serialize(*name); err != nil || !waited {
		return err
	}
	return tx.Get(dst, query, args...)
}

// Select reads all rows into the slice that dst points to. Without a row, the slice is empty and the error is nil.
func (tx *Tx) Select(dst any, query string, args ...any) error {
	return tx.query(query, args, func(rows *sql.Rows) error { return scanAll(rows, dst) })
}

// EachRow calls fn with the values of every row, which have the types of the driver.
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

// Exec runs a statement that returns no rows. It returns nil even if the statement changes no row.
func (tx *Tx) Exec(query string, args ...any) error {
	_, err := tx.exec(query, args)
	return err
}

// Changed runs a statement and reports whether it changed a row.
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

// Each runs the statements in order, each with the same argument, until one returns an error.
func (tx *Tx) Each(statements []string, arg any) error {
	for _, s := range statements {
		if err := tx.Exec(s, arg); err != nil {
			return err
		}
	}
	return nil
}

// Nested runs fn within a savepoint. If fn returns an error, only the changes of fn are undone, and Nested returns the
// error.
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
