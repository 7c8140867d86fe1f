package hook_test

import (
	"testing"
	"time"

	"samepage/actions/param"
	"samepage/web/hook"
)

// TestABacklogTakesTurns sends the many events of one webhook and the one event of another, for which there is one place.
// The other must not wait until the backlog has been sent, although everything in it is older.
func TestABacklogTakesTurns(t *testing.T) {
	w := newWorld(t)
	long, short := listen(t), listen(t)
	post := func(n int) {
		for range n {
			if r := w.As("bob").PostJSON(w.URL("standups"), "comment", param.Input{"text": "Rain."}); r.Status != 200 {
				t.Fatalf("%d %s", r.Status, r.Body)
			}
			w.Clock.Advance(time.Second)
		}
	}
	add(t, w, param.Input{"address": long.URL})
	post(6)
	sender(t, w)() // it may not send to this machine, so the events are due again a little later
	add(t, w, param.Input{"address": short.URL})
	post(1)
	w.Clock.Advance(time.Hour)
	runner(t, w, "127.0.0.0/8")(func(c *hook.Config) { c.AtOnce, c.Turn = 1, time.Nanosecond })
	all, other := long.all(), short.all()
	if len(all) < 7 || len(other) == 0 || !other[0].at.Before(all[3].at) {
		t.Errorf("the webhook with the backlog got %d events, and the other %d of them late", len(all), len(other))
	}
}
