package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jmoiron/sqlx"
)

// The writer is one goroutine with a queue of jobs. It runs several jobs, each in a savepoint, commits all of them at
// once, and then answers them. So an acknowledged write is on the disk, one flush serves up to 64 jobs, and no job
// waits for a lock of another.

const (
	batchJobs = 64 // greatest number of jobs in one commit
	// batchTime is the time after which a batch takes no more jobs, so that slow jobs do not delay many others.
	batchTime = 10 * time.Millisecond
)

type writer struct {
	db      *sqliteFile
	conn    *sqlx.Conn
	jobs    chan *job
	stopped chan struct{} // closed when the queue accepts no more jobs
	done    chan struct{} // closed when the goroutine has ended
	once    sync.Once
	log     *checkpointer
	doubt   atomic.Bool // a batch failed, so writes may be impossible
}

type job struct {
	fn    func(*Tx) error
	state atomic.Int32 // ensures that either the writer begins the job or the caller abandons it
	err   error
	tx    *Tx // nil until the job begins
	done  chan struct{}
}

const (
	jobWaiting int32 = iota
	jobBegun
	jobAbandoned
)

func startWriter(s *sqliteFile) (*writer, error) {
	w := &writer{db: s, jobs: make(chan *job, 4*batchJobs), stopped: make(chan struct{}), done: make(chan struct{})}
	if err := w.connect(); err != nil {
		return nil, fmt.Errorf("open writer: %w", err)
	}
	w.log = startCheckpointer(s)
	go w.loop()
	return w, nil
}

func (w *writer) connect() error {
	ctx := context.Background()
	conn, err := w.db.writing.Connx(ctx)
	if err != nil {
		return err
	}
	// The automatic checkpoint is off, because the checkpointer works in parallel to the commits. When the log starts
	// over, SQLite truncates it to journal_size_limit, which must be below logWake, or the checkpointer would never
	// stop. The undo data of savepoints stays in memory. Otherwise SQLite would write it to a temporary file.
	if _, err := conn.ExecContext(ctx, fmt.Sprintf("PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = %d; "+
		"PRAGMA temp_store = MEMORY", logWake/2)); err != nil {
		conn.Close()
		return err
	}
	w.conn = conn
	return nil
}

// reconnect replaces a connection, so that later writes can succeed if its transaction cannot be ended.
func (w *writer) reconnect() error {
	w.conn.Raw(func(any) error { return driver.ErrBadConn })
	w.conn.Close()
	return w.connect()
}

func (w *writer) stop() {
	w.once.Do(func() { close(w.stopped) })
	<-w.done
	w.log.stop()
	w.conn.Close()
}

func (w *writer) stopping() bool {
	select {
	case <-w.stopped:
		return true
	default:
		return false
	}
}

var errStopping = Errorf(Unavailable, "The server is stopping. Nothing was changed; try again in a moment.")

func (w *writer) do(ctx context.Context, fn func(*Tx) error) error {
	j := &job{fn: fn, done: make(chan struct{})}
	if err := ctx.Err(); err != nil {
		return err
	}
	if w.stopping() {
		return errStopping
	}
	select {
	case w.jobs <- j:
	case <-ctx.Done():
		return ctx.Err()
	case <-w.stopped:
		return errStopping
	}
	select {
	case <-j.done:
	case <-ctx.Done():
		if j.state.CompareAndSwap(jobWaiting, jobAbandoned) {
			return ctx.Err()
		}
		<-j.done
	case <-w.done:
		// The goroutine has emptied the queue, and begins no later job.
		if j.state.CompareAndSwap(jobWaiting, jobAbandoned) {
			return errStopping
		}
		<-j.done
	}
	if j.err == nil {
		announce(j.tx.after)
	}
	return j.err
}

func (w *writer) loop() {
	ended := false
	defer func() {
		if ended {
			close(w.done)
			return
		}
		go w.loop() // a job has called runtime.Goexit, and other jobs still wait
	}()
	for {
		select {
		case j := <-w.jobs:
			w.batch(j)
		case <-w.log.scrub:
			w.log.empty(context.Background(), w.conn)
		case <-w.stopped:
			for {
				select {
				case j := <-w.jobs:
					w.batch(j)
				default:
					ended = true
					return
				}
			}
		}
	}
}

var errEnded = Errorf(Internal,
	"Something went wrong on our side. Nothing was changed; the operator finds it in the log.")

