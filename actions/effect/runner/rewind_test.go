package runner_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"samepage/actions/param"
)

// TestAWorktreeIsRewound brings a worktree back to an earlier turn and forward again. A worktree with uncommitted
// files, or with a commit that the server does not know, must not be rewound.
func TestAWorktreeIsRewound(t *testing.T) {
	y := newYard(t)
	tree := y.do("bob", y.repo, "create_worktree", param.Input{"name": "paint"})
	becomes(t, y.World, tree, "0 ahead, 0 behind")
	y.refused("bob", tree, "rewind_worktree", nil, "No turn of an agent in it has ended with another commit")
	s := y.done("bob", tree, "one", "write door.txt red\\n\nturn\nwrite door.txt blue\\n\nturn\nsay I was told: {prompt}")
	y.do("bob", s, "prompt_session", param.Input{"prompt": "Another colour."})
	becomes(t, y.World, tree, "2 ahead")
	dir := y.folder("paint")
	door := func() string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(dir, "door.txt"))
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(text))
	}
	last := y.git(dir, "rev-parse", "HEAD")[:10]
	form := y.As("bob").Get(tree+"/actions/rewind_worktree", "text/markdown").Body
	first := y.git(dir, "rev-parse", "HEAD~")[:10]
	for _, option := range []string{first + ", after turn 1 of ", ", before turn 1 of "} {
		if !strings.Contains(form, option) {
			t.Errorf("the form does not offer %q:\n%s", option, form)
		}
	}
	y.do("bob", tree, "rewind_worktree", param.Input{"commit": first})
	becomes(t, y.World, tree, "1 ahead")
	if got, branch := door(), y.git(dir, "rev-parse", "--abbrev-ref", "HEAD"); got != "red" || branch != "paint" {
		t.Errorf("the door is %s, on the branch %s", got, branch)
	}
	if got := y.git(dir, "status", "--porcelain"); got != "" {
		t.Errorf("the agent finds changes: %s", got)
	}
	y.do("scout", tree, "rewind_worktree", param.Input{"commit": last})
	becomes(t, y.World, tree, "2 ahead")
	if got := door(); got != "blue" {
		t.Errorf("the door is %s", got)
	}

	y.do("bob", tree, "rewind_worktree", param.Input{"commit": first})
	y.do("bob", s, "prompt_session", param.Input{"prompt": "And now?"}) // the prompt waits for the rewind
	becomes(t, y.World, s, "Since your last turn the branch has gone from the commit "+last)
	becomes(t, y.World, s+"/turns/3", "**Took**")
	y.do("bob", tree, "rewind_worktree", param.Input{"commit": last})
	becomes(t, y.World, tree, "2 ahead")
	y.git(dir, "commit", "-q", "--allow-empty", "-m", "By hand")
	y.do("bob", tree, "rewind_worktree", param.Input{"commit": first})
	becomes(t, y.World, tree, "it has got another commit meanwhile. Members of Team can refresh it, and rewind it again.")
	y.write(filepath.Join(dir, "walls.txt"), "white\n")
	y.do("bob", tree, "refresh_worktree", nil)
	becomes(t, y.World, tree, "uncommitted changes")
	y.refused("bob", tree, "rewind_worktree", param.Input{"commit": first}, "It has uncommitted changes")
	if err := os.Remove(filepath.Join(dir, "walls.txt")); err != nil {
		t.Fatal(err)
	}
	y.do("bob", tree, "refresh_worktree", nil)
	becomes(t, y.World, tree, "3 ahead, 0 behind\n")
	byHand := y.git(dir, "rev-parse", "HEAD")[:10]
	y.do("bob", tree, "rewind_worktree", param.Input{"commit": first})
	becomes(t, y.World, tree, "1 ahead")
	y.do("bob", tree, "rewind_worktree", param.Input{"commit": byHand})
	becomes(t, y.World, tree, "3 ahead")
}
