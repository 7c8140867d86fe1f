package clients

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// runs starts a runner in a process of its own, which runs until the end of the test. The page is the runner's, and
// root is the folder of its repositories.
func (w *world) runs(page, token, root string) {
	w.t.Helper()
	w.runsBehind(w.url, page, token, root)
}

// runsBehind starts a runner that reaches the server at another origin, for example through a proxy.
func (w *world) runsBehind(origin, page, token, root string) {
	w.t.Helper()
	w.runsIn(filepath.Join(w.t.TempDir(), "runner"), origin, page, token, root)
}

// runsIn starts a runner with the given data folder. The runner reaches the server at the origin.
func (w *world) runsIn(folder, origin, page, token, root string) *exec.Cmd {
	w.t.Helper()
	w.secrets = append(w.secrets, token)
	cmd := exec.Command(w.bin, "runner", "--url", origin+page, "--folder", folder,
		"--root", root, "--agents")
	cmd.Env = append(os.Environ(), "SAMEPAGE_TOKEN="+token)
	log := &record{}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		end(w.t, cmd)
		w.keepsSecrets(log)
	})
	return cmd
}

// shed creates a repository with one commit below the folder root, and returns its path.
func shed(t *testing.T, root string) string {
	t.Helper()
	source := filepath.Join(root, "shed")
	for _, args := range [][]string{{"init", "-q", "-b", "main", source}, {"-C", source, "-c", "user.name=Ann", "-c",
		"user.email=a@x", "commit", "-q", "--allow-empty", "-m", "Nail the boards"}} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %s", args, out)
		}
	}
	return source
}

// hears waits until a page contains a text, and returns the page.
func (p *person) hears(page, text string) string {
	p.w.t.Helper()
	said := ""
	for range 600 {
		if said = p.reads(page, "text/markdown"); strings.Contains(said, text) {
			return said
		}
		time.Sleep(50 * time.Millisecond)
	}
	p.w.t.Fatalf("%s never says %q:\n%s", page, text, said)
	return ""
}

// TestSessionOfAnAgent tells how Bob starts an agent in a worktree on a runner. The agent uses our two tools to find
// out where it is, and creates a note as an agent of Bob. It asks for a permission, which Bob gives from the link in
// the inbox. Its files are committed, and its token is then no longer valid.
func TestSessionOfAnAgent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	root := t.TempDir()
	source := shed(t, root)
	script := filepath.Join(root, "script")
	if err := os.WriteFile(script, []byte(`navigate /whoami
navigate /studios/team
act create_note {"title":"What Mason found","text":"The boards are loose."}
write boards.txt tight\n
ask Hammer the boards
allowed say The boards are tight.
`), 0o600); err != nil {
		t.Fatal(err)
	}
	alice, bob := w.signIn("alice"), w.signIn("bob")
	runner := alice.does("/orgs/meadow/runners", "create_runner",
		map[string]any{"name": "Mill", "roots": []string{root}})
	w.runs(runner.URL, runner.Secret, root)
	alice.hears(runner.URL, "Ready")
	repo := alice.does(runner.URL, "add_repo", map[string]any{"studio": "team", "name": "shed", "source": source}).URL
	alice.does("/orgs/meadow/manifests", "add_manifest", map[string]any{"key": "mason", "title": "Mason",
		"role": "coding",
		"mode": "ask", "asks": true, "argv": []string{w.bin, "agent-script", script}})
	bob.hears(repo, "Nail the boards")
	tree := bob.does(repo, "create_worktree", map[string]any{"name": "boards"}).URL
	bob.hears(tree, "0 ahead")
	session := bob.does(tree, "start_session", map[string]any{"agent": "mason", "prompt": "Fasten the boards."}).URL
	said := bob.hears(session, "waits for an answer")
	contains(t, "the session", said, "Fasten the boards.", "Asked: [Hammer the boards]", "not answered")
	inbox := bob.hears("/inbox", "Hammer the boards")
	contains(t, "the inbox", inbox, session+"/permissions/1")
	if status, _, text := alice.tries(session, "prompt_session",
		map[string]any{"prompt": "Burn them."}); status != 403 {
		t.Errorf("alice prompts bob's agent: %d %s", status, text)
	}
	bob.does(session+"/permissions/1", "answer_permission", map[string]any{"choice": "once"})
	bob.hears(session, "The boards are tight.")
	bob.hears(session, "Done")
	bob.hears(tree, "1 ahead")
	turn := bob.reads(session+"/turns/1", "application/json")
	contains(t, "the turn", turn, "/whoami", "At work in", session, "What Mason found")
	notes := bob.reads("/studios/team/notes", "text/markdown")
	contains(t, "the notes", notes, "What Mason found")
	lacks(t, "the list of tokens in force", alice.reads("/orgs/meadow/tokens", "text/markdown"), "Mason")
	contains(t, "the list of agents", alice.reads("/orgs/meadow/agents", "text/markdown"), "Mason")
	w.run("journal", "verify")
}
