package runner_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"samepage/actions/effect/runner/process"
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

// TestAgentsDoNotReadTheToken lets an agent read the environment of the runner, which has its token. The runner that
// hides its own environment still finds the processes that an earlier one left behind.
func TestAgentsDoNotReadTheToken(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("left out: TestAgentsDoNotReadTheToken, because root reads the environment of every process")
	}
	y := newYard(t)
	key := y.plain("spy", "if cat /proc/$PPID/environ >/dev/null; then echo It is op''en.; else echo It is clo''sed.; fi")
	s := y.do("bob", y.worktree("paint"), "start_session", param.Input{"agent": key, "prompt": "Look."})
	becomes(t, y.World, s, "It is closed.")
	home := t.TempDir()
	runs := filepath.Join(home, "runs")
	p, err := process.Start(process.Spec{Argv: []string{"/bin/sleep", "3600"}, Dir: home, Home: home, Turn: "left",
		Runs: runs, Env: process.Environment(os.Environ(), process.Basics, nil)})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop()
	if left, err := process.EndLeftovers(runs); err != nil || len(left) != 1 || left[0].Ended != 1 {
		t.Errorf("the leftovers are %+v, %v", left, err)
	}
}
