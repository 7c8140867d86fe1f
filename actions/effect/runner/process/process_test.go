//go:build linux

package process

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	ossignal "os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// TestMain runs the tests. If the first argument is "be", it acts instead as a program that the tests start.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "be" {
		be(os.Args[2:])
		return
	}
	os.Exit(m.Run())
}

func be(args []string) {
	switch args[0] {
	case "parent": // prints the ids of a child in its group and of one in a session of its own, then waits
		for _, attr := range []*syscall.SysProcAttr{nil, {Setsid: true}} {
			child := exec.Command(os.Args[0], "be", "deaf")
			child.SysProcAttr, child.Stdout, child.Stderr = attr, os.Stdout, os.Stderr
			if err := child.Start(); err != nil {
				panic(err)
			}
			fmt.Println(child.Process.Pid)
		}
		if len(args) > 1 {
			return // leaves the children behind
		}
		time.Sleep(time.Hour)
	case "deaf": // ignores SIGTERM
		ossignal.Ignore(syscall.SIGTERM)
		time.Sleep(time.Hour)
	case "tell":
		home := os.Getenv("HOME")
		fmt.Println(home, os.Getenv("SECRET"), os.Getenv("LANG"))
		if err := os.WriteFile(filepath.Join(home, "made"), nil, 0o666); err != nil {
			panic(err)
		}
		fmt.Fprint(os.Stderr, strings.Repeat("e", 2*maxTail), "last words")
		os.Exit(3)
	case "flood":
		line := strings.Repeat("x", 1023) + "\n"
		for n := 0; ; n++ {
			fmt.Print(line)
			fmt.Fprintln(os.Stderr, n)
		}
	}
}

func started(t *testing.T, args ...string) *Process {
	t.Helper()
	dir := t.TempDir()
	p, err := Start(Spec{Argv: append([]string{os.Args[0], "be"}, args...), Dir: dir, Home: filepath.Join(dir, "home"),
		Turn: "t1", Runs: filepath.Join(dir, "runs"), Env: Environment(os.Environ(), Basics,
			map[string]string{"LANG": "C"})})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Stop() })
	return p
}