// batch runs the first job and jobs from the queue, commits them together, and answers them.
func (w *writer) batch(first *job) {
	ctx := context.Background()
	if err := w.begin(ctx); err != nil {
		w.doubt.Store(true)
		w.refuse(first, err)
		return
	}
	var ran []*job
	broken := errEnded // stays set if a job ends the goroutine
	defer func() {
		if broken != nil {
			w.rollback(ctx)
		}
		for _, j := range ran {
			if broken != nil {
				j.err = broken
			}
		}
		w.db.counts.batch(ran)
		for _, j := range ran {
			close(j.done)
		}
	}()
	start := time.Now()
	var lost error
	for next := first; next != nil; {
		if next.state.CompareAndSwap(jobWaiting, jobBegun) {
			ran = append(ran, next)
			if lost = w.run(ctx, next); lost != nil {
				break
			}
		}
		next = nil
		if len(ran) < batchJobs && time.Since(start) < batchTime {
			select {
			case next = <-w.jobs:
			default:
			}
		}
	}
	if lost == nil {
		if _, err := w.conn.ExecContext(ctx, "COMMIT"); err != nil {
			lost = fmt.Errorf("commit: %w", Explain(err))
		}
	}
	broken = lost
	if lost != nil {
		w.doubt.Store(true)
	}
}

// begin begins the transaction of a batch. If an earlier transaction is open or the connection is broken, it ends or
// replaces that first.
func (w *writer) begin(ctx context.Context) error {
	w.log.after(ctx, w.conn)
	_, err := w.conn.ExecContext(ctx, "BEGIN IMMEDIATE")
	if err != nil && (w.inTransaction() || errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone)) {
		w.rollback(ctx)
		_, err = w.conn.ExecContext(ctx, "BEGIN IMMEDIATE")
	}
	if err != nil {
		return fmt.Errorf("begin: %w", Explain(err))
	}
	if err := w.db.mustKnow(ctx, w.conn); err != nil {
		w.rollback(ctx)
		return err
	}
	return nil
}

// refuse answers the first job and all jobs in the queue with the same error, so that they do not each wait for the
// same failure.
func (w *writer) refuse(first *job, err error) {
	for next := first; next != nil; {
		if next.state.CompareAndSwap(jobWaiting, jobBegun) {
			next.err = err
			close(next.done)
		}
		select {
		case next = <-w.jobs:
		default:
			next = nil
		}
	}
}

// run runs one job in a savepoint and stores its error. It returns an error only if the whole batch is lost.
func (w *writer) run(ctx context.Context, j *job) (lost error) {
	tx := &Tx{Now: w.db.options.Clock().UTC(), ctx: ctx, conn: w.conn, words: sqliteWords,
		scrub: w.log.askScrub}
	j.tx = tx
	if _, err := w.conn.ExecContext(ctx, "SAVEPOINT job"); err != nil {
		return Explain(err)
	}
	j.err = guarded(tx, j.fn)
	if tx.poison != nil { // the transaction is unusable, even if fn ignores the error
		return Explain(tx.poison)
	}
	end := "RELEASE job"
	if j.err != nil {
		end = "ROLLBACK TO job; RELEASE job"
		j.err = Explain(j.err)
	}
	if _, err := w.conn.ExecContext(ctx, end); err != nil {
		return Explain(err)
	}
	return nil
}

// guarded calls fn and turns a panic into an error, so that only this job fails.
func guarded(tx *Tx, fn func(*Tx) error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			slog.Error("panic in a write", "panic", r, "stack", string(debug.Stack()))
			err = errEnded
		}
	}()
	return fn(tx)
}

// inTransaction asks SQLite whether a transaction is open, because some errors end a transaction.
func (w *writer) inTransaction() bool {
	in := false
	w.conn.Raw(func(c any) error {
		free, err := autoCommit(c)
		in = err == nil && !free
		return err
	})
	return in
}

// rollback ends the transaction, or replaces the connection if it cannot.
func (w *writer) rollback(ctx context.Context) {
	if w.inTransaction() {
		w.conn.ExecContext(ctx, "ROLLBACK") // the state is checked below
	}
	if err := w.conn.PingContext(ctx); err == nil && !w.inTransaction() {
		return
	}
	if err := w.reconnect(); err != nil {
		slog.Error("reconnect the writer", "error", err)
	}
}

// announce calls the functions registered with AfterCommit. It only logs a panic, because the write is durable and must
// not fail.
func announce(after []func()) {
	for _, fn := range after {
		func() {
			defer func() {
				if r := recover(); r != nil {
					slog.Error("panic after a commit", "panic", r, "stack", string(debug.Stack()))
				}
			}()
			fn()
		}()
	}
}
