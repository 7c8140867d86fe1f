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

// The size of the write-ahead log is bounded in three steps. First, a goroutine copies it into the database
// beside the writer and flushes the database. Then the writer copies the few pages added meanwhile, and the
// log starts over. Neither waits. If readers keep the log from starting over, the writer waits for them:
// shortly at logRestart; at [logFull] until reads older than [longRead] are ended. During a backup, which
// needs one snapshot for long, the log may grow.

const (
	logWake    = 32 << 20 // bytes at which the goroutine wakes
	logRest    = 1 << 20  // most bytes left to the writer
	logRestart = 64 << 20 // bytes at which the writer waits shortly for readers
	logFull    = 96 << 20 // bytes at which the writer ends old reads
	logPause   = time.Second / 4
	longRead   = time.Second
)

type checkpointer struct {
	db      *sqliteFile
	wake    chan struct{}
	stopped chan struct{}
	done    chan struct{}
	room    func() int64 // free bytes of the disk
	scrub   atomic.Bool  // the log has deleted rows that must be overwritten
	ready   atomic.Bool  // the goroutine has left at most logRest bytes to the writer
	moving  sync.Mutex   // held while a checkpoint runs

	// Fields of the writer's goroutine.
	tried time.Time // the last wait for readers
	stuck int64     // free bytes of the disk when truncating the log last failed; -1 if it succeeded
	limit int64     // size at which the writer next ends old reads
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
	return logFull // unknown: as if there were enough
}

// checkpoint is the result of wal_checkpoint: whether a reader or writer blocked it, the pages in the log,
// and those copied to the database.
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
		for range 4 { // each pass leaves less, unless writes are faster
			c.moving.Lock()
			before, err := runCheckpoint(context.Background(), db, "PASSIVE")
			c.moving.Unlock()
			if err != nil {
				slog.Warn("checkpoint", "error", err)
				break
			}
			// SQLite flushes the database only when it reaches the end of the log, which rarely happens here.
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

func runCheckpoint(ctx context.Context, q sqlx.QueryerContext, mode string) (c checkpoint, err error) {
	err = q.QueryRowxContext(ctx, "PRAGMA wal_checkpoint("+mode+")").Scan(&c.busy, &c.log, &c.moved)
	return c, err
}

// after runs in the writer between two batches.
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
		_, err := runCheckpoint(ctx, conn, "PASSIVE")
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
		if !c.waitForReaders(ctx, conn) {
			c.limit = size + logFull - logRestart
			slog.Warn("the write-ahead log cannot start over because a reader holds an old snapshot of the database",
				"bytes", size)
		}
	case size >= logRestart && time.Since(c.tried) > logPause:
		c.restart(ctx, conn, 20*time.Millisecond, "RESTART")
	}
}

// waitForReaders ends reads as they reach longRead, and waits until no reader blocks the log, or only
// readers of other processes do.
func (c *checkpointer) waitForReaders(ctx context.Context, conn *sqlx.Conn) bool {
	for start := time.Now(); time.Since(start) < longRead+longRead/2; {
		c.db.reads.end(longRead)
		if c.restart(ctx, conn, longRead/10, "RESTART") {
			return true
		}
	}
	return false
}

// restart copies the rest of the log and waits for readers, at most for patience. Mode TRUNCATE also empties the file.
func (c *checkpointer) restart(ctx context.Context, conn *sqlx.Conn, patience time.Duration, mode string) bool {
	c.moving.Lock()
	defer c.moving.Unlock()
	defer func() { c.tried = time.Now() }()
	// A shorter timeout than busyTimeout, since all writers wait here.
	if _, err := conn.ExecContext(ctx, fmt.Sprintf("PRAGMA busy_timeout = %d", patience.Milliseconds())); err != nil {
		return false
	}
	out, err := runCheckpoint(ctx, conn, mode)
	if err != nil {
		slog.Warn("checkpoint", "error", err)
	}
	if _, err := conn.ExecContext(ctx,
		fmt.Sprintf("PRAGMA busy_timeout = %d", busyTimeout.Milliseconds())); err != nil {
		slog.Warn("checkpoint", "error", err)
	}
	return err == nil && out.busy == 0
}
