package store

import (
	"context"
	"database/sql/driver"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// read runs fn in one snapshot of the database. A snapshot that is older than [longRead] is given up where it keeps the
// write-ahead log from being bounded: [Unavailable].
func (s *sqliteFile) read(ctx context.Context, fn func(tx *Tx) error) error {
	conn, err := s.readers.Conn(ctx)
	if err != nil {
		select {
		case <-s.writer.stopped:
			return errStopping
		default:
			return fmt.Errorf("connect: %w", told(err))
		}
	}
	r := &reading{on: newSession(conn, nil), since: time.Now()}
	defer r.close()
	s.reads.add(r)
	defer s.reads.remove(r)
	return told(fn(&Tx{Now: s.store.clock().UTC(), ctx: ctx, on: r.on, reading: r, spy: s.store.spy, store: s.store, text: s.store.text}))
}

// noRows reads nothing: a statement that is asked as a query is kept prepared by its connection.
func noRows(driver.Rows) error { return nil }

// reading is a read under way.
type reading struct {
	on    *session
	since time.Time
	late  atomic.Bool // it must end

	mu     sync.Mutex  // held while a statement runs
	first  driver.Rows // the snapshot lasts while they are open
	opened bool        // there were none: it lasts as long as a transaction
	over   bool        // the snapshot is given up
}

func (r *reading) begun() bool { return r.first != nil || r.opened }

// one runs a statement that is to find one row. SQLite keeps the snapshot of the first until it is asked for the next,
// which costs less than a BEGIN and a ROLLBACK; what is not found is looked for again in a transaction.
func (r *reading) one(query string, args []any, read func(driver.Rows) error) error {
	if r.begun() {
		return r.on.query(query, args, read)
	}
	rows, err := r.on.open(query, args, read)
	if err != io.EOF {
		r.first = rows
		return err
	}
	if err := r.snapshot(); err != nil {
		return err
	}
	return r.on.query(query, args, read)
}

// snapshot begins a transaction if nothing is begun, and not one of database/sql, which watches over itself and over each of
// its queries with a goroutine of its own. The next statement takes the snapshot.
func (r *reading) snapshot() error {
	if r.begun() {
		return nil
	}
	if err := r.on.query("BEGIN", nil, noRows); err != nil {
		return fmt.Errorf("begin: %w", told(err))
	}
	r.opened = true
	return nil
}

var errLongRead = Errorf(Unavailable, "This took too long while much was being written. Try again in a moment.")

// begin is called before every statement, and done after it.
func (r *reading) begin() error {
	r.mu.Lock()
	if r.late.Load() {
		r.mu.Unlock()
		return errLongRead
	}
	return nil
}

func (r *reading) done() { r.mu.Unlock() }

// end lets no other statement begin, and gives the snapshot up at once if none is running. It waits for nobody.
func (r *reading) end() {
	r.late.Store(true)
	if r.mu.TryLock() {
		r.rollback()
		r.mu.Unlock()
	}
}

func (r *reading) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rollback()
	r.on.end()
}

func (r *reading) rollback() {
	if r.over {
		return
	}
	r.over = true
	var err error
	switch {
	case r.first != nil:
		err = r.first.Close()
	case r.opened:
		err = r.on.query("ROLLBACK", nil, noRows)
	}
	if err != nil {
		r.on.Raw(func(any) error { return driver.ErrBadConn }) // nobody may get a connection within a transaction
	}
}

// reads are all reads under way.
type reads struct {
	mu   sync.Mutex
	open map[*reading]struct{}
}

func (r *reads) add(one *reading) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open == nil {
		r.open = map[*reading]struct{}{}
	}
	r.open[one] = struct{}{}
}

func (r *reads) remove(one *reading) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.open, one)
}

// end ends the reads that are older than age.
func (r *reads) end(age time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for one := range r.open {
		if time.Since(one.since) > age {
			one.end()
		}
	}
}
