package db

import (
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jmoiron/sqlx"
)

// Probe lets tests of the packages above reach the writer of a database in a file.
type Probe struct{ *sqliteFile }

// ProbeOf is the probe of a database in a file. It panics for one on a server.
func ProbeOf(d DB) Probe { return Probe{d.(*sqliteFile)} }

// Writer is the connection of the writer.
func (p Probe) Writer() *sqlx.Conn { return p.writer.conn }

// Waiting is how many writes wait for their turn.
func (p Probe) Waiting() int { return len(p.writer.jobs) }

// Reconnect makes the writer's connection anew, as after a failure.
func (p Probe) Reconnect() error { return p.writer.reconnect() }

// SetRoom replaces the measure of the disk's free bytes.
func (p Probe) SetRoom(room func() int64) { p.writer.log.room = room }

// Readers is the pool of the connections that read.
func (p Probe) Readers() *sqlx.DB { return p.readers }

// WriterDSN is how the writer connects to a file.
func WriterDSN(path string) string { return sqliteDSN(path, true) }

// Sever closes the connection of a transaction on a server, as a failing network does.
func Sever(tx *Tx) error {
	return tx.conn.Raw(func(c any) error { return pgxConn(c).PgConn().Conn().Close() })
}

// WatchLog notes the largest size of the write-ahead log until it is stopped.
func (p Probe) WatchLog(most *atomic.Int64) (stop func()) {
	quit := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				return
			case <-tick.C:
				if info, err := os.Stat(p.path + "-wal"); err == nil && info.Size() > most.Load() {
					most.Store(info.Size())
				}
			}
		}
	})
	return func() { close(quit); wg.Wait() }
}
