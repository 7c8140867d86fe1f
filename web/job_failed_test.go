package web_test

import (
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/actions/work"
	"samepage/web/webtest"
)

// TestAFailedJobIsTold lets jobs fail. The member who asked for a job is notified once, with the reason and with
// what members can do, and the page of the job's subject says the same. Nobody else is notified.
func TestAFailedJobIsTold(t *testing.T) {
	for _, c := range []struct {
		page, action, did, next string
	}{
		{"worktree bench", work.RefreshWorktree.Name, "could not look at", "Members of Team can refresh it again."},
		{"repo garden", work.FetchRepo.Name, "could not fetch", "Members of Team can fetch it again."},
	} {
		t.Run(c.page, func(t *testing.T) {
			w := webtest.Of(t, "work")
			subject, mill := w.URL(c.page), w.Bearer(w.Secret("runner mill"))
			erin := w.As("erin")
			does(t, erin, subject, c.action, nil, 200, "")
			var job string
			w.Query(&job, `SELECT id FROM jobs WHERE ended_at IS NULL ORDER BY created_at DESC LIMIT 1`)
			report := param.Input{"job": job, "claim": "1", "problem": "there is no room on the disk"}
			does(t, mill, w.URL("runner mill"), work.ClaimJob.Name, param.Input{"job": job, "claim": "0"}, 200, "")
			for range 2 { // a report that comes twice is told once
				does(t, mill, w.URL("runner mill"), work.FinishJob.Name, report, 200, "")
			}
			inbox := erin.Get("/inbox", "text/markdown").Body
			if n := strings.Count(inbox, c.did); n != 1 {
				t.Errorf("Erin is told %d times:\n%s", n, inbox)
			}
			const why = "failed: there is no room on the disk. "
			for what, text := range map[string]string{
				"the inbox": inbox, "the page": erin.Get(subject, "text/markdown").Body,
			} {
				if !strings.Contains(text, why+c.next) {
					t.Errorf("%s does not say %q:\n%s", what, why+c.next, text)
				}
			}
			for _, who := range []string{"bob", "alice"} { // a member of the studio, and the owner of the runner
				if inbox := w.As(who).Get("/inbox", "text/markdown").Body; strings.Contains(inbox, "no room") {
					t.Errorf("%s, who did not ask for it, is told:\n%s", who, inbox)
				}
			}
		})
	}
}
