package runner_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"samepage/actions/effect/runner/script"
	"samepage/actions/param"
)

// TestMain runs the tests. With certain arguments it instead acts as one of the programs that tests start: the agent
// that follows a script, the agent [actRaw], or the server of an environment.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "agent" {
		if err := act(os.Args[2]); err != nil {
			panic(err)
		}
		return
	}
	if len(os.Args) == 2 && os.Args[1] == "raw" {
		if err := actRaw(); err != nil {
			panic(err)
		}
		return
	}
	if len(os.Args) == 3 && os.Args[1] == "serve" {
		serve(os.Args[2])
	}
	os.Exit(m.Run())
}

func act(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	s, err := script.Read(f)
	if err != nil {
		return err
	}
	return script.Run(context.Background(), s, script.Options{In: os.Stdin, Out: os.Stdout, Log: os.Stderr,
		Home: os.Getenv("HOME"), Version: "1", Crash: func() { os.Exit(70) }})
}

// agent adds the manifest of an agent that follows a script with the given lines, and returns the key.
func (y *yard) agent(key, lines string) string {
	y.t.Helper()
	path := filepath.Join(y.t.TempDir(), "script")
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		y.t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		y.t.Fatal(err)
	}
	y.do("alice", "/orgs/acme/manifests", "add_manifest", param.Input{"key": key, "title": "Mason " + key,
		"role": "coding",
		"argv": strings.Join([]string{self, "agent", path}, "\n"), "mode": "ask", "asks": "true"})
	return key
}

// worktree adds a worktree and waits for its folder. It returns the URL of the worktree's page.
func (y *yard) worktree(name string) string {
	y.t.Helper()
	u := y.do("bob", y.repo, "create_worktree", param.Input{"name": name})
	becomes(y.t, y.World, u, "0 ahead, 0 behind")
	return u
}

// TestASession tells the story of a session. An agent writes a file, asks for a permission that a person gives, and
// ends its turn. Its files are committed, its words are on the page, and its next turn continues the conversation.
func TestASession(t *testing.T) {
	y := newYard(t)
	tree := y.worktree("paint")
	key := y.agent("one", `say I look around.
write door.txt red\n
write .claude/settings.local.json []
ask Open the paint
allowed say Thank you.
denied say Then not.
turn
say The second time.
turn
sleep 1h`)
	s := y.do("bob", tree, "start_session", param.Input{"agent": key, "prompt": "Paint the **door**."})
	becomes(t, y.World, s, "waits for an answer")
	permission := s + "/permissions/1"
	y.refused("scribe", permission, "answer_permission", param.Input{"choice": "once"}, "person")
	y.refused("erin", permission, "answer_permission", param.Input{"choice": "once"}, "author")
	y.refused("bob", permission, "answer_permission", param.Input{"choice": "always"}, "choice")
	for _, at := range []string{s, permission} {
		body := y.As("bob").Get(at, "text/html").Body
		if !strings.Contains(body, "Allow once") || strings.Contains(body, "always") {
			t.Errorf("%s offers a choice of the agent beyond this once:\n%s", at, body)
		}
	}
	if r := y.As("bob").Get("/inbox", "text/markdown"); !strings.Contains(r.Body, "Open the paint") {
		t.Errorf("bob is not told of the request:\n%s", r.Body)
	}
	y.do("bob", permission, "answer_permission", param.Input{"choice": "once", "reason": "It is dry."})
	page := becomes(t, y.World, s, "Done")
	for _, text := range []string{"Paint the **door**.", "I look around.", "Asked: [Open the paint]",
		"allowed by @bob", "Thank you."} {
		if !strings.Contains(page, text) {
			t.Errorf("the page lacks %q:\n%s", text, page)
		}
	}
	becomes(t, y.World, tree, "1 ahead, 0 behind")
	dir := y.folder("paint")
	if got := y.git(dir, "log", "-1", "--format=%an: %s"); got != "Mason one: Paint the **door**." {
		t.Errorf("the last commit is %q", got)
	}
	if status := y.git(dir, "status", "--porcelain"); status != "" {
		t.Errorf("not committed: %s", status)
	}
	if files := y.git(dir, "show", "--format=", "--name-only"); files != "door.txt" {
		t.Errorf("the commit has the files %q", files)
	}
	y.do("bob", s, "prompt_session", param.Input{"prompt": "And again."})
	becomes(t, y.World, s, "The second time.")
	becomes(t, y.World, s, "Done")

	y.do("bob", s, "prompt_session", param.Input{"prompt": "Wait."})
	y.do("bob", s, "prompt_session", param.Input{"prompt": "This is withdrawn."})
	becomes(t, y.World, s, "Running")
	y.do("alice", s, "stop_session", nil)
	page = becomes(t, y.World, s, "Stopped")
	if strings.Contains(page, "Queued") {
		t.Errorf("a prompt still waits:\n%s", page)
	}
	for n, state := range map[string]string{"1": "Done", "2": "Done", "3": "Stopped", "4": "Stopped"} {
		becomes(t, y.World, s+"/turns/"+n, state)
	}
}

