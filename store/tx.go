package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"
)

// Tx is a transaction with one clock. Nouns are read and written through its methods.
type Tx struct {
	Now     time.Time // UTC
	Queries int       // how many statements have run, for the budgets that tests hold

	ctx    context.Context // ends between two statements, never within one: none is long, and watching for it costs more than most
	on     *session
	after  []func()
	marks  []mark   // documents that have changed
	text   fullText // nil where there is none
	poison error    // the first error after which nothing here can be trusted

	scrub   func() // has what was deleted overwritten in the log too; nil in a reader
	store   *Store
	reading *reading                       // nil in the writer, and on a server
	turn    *turn                          // with others who write at the same time; nil where there is one writer
	held    []string                       // organizations that they do not write in until this ends
	spy     func(query string, args []any) // sees every statement, for tests
}

// session runs statements on one connection, and on the driver's own: database/sql would take every value in its hands once
// more, and does nothing else for a connection that is held.
type session struct {
	*sql.Conn
	plain func(query string, args []any) (string, []any) // in the database's own words; nil if ours are

	*desk
}

// desk is where a session keeps what only its latest statement needs.
type desk struct {
	args   []driver.NamedValue
	values []driver.Value // of a row
}

var desks = sync.Pool{New: func() any { return new(desk) }}

func newSession(conn *sql.Conn, plain func(string, []any) (string, []any)) *session {
	return &session{Conn: conn, plain: plain, desk: desks.Get().(*desk)}
}

// end gives the connection back. Nothing may be asked of the session any more.
func (s *session) end() {
	s.Close()
	clear(s.args[:cap(s.args)])
	clear(s.values[:cap(s.values)])
	desks.Put(s.desk)
	s.desk = nil
}

// query hands the rows of a query to read, which nothing else may be asked during.
func (s *session) query(query string, args []any, read func(driver.Rows) error) error {
	rows, err := s.open(query, args, read)
	if err == nil {
		rows.Close()
	}
	return err
}

// open is query that leaves the rows open, unless read fails.
func (s *session) open(query string, args []any, read func(driver.Rows) error) (open driver.Rows, err error) {
	err = s.raw(query, args, func(conn any, query string, args []driver.NamedValue) error {
		rows, err := conn.(driver.QueryerContext).QueryContext(context.Background(), query, args)
		if err != nil {
			return err
		}
		defer func() {
			if open == nil { // a panic too leaves nothing behind on the connection
				rows.Close()
			}
		}()
		if err := read(rows); err != nil {
			return err
		}
		open = rows
		return nil
	})
	return open, err
}

// room is where the values of a row may be put until the next statement.
func (s *session) room(columns int) []driver.Value {
	s.values = slices.Grow(s.values[:0], columns)[:columns]
	return s.values
}

// exec runs a statement that has no rows.
func (s *session) exec(query string, args []any) (done driver.Result, err error) {
	err = s.raw(query, args, func(conn any, query string, args []driver.NamedValue) (err error) {
		done, err = conn.(driver.ExecerContext).ExecContext(context.Background(), query, args)
		return err
	})
	return done, err
}

