package work_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"samepage/actions/param"
	actions "samepage/actions/work"
	"samepage/store"
	"samepage/store/work"
	"samepage/web/webtest"
)

// TestHomeListsWhatCanBeMerged draws states of a pull request, its worktree, its repository, its reviews and its jobs.
// The home page of the author must list the pull request exactly if the author may merge it, needs to give no reason,
// and has not tried so in vain.
func TestHomeListsWhatCanBeMerged(t *testing.T) {
	w := webtest.Of(t, "work")
	by := castOf(t, w)
	undo := errors.New("undo")
	listed, reasons := 0, 0
	check := func(dice []int) error {
		err := w.Store.Write(t.Context(), func(tx *store.Tx) error {
			n, err := drawPull(dice, tx, by[author])
			if err != nil {
				return err
			}
			q, err := work.FindPull(tx, by[author], "team", n)
			if err != nil {
				return err
			}
			want := q.MustBeMergeableBy(by[author]) == nil && q.NeedsReason() == "" &&
				(q.Tried != q.WorkHead || q.Problem == "" && q.Clashes == "")
			home, err := tx.ShowHome(by[author])
			if err != nil {
				return err
			}
			got := slices.ContainsFunc(home.Wanted, func(r store.Request) bool {
				return r.Act == "Merge" && r.URL == q.URL()
			})
			if got != want {
				return fmt.Errorf("home lists it: %t; refusal %v, reason %q, check %q, forge %q, problem %q", got,
					q.MustBeMergeableBy(by[author]), q.NeedsReason(), q.Check(), q.Checks, q.Problem)
			}
			if got {
				listed++
			}
			if q.NeedsReason() != "" {
				reasons++
			}
			return undo
		})
		if errors.Is(err, undo) {
			return nil
		}
		return err
	}
	for _, n := range []int{9, 3} { // it is listed if all dice show 9, and needs a reason if all show 3
		if err := check(slices.Repeat([]int{n}, 40)); err != nil {
			t.Fatal(err)
		}
	}
	if listed == 0 || reasons == 0 {
		t.Errorf("home listed it %d times, and it needed a reason %d times", listed, reasons)
	}
	rapid.Check(t, func(rt *rapid.T) {
		// The dice are drawn here, because a write recovers from the panics of rapid.
		if err := check(rapid.SliceOfN(rapid.IntRange(0, 9), 40, 40).Draw(rt, "dice")); err != nil {
			rt.Fatal(err)
		}
	})
}

// drawPull opens a pull request in a state according to the dice, and returns its number.
func drawPull(dice []int, tx *store.Tx, by store.Actor) (int, error) {
	roll := func() (n int) {
		n, dice = dice[0], dice[1:]
		return n
	}
	often := func() bool { return roll() > 0 } // mostly true, so that some pull requests can be merged
	one := func(of ...string) string { return of[roll()%len(of)] }
	tree, err := work.FindWorktree(tx, by, "team", "bench")
	if err != nil {
		return 0, err
	}
	session, err := take(tx, by, actions.StartSession, tree, param.Input{"agent": "mason", "prompt": "Mend it."})
	if err != nil {
		return 0, err
	}
	argv := one("", "make")
	set := func(query string, args ...any) {
		if err == nil {
			err = tx.Exec(query, args...)
		}
	}
	set(`UPDATE repos SET check_argv = ?, review_required = ? WHERE id = ?`, argv, roll()%2, tree.RepoID)
	if err != nil {
		return 0, err
	}
	made, err := take(tx, by, actions.CreatePull, tree, param.Input{"title": "Mend the bench",
		"draft": fmt.Sprint(!often())})
	if err != nil {
		return 0, err
	}
	q := made.Made[0].(*work.Pull)
	head := func() string { return one(tree.Head, tree.Head, tree.Head, hash(7)) }
	set(`DELETE FROM jobs WHERE worktree_id = ?`, tree.ID)
	tried := one("", tree.Head, hash(7))
	for _, kind := range []string{"merge", "publish", "check"} {
		if often() {
			continue
		}
		of, ended := q.ID, store.Time{}
		if !often() {
			of = "0123456789"
		} else if kind == "merge" {
			tried = tree.Head
		}
		if !often() {
			ended = store.At(tx.Now)
		}
		set(`INSERT INTO jobs (id, org_id, runner_id, repo_id, worktree_id, kind, claim, created_at, ended_at, params)
			SELECT ?, org_id, runner_id, id, ?, ?, ?, ?, ?, ? FROM repos WHERE id = ?`, store.NewID(), tree.ID, kind,
			roll()%5, store.At(tx.Now), ended, fmt.Sprintf(`{"pull":%q}`, of), tree.RepoID)
	}
	set(`UPDATE pulls SET tried = ?, problem = ?, conflicts = ?, checked = ?, check_passed = ?, forge_n = ?, forge_url = ?,
		forge_checks = ? WHERE id = ?`, tried, one("", "", "No."),
		one("", "", "[]"), head(), map[bool]int{true: 1}[often()], 1, "https://forge.example/1",
		one("", "passed", "waiting", "failed"), q.ID)
	set(`INSERT INTO reviews (id, org_id, studio_id, session_id, n, round, commit_hash, text, requested_at, member_id,
		state, ended_at)
		VALUES (?, ?, ?, ?, 1, 1, ?, '', ?, ?, ?, ?)`, store.NewID(), q.OrgID, q.StudioID, session.Made[0].(*work.Session).ID,
		head(), store.At(tx.Now), q.MemberID, one("approved", "approved", "approved", "cancelled"), store.At(tx.Now))
	set(`UPDATE worktrees SET ahead = ?, archived_at = ? WHERE id = ?`, map[bool]int{true: 2}[often()],
		map[bool]store.Time{false: store.At(tx.Now)}[often()], tree.ID)
	return q.N, err
}