// TestATurnsToken checks that a running turn has exactly one valid token, with an expiry, and that a turn has none
// after its end.
func TestATurnsToken(t *testing.T) {
	y := newYard(t)
	tree := y.worktree("paint")
	s := y.do("bob", tree, "start_session", param.Input{"agent": y.agent("one", "sleep 1h"), "prompt": "Wait."})
	becomes(t, y.World, s, "Running")
	var tokens int
	y.Query(&tokens, `SELECT count(*) FROM tokens WHERE revoked_at IS NULL AND expires_at IS NOT NULL
		AND id IN (SELECT t.token_id FROM turns t
		JOIN worktrees w ON w.id = t.worktree_id WHERE w.name = 'paint')`)
	if tokens != 1 {
		t.Errorf("%d tokens of turns are in force", tokens)
	}
	y.do("bob", s, "stop_session", nil)
	becomes(t, y.World, s, "Stopped")
	y.Query(&tokens, `SELECT count(*) FROM tokens WHERE revoked_at IS NULL AND id IN (SELECT t.token_id FROM turns t
		JOIN worktrees w ON w.id = t.worktree_id WHERE w.name = 'paint')`)
	if tokens != 0 {
		t.Errorf("%d tokens of turns are in force after the end", tokens)
	}
}

// TestInterrupted lets the claim of a turn expire, and then restarts the runner. The turn must be interrupted and not
// run again. The resumed session must continue the conversation, with all files that were in the worktree.
func TestInterrupted(t *testing.T) {
	root, source := shed(t)
	y := yardOf(t, root, source)
	tree := y.worktree("paint")
	key := y.agent("one", `write door.txt red\n
sleep 1h`)
	s := y.do("bob", tree, "start_session", param.Input{"agent": key, "prompt": "Paint."})
	becomes(t, y.World, s, "Running")
	for range 200 {
		if _, err := os.Stat(filepath.Join(y.folder("paint"), "door.txt")); err == nil {
			break
		}
		time.Sleep(25 * time.Millisecond)
	}
	y.Clock.Advance(time.Minute) // the claim expires, because it was not renewed
	becomes(t, y.World, s, "Interrupted")
	y.refused("bob", s, "stop_session", nil, "Nothing runs or waits")
	y.stop() // the runner and its agent end
	start(t, y.World, y.Site, y.data, root)
	y.do("bob", s, "resume_session", nil)
	y.Site.CloseDue(t.Context()) // the next turn waits until the scheduler has ended the interrupted one
	becomes(t, y.World, s+"/turns/2", "Write door.txt")
	y.do("bob", s, "stop_session", nil)
	page := becomes(t, y.World, s, "Stopped")
	if !strings.Contains(page, "Interrupted") || strings.Contains(page, "began a new one") {
		t.Errorf("the first turn is not interrupted, or its conversation is lost:\n%s", page)
	}
	becomes(t, y.World, tree, "1 ahead")
	if r := y.As("bob").Get(s+"/turns/1", "text/html"); r.Status != http.StatusOK {
		t.Errorf("the page of the turn: %d", r.Status)
	}
}
