package clients

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"samepage/store/effort"
)

// processesOf returns the processes whose command line contains a text.
func processesOf(text string) (pids []int) {
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range lines {
		line, err := os.ReadFile(path) // the process may have ended meanwhile
		if err == nil && strings.Contains(string(line), text) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			pids = append(pids, pid)
		}
	}
	return pids
}

// turnState is a turn in the JSON of its page.
type turnState struct{ State, Prompt, Commit string }

// turns returns the turns of a session from the given number on.
func (p *person) turns(session string, first int) (list []turnState) {
	p.w.t.Helper()
	for n := first; ; n++ {
		var page struct{ Data turnState }
		text := p.reads(fmt.Sprintf("%s/turns/%d", session, n), "application/json")
		if err := json.Unmarshal([]byte(text), &page); err != nil {
			p.w.t.Fatalf("%v: %s", err, text)
		}
		if page.Data.State == "" {
			return list
		}
		list = append(list, page.Data)
	}
}

// settles waits until the last turn of a session has succeeded. Whenever the last turn has ended without success,
// settles resumes the session. The turns before the number first are ignored. The result is the number of the last
// turn.
func (p *person) settles(session string, first int) int {
	p.w.t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); ; time.Sleep(200 * time.Millisecond) {
		list := p.turns(session, first)
		last := list[len(list)-1]
		switch {
		case last.State == "succeeded":
			return first + len(list) - 1
		case time.Now().After(deadline):
			p.w.t.Fatalf("the session does not come to rest: %+v", list)
		case slices.Contains([]string{"interrupted", "failed", "stalled", "stopped"}, last.State):
			p.tries(session, "resume_session", nil) // refused for a moment while the old claim is still valid
		}
	}
}

// TestKillsAtWork kills the server, the runner or the agent at a random moment of each turn. Each prompt becomes one
// turn, no turn is running without a process, the agent can always be resumed, and every commit is in the runner's
// repository.
func TestKillsAtWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rounds := effort.Of(0, 6, 300)
	effort.LeftOut(t, "all but %d kills", rounds)
	root, folder := t.TempDir(), filepath.Join(t.TempDir(), "runner")
	source, script := shed(t, root), filepath.Join(root, "script")
	work := "navigate /whoami\nwrite board.txt {prompt}\nsleep 300ms\nsay It is nailed.\nturn\n"
	if err := os.WriteFile(script, []byte(strings.Repeat(work, 10*rounds)), 0o600); err != nil {
		t.Fatal(err)
	}
	front := &cutter{}
	front.to.Store(strings.TrimPrefix(w.url, "http://"))
	origin, alice := front.serve(t), w.signIn("alice")
	runner := alice.does("/orgs/meadow/runners", "create_runner",
		map[string]any{"name": "Mill", "roots": []string{root}})
	start := func() *exec.Cmd { return w.runsIn(folder, origin, runner.URL, runner.Secret, root) }
	mill := start()
	alice.hears(runner.URL, "Ready")
	repo := alice.does(runner.URL, "add_repo", map[string]any{"studio": "team", "name": "shed", "source": source}).URL
	alice.does("/orgs/meadow/manifests", "add_manifest", map[string]any{"key": "mason", "title": "Mason", "role": "coding",
		"mode": "ask", "asks": true, "argv": []string{w.bin, "agent-script", script}})
	alice.hears(repo, "Nail the boards")
	tree := alice.does(repo, "create_worktree", map[string]any{"name": "boards"}).URL
	alice.hears(tree, "0 ahead")
	session, turns, choice := "", 0, rand.New(rand.NewPCG(1, 2))
	prompt := func(round int) string { return fmt.Sprintf("Nail board %d.", round) }
	for round := range rounds {
		if round == 0 {
			session = alice.does(tree, "start_session", map[string]any{"agent": "mason", "prompt": prompt(round)}).URL
		} else {
			alice.does(session, "prompt_session", map[string]any{"prompt": prompt(round)})
		}
		time.Sleep(time.Duration(choice.IntN(900)) * time.Millisecond)
		switch round % 3 {
		case 0:
			w.server.Process.Kill()
			w.server.Wait()
			w.serve()
			front.to.Store(strings.TrimPrefix(w.url, "http://"))
		case 1:
			mill.Process.Kill()
			mill.Wait()
			mill = start()
		case 2:
			for _, pid := range processesOf(script) {
				if agent, err := os.FindProcess(pid); err == nil {
					agent.Kill() // the process may have ended meanwhile
				}
			}
		}
		turns = alice.settles(session, turns+1)
	}
	list, prompts := alice.turns(session, 1), map[string]int{}
	for _, turn := range list {
		prompts[turn.Prompt]++
		stores, _ := filepath.Glob(filepath.Join(folder, "repos", "*.git"))
		if len(stores) != 1 || turn.Commit != "" &&
			exec.Command("git", "--git-dir", stores[0], "cat-file", "-e", turn.Commit).Run() != nil {
			t.Errorf("the commit of %+v is not in %v", turn, stores)
		}
		if turn.State == "succeeded" && turn.Commit == "" {
			t.Errorf("a turn without a commit: %+v", turn)
		}
	}
	for round := range rounds {
		if n := prompts[prompt(round)]; n != 1 {
			t.Errorf("%q was delivered %d times", prompt(round), n)
		}
	}
	if left := processesOf(script); len(left) > 0 {
		t.Errorf("the processes %v are left", left)
	}
	w.run("journal", "verify")
	t.Logf("%d kills, %d turns", rounds, len(list))
}
