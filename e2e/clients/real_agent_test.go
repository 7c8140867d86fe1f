package clients

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"samepage/actions/effect/runner/acp"
	agentprocess "samepage/actions/effect/runner/process"
	"samepage/actions/effect/runner/turn"
	"samepage/store/pgtest"
)

// recordInput is the argument that makes the test's own program run another program and record its input in a file.
const recordInput = "record-input"

// runRecorded runs the program args[1] with the arguments after it, and copies the standard input of that program to
// the file args[0].
func runRecorded(args []string) error {
	f, err := os.OpenFile(args[0], os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	cmd := exec.Command(args[1], args[2:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(in, io.TeeReader(os.Stdin, f))
		in.Close()
	}()
	return cmd.Wait()
}

// watcher records the events of a turn and answers its permission requests.
type watcher struct {
	mu     sync.Mutex
	events []turn.Event
	asked  []acp.Permission
}

// Report implements turn.Reporter.
func (w *watcher) Report(_ context.Context, list []turn.Event) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = append(w.events, list...)
	return nil
}

// Permission implements turn.Reporter. It allows every request once.
func (w *watcher) Permission(_ context.Context, _ int, p acp.Permission) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = append(w.asked, p)
	for _, c := range p.Choices {
		if c.Kind == "allow_once" {
			return c.ID
		}
	}
	return ""
}

func (w *watcher) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var b strings.Builder
	for _, e := range w.events {
		b.WriteString(string(e.Kind) + " " + e.Text)
		if e.Tool != nil {
			b.WriteString(e.Tool.Title + " " + e.Tool.Status + " " + strings.Join(e.Tool.Text, " "))
		}
		b.WriteString(string(e.Data) + "\n")
	}
	return b.String()
}

// realAgent is a coding agent in the version that its maker publishes.
type realAgent struct {
	name    string
	program []string
	env     map[string]string
	mode    string
	signIn  string
	resumes bool // whether the agent can resume and fork sessions at any time
	counts  bool // whether the agent reports the tokens of a turn
}

func (a realAgent) spec(w *world, home, dir string) turn.Spec {
	argv := append([]string{self(w.t), recordInput, filepath.Join(home, "sent")}, a.program...)
	return turn.Spec{
		Program: agentprocess.Spec{Argv: argv, Dir: dir, Home: home, Turn: "turn", Runs: filepath.Join(home, "runs"),
			Env: agentprocess.Environment(os.Environ(), agentprocess.Basics, a.env)},
		Us: acp.Implementation{Name: "samepage", Version: "1"},
		Server: acp.Server{Name: "samepage", URL: w.url + "/mcp",
			Headers: []acp.Pair{{Name: "Authorization", Value: "Bearer " + w.token("Scribe")}}},
		Mode: a.mode, Memory: "Read your session's page first.",
	}
}

func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// adapters is the folder into which npm ci installs the adapters of agents.
const adapters = "../agents/node_modules"

func claudeCode(t *testing.T, m *model, home string) realAgent {
	t.Helper()
	return realAgent{name: "Claude Code", mode: "default", resumes: true, counts: true,
		program: []string{node(t), file(t, adapters, "@agentclientprotocol/claude-agent-acp/dist/index.js")},
		env: map[string]string{"ANTHROPIC_BASE_URL": m.URL, "ANTHROPIC_API_KEY": "none", "CLAUDE_CONFIG_DIR": home,
			"CLAUDE_CODE_EXECUTABLE": file(t, modules, map[string]string{"amd64": "@anthropic-ai/claude-code-linux-x64",
				"arm64": "@anthropic-ai/claude-code-linux-arm64"}[runtime.GOARCH], "claude"),
			"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1", "ENABLE_TOOL_SEARCH": "false",
			"CLAUDE_AGENT_ACP_PROTOCOL": "v1"}}
}

func codex(t *testing.T, m *model, home string) realAgent {
	t.Helper()
	vendor := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	found, err := filepath.Glob(filepath.Join(modules, "@openai/codex-linux-"+vendor, "vendor/*/bin/codex"))
	if err != nil || len(found) == 0 {
		t.Fatalf("there is no program of Codex: go run ./e2e/all installs it (%v)", err)
	}
	return realAgent{name: "Codex", mode: "workspace-write", resumes: true, counts: true,
		program: []string{node(t), file(t, adapters, "@agentclientprotocol/codex-acp/dist/index.js")},
		env: map[string]string{"CODEX_PATH": file(t, found[0]), "CODEX_HOME": home, "NO_BROWSER": "1", "MODEL_PROVIDER": "fake",
			"FAKE_KEY": "none", "INITIAL_AGENT_MODE": "workspace-write",
			"CODEX_CONFIG": `{"model":"scripted","model_providers":{"fake":{"name":"fake","base_url":"` + m.URL +
				`/v1","wire_api":"responses","env_key":"FAKE_KEY","request_max_retries":0,"stream_max_retries":0}}}`}}
}

