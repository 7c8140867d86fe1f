package runner_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"samepage/actions/param"
)

// setCheck sets the program that checks pull requests.
func (y *yard) setCheck(argv ...string) {
	y.t.Helper()
	list := make([]any, len(argv))
	for i := range argv {
		list[i] = argv[i]
	}
	y.do("alice", y.repo, "set_check", param.Input{"argv": list})
}

// bare returns the folder of the runner's copy of the repository.
func (y *yard) bare() string {
	y.t.Helper()
	var id string
	y.Query(&id, `SELECT id FROM repos WHERE name = 'shed'`)
	return filepath.Join(y.data, "repos", id+".git")
}

// TestAPullRequestIsChecked tells the story of a check. While the check fails, an agent may not merge, and a person
// needs a reason. The next commit is checked automatically, in a folder without a git directory, and passes.
func TestAPullRequestIsChecked(t *testing.T) {
	y := newYard(t)
	y.do("alice", y.repo, "update_repo", param.Input{"rule": "any"})
	y.refused("alice", y.repo, "set_check", param.Input{"argv": []any{"go test"}}, "the program alone")
	y.refused("bob", y.repo, "set_check", param.Input{"argv": []any{"true"}}, "owner")
	y.refused("scribe", y.repo, "set_check", param.Input{"argv": []any{"true"}}, "person")
	tree := y.worktree("paint")
	s := y.done("bob", tree, "one", "write door.txt red\\n\nturn\nwrite walls.txt white\\n")
	unchecked := y.do("bob", s, "create_pull_request", param.Input{"title": "Paint"})
	says(t, y.World, unchecked, "It waits for somebody to merge it")
	y.refused("bob", unchecked, "run_check", nil, "has no check")
	y.do("bob", unchecked, "close_pull_request", nil)

	y.setCheck("sh", "-c", `ls -A; test ! -e .git || exit 9; pwd >&2; test -f walls.txt || exit 3`)
	says(t, y.World, y.repo, "test -f walls.txt", "on each commit of a pull request")
	y.do("bob", unchecked, "reopen_pull_request", nil)
	page := becomes(t, y.World, unchecked, "**Check**: Failed")
	for _, text := range []string{"It ended with the code 3.", "door.txt", "Error output:", "its check failed"} {
		if !strings.Contains(page, text) {
			t.Errorf("the page lacks %q:\n%s", text, page)
		}
	}
	says(t, y.World, "/studios/team/pulls", "its check failed")
	y.refused("scribe", unchecked, "merge_pull_request", nil, "has failed the check. A person can merge it")
	y.refused("alice", unchecked, "merge_pull_request", nil, "reason")

	y.do("bob", s, "prompt_session", param.Input{"prompt": "The walls, too."})
	page = becomes(t, y.World, unchecked, "**Check**: Passed")
	if !strings.Contains(page, "Passed") || !strings.Contains(page, "walls.txt") {
		t.Errorf("the page of a passed check:\n%s", page)
	}
	y.refused("bob", unchecked, "run_check", nil, "has passed the check")
	if left, err := os.ReadDir(filepath.Join(y.data, "checks")); err != nil || len(left) > 0 {
		t.Errorf("folders of checks are left: %v %v", left, err)
	}
	y.do("scribe", unchecked, "merge_pull_request", nil)
	becomes(t, y.World, unchecked, "Merged")
}

// TestACheckEnds has a check that takes too long. The runner must do other jobs meanwhile, and end all processes of
// the check at the time limit. The page must say when the check's program is missing.
func TestACheckEnds(t *testing.T) {
	y := newYard(t)
	y.do("alice", y.repo, "update_repo", param.Input{"rule": "any"})
	y.setCheck("sh", "-c", "yes | head -c 200000; echo the last line; sleep 1000 & sleep 1000")
	tree := y.worktree("paint")
	s := y.done("bob", tree, "one", "write door.txt red\\n")
	pull := y.do("bob", s, "create_pull_request", param.Input{"title": "Paint"})
	says(t, y.World, pull, "**Check**: the runner Mill is to run it")
	y.refused("bob", pull, "run_check", nil, "is to check it already")
	y.do("bob", tree, "refresh_worktree", nil)
	becomes(t, y.World, tree, "Ready")
	y.refused("scribe", pull, "merge_pull_request", nil, "has not ended")
	page := becomes(t, y.World, pull, "It was stopped after 5s.")
	if !strings.Contains(page, "the last line") || len(page) > 30_000 {
		t.Errorf("%d characters:\n%.2000s", len(page), page)
	}
	y.setCheck("no-such-program")
	y.do("bob", pull, "run_check", nil)
	becomes(t, y.World, pull, "there is no program no-such-program in PATH. Members of Team can run the check again.")
	y.setCheck()
	says(t, y.World, y.repo, "none, so commits of pull requests are not checked")
	y.do("scribe", pull, "merge_pull_request", nil)
	becomes(t, y.World, pull, "Merged")
}

// TestABranchIsDeleted merges with each method, deletes the branch, and restores the worktree with its commits. A
// branch is not deleted if another worktree is based on it, or if its worktree has uncommitted files.
func TestABranchIsDeleted(t *testing.T) {
	y := newYard(t)
	y.do("alice", y.repo, "update_repo", param.Input{"rule": "any"})
	for _, method := range []string{"squash", "fast_forward", "merge"} {
		name := "w" + method[:2]
		tree := y.worktree(name)
		s := y.done("bob", tree, "a"+method[:2], `write `+method+`.txt x\n`)
		pull := y.do("bob", s, "create_pull_request", param.Input{"title": "Add " + method})
		head := y.git(y.folder(name), "rev-parse", "HEAD")
		y.do("alice", pull, "merge_pull_request", param.Input{"method": method, "delete_branch": "true"})
		becomes(t, y.World, pull, "deleted with the worktree; restore_worktree makes both again")
		becomes(t, y.World, tree, "Archived")
		if got := y.git(y.bare(), "branch", "--list", name); got != "" {
			t.Errorf("the branch is there: %s", got)
		}
		if _, err := os.Lstat(y.folder(name)); !os.IsNotExist(err) {
			t.Errorf("the folder is there: %v", err)
		}
		y.do("bob", tree, "restore_worktree", nil)
		becomes(t, y.World, tree, "Ready")
		if got := y.git(y.folder(name), "rev-parse", "HEAD"); got != head {
			t.Errorf("restored at %s, want %s", got, head)
		}
	}

	below := y.worktree("aside") // the source has a branch of this name, too
	s := y.done("bob", below, "one", `write below.txt x\n`)
	pull := y.do("bob", s, "create_pull_request", param.Input{"title": "Below"})
	above := y.do("bob", y.repo, "create_worktree", param.Input{"name": "above", "base": "aside"})
	becomes(t, y.World, above, "0 ahead")
	y.refused("alice", pull, "merge_pull_request", param.Input{"delete_branch": true}, "delete_branch")
	y.do("bob", above, "archive_worktree", nil)
	becomes(t, y.World, above, "Archived")
	y.write(filepath.Join(y.folder("aside"), "more.txt"), "x\n")
	y.do("alice", pull, "merge_pull_request", param.Input{"delete_branch": "true"})
	becomes(t, y.World, pull, "to be deleted with the worktree, whose page says how that went")
	becomes(t, y.World, below, "nowhere else, so its name must be typed")
	if got := y.git(y.bare(), "branch", "--list", "aside"); got == "" {
		t.Error("the branch is deleted, and its worktree has something new")
	}
}
