package web_test

import (
	"fmt"
	"path"
	"strings"
	"testing"

	"samepage/actions/param"
	work "samepage/actions/work"
	"samepage/store"
	stored "samepage/store/work"
	"samepage/store/work/wire"
	"samepage/web/webtest"
)

// TestReportsOfRepositoriesAreLimited reports a repository with long names of branches. A report above the limit is
// refused.
func TestReportsOfRepositoriesAreLimited(t *testing.T) {
	w := webtest.Of(t, "work")
	mill, at := w.Bearer(w.Secret("runner mill")), w.URL("runner mill")
	var job string
	w.Query(&job, `SELECT j.id FROM jobs j JOIN repos p ON p.id = j.repo_id WHERE p.name = 'meadow' AND j.ended_at IS NULL`)
	does(t, mill, at, work.ClaimJob.Name, param.Input{"job": job, "claim": "0"}, 200, "")
	report := func(size, status int, want string) {
		t.Helper()
		branches := make([]string, 200)
		for i := range branches {
			branches[i] = fmt.Sprintf(`{"name":%q,"at":"2026-11-13T10:00:00Z"}`, strings.Repeat("b", size))
		}
		facts := fmt.Sprintf(`{"main":"main","head":%q,"branches":[%s]}`, strings.Repeat("a", 40), strings.Join(branches, ","))
		r := mill.Post(at, work.FinishJob.Name, param.Input{"job": job, "claim": "1",
			"facts": param.Upload{Name: "facts.json", Data: []byte(facts)}})
		if r.Status != status || !strings.Contains(r.Body, want) {
			t.Errorf("names of %d bytes: %d %s", size, r.Status, r.Body)
		}
	}
	report(2000, 422, "at most 400000 bytes")
	report(1200, 303, "")
}

// TestLateReportsRestoreNothing stores a report on an archived worktree, which must stay archived. Then a person
// asks to restore the worktree, and the runner makes the folder again. The report about this takes the worktree
// out of the archive.
func TestLateReportsRestoreNothing(t *testing.T) {
	w := webtest.Of(t, "work")
	mill, at, tree := w.Bearer(w.Secret("runner mill")), w.URL("runner mill"), w.URL("worktree archived")
	var found struct{ ID, Job string }
	archived := func() (n int) {
		w.Query(&n, `SELECT count(*) FROM worktrees WHERE name = 'archived' AND archived_at IS NOT NULL`)
		return n
	}
	w.Query(&found.ID, `SELECT id FROM worktrees WHERE name = '`+path.Base(tree)+`'`)
	hash := strings.Repeat("a", 40)
	if archived() != 1 {
		t.Fatal("it is not archived")
	}
	if err := w.Store.Write(t.Context(), func(tx *store.Tx) error {
		return stored.ReportWorktree(tx, found.ID, wire.WorktreeFacts{Head: hash, Base: hash})
	}); err != nil {
		t.Fatal(err)
	}
	if archived() != 1 {
		t.Error("a late report restores it")
	}
	does(t, w.As("bob"), tree, work.RestoreWorktree.Name, nil, 200, "")
	w.Query(&found.Job, `SELECT id FROM jobs WHERE worktree_id = '`+found.ID+`' AND ended_at IS NULL`)
	does(t, mill, at, work.ClaimJob.Name, param.Input{"job": found.Job, "claim": "0"}, 200, "")
	does(t, mill, at, work.FinishJob.Name, param.Input{"job": found.Job, "claim": "1",
		"facts": fmt.Sprintf(`{"head":%q,"base":%q,"tip":%q}`, hash, hash, hash)}, 200, "")
	if archived() != 0 {
		t.Error("it is not restored")
	}
}

// TestARunnerReadsItsPageOnly reads, with the token of a runner, pages and files that the owner of the runner may read.
// The answers are the same as for something that does not exist.
func TestARunnerReadsItsPageOnly(t *testing.T) {
	w := webtest.New(t)
	mill := w.Bearer(w.Secret("runner mill"))
	if r := mill.Get(w.URL("runner mill"), "application/json"); r.Status != 200 {
		t.Fatal(r.Status, r.Body)
	}
	for _, url := range []string{"/", "/inbox", "/orgs/acme", "/orgs/acme/journal", "/orgs/acme/journal.csv",
		"/orgs/acme/journal.jsonl", "/orgs/acme/activity", "/studios/team", w.URL("note table"), w.URL("standups"),
		w.URL("standups") + ".ics", filesOf(t, w, "talk")["Agenda.txt"], filesOf(t, w,
			"talk")["Agenda.txt"] + "/download"} {
		owner, runner := w.As("alice").Get(url, "application/json"), mill.Get(url, "application/json")
		if runner.Status != 404 {
			t.Errorf("%s answers the runner %d (the owner %d): %.300s", url, runner.Status, owner.Status, runner.Body)
		}
	}
}