// gemini returns Gemini CLI. It cannot resume sessions, and cannot load a session that it began less than a minute
// ago.
func gemini(t *testing.T, m *model, home string) realAgent {
	t.Helper()
	return realAgent{name: "Gemini CLI", mode: "default", signIn: "gemini-api-key",
		program: []string{node(t), file(t, adapters, "@google/gemini-cli/bundle/gemini.js"), "--acp"},
		env: map[string]string{"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": m.URL, "GEMINI_CLI_HOME": home,
			"GEMINI_CLI_TRUST_WORKSPACE": "true", "GEMINI_CLI_NO_RELAUNCH": "true"}}
}

// TestRealAgentsTakeTurns runs real coding agents against a scripted model. A first turn reads a page through our
// tool and asks before it runs a command. A turn in another process continues the session, and a turn in a third
// process continues a fork of the session. One turn is stopped, and one turn names a session that the agent does not
// know. Each frame that the product sends is validated with the schema.
func TestRealAgentsTakeTurns(t *testing.T) {
	pgtest.Folder(t, "an agent sees the same program")
	w := newWorld(t)
	p := newProtocol(t)
	for name, of := range map[string]func(*testing.T, *model, string) realAgent{"claude": claudeCode, "codex": codex,
		"gemini": gemini} {
		t.Run(name, func(t *testing.T) {
			m := newModel(t)
			home, dir := t.TempDir(), t.TempDir()
			a := of(t, m, home)
			s := a.spec(w, home, dir)
			rules := filepath.Join(dir, ".claude", "settings.local.json") // of an earlier session in the same worktree
			if err := errors.Join(os.Mkdir(filepath.Dir(rules), 0o700), os.WriteFile(rules,
				[]byte(`{"permissions":{"allow":["Bash","mcp__samepage__navigate"]}}`), 0o600)); err != nil {
				t.Fatal(err)
			}
			var received recorded
			s.Raw = &received
			session := firstTurn(t, m, a, s)
			if a.resumes {
				goesOnWith(t, m, s, session)
			}
			forgets(t, m, s)
			stopsATurn(t, m, s)
			sent, err := os.ReadFile(filepath.Join(home, "sent"))
			if err != nil {
				t.Fatal(err)
			}
			p.check(sent, received.bytes(), "client")
		})
	}
	t.Log("frames:", p.seen)
}

func firstTurn(t *testing.T, m *model, a realAgent, s turn.Spec) (session string) {
	t.Helper()
	s.Prompt = "The first prompt: look and then make a file."
	to := &watcher{}
	got := turn.Run(t.Context(), s, to)
	if got.State != turn.Succeeded || got.Session == "" || got.Agent.Version == "" || a.counts != (got.Tokens != nil) {
		t.Fatalf("%s: the first turn ended as %+v\n%s", a.name, got, to.text())
	}
	if !strings.Contains(to.text(), "All done.") || len(to.asked) == 0 {
		t.Errorf("%s asked %d times and said\n%s", a.name, len(to.asked), to.text())
	}
	if _, err := os.Stat(filepath.Join(s.Program.Dir, "made-by-a-model")); err != nil {
		t.Errorf("%s did not run its command: %v\n%s", a.name, err, to.text())
	}
	about := func(p acp.Permission) bool { return strings.Contains(p.Tool.Title, "made-by-a-model") }
	if !slices.ContainsFunc(to.asked, about) {
		t.Errorf("%s ran the command without being asked: %+v", a.name, to.asked)
	}
	if !m.heard("Scribe, agent of @alice") {
		t.Errorf("%s did not read the page", a.name)
	}
	t.Logf("%s %s: %d events, asked for %d", a.name, got.Agent.Version, len(to.events), len(to.asked))
	return got.Session
}

func goesOnWith(t *testing.T, m *model, s turn.Spec, session string) {
	t.Helper()
	s.Prompt = "The second prompt."
	for _, fork := range []bool{false, true} {
		s.Session, s.Fork = session, fork
		m.forget()
		to := &watcher{}
		got := turn.Run(t.Context(), s, to)
		if got.State != turn.Succeeded || got.Fresh || fork == (got.Session == session) ||
			!strings.Contains(to.text(), "The second answer.") {
			t.Errorf("fork %v: the turn ended as %+v\n%s", fork, got, to.text())
		}
		if !m.heard("The first prompt") {
			t.Errorf("fork %v: the agent forgot the first prompt", fork)
		}
	}
}

func forgets(t *testing.T, m *model, s turn.Spec) {
	t.Helper()
	m.forget()
	s.Prompt, s.Session = "The second prompt.", "00000000-0000-4000-8000-000000000000"
	got := turn.Run(t.Context(), s, &watcher{})
	if got.State != turn.Succeeded || !got.Fresh || !m.heard("Read your session's page first.") {
		t.Errorf("the turn in an unknown session ended as %+v", got)
	}
}

func stopsATurn(t *testing.T, m *model, s turn.Spec) {
	t.Helper()
	s.Prompt = "Now wait for ever."
	ctx, stop := context.WithCancelCause(t.Context())
	defer stop(nil)
	go func() {
		select {
		case <-m.waiting:
			stop(turn.ErrStop)
		case <-time.After(time.Minute):
			stop(errors.New("the model was never asked"))
		}
	}()
	to := &watcher{}
	if got := turn.Run(ctx, s, to); got.State != turn.Stopped {
		t.Errorf("the turn that was stopped ended as %+v\n%s", got, to.text())
	}
}
