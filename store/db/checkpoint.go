package db

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jmoiron/sqlx"
)

// The write-ahead log is bounded in three steps. A goroutine moves it into the database beside the writer and flushes that;
// the writer then moves the little that came in meanwhile, after which the log starts over. Both never wait for anybody. If
// readers keep it from starting over, the writer waits for them, first briefly, and at [logFull] until those that are older
// than [longRead] have been ended. During a backup, which needs one snapshot for long, the log may grow.

const (
	logWake    = 32 << 20 // bytes at which the goroutine is woken
	logRest    = 1 << 20  // bytes that the writer itself may be left with
	logRestart = 64 << 20 // bytes at which the writer waits for readers
	logFull    = 96 << 20 // bytes at which it waits for long
	logPause   = time.Second / 4
	longRead   = time.Second
)

type checkpointer struct {
	db      *sqliteFile
	wake    chan struct{}
	stopped chan struct{}
	done    chan struct{}
	room    func() int64 // bytes that are left on the disk
	scrub   atomic.Bool  // the log holds what must not outlive its deletion
	ready   atomic.Bool  // the goroutine has left the writer a little to do
	moving  sync.Mutex   // held while a checkpoint runs

	// The writer's own.
	tried time.Time // when it last waited for readers
	stuck int64     // bytes that were left on the disk when the log could last not give up its own; -1 if it could
	limit int64     // size at which it next waits for long
}

func startCheckpointer(s *sqliteFile) *checkpointer {
	c := &checkpointer{db: s, wake: make(chan struct{}, 1), stopped: make(chan struct{}), done: make(chan struct{}),
		limit: logFull, stuck: -1}
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
	return logFull // as if there were enough
}

// checkpoint is the outcome of one: whether somebody was in its way, and the pages in the log and those of them in the database.
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
		for range 4 { // each pass leaves less than the one before, if it can keep up at all
			c.moving.Lock()
			before, err := move(context.Background(), db, "PASSIVE")
			c.moving.Unlock()
			if err != nil {
				slog.Warn("checkpoint", "error", err)
				break
			}
			// SQLite flushes the database only at the very end of the log, where this hardly ever arrives.
			if err := flushData(c.db.file); err != nil {
				slog.Warn("checkpoint", "error", err)
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

func move(ctx context.Context, q sqlx.QueryerContext, mode string) (c checkpoint, err error) {
	err = q.QueryRowxContext(ctx, "PRAGMA wal_checkpoint("+mode+")").Scan(&c.busy, &c.log, &c.moved)
	return c, err
}

// after is called by the writer between two batches.
func (c *checkpointer) after(ctx context.Context, conn *sqlx.Conn) {
	if c.scrub.Load() && c.restart(ctx, conn, 20*time.Millisecond, "TRUNCATE") {
		c.scrub.Store(false)
	}
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
		_, err := move(ctx, conn, "PASSIVE")
		c.moving.Unlock()
		if err != nil {
			slog.Warn("checkpoint", "error", err)
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
		if !c.insist(ctx, conn) {
			c.limit = size + logFull - logRestart
			slog.Warn("the write-ahead log cannot start over because somebody reads an old state of the database",
				"bytes", size)
		}
	case size >= logRestart && time.Since(c.tried) > logPause:
		c.restart(ctx, conn, 20*time.Millisecond, "RESTART")
	}
}

// insist ends reads as they get too old, and waits until none is in the way or what is left is not ours to end.
func (c *checkpointer) insist(ctx context.Context, conn *sqlx.Conn) bool {
	for start := time.Now(); time.Since(start) < longRead+longRead/2; {
		c.db.reads.end(longRead)
		if c.restart(ctx, conn, longRead/10, "RESTART") {
			return true
		}
	}
	return false
}

// restart moves what is left and waits for readers, but no longer than patience; mode TRUNCATE also empties the file.
func (c *checkpointer) restart(ctx context.Context, conn *sqlx.Conn, patience time.Duration, mode string) bool {
	c.moving.Lock()
	defer c.moving.Unlock()
	defer func() { c.tried = time.Now() }()
	// Not the 10 s in which everything else waits for a lock: all writers wait here.
	if _, err := conn.ExecContext(ctx, fmt.Sprintf("PRAGMA busy_timeout = %d", patience.Milliseconds())); err != nil {
		return false
	}
	out, err := move(ctx, conn, mode)
	if err != nil {
		slog.Warn("checkpoint", "error", err)
	}
	if _, err := conn.ExecContext(ctx,
		fmt.Sprintf("PRAGMA busy_timeout = %d", busyTimeout.Milliseconds())); err != nil {
		slog.Warn("checkpoint", "error", err)
	}
	return err == nil && out.busy == 0
}
