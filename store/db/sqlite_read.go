package db

import (
	"context"
	"database/sql/driver"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jmoiron/sqlx"
)

// Read implements [DB]. A snapshot older than [longRead] may be given up while the write-ahead log has at least
// [logFull] bytes.
func (s *sqliteFile) Read(ctx context.Context, fn func(tx *Tx) error) error {
	conn, err := s.readers.Connx(ctx)
	if err != nil {
		if s.writer != nil && s.writer.stopping() {
			return errStopping
		}
		return fmt.Errorf("connect: %w", Explain(err))
	}
	r := &reading{conn: conn, since: time.Now()}
	defer r.close()
	// BEGIN is a plain statement, because a transaction of database/sql starts a goroutine that watches its context.
	// The first statement after BEGIN takes the snapshot.
	if _, err := conn.ExecContext(context.Background(), "BEGIN"); err != nil {
		return fmt.Errorf("begin: %w", Explain(err))
	}
	s.reads.add(r)
	defer s.reads.remove(r)
	if err := s.mustKnow(context.Background(), conn); err != nil {
		return err
	}
	tx := &Tx{Now: s.options.Clock().UTC(), ctx: ctx, conn: conn, words: sqliteWords, read: r}
	defer s.counts.read(tx)
	return tx.outcome(fn(tx))
}

type reading struct {
	conn  *sqlx.Conn
	since time.Time
	late  atomic.Bool // the read must end before its next statement

	mu   sync.Mutex // held while a statement runs
	over bool       // the snapshot was given up
}

var errLongRead = Errorf(Unavailable, "This took too long while much was being written. Try again in a moment.")

// begin is called before every statement. If it returns nil, done must be called after the statement.
func (r *reading) begin() error {
	r.mu.Lock()
	if r.late.Load() {
		r.mu.Unlock()
		return errLongRead
	}
	return nil
}

func (r *reading) done() { r.mu.Unlock() }

// stop makes the next statement of the read fail. If no statement is running, it gives up the snapshot immediately. It
// never waits.
func (r *reading) stop() {
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
	r.conn.Close()
}

func (r *reading) rollback() {
	if r.over {
		return
	}
	r.over = true
	if _, err := r.conn.ExecContext(context.Background(), "ROLLBACK"); err != nil {
		// The pool must not get a connection that is inside a transaction.
		r.conn.Raw(func(any) error { return driver.ErrBadConn })
	}
}

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

func (r *reads) stopOlder(age time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for one := range r.open {
		if time.Since(one.since) > age {
			one.stop()
		}
	}
}
