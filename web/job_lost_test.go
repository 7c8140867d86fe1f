package web_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"samepage/actions/param"
	"samepage/actions/work"
	"samepage/web/webtest"
)

// TestALostJobIsEnded lets a runner claim a job five times without reporting a result. The scheduler then ends the
// job. The page says why and what to do, the member who requested the job is notified, and a late report is refused.
// Another job can be requested.
func TestALostJobIsEnded(t *testing.T) {
	w := webtest.Of(t, "work")
	tree, at := w.URL("worktree bench"), w.URL("runner mill")
	mill := w.Bearer(w.Secret("runner mill"))
	does(t, w.As("erin"), tree, work.RefreshWorktree.Name, nil, 200, "is asked to look at it")
	var job string
	w.Query(&job, `SELECT id FROM jobs WHERE kind = 'refresh' AND ended_at IS NULL AND worktree_id =
		(SELECT id FROM worktrees WHERE name = 'bench')`)
	claim := func(n int) {
		does(t, mill, at, work.ClaimJob.Name, param.Input{"job": job, "claim": fmt.Sprint(n)}, 200, "")
	}
	for n := range 5 {
		claim(n)
		w.Clock.Advance(29 * time.Second)
		w.Site.CloseDue(t.Context())
		if page := w.As("erin").Get(tree, "text/markdown").Body; !strings.Contains(page, "is to look at it") {
			t.Fatalf("the job is not open under claim %d:\n%s", n+1, page)
		}
		w.Clock.Advance(time.Second)
		if n < 4 {
			w.Site.CloseDue(t.Context())
		}
	}
	w.Site.CloseDue(t.Context())
	var open int
	w.Query(&open, `SELECT count(*) FROM jobs WHERE id = ? AND ended_at IS NULL`, job)
	if open > 0 {
		t.Error("the lost job is open in the database")
	}
	for _, c := range []struct{ url, want string }{
		{tree, "was lost: the runner went away 5 times while it worked on it, and its log says why. Members of Team can " +
			"refresh it again."},
		{"/inbox", "could not look at"},
		{at, "was lost: the runner went away 5 times"},
	} {
		if page := w.As("erin").Get(c.url, "text/markdown").Body; !strings.Contains(page, c.want) {
			t.Errorf("%s does not say %q:\n%s", c.url, c.want, page)
		}
	}
	if page := w.As("bob").Get("/inbox", "text/markdown").Body; strings.Contains(page, "could not look at") {
		t.Errorf("Bob, who did not ask for it, is told:\n%s", page)
	}
	does(t, mill, at, work.FinishJob.Name, param.Input{"job": job, "claim": "5", "problem": "There is no room."}, 409,
		"holds no more")
	does(t, w.As("erin"), tree, work.RefreshWorktree.Name, nil, 200, "is asked to look at it")
}
