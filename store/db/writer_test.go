package db

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"samepage/store/pgtest"
)

// queue queues the jobs in their order while the writer is busy, so that they share a batch, and returns their errors.
// On a server it runs them concurrently.
func (w *world) queue(jobs ...func(tx *Tx) error) []error {
	w.t.Helper()
	if pgtest.Given() != "" {
		return w.atOnce(jobs...)
	}
	busy, release := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		w.Write(context.Background(), func(*Tx) error { close(busy); <-release; return nil })
	})
	<-busy
	errs := make([]error, len(jobs))
	for i, fn := range jobs {
		before := len(w.file().writer.jobs)
		wg.Go(func() { errs[i] = w.Write(context.Background(), fn) })
		for len(w.file().writer.jobs) == before {
			runtime.Gosched()
		}
	}
	close(release)
	wg.Wait()
	return errs
}

// atOnce runs jobs concurrently and returns their errors. It is for PostgreSQL, where writes have no batches.
func (w *world) atOnce(jobs ...func(tx *Tx) error) []error {
	errs := make([]error, len(jobs))
	var wg sync.WaitGroup
	for i, fn := range jobs {
		wg.Go(func() { errs[i] = w.Write(context.Background(), fn) })
	}
	wg.Wait()
	return errs
}

func keep(key string) func(tx *Tx) error {
	return func(tx *Tx) error { return tx.Exec(`INSERT INTO instance (key, value) VALUES (?, ?)`, key, []byte{0}) }
}

func (w *world) kept() (keys []string) {
	w.read(func(tx *Tx) error { return tx.Select(&keys, `SELECT key FROM instance ORDER BY key`) })
	return keys
}

func TestAFailingJobFailsAlone(t *testing.T) {
	w := newWorld(t)
	var jobs []func(tx *Tx) error
	var want []string
	var announced atomic.Int64
	boom := errors.New("boom")
	for i := range 100 {
		key := fmt.Sprintf("%03d", i)
		jobs = append(jobs, func(tx *Tx) error {
			tx.AfterCommit(func() { announced.Add(1) })
			if err := keep(key)(tx); err != nil {
				return err
			}
			switch i % 10 {
			case 1:
				return boom
			case 2:
				return keep(key)(tx) // a violated constraint
			case 3:
				panic("boom")
			case 4:
				return tx.Exec(`INSERT INTO children (parent) VALUES ('nobody')`)
			case 5:
				return tx.Exec(`SELECT nothing FROM nowhere`)
			case 6: // a panic leaves a savepoint open
				return tx.Nested(func() error { panic("boom") })
			}
			return nil
		})
		if i%10 == 0 || i%10 > 6 {
			want = append(want, key)
		}
	}
	errs := w.queue(jobs...)
	for i, err := range errs {
		if fails := i%10 > 0 && i%10 < 7; fails != (err != nil) {
			t.Errorf("job %d: %v", i, err)
		}
	}
	if !errors.Is(errs[1], boom) || !IsConstraint(errs[2]) || CodeOf(errs[3]) != Internal || !IsConstraint(errs[4]) {
		t.Errorf("%v, %v, %v, %v", errs[1], errs[2], errs[3], errs[4])
	}
	if got := w.kept(); !slices.Equal(got, want) {
		t.Errorf("kept %s, want %s", got, want)
	}
	if int(announced.Load()) != len(want) {
		t.Errorf("%d announced, want %d", announced.Load(), len(want))
	}
	w.write(keep("after"))
}

func TestAJobThatEndsItsGoroutine(t *testing.T) {
	w := newFileWorld(t)
	errs := w.queue(keep("a"), func(*Tx) error { runtime.Goexit(); return nil }, keep("b"))
	if CodeOf(errs[1]) != Internal || errs[1] == nil {
		t.Error("the job:", errs[1])
	}
	if errs[0] == nil || errs[2] != nil { // job a was in the lost batch
		t.Errorf("%v, %v", errs[0], errs[2])
	}
	if got := w.kept(); !slices.Equal(got, []string{"b"}) {
		t.Errorf("kept %s", got)
	}
}

func TestATransactionThatWasLeftOpen(t *testing.T) {
	w := newFileWorld(t)
	for _, leave := range []string{"BEGIN", "BEGIN; SAVEPOINT job", "SAVEPOINT job"} {
		if _, err := w.file().writer.conn.ExecContext(t.Context(), leave); err != nil {
			t.Fatal(err)
		}
		w.write(keep(leave))
	}
	// If a job ends the writer's transaction, that job and the earlier jobs of its batch fail. The writer still runs
	// the later job.
	errs := w.queue(keep("lost"), func(tx *Tx) error { return tx.Exec("ROLLBACK") }, keep("kept"))
	if errs[0] == nil || errs[1] == nil || errs[2] != nil {
		t.Error(errs)
	}
	if got := w.kept(); !slices.Equal(got, []string{"BEGIN", "BEGIN; SAVEPOINT job", "SAVEPOINT job", "kept"}) {
		t.Errorf("kept %q", got)
	}
	if err := w.file().writer.reconnect(); err != nil {
		t.Fatal(err)
	}
	w.write(keep("reconnected"))
}