func (s *session) raw(query string, args []any, run func(conn any, query string, args []driver.NamedValue) error) error {
	if s.plain != nil {
		query, args = s.plain(query, args)
	}
	return s.Raw(func(conn any) error {
		_, takesAll := conn.(driver.NamedValueChecker) // as PostgreSQL's does
		s.args = slices.Grow(s.args[:0], len(args))[:len(args)]
		for i, v := range args {
			if !takesAll {
				var err error
				if v, err = driver.DefaultParameterConverter.ConvertValue(v); err != nil {
					return fmt.Errorf("argument %d: %w", i+1, err)
				}
			}
			s.args[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
		}
		return run(conn, query, s.args)
	})
}

// AfterCommit runs fn once what this transaction did is durable, and never if it is undone.
func (tx *Tx) AfterCommit(fn func()) { tx.after = append(tx.after, fn) }

// begin is called before every statement, and done after it unless begin failed.
func (tx *Tx) begin(query string, args []any) error {
	tx.Queries++
	if tx.spy != nil {
		tx.spy(query, args)
	}
	switch {
	case tx.ctx.Err() != nil:
		return context.Cause(tx.ctx)
	case tx.poison != nil:
		return tx.poison
	case tx.reading != nil:
		return tx.reading.begin()
	}
	return nil
}

func (tx *Tx) done() {
	if tx.reading != nil {
		tx.reading.done()
	}
}

// failed notes an error that spoils the whole transaction, lest somebody goes on as if nothing had happened.
func (tx *Tx) failed(err error) error {
	if err != nil && tx.poison == nil && poisons(err) {
		tx.poison = err
	}
	return err
}

// Get reads one row into dst; no row is [Missing].
func (tx *Tx) Get(dst any, query string, args ...any) error {
	if err := tx.begin(query, args); err != nil {
		return err
	}
	defer tx.done()
	read := func(rows driver.Rows) error { return scanOne(rows, tx.on.room, query, dst) }
	var err error
	if tx.reading != nil {
		err = tx.reading.one(query, args, read)
	} else {
		err = tx.on.query(query, args, read)
	}
	if err == io.EOF {
		return Missing()
	}
	return tx.failed(err)
}

// getHeld is get for what everything else in an organization is found by: in a write, others do not write there from then on,
// and what was read is what they have left.
func (tx *Tx) getHeld(dst any, orgID *string, query string, args ...any) error {
	if err := tx.Get(dst, query, args...); err != nil {
		return err
	}
	if waited, err := tx.Serialize(Actor{}, *orgID); err != nil || !waited {
		return err
	}
	return tx.Get(dst, query, args...)
}

// Select reads every row into dst, a pointer to a slice.
func (tx *Tx) Select(dst any, query string, args ...any) error {
	if err := tx.begin(query, args); err != nil {
		return err
	}
	defer tx.done()
	return tx.failed(tx.query(query, args, func(rows driver.Rows) error { return scanAll(rows, tx.on.room, query, dst) }))
}

// query hands all rows of a query to read.
func (tx *Tx) query(query string, args []any, read func(driver.Rows) error) error {
	if tx.reading != nil {
		if err := tx.reading.snapshot(); err != nil {
			return err
		}
	}
	return tx.on.query(query, args, read)
}

// Exec runs a statement that returns no rows.
func (tx *Tx) Exec(query string, args ...any) error {
	if err := tx.begin(query, args); err != nil {
		return err
	}
	defer tx.done()
	_, err := tx.on.exec(query, args)
	return tx.failed(err)
}

// Changed is exec that reports whether a row was Changed.
func (tx *Tx) Changed(query string, args ...any) (bool, error) {
	if err := tx.begin(query, args); err != nil {
		return false, err
	}
	defer tx.done()
	r, err := tx.on.exec(query, args)
	if err != nil {
		return false, tx.failed(err)
	}
	n, err := r.RowsAffected()
	return n > 0, err
}

// Nested runs fn in a savepoint of its own: an error undoes what fn did and leaves the rest.
func (tx *Tx) Nested(fn func() error) error {
	if err := tx.Exec("SAVEPOINT nested"); err != nil {
		return err
	}
	before, marked, held := len(tx.after), len(tx.marks), len(tx.held)
	ferr := fn()
	if ferr != nil {
		tx.after, tx.marks, tx.held = tx.after[:before], tx.marks[:marked], tx.held[:held]
		if err := tx.Exec("ROLLBACK TO nested"); err != nil {
			return errors.Join(ferr, err)
		}
	}
	if err := tx.Exec("RELEASE nested"); err != nil {
		return errors.Join(ferr, err)
	}
	return ferr
}
