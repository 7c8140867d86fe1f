package runner_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"samepage/actions/param"
)

// done starts a session of an agent that follows a script with the given lines. It waits until the agent is done and
// the worktree is one commit ahead, and returns the session's URL.
func (y *yard) done(by, tree, key, lines string) string {
	y.t.Helper()
	s := y.do(by, tree, "start_session", param.Input{"agent": y.agent(key, lines), "prompt": "Work."})
	becomes(y.t, y.World, s, "Done")
	becomes(y.t, y.World, tree, "1 ahead")
	return s
}

// TestAPullRequest tells the story of a pull request: an agent opens one and may not merge it, a review approves it,
// the agent merges it, and a person fetches the merge from the runner's repository.
func TestAPullRequest(t *testing.T) {
	y := newYard(t)
	tree := y.worktree("paint")
	s := y.done("alice", tree, "one", `write door.txt red\n`)
	pull := y.do("scribe", s, "create_pull_request", param.Input{"title": "Paint the door", "text": "It is **red**."})
	y.refused("bob", tree, "create_pull_request", param.Input{"title": "Twice"}, pull)
	says(t, y.World, pull, "It waits for a review of its last commit", "[door.txt](", "no review has approved")
	says(t, y.World, tree, pull)
	y.refused("scribe", pull, "merge_pull_request", nil, "No review has approved the commit")
	y.refused("scribe", pull, "merge_pull_request", param.Input{"reason": "I am sure."},
		"No review has approved the commit")
	y.refused("alice", pull, "merge_pull_request", nil, "reason")
	y.refused("oscar", pull, "merge_pull_request", nil, "")

	review := y.do("alice", s, "request_review", nil)
	y.do("bob", review, "approve_review", nil)
	says(t, y.World, pull, "approved", "It waits for somebody to merge it")
	y.refused("scribe", pull, "merge_pull_request", param.Input{"head": strings.Repeat("1", 40)}, "Read the page again")
	y.do("scribe", pull, "merge_pull_request", nil)
	page := becomes(t, y.World, pull, "Merged")
	_, command, _ := strings.Cut(page, "`git pull --ff-only ")
	command, _, _ = strings.Cut(command, "`")
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "git fetch -q "+command)
	cmd.Dir, cmd.Env = y.source, append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v %s", command, err, out)
	}
	if got := y.git(y.source, "show", "FETCH_HEAD:door.txt"); got != "red" {
		t.Errorf("the merge has %q", got)
	}
	if got := y.git(y.source, "log", "-1", "--format=%an: %s", "FETCH_HEAD"); got != "Scribe, agent of @alice: Paint the door" {
		t.Errorf("the merge is by %q", got)
	}
	becomes(t, y.World, tree, "0 ahead")
	y.refused("alice", pull, "merge_pull_request", nil, "is merged")
	y.refused("alice", pull, "reopen_pull_request", nil, "is merged, not closed")
	y.refused("bob", tree, "create_pull_request", param.Input{"title": "Empty"}, "has no commit that trunk lacks")
}

// TestAnOverride checks that a person needs a reason to merge without a review, and that the page keeps the reason.
// The test merges with each method.
func TestAnOverride(t *testing.T) {
	y := newYard(t)
	for i, method := range []string{"squash", "fast_forward", "merge"} {
		tree := y.worktree("w" + method[:2])
		s := y.done("bob", tree, "a"+method[:2], `write `+method+`.txt x\n`)
		pull := y.do("bob", s, "create_pull_request", param.Input{"title": "Add " + method, "draft": "true"})
		y.refused("alice", pull, "merge_pull_request", param.Input{"reason": "Now."}, "It is a draft")
		y.do("bob", pull, "ready_pull_request", nil)
		y.do("alice", pull, "merge_pull_request", param.Input{"method": method, "reason": "It is | small."})
		page := becomes(t, y.World, pull, "Merged")
		if !strings.Contains(page, "@alice merged nevertheless: It is | small.") {
			t.Errorf("%d: the reason is lost:\n%s", i, page)
		}
	}
	page := becomes(t, y.World, y.repo, "Add merge")
	for _, subject := range []string{"Add squash", "Work."} {
		if !strings.Contains(page, subject) {
			t.Errorf("the log lacks %q:\n%s", subject, page)
		}
	}
}

// TestConflicts checks that a merge with conflicts changes nothing, that the page shows both sides, and that the agent
// gets them as its prompt.
func TestConflicts(t *testing.T) {
	y := newYard(t)
	first := y.worktree("first")
	one := y.done("bob", first, "one", `write door.txt red\n`)
	second := y.worktree("second")
	two := y.done("bob", second, "two", `write door.txt [blue](x)\n
turn
say I joined them.`)
	y.do("alice", y.repo, "update_repo", param.Input{"rule": "any", "protected": []any{"walls", "door.txt"}})
	says(t, y.World, y.repo, "only people merge changes of walls, door.txt")
	pull := y.do("bob", one, "create_pull_request", param.Input{"title": "Red"})
	y.refused("scribe", pull, "merge_pull_request", nil, "It changes door.txt, which only people merge")
	y.do("alice", pull, "merge_pull_request", nil)
	becomes(t, y.World, pull, "Merged")
	other := y.do("bob", two, "create_pull_request", param.Input{"title": "Blue"})
	y.refused("bob", other, "send_conflicts", nil, "found no conflict")
	y.do("alice", other, "merge_pull_request", nil)
	page := becomes(t, y.World, other, "because of conflicts")
	for _, text := range []string{"door.txt", "red", "[blue](x)"} {
		if !strings.Contains(page, text) {
			t.Errorf("the page lacks %q:\n%s", text, page)
		}
	}
	y.refused("alice", other, "send_conflicts", nil, "author")
	y.do("bob", other, "send_conflicts", nil)
	becomes(t, y.World, two, "I joined them.")
	says(t, y.World, two+"/turns/2", "cannot be merged into trunk", "> red", "> [blue](x)")
	y.do("bob", other, "close_pull_request", nil)
	says(t, y.World, other, "Closed", "Nothing was merged")
	y.do("bob", other, "reopen_pull_request", nil)
	if _, err := os.Stat(filepath.Join(y.folder("second"), "door.txt")); err != nil {
		t.Error(err)
	}
}