func TestCancelledCallers(t *testing.T) {
	w := newWorld(t)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.Write(gone, keep("before")); !errors.Is(err, context.Canceled) {
		t.Error("cancelled before:", err)
	}
	// A write that has begun runs to its end.
	ctx, cancel := context.WithCancel(t.Context())
	announced := false
	err := w.Write(ctx, func(tx *Tx) error {
		cancel()
		tx.AfterCommit(func() { announced = true })
		return keep("begun")(tx)
	})
	if err != nil || !announced {
		t.Error("cancelled once begun:", err, announced)
	}
	if got := w.kept(); !slices.Equal(got, []string{"begun"}) {
		t.Errorf("kept %s", got)
	}
	// A read ends between two statements.
	ctx, cancel = context.WithCancel(t.Context())
	err = w.Read(ctx, func(tx *Tx) error {
		cancel()
		return look(tx)
	})
	if !errors.Is(err, context.Canceled) {
		t.Error("read:", err)
	}
}

// TestAFailedStatementOfARead expects the error of a statement from a read that drops it, or takes it for a missing row.
func TestAFailedStatementOfARead(t *testing.T) {
	w := newWorld(t)
	lost := errors.New("lost")
	for name, answer := range map[string]func(err error) error{
		"dropped":     func(error) error { return nil },
		"mistaken":    func(error) error { return Missing() },
		"told":        func(err error) error { return err },
		"put in text": func(err error) error { return fmt.Errorf("look: %w", err) },
	} {
		ctx, lose := context.WithCancelCause(t.Context())
		err := w.Read(ctx, func(tx *Tx) error {
			if err := look(tx); err != nil {
				t.Error(err)
			}
			lose(lost)
			return answer(look(tx))
		})
		if !errors.Is(err, lost) || (name == "put in text") != strings.HasPrefix(err.Error(), "look: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := w.Read(t.Context(), func(tx *Tx) error {
		var key string
		if err := tx.Get(&key, `SELECT key FROM instance`); CodeOf(err) != NotFound {
			t.Error(err)
		}
		return nil
	}); err != nil {
		t.Error("a missing row is no fault:", err)
	}
}

func TestACallerWhoGivesUpWaiting(t *testing.T) {
	w := newFileWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	busy, release, waited := make(chan struct{}), make(chan struct{}), make(chan error)
	go w.Write(t.Context(), func(*Tx) error { close(busy); <-release; return nil })
	<-busy
	go func() { waited <- w.Write(ctx, keep("waiting")) }()
	for len(w.file().writer.jobs) == 0 {
		runtime.Gosched()
	}
	cancel()
	if err := <-waited; !errors.Is(err, context.Canceled) {
		t.Error("cancelled while waiting:", err)
	}
	close(release)
	if got := w.kept(); len(got) != 0 {
		t.Errorf("kept %s", got)
	}
}

func TestFirstInFirstOut(t *testing.T) {
	w := newFileWorld(t)
	var order []int
	jobs := make([]func(*Tx) error, 2*batchJobs+7)
	for i := range jobs {
		jobs[i] = func(*Tx) error { order = append(order, i); return nil }
	}
	w.queue(jobs...)
	if len(order) != len(jobs) || !slices.IsSorted(order) {
		t.Errorf("order %v", order)
	}
}

func TestAfterCommit(t *testing.T) {
	w := newWorld(t)
	seen := 0
	w.write(func(tx *Tx) error {
		tx.AfterCommit(func() { seen = len(w.kept()) })
		tx.AfterCommit(func() { panic("a listener's own fault") })
		tx.AfterCommit(func() { seen += 10 })
		tx.Nested(func() error { tx.AfterCommit(func() { seen += 100 }); return errors.New("undone") })
		return keep("a")(tx)
	})
	if seen != 11 {
		t.Errorf("saw %d, want the committed row and the last hook", seen)
	}
}

func TestCloseWhileBusy(t *testing.T) {
	for range 5 {
		w := newWorld(t)
		var mu sync.Mutex
		var acknowledged []string
		var wg sync.WaitGroup
		for i := range 16 {
			wg.Go(func() {
				for n := 0; ; n++ {
					key := fmt.Sprintf("%02d-%06d", i, n)
					if err := w.Write(context.Background(), keep(key)); err != nil {
						if CodeOf(err) != Unavailable {
							t.Error(err)
						}
						return
					}
					mu.Lock()
					acknowledged = append(acknowledged, key)
					mu.Unlock()
				}
			})
		}
		for n := 0; n < 50; {
			mu.Lock()
			n = len(acknowledged)
			mu.Unlock()
			runtime.Gosched()
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		wg.Wait()
		if err := w.Write(t.Context(), keep("late")); CodeOf(err) != Unavailable {
			t.Error("a write after Close:", err)
		}
		if err := w.Read(t.Context(), func(*Tx) error { return nil }); CodeOf(err) != Unavailable {
			t.Error("a read after Close:", err)
		}
		if err := w.Close(); err != nil {
			t.Error("closed twice:", err)
		}
		w.open()
		slices.Sort(acknowledged)
		if got := w.kept(); !slices.Equal(got, acknowledged) {
			t.Errorf("%d kept, %d acknowledged", len(got), len(acknowledged))
		}
		w.Close()
	}
}

// TestJobsAreBegunOrAbandoned cancels writes at about the time at which they begin. A write that returns an error must
// leave no row, and every other write must leave one.
func TestJobsAreBegunOrAbandoned(t *testing.T) {
	w := newWorld(t)
	var mu sync.Mutex
	var want []string
	var wg sync.WaitGroup
	for i := range 300 {
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i)*20*time.Microsecond)
			defer cancel()
			key := fmt.Sprintf("%03d", i)
			if err := w.Write(ctx, keep(key)); err == nil {
				mu.Lock()
				want = append(want, key)
				mu.Unlock()
			} else if !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	slices.Sort(want)
	if got := w.kept(); !slices.Equal(got, want) {
		t.Errorf("kept %s, acknowledged %s", got, want)
	}
}
