//go:build linux

package store_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"samepage/store"
	"samepage/store/governance"
)

// The benchmarks cast ballots and load pages in the same way as actions and the router. Every write is durable.

func BenchmarkWrite1(b *testing.B)  { benchmarkWrite(b, 1) }
func BenchmarkWrite16(b *testing.B) { benchmarkWrite(b, 16) }
func BenchmarkWrite64(b *testing.B) { benchmarkWrite(b, 64) }

func benchmarkWrite(b *testing.B, writers int) {
	w := newWorld(b)
	voters := make([]store.Actor, writers)
	for i := range voters {
		voters[i] = w.member(w.acme, fmt.Sprintf("voter-%d", i))
		w.write(func(tx *store.Tx) error { return tx.JoinStudio(voters[i].Member, w.team) })
	}
	decisions := make([]*governance.Decision, 64)
	for i := range decisions {
		decisions[i] = w.decision(w.alice, w.team, fmt.Sprintf("Question %d?", i), "Yes", "No")
	}
	fsync := fdatasync(b)
	var next atomic.Int64
	var maxLog atomic.Int64
	took := make([][]time.Duration, writers)
	var wg sync.WaitGroup
	stop := w.file().WatchLog(&maxLog)
	b.ResetTimer()
	cpu := cpuTime()
	for i := range writers {
		wg.Go(func() {
			for {
				n := next.Add(1)
				if n > int64(b.N) {
					return
				}
				d := decisions[int(n)%len(decisions)]
				start := time.Now()
				if err := w.vote(voters[i], d, fmt.Sprint(n)); err != nil {
					b.Error(err)
					return
				}
				took[i] = append(took[i], time.Since(start))
			}
		})
	}
	wg.Wait()
	b.StopTimer()
	cpu = cpuTime() - cpu
	stop()
	all := slices.Concat(took...)
	slices.Sort(all)
	rate := float64(b.N) / b.Elapsed().Seconds()
	b.ReportMetric(rate, "tx/s")
	b.ReportMetric(float64(all[len(all)*99/100].Microseconds())/1000, "p99-ms")
	b.ReportMetric(float64(all[len(all)-1].Microseconds())/1000, "max-ms")
	b.ReportMetric(rate*fsync.Seconds(), "tx/fdatasync")
	// CPU time is the measure that other load on the machine changes least.
	b.ReportMetric(float64(cpu.Microseconds())/float64(b.N), "cpu-µs/tx")
	b.ReportMetric(float64(maxLog.Load())/(1<<20), "log-MB")
	b.ReportMetric(0, "ns/op")
}

// fdatasync returns the median time of one small synchronized write, the least cost of a commit on its own.
func fdatasync(tb testing.TB) time.Duration {
	f, err := os.Create(tb.TempDir() + "/sync")
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	took := make([]time.Duration, 300)
	for i := range took {
		if _, err := f.WriteAt(make([]byte, 4096), int64(i)*4096); err != nil {
			tb.Fatal(err)
		}
		start := time.Now()
		if err := syscall.Fdatasync(int(f.Fd())); err != nil {
			tb.Fatal(err)
		}
		took[i] = time.Since(start)
	}
	slices.Sort(took)
	return took[len(took)/2]
}

// cpuTime returns the CPU time that this process has used.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// page loads a decision as a GET request does, and returns the number of SQL statements that this takes.
func page(b *testing.B, s *store.Store, by store.Actor, studio, id string) (queries int) {
	err := s.Read(context.Background(), func(tx *store.Tx) error {
		d, err := governance.FindDecision(tx, by, studio, id)
		if err != nil {
			return err
		}
		p, err := governance.ShowDecision(tx, by, d)
		if err == nil && (len(p.Newest) != 10 || p.Ballots != 8) {
			err = fmt.Errorf("%d comments, %d ballots", len(p.Newest), p.Ballots)
		}
		queries = tx.Queries
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return queries
}

// commented adds to the decision w.standups the content of a typical page: eight ballots and ten comments.
func (w *world) commented() {
	for i := range 8 {
		by := w.member(w.acme, fmt.Sprintf("voter-%d", i))
		w.write(func(tx *store.Tx) error { return tx.JoinStudio(by.Member, w.team) })
		if err := w.vote(by, w.standups, `["1"]`); err != nil {
			w.t.Fatal(err)
		}
	}
	for i := range 10 {
		w.write(func(tx *store.Tx) error {
			d, err := governance.FindDecision(tx, w.bob, "team", w.standups.ID)
			if err != nil {
				return err
			}
			_, err = tx.AddComment(w.bob, &d.Item, fmt.Sprintf("Comment %d, of about the length of a sentence.", i))
			return err
		})
	}
}

func BenchmarkDecisionPage(b *testing.B) {
	w := newWorld(b)
	w.commented()
	b.ReportAllocs()
	queries := 0
	for b.Loop() {
		queries = page(b, w.Store, w.alice, "team", w.standups.ID)
	}
	b.ReportMetric(float64(queries), "queries/op")
}
