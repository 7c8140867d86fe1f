package runner_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"samepage/actions/param"
)

// runs returns the number of programs of agents that have not ended.
func (y *yard) runs() int {
	y.t.Helper()
	list, err := filepath.Glob(filepath.Join(y.data, "runs", "*.run"))
	if err != nil {
		y.t.Fatal(err)
	}
	return len(list)
}

// TestNoFolderIsArchivedUnderAnAgent archives a worktree whose turn was interrupted while its program still works
// there. The folder stays until the program has ended, and goes soon afterwards.
func TestNoFolderIsArchivedUnderAnAgent(t *testing.T) {
	y := newYard(t)
	tree := y.worktree("paint")
	s := y.do("bob", tree, "start_session", param.Input{"agent": y.agent("one", "write a.txt a\nsleep 1h"),
		"prompt": "Wait."})
	becomes(t, y.World, s, "Write a.txt")
	dir := y.folder("paint")
	y.Clock.Advance(time.Minute)
	becomes(t, y.World, s, "Interrupted")
	y.do("bob", tree, "archive_worktree", param.Input{"typed": "paint"})
	for range 12_000 {
		if _, err := os.Stat(dir); err != nil {
			if y.runs() > 0 {
				t.Error("the folder went while a program worked there")
			}
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatal("the folder is still there")
}
