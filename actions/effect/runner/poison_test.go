package runner_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"samepage/actions/effect/runner/gittest"
	"samepage/actions/param"
)

// TestNothingOfACheckoutRuns lets a runner do each kind of job with a source and a checkout that are full of traps:
// hooks, filters, drivers, a file system monitor, replaced commits, and nested repositories. Each trap would create
// the marker file if it ran.
func TestNothingOfACheckoutRuns(t *testing.T) {
	y := newYard(t)
	marker := filepath.Join(t.TempDir(), "marker")
	check := func(after string) {
		t.Helper()
		if ran, err := os.ReadFile(marker); err == nil || !errors.Is(err, os.ErrNotExist) {
			t.Fatalf("after %s these ran: %s %v", after, ran, err)
		}
	}
	y.write(filepath.Join(y.source, "beds.txt"), "one\n")
	y.git(y.source, "add", "-A")
	y.git(y.source, "commit", "-q", "-m", "Dig the beds")
	gittest.Poison(t, y.source, marker)
	y.do("bob", y.repo, "fetch_repo", nil)
	becomes(t, y.World, y.repo, "Dig the beds")
	check("fetch")
	tree := y.do("bob", y.repo, "create_worktree", param.Input{"name": "paint", "fetch": "true"})
	becomes(t, y.World, tree, ": 0 ahead, 0 behind")
	check("create")

	dir := y.folder("paint")
	for _, nested := range []string{"sub", "fresh/nested"} {
		inner := filepath.Join(dir, nested)
		y.write(filepath.Join(inner, "in.txt"), "inner\n")
		y.git(dir, "init", "-q", inner)
		y.git(inner, "add", "-A")
		y.git(inner, "commit", "-q", "-m", "Inner")
		gittest.Poison(t, inner, marker)
	}
	y.git(dir, "add", "sub") // as a submodule
	y.git(dir, "commit", "-q", "-m", "A submodule")
	y.git(dir, "update-ref", "refs/replace/"+y.git(dir, "rev-parse", "HEAD~"),
		y.git(dir, "commit-tree", "-m", "Replaced", "HEAD^{tree}"))
	y.write(filepath.Join(dir, "beds.txt"), "two\n")
	y.write(filepath.Join(dir, "-x"), "odd\n")
	gittest.Poison(t, dir, marker)
	y.do("bob", tree, "refresh_worktree", nil)
	becomes(t, y.World, tree, "1 ahead, 0 behind, uncommitted changes")
	check("refresh")
	if diff := y.As("bob").Get(tree+"/diff?full=1", "text/markdown").Body; !strings.Contains(diff, "-one\n+two\n") {
		t.Errorf("the difference lacks the beds:\n%s", diff)
	}
	if log := y.As("bob").Get(tree+"/log", "text/markdown").Body; !strings.Contains(log, "| Dig the beds |") ||
		strings.Contains(log, "Replaced") {
		t.Errorf("the log is that of a replaced commit:\n%s", log)
	}
	y.do("bob", tree, "archive_worktree", param.Input{"typed": "paint"})
	becomes(t, y.World, tree, "Its commits stay in the repository")
	check("archive")
	y.do("bob", tree, "restore_worktree", nil)
	becomes(t, y.World, tree, "2 ahead, 0 behind")
	check("restore")
	if text, err := os.ReadFile(filepath.Join(dir, "beds.txt")); err != nil || string(text) != "two\n" {
		t.Errorf("the beds are %q after the worktree was restored: %v", text, err)
	}

	gittest.Poison(t, dir, marker)
	y.write(filepath.Join(dir, ".git/objects/info/alternates"), filepath.Join(y.source, ".git/objects")+"\n")
	y.do("bob", tree, "refresh_worktree", nil)
	becomes(t, y.World, tree, "takes objects from elsewhere. Members of Team can refresh it again.")
	y.do("bob", tree, "archive_worktree", param.Input{"typed": "paint"})
	becomes(t, y.World, tree, "to archive it, failed: refused: the git directory of")
	check("forged alternates")
}

// TestNothingOfACheckoutRunsTraced runs TestNothingOfACheckoutRuns under strace. No program but git may be executed.
func TestNothingOfACheckoutRunsTraced(t *testing.T) { gittest.Traced(t, "TestNothingOfACheckoutRuns") }
