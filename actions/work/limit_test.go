package work_test

import (
	"fmt"
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/store"
	"samepage/store/work"
	"samepage/web/webtest"
)

// fill copies a row of a table until there are n rows that meet a condition. The columns id, name and branch of the copies
// differ.
func fill(t *testing.T, w *webtest.World, table, columns, from, condition string, n int) {
	t.Helper()
	for i := count(w, `SELECT count(*) FROM `+table+` WHERE `+condition); i < n; i++ {
		values := columns
		for _, c := range []string{"id", "name", "branch"} {
			values = strings.Replace(" "+values, " "+c+",", fmt.Sprintf(" 'fill%d',", i), 1)
		}
		if err := w.Store.Write(t.Context(), func(tx *store.Tx) error {
			return tx.Exec(`INSERT INTO ` + table + ` (` + columns + `) SELECT ` + values + ` FROM ` + table + ` WHERE ` + from)
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLimits checks that a studio and a runner take no more repositories, and a studio no more worktrees, than their pages
// list.
func TestLimits(t *testing.T) {
	w := webtest.Of(t, "work")
	fill(t, w, "worktrees", "id, name, branch, org_id, studio_id, repo_id, base, created_at, created_by",
		"name = 'watering'",
		"archived_at IS NULL AND studio_id = (SELECT studio_id FROM worktrees WHERE name = 'watering')",
		work.MaxWorktrees)
	act(t, w, "bob", w.URL("repo garden"), "create_worktree", param.Input{"name": "more"}, 422,
		"the most there may be. Archive some.")
	act(t, w, "bob", w.URL("worktree archived"), "restore_worktree", nil, 409, "the most there may be. Archive some.")

	add := func(studio string, status int, text string) {
		t.Helper()
		act(t, w, "alice", w.URL("runner mill"), "add_repo",
			param.Input{"studio": studio, "name": "more", "source": "/srv/git/more"}, status, text)
	}
	columns := "id, name, org_id, studio_id, runner_id, source, created_at"
	fill(t, w, "repos", columns, "name = 'garden'", "runner_id = (SELECT runner_id FROM repos WHERE name = 'garden')",
		work.MaxRepos)
	add("plaza", 422, "The runner Mill has 100 repositories, the most there may be. Remove some.")
	fill(t, w, "repos", columns, "name = 'meadow'", "studio_id = (SELECT studio_id FROM repos WHERE name = 'garden')",
		work.MaxRepos)
	add("team", 422, "Team has 100 repositories, the most there may be. Remove some.")
}
