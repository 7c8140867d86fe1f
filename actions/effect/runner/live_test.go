package runner_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"samepage/actions/effect/runner/process"
	"samepage/actions/param"
	"samepage/store/asuser"
)

// runs returns the number of agent programs that have not ended.
func (y *yard) runs() int {
	y.t.Helper()
	list, err := filepath.Glob(filepath.Join(y.data, "runs", "*.run"))
	if err != nil {
		y.t.Fatal(err)
	}
	return len(list)
}

// TestNoFolderIsArchivedUnderAnAgent archives a worktree after its turn was interrupted, while the agent's program
// still runs in the folder. The folder must not be removed before the program has ended.
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

// again runs the named test as a user without privileges.
func again(t *testing.T, name string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "again")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	program, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "runner.test")
	if err := errors.Join(os.WriteFile(file, program, 0o755), os.Chmod(file, 0o755),
		os.Chown(dir, asuser.Nobody, asuser.Nobody)); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(file, "-test.run=^"+name+"$", "-test.v")
	c.Dir, c.Env = dir, append(os.Environ(), "HOME="+dir, "TMPDIR="+dir)
	if err := asuser.Start(c, asuser.Nobody, asuser.Nobody); err != nil {
		t.Fatal(err)
	}
	if out, err := c.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("--- PASS: "+name)) {
		t.Errorf("as user %d: %v\n%s", asuser.Nobody, err, out)
	}
}

// TestAgentsDoNotReadTheToken lets an agent try to read the environment of the runner, which contains the runner's
// token. The system must refuse. The runner must still find the processes that an earlier runner left behind.
func TestAgentsDoNotReadTheToken(t *testing.T) {
	if os.Geteuid() == 0 { // root reads the environment of every process
		again(t, "TestAgentsDoNotReadTheToken")
		return
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
