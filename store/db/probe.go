package db

import (
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jmoiron/sqlx"
)

// Probe gives tests of other packages access to the internals of a database file. They could not import it from a
// _test.go file.
type Probe struct{ *sqliteFile }

// ProbeOf returns the probe of a database file. It panics if the database is on a server.
func ProbeOf(d DB) Probe { return Probe{d.(*sqliteFile)} }

// Writer returns the connection of the writer.
func (p Probe) Writer() *sqlx.Conn { return p.writer.conn }

// Readers returns the pool of read connections.
func (p Probe) Readers() *sqlx.DB { return p.readers }

// WriterDSN returns the data source name of the writer's connection to a file.
func WriterDSN(path string) string { return sqliteDSN(path, true) }

// Sever breaks the network connection of a transaction on a server.
func Sever(tx *Tx) error {
	return tx.conn.Raw(func(c any) error { return pgxConn(c).PgConn().Conn().Close() })
}

// WatchLog stores the greatest size of the write-ahead log, in bytes, in `most` until stop is called.
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
