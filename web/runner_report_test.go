package web_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/actions/work"
	"samepage/store"
	"samepage/web/webtest"
)

// TestRunnersReportWhatIsTheirs lets a runner report pull requests and environments that are unknown or belong to
// another runner, and malformed facts. Each report is refused and changes nothing.
func TestRunnersReportWhatIsTheirs(t *testing.T) {
	w := webtest.Of(t, "work")
	var pull, tree string
	w.Query(&pull, `SELECT id FROM pulls WHERE title = 'Sow beans'`)
	w.Query(&tree, `SELECT id FROM worktrees WHERE name = 'beans'`)
	mill := w.Bearer(w.Secret("runner mill"))
	at := w.URL("runner mill")
	hash := strings.Repeat("a", 40)
	good := fmt.Sprintf(`{"number":1,"url":"https://git.example.org/x","state":"open","head":%q}`, hash)
	before := w.As("bob").Get(w.URL("pull beans"), "text/markdown").Body + w.As("bob").Get(w.URL("worktree beans"), "text/markdown").Body
	for _, c := range []struct{ action, id, facts, want string }{
		{work.ReportPull.Name, "nothing", good, "has not published such a pull request"},
		{work.ReportPull.Name, pull, strings.Replace(good, `"number":1`, `"number":7`, 1), "has not published such a pull request"},
		{work.ReportPull.Name, pull, `[]`, "JSON"},
		{work.ReportPull.Name, pull, strings.Replace(good, "https://", "javascript://", 1), "https address"},
		{work.ReportPull.Name, pull, strings.Replace(good, `"open"`, `"merged"`, 1), "after a merge its commit"},
		{work.ReportPull.Name, pull, strings.Replace(good, `"open"`, `"new"`, 1), "the state open"},
		{work.ReportPull.Name, pull, strings.Replace(good, hash, "short", 1), "the head"},
		{work.ReportPull.Name, pull, strings.Replace(good, "{", `{"checks":"odd",`, 1), "checks"},
		{work.ReportPull.Name, pull, strings.Replace(good, "{", `{"names":["`+strings.Repeat("x", 401)+`"],`, 1), "checks"},
		{work.ReportEnvironment.Name, "nothing", `{"state":"stopped"}`, "no such worktree"},
		{work.ReportEnvironment.Name, tree, `{"state":"odd"}`, "The state is"},
		{work.ReportEnvironment.Name, tree, `{"state":"running","port":70000}`, "port"},
		{work.ReportEnvironment.Name, tree, `{"state":"failed","said":"` + strings.Repeat("x", tooLongOutput) + `"}`, "20000 bytes"},
	} {
		key := "pull"
		if c.action == work.ReportEnvironment.Name {
			key = "worktree"
		}
		does(t, mill, at, c.action, param.Input{key: c.id, "facts": c.facts}, 422, c.want)
	}
	does(t, w.As("alice"), w.URL("runner barn"), work.StartRunner.Name, nil, 200, "is on")
	barn := w.Bearer(w.Secret("runner barn"))
	does(t, barn, w.URL("runner barn"), work.ReportPull.Name, param.Input{"pull": pull, "facts": good}, 422, "has not published")
	does(t, barn, w.URL("runner barn"), work.ReportEnvironment.Name, param.Input{"worktree": tree, "facts": `{"state":"stopped"}`}, 422,
		"no such worktree")
	after := w.As("bob").Get(w.URL("pull beans"), "text/markdown").Body + w.As("bob").Get(w.URL("worktree beans"), "text/markdown").Body
	if strip(before) != strip(after) {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	// A runner cuts the name of a check to 100 characters, which can be more than 200 bytes.
	does(t, mill, at, work.ReportPull.Name, param.Input{"pull": pull,
		"facts": strings.Replace(good, "{", `{"checks":"failed","names":["`+strings.Repeat("築", 100)+`"],`, 1)}, 200, "")
}

// tooLongOutput is one byte more than a report's output may have.
const tooLongOutput = 20_001

// strip removes the lines with the versions of pages.
func strip(pages string) string {
	var kept []string
	for line := range strings.Lines(pages) {
		if !strings.HasPrefix(line, "version:") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

// TestAReopenedPullRequestStaysOpen reopens a pull request while the runner is closing its copy at the forge. The
// report about the closing does not close the pull request again, and the next job opens the copy.
func TestAReopenedPullRequestStaysOpen(t *testing.T) {
	w := webtest.Of(t, "work")
	pull, at := w.URL("pull beans"), w.URL("runner mill")
	mill := w.Bearer(w.Secret("runner mill"))
	order := func() (job, params string) {
		w.Query(&job, `SELECT id FROM jobs WHERE kind = 'publish' AND ended_at IS NULL AND worktree_id =
			(SELECT id FROM worktrees WHERE name = 'beans') ORDER BY created_at DESC LIMIT 1`)
		w.Query(&params, `SELECT params FROM jobs WHERE id = ?`, job)
		return job, params
	}
	does(t, w.As("bob"), pull, work.ClosePull.Name, nil, 200, "is closed")
	does(t, w.As("bob"), pull, work.ReopenPull.Name, nil, 200, "is open again") // reopened before the runner has claimed the job
	does(t, w.As("bob"), pull, work.ClosePull.Name, nil, 200, "is closed")
	job, params := order()
	if !strings.Contains(params, `"state":"closed","was":"open"`) {
		t.Errorf("the order is %s", params)
	}
	does(t, mill, at, work.ClaimJob.Name, param.Input{"job": job, "claim": "0"}, 200, "")
	does(t, w.As("bob"), pull, work.ReopenPull.Name, nil, 200, "is open again")
	_, params = order()
	if !strings.Contains(params, `"state":"open","was":"closed"`) {
		t.Errorf("the order is %s", params)
	}
	facts := fmt.Sprintf(`{"number":1,"url":"https://git.example.org/x","state":"closed","head":%q}`, strings.Repeat("a", 40))
	does(t, mill, at, work.FinishJob.Name, param.Input{"job": job, "claim": "1", "facts": facts}, 200, "")
	const state = "Open. The runner Mill (away: its program is silent) is to publish it."
	if page := w.As("bob").Get(pull, "text/markdown").Body; !strings.Contains(page, state) {
		t.Errorf("the page:\n%s", page)
	}
}

// TestRunnersWatchManyPullRequests checks the published pull requests on the page of a runner. The page lists up
// to 300 pull requests, says how often the runner looks at each, and says how many are left out.
func TestRunnersWatchManyPullRequests(t *testing.T) {
	w := webtest.Of(t, "work")
	at := w.URL("runner mill")
	var before int
	w.Query(&before, `SELECT count(*) FROM pulls q JOIN worktrees w ON w.id = q.worktree_id JOIN repos p ON p.id = w.repo_id
		JOIN runners r ON r.id = p.runner_id WHERE r.name = 'Mill' AND q.forge_n > 0 AND q.ended_at IS NULL`)
	made := 0
	upTo := func(most int) {
		t.Helper()
		if err := w.Store.Write(t.Context(), func(tx *store.Tx) error {
			for ; before+made < most; made++ {
				id := fmt.Sprintf("many%d", made)
				if err := tx.Exec(`INSERT INTO worktrees (id, org_id, studio_id, repo_id, name, branch, base, created_at, created_by)
					SELECT ?, org_id, studio_id, repo_id, ?, ?, base, created_at, created_by FROM worktrees WHERE name = 'beans'`, id, id,
					id); err != nil {
					return err
				}
				if err := tx.Exec(`INSERT INTO pulls (id, org_id, studio_id, worktree_id, n, title, text, opened_at, member_id, forge_n,
					forge_state) SELECT ?, org_id, studio_id, ?, ?, ?, '', opened_at, member_id, ?, 'open' FROM pulls
					WHERE title = 'Sow beans'`, id, id, 1000+made, id, 1000+made); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		open, listed int
		says         string
	}{
		{before, before, "each of them every two minutes"},
		{31, 31, "the copies of 31 pull requests in turn, 30 of them every two minutes"},
		{302, 300, "the copies of 300 pull requests in turn, 30 of them every two minutes. The other 2, which were opened before " +
			"those, wait until some of those end"},
	} {
		upTo(c.open)
		var page struct {
			Data struct{ Pulls []struct{ ID string } }
		}
		body := w.Bearer(w.Secret("runner mill")).Get(at, "application/json").Body
		if err := json.Unmarshal([]byte(body), &page); err != nil || len(page.Data.Pulls) != c.listed {
			t.Errorf("of %d pull requests the runner sees %d: %v", c.open, len(page.Data.Pulls), err)
		}
		if page := w.As("erin").Get(at, "text/markdown").Body; !strings.Contains(page, c.says) {
			t.Errorf("with %d pull requests the page does not say %q:\n%s", c.open, c.says, page)
		}
	}
}
