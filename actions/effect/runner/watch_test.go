package runner

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"samepage/store/work/wire"
)

// slowLog is a log in which each call that writes a line blocks until a channel, the field until, is closed.
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

// TestOneCheckAtATime has a poll of published pull requests that takes hours, because the runner cannot write its
// log. The next poll must not start before that poll has ended, and must start afterwards.
func TestOneCheckAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &slowLog{Handler: slog.Default().Handler(), until: make(chan struct{})}
		r, p := &Runner{Config: Config{Log: slog.New(log), WatchEvery: watchEvery}}, &runnerPage{}
		p.Data.Pulls = []wire.Pull{{ID: "q0", Source: "nowhere"}}
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
		checks(1) // the interval begins at the end of the poll
		time.Sleep(watchEvery)
		checks(2)
	})
}

// TestPullRequestsAreSeenInTurn has more published pull requests than one poll looks at. In three polls, the runner
// must look at each pull request once or twice. If the pull request at which a poll looked last is gone, the next
// poll must begin at the first pull request.
func TestPullRequestsAreSeenInTurn(t *testing.T) {
	list := make([]wire.Pull, 71)
	for i := range list {
		list[i].ID = fmt.Sprint("q", i)
	}
	seen, last := map[string]int{}, ""
	for range 3 {
		round := inTurn(list, last)
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
	if round := inTurn(list[:2], "gone"); len(round) != 2 || round[0].ID != "q0" {
		t.Errorf("a short list is looked at as %v", round)
	}
	if round := inTurn(nil, "gone"); len(round) != 0 {
		t.Errorf("an empty list is looked at as %v", round)
	}
}