// children reads the ids that be("parent") prints.
func children(t *testing.T, r io.Reader) (pids []int) {
	t.Helper()
	lines := bufio.NewScanner(r)
	for range 2 {
		if !lines.Scan() {
			t.Fatal("the program printed nothing")
		}
		pid, err := strconv.Atoi(lines.Text())
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	return pids
}

func lives(pid int) bool {
	return slices.ContainsFunc(processes(), func(e entry) bool { return e.pid == pid })
}

// TestNoChildOutlivesAStop stops a program with two children that ignore SIGTERM, one of them in another process
// group. All three processes must end.
func TestNoChildOutlivesAStop(t *testing.T) {
	p := started(t, "parent")
	pids := append(children(t, p.Stdout), p.cmd.Process.Pid)
	exit := p.Stop()
	for _, pid := range pids {
		if lives(pid) {
			t.Errorf("process %d is still there", pid)
		}
	}
	if exit.Code != -1 || exit.Signal == "" {
		t.Errorf("the program ended as %+v", exit)
	}
	if files, _ := filepath.Glob(filepath.Join(filepath.Dir(p.file), "*")); len(files) != 0 {
		t.Errorf("the files %q are left", files)
	}
}

func TestNoChildOutlivesItsParent(t *testing.T) {
	p := started(t, "parent", "leave")
	pids := children(t, p.Stdout)
	if exit := p.Exit(); exit.Code != 0 {
		t.Errorf("the program ended as %+v", exit)
	}
	for _, pid := range pids {
		if lives(pid) {
			t.Errorf("process %d is still there", pid)
		}
	}
}

func TestEnvironmentAndTail(t *testing.T) {
	t.Setenv("SECRET", "hidden")
	p := started(t, "tell")
	out, err := io.ReadAll(p.Stdout)
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(p.cmd.Dir, "home")
	if want := home + "  C\n"; string(out) != want {
		t.Errorf("the program saw %q, want %q", out, want)
	}
	exit := p.Exit()
	if exit.Code != 3 || !strings.HasSuffix(exit.Stderr, "last words") || len(exit.Stderr) != maxTail {
		t.Errorf("it ended with %d, %d bytes", exit.Code, len(exit.Stderr))
	}
	for name, mode := range map[string]os.FileMode{"": 0o700, "made": 0o600, "tmp": 0o700} {
		info, err := os.Stat(filepath.Join(home, name))
		if err != nil || info.Mode().Perm() != mode {
			t.Errorf("%q has mode %v, want %v (%v)", name, info.Mode().Perm(), mode, err)
		}
	}
	if info, err := os.Stat(os.Args[0]); err != nil || info.Mode()&0o077 == 0 {
		t.Errorf("the mask of this program changed, too: %v", err)
	}
}

// TestAFloodWaitsInThePipe reads nothing of a program's output. The program must block when the pipe is full.
func TestAFloodWaitsInThePipe(t *testing.T) {
	p := started(t, "flood")
	last := ""
	for calm := 0; calm < 5; calm++ {
		time.Sleep(50 * time.Millisecond)
		if text := p.Stderr(); text != last || text == "" {
			last, calm = text, 0
		}
	}
	fields := strings.Fields(last)
	if n, err := strconv.Atoi(fields[len(fields)-1]); err != nil || n > 1024 {
		t.Errorf("the program wrote %d KiB that nobody read (%v)", n, err)
	}
	p.Stop()
}

// TestLeftovers has the runs of a killed runner: one with living processes, one that had not begun, one whose process
// id another program has now, and one from before the last boot. Only the living processes may be ended, and all files
// must be removed.
func TestLeftovers(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "runs")
	stranger := exec.Command(os.Args[0], "be", "deaf")
	stranger.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := stranger.Start(); err != nil {
		t.Fatal(err)
	}
	defer stranger.Process.Kill()

	r, err := newRun(folder, "living")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "be", "parent")
	cmd.Env, cmd.SysProcAttr = append(os.Environ(), mark+"="+r.Key), ownGroup()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go cmd.Wait()
	if err := r.started(cmd.Process.Pid); err != nil {
		t.Fatal(err)
	}
	pids := append(children(t, out), cmd.Process.Pid)
	if _, err := newRun(folder, "early"); err != nil {
		t.Fatal(err)
	}
	at, err := startOf(stranger.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	for turn, r := range map[string]run{
		"recycled": {Key: "k", PID: stranger.Process.Pid, Start: at - 1, Boot: bootID()},
		"gone":     {Key: "k", PID: 1 << 30, Start: 1, Boot: bootID()},
		"earlier":  {Key: "k", PID: stranger.Process.Pid, Start: at, Boot: "another"},
		"none":     {},
	} {
		r.Turn, r.file = turn, filepath.Join(folder, turn+runSuffix)
		if err := r.write(); err != nil {
			t.Fatal(err)
		}
	}

	half := filepath.Join(folder, "half"+runSuffix+"~")
	if err := os.WriteFile(half, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	left, err := EndLeftovers(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range left {
		if want := map[string]int{"living": 3}[l.Turn]; l.Ended != want {
			t.Errorf("%d processes of %s were ended, want %d", l.Ended, l.Turn, want)
		}
	}
	if len(left) != 6 {
		t.Errorf("the leftovers are %+v", left)
	}
	for _, pid := range pids {
		if lives(pid) {
			t.Errorf("process %d is still there", pid)
		}
	}
	if !lives(stranger.Process.Pid) {
		t.Error("the program of somebody else was ended")
	}
	if _, err := os.Stat(half); err == nil {
		t.Error("a file that was never finished is left")
	}
	if again, err := EndLeftovers(folder); err != nil || len(again) != 0 {
		t.Errorf("leftovers are found twice: %v, %v", again, err)
	}
}

func TestWhatCannotStartLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte("no program"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, s := range []Spec{
		{Turn: "t"},
		{Turn: "t", Argv: []string{"no-such-program"}},
		{Turn: "t", Argv: []string{text}},
		{Turn: "../t", Argv: []string{os.Args[0]}},
		{Turn: "", Argv: []string{os.Args[0]}},
		{Turn: "t", Argv: []string{dir}},
	} {
		s.Dir, s.Runs, s.Env = dir, filepath.Join(dir, "runs"), []string{"PATH=/usr/bin:/bin"}
		if p, err := Start(s); err == nil {
			p.Stop()
			t.Errorf("%+v was started", s)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "runs", "*")); len(files) != 0 {
		t.Errorf("the files %q are left", files)
	}
}

func TestClock(t *testing.T) {
	limits := Limits{Idle: 5 * time.Minute, Wall: time.Hour}
	for name, c := range map[string]struct {
		act  func(*Clock)
		want Late
		at   time.Duration
	}{
		"silence":  {func(*Clock) {}, Stalled, 5 * time.Minute},
		"a word":   {func(c *Clock) { time.Sleep(4 * time.Minute); c.Heard() }, Stalled, 9 * time.Minute},
		"a person": {func(c *Clock) { c.Hold(); time.Sleep(30 * time.Minute); c.Release() }, Stalled, 35 * time.Minute},
		"for ever": {func(c *Clock) { c.Hold() }, TimedOut, time.Hour},
		"talking": {func(c *Clock) {
			for range 70 {
				time.Sleep(time.Minute)
				c.Heard()
			}
		}, TimedOut, time.Hour},
		"the end": {func(c *Clock) { c.Stop() }, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				var got Late
				var at time.Duration
				clock := NewClock(limits, func(l Late) { got, at = l, time.Since(began) })
				c.act(clock)
				time.Sleep(2 * time.Hour)
				synctest.Wait()
				clock.Stop()
				if got != c.want || at != c.at {
					t.Errorf("the turn ended as %q after %v, want %q after %v", got, at, c.want, c.at)
				}
			})
		})
	}
}
