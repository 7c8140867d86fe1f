//go:build linux

package turn

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"samepage/actions/effect/runner/process"
)

// withHome lists the ids of the processes whose variable HOME is the folder.
func withHome(t *testing.T, home string) (pids []string) {
	t.Helper()
	list, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range list {
		data, err := os.ReadFile(file)
		stat, serr := os.ReadFile(filepath.Join(filepath.Dir(file), "stat"))
		if err == nil && serr == nil && bytes.Contains(data, []byte("HOME="+home+"\x00")) && !bytes.Contains(stat, []byte(") Z ")) {
			pids = append(pids, filepath.Base(filepath.Dir(file)))
		}
	}
	return pids
}

// TestAKilledRunnerLeavesNothing kills a runner at random moments while its agents start processes that would last an
// hour. Before the next runner runs a turn, it must end the processes that are left. After the last round, no process
// may be left.
func TestAKilledRunnerLeavesNothing(t *testing.T) {
	rounds := 25
	if testing.Short() {
		rounds = 5
	}
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, "script"), []byte("child 3600s\nsay a\nsleep 50ms\nchild 3600s\nsay b"), 0o600); err != nil {
		t.Fatal(err)
	}
	ended := 0
	for round := range rounds {
		cmd := exec.Command(os.Args[0], "runner", home)
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rand.IntN(700)) * time.Millisecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
		if errs.Len() > 0 {
			t.Fatalf("round %d: %s", round, errs.String())
		}
		n, _ := strconv.Atoi(strings.TrimPrefix(strings.TrimSpace(out.String()), "ended "))
		ended += n
	}
	left, err := process.EndLeftovers(filepath.Join(home, "runs"))
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range left {
		ended += l.Ended
	}
	if pids := withHome(t, home); len(pids) > 0 {
		t.Errorf("the processes %v are left", pids)
	}
	if ended == 0 {
		t.Error("no runner left a process behind: the test shows nothing")
	}
	t.Logf("%d processes of %d killed runners were ended", ended, rounds)
}
