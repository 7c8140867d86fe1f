package runner

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// slowLog is a log whose lines are written when until is closed.
type slowLog struct {
	slog.Handler
	lines atomic.Int32
	until chan struct{}
}

func (l *slowLog) Handle(context.Context, slog.Record) error {
	l.lines.Add(1)
	<-l.until
	return nil
}

// TestOneCheckAtATime has a check of published pull requests that takes hours, because the runner cannot write its log.
// No other check may start before its end, and the next one starts after it.
func TestOneCheckAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &slowLog{Handler: slog.Default().Handler(), until: make(chan struct{})}
		r, p := &Runner{Config: Config{Log: slog.New(log)}}, &runnerPage{}
		p.Data.Pulls = []copied{{ID: "q0", Source: "nowhere"}}
		checks := func(want int32) {
			t.Helper()
			r.watchBeside(t.Context(), p)
			synctest.Wait()
			if n := log.lines.Load(); n != want {
				t.Errorf("%d checks have begun, want %d", n, want)
			}
		}
		checks(1)
		time.Sleep(3 * time.Hour)
		checks(1)
		close(log.until)
		synctest.Wait()
		checks(1) // the interval begins at the end of the check
		time.Sleep(watchEvery)
		checks(2)
	})
}

// TestPullRequestsAreSeenInTurn has more published pull requests than the runner looks at in one check. The runner
// must look at each of them within a few checks. New pull requests, or the end of the last one in a check, must not
// disturb the order.
func TestPullRequestsAreSeenInTurn(t *testing.T) {
	list := make([]copied, 71)
	for i := range list {
		list[i].ID = fmt.Sprint("q", i)
	}
	seen, last := map[string]int{}, ""
	for range 3 {
		round := inTurn(list, last, watchAtOnce)
		if len(round) != watchAtOnce {
			t.Errorf("a check looks at %d", len(round))
		}
		for _, q := range round {
			seen[q.ID]++
			last = q.ID
		}
	}
	for _, q := range list {
		if n := seen[q.ID]; n < 1 || n > 2 {
			t.Errorf("%s was looked at %d times in three checks", q.ID, n)
		}
	}
	if round := inTurn(list[:2], "gone", watchAtOnce); len(round) != 2 || round[0].ID != "q0" {
		t.Errorf("a short list is looked at as %v", round)
	}
	if round := inTurn(nil, "gone", watchAtOnce); len(round) != 0 {
		t.Errorf("an empty list is looked at as %v", round)
	}
}
