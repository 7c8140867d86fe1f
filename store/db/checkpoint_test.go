package db

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// bulk writes about mb megabytes to the log.
func (w *world) bulk(mb int) {
	w.t.Helper()
	for range mb {
		w.write(func(tx *Tx) error {
			return tx.Exec(`INSERT INTO instance (key, value) VALUES ('bulk', randomblob(900000))
				ON CONFLICT (key) DO UPDATE SET value = excluded.value`)
		})
	}
}

func (w *world) logSize() int64 {
	info, err := os.Stat(w.Path() + "-wal")
	if err != nil {
		w.t.Fatal(err)
	}
	return info.Size()
}

const logBound = 128 << 20

func TestTheLogIsBounded(t *testing.T) {
	w := newFileWorld(t)
	var most atomic.Int64
	stop := Probe{w.file()}.WatchLog(&most)
	w.bulk(300)
	stop()
	if most.Load() > logBound || most.Load() < logWake/2 {
		t.Errorf("the log grew to %d MB", most.Load()>>20)
	}
	if err := w.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestTheLogLeavesRoom writes to a disk with little room. The log must leave as much room as it uses, because its
// content must fit into the database too.
func TestTheLogLeavesRoom(t *testing.T) {
	w := newFileWorld(t)
	const room = 6 << 20
	w.file().writer.log.room = func() int64 { return room - w.logSize() }
	for range 30 {
		w.bulk(1)
		if size := w.logSize(); size > room/2 {
			t.Fatalf("the log has %d KB, and there is room for %d more", size>>10, (room-size)>>10)
		}
	}
	if err := w.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestALongReadYields holds the snapshot of a read during many writes. In the first run, the read executes one
// statement after another. In the second run it executes none. The read must end with an error, and the log must not
// grow further.
func TestALongReadYields(t *testing.T) {
	for _, idle := range []bool{false, true} {
		w := newFileWorld(t)
		var most atomic.Int64
		stop := Probe{w.file()}.WatchLog(&most)
		begun, written, ended := make(chan struct{}), make(chan struct{}), make(chan error)
		go func() {
			ended <- w.Read(context.Background(), func(tx *Tx) error {
				if err := look(tx); err != nil {
					return err
				}
				close(begun)
				if idle {
					<-written
				}
				for {
					if err := look(tx); err != nil {
						return err
					}
				}
			})
		}()
		<-begun
		w.bulk(250)
		close(written)
		if err := <-ended; CodeOf(err) != Unavailable || !strings.Contains(err.Error(), "took too long") {
			t.Error("the reader:", err)
		}
		stop()
		if most.Load() > logBound {
			t.Errorf("the log grew to %d MB", most.Load()>>20)
		}
	}
}

// TestALongReadIsLeftAlone reads while the log grows, but not to its limit. Then it ends all reads older than an hour.
// The read must succeed.
func TestALongReadIsLeftAlone(t *testing.T) {
	w := newFileWorld(t)
	err := w.Read(t.Context(), func(tx *Tx) error {
		if err := look(tx); err != nil {
			return err
		}
		w.bulk(40)
		w.file().reads.stopOlder(time.Hour)
		return look(tx)
	})
	if err != nil {
		t.Error(err)
	}
}

// TestAStrangersSnapshot holds a snapshot that this process cannot end, as if another process held it. Writes must go
// on, and the log must start over after the end of the snapshot.
func TestAStrangersSnapshot(t *testing.T) {
	w := newFileWorld(t)
	conn, err := w.file().readers.Connx(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.ExecContext(t.Context(), "BEGIN; SELECT count(*) FROM instance"); err != nil {
		t.Fatal(err)
	}
	var n int
	if err := conn.GetContext(t.Context(), &n, "SELECT count(*) FROM instance"); err != nil {
		t.Fatal(err)
	}
	w.bulk(130)
	if size := w.logSize(); size < logFull {
		t.Errorf("the log has %d MB: is the snapshot held?", size>>20)
	}
	if _, err := conn.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	conn.Close()
	// After the end of the snapshot, the log starts over.
	for start := time.Now(); w.logSize() > logWake && time.Since(start) < time.Minute; {
		w.write(keep(fmt.Sprint(time.Now().UnixNano())))
	}
	if size := w.logSize(); size > logWake {
		t.Errorf("the log still has %d MB", size>>20)
	}
}
