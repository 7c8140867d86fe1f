package db

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jmoiron/sqlx"

	"samepage/store/seldom"
)

// The size of the write-ahead log is limited in three steps. First, a goroutine copies the log into the database, in
// parallel to the writer. Second, the writer copies the few remaining pages, and the log starts over: the next commit
// writes to its beginning again. Third, if readers prevent that, the writer waits for them: briefly at [logRestart]
// bytes, and at [logFull] bytes it also ends reads that are older than [longRead]. The log may grow during a backup,
// which needs one snapshot for a long time.

const (
	logWake    = 32 << 20 // size in bytes at which the goroutine begins
	logRest    = 1 << 20  // greatest number of bytes left to the writer
	logRestart = 64 << 20 // size in bytes at which the writer waits briefly for readers
	logFull    = 96 << 20 // size in bytes at which the writer ends old reads
	logPause   = time.Second / 4
	longRead   = time.Second
)

type checkpointer struct {
	db      *sqliteFile
	wake    chan struct{}
	stopped chan struct{}
	done    chan struct{}
	room    func() int64  // number of free bytes on the disk
	scrub   chan struct{} // requests to the writer to empty the log, because it has deleted rows
	ready   atomic.Bool   // the goroutine has left at most logRest bytes for the writer
	moving  sync.Mutex    // held during a checkpoint
	log     seldom.Log

	// Only the goroutine of the writer uses the fields below.
	tried time.Time // when the writer last waited for readers
	stuck int64     // number of free bytes on the disk when the log could not be truncated; -1 after a success
	limit int64     // size at which the writer ends old reads the next time
}

func startCheckpointer(s *sqliteFile) *checkpointer {
	c := &checkpointer{db: s, wake: make(chan struct{}, 1), scrub: make(chan struct{}, 1), stopped: make(chan struct{}),
		done: make(chan struct{}), limit: logFull, stuck: -1}
	c.room = c.left
	go c.loop()
	return c
}

func (c *checkpointer) stop() {
	close(c.stopped)
	<-c.done
}

func (c *checkpointer) size() int64 { return size(c.db.path + "-wal") }

func (c *checkpointer) left() int64 {
	if free, ok := freeBytes(c.db.dir); ok {
		return free
	}
	return logFull // unknown free space is enough for a log of half this size
}

// checkpoint is a result of PRAGMA wal_checkpoint. Busy is 1 if a reader or writer blocked the checkpoint. Log is the
// number of pages in the log, and moved is how many of these are in the database already.
type checkpoint struct{ busy, log, moved int }

func (c *checkpointer) loop() {
	defer close(c.done)
	db, err := sqlx.Open("sqlite3", sqliteDSN(c.db.path, true))
	if err != nil {
		slog.Error("checkpointer", "error", err)
		return
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for {
		select {
		case <-c.stopped:
			return
		case <-c.wake:
		}
		for range 4 { // each pass leaves less to do, unless new writes are faster
			c.moving.Lock()
			before, err := runCheckpoint(context.Background(), db, "PASSIVE")
			c.moving.Unlock()
			if err != nil {
				c.log.Warn("checkpoint", "error", err)
				break
			}
			// SQLite flushes the database only if a checkpoint reaches the end of the log, which is rare here.
			if err := flushData(c.db.file); err != nil {
				c.log.Warn("checkpoint", "error", err)
				break
			}
			if (before.log-before.moved)*pageSize <= logRest {
				c.ready.Store(true)
				break
			}
		}
	}
}

const pageSize = 4096

func runCheckpoint(ctx context.Context, q sqlx.QueryerContext, mode string) (c checkpoint, err error) {
	err = q.QueryRowxContext(ctx, "PRAGMA wal_checkpoint("+mode+")").Scan(&c.busy, &c.log, &c.moved)
	return c, err
}

// after keeps the write-ahead log short. It also empties the log if the disk has little room. The writer calls it
// before each batch.
func (c *checkpointer) after(ctx context.Context, conn *sqlx.Conn) {
	size := c.size()
	if room := c.room(); size > logRest && 2*size > room && room != c.stuck {
		if c.restart(ctx, conn, 20*time.Millisecond, "TRUNCATE") {
			c.stuck = -1
			return
		}
		c.stuck = c.room()
	}
	if size < logWake {
		c.limit = logFull
		return
	}
	if c.ready.Swap(false) && c.moving.TryLock() {
		_, err := runCheckpoint(ctx, conn, "PASSIVE")
		c.moving.Unlock()
		if err != nil {
			c.log.Warn("checkpoint", "error", err)
		}
		return
	}
	select {
	case c.wake <- struct{}{}:
	default:
	}
	switch {
	case c.db.backups.Load() > 0:
	case size >= c.limit:
		if !c.waitForReaders(ctx, conn) {
			c.limit = size + logFull - logRestart
			slog.Warn("the write-ahead log cannot start over because a reader holds an old snapshot of the database",
				"bytes", size)
		}
	case size >= logRestart && time.Since(c.tried) > logPause:
		c.restart(ctx, conn, 20*time.Millisecond, "RESTART")
	}
}

// askScrub requests [checkpointer.empty] of the writer.
func (c *checkpointer) askScrub() {
	select {
	case c.scrub <- struct{}{}:
	default: // a request waits already
	}
}

// empty empties the log. If a reader prevents that, it tries again after longRead.
func (c *checkpointer) empty(ctx context.Context, conn *sqlx.Conn) {
	if !c.restart(ctx, conn, 20*time.Millisecond, "TRUNCATE") {
		time.AfterFunc(longRead, c.askScrub)
	}
}

// waitForReaders ends reads that are older than longRead, and reports whether the log starts over. After 1.5 times
// longRead it gives up, because the reader is in the middle of a statement or in another process, so that this process
// cannot end it.
func (c *checkpointer) waitForReaders(ctx context.Context, conn *sqlx.Conn) bool {
	for start := time.Now(); time.Since(start) < longRead+longRead/2; {
		c.db.reads.stopOlder(longRead)
		if c.restart(ctx, conn, longRead/10, "RESTART") {
			return true
		}
	}
	return false
}

// restart copies the rest of the log into the database, and reports whether the log starts over. It waits for readers
// at most for the time `patience`. The mode TRUNCATE also empties the log file.
func (c *checkpointer) restart(ctx context.Context, conn *sqlx.Conn, patience time.Duration, mode string) bool {
	c.moving.Lock()
	defer c.moving.Unlock()
	defer func() { c.tried = time.Now() }()
	// The timeout is shorter than busyTimeout, because all writes wait for this call.
	if _, err := conn.ExecContext(ctx, fmt.Sprintf("PRAGMA busy_timeout = %d", patience.Milliseconds())); err != nil {
		return false
	}
	out, err := runCheckpoint(ctx, conn, mode)
	if err != nil {
		c.log.Warn("checkpoint", "error", err)
	}
	if _, err := conn.ExecContext(ctx,
		fmt.Sprintf("PRAGMA busy_timeout = %d", busyTimeout.Milliseconds())); err != nil {
		c.log.Warn("checkpoint", "error", err)
	}
	return err == nil && out.busy == 0
}
