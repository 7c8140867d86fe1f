package clients

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"samepage/actions/effect/runner/acp"
	agentprocess "samepage/actions/effect/runner/process"
	"samepage/store/pgtest"
)

// protocol holds the published JSON Schemas of the Agent Client Protocol for the parameters and results of each
// method.
type protocol struct {
	t        *testing.T
	schemas  map[string]*jsonschema.Resolved // by side, method and part, such as "agent session/prompt Request"
	unstable map[string]bool                 // names of the schemas that only the unstable file has
	seen     map[string]int                  // number of frames, by the name of their schema
}

// newProtocol reads the schemas of the pinned npm package. Methods that only the unstable schema defines, such as
// forking a session, are checked with that schema.
func newProtocol(t *testing.T) *protocol {
	t.Helper()
	p := &protocol{t: t, schemas: map[string]*jsonschema.Resolved{}, unstable: map[string]bool{},
		seen: map[string]int{}}
	for _, name := range []string{"schema.json", "schema.unstable.json"} {
		data, err := os.ReadFile(file(t, modules, "@agentclientprotocol/sdk/schema/v1", name))
		if err != nil {
			t.Fatal(err)
		}
		var whole struct {
			Defs map[string]json.RawMessage `json:"$defs"`
		}
		if err := json.Unmarshal(data, &whole); err != nil {
			t.Fatal(err)
		}
		defs, err := json.Marshal(whole.Defs)
		if err != nil {
			t.Fatal(err)
		}
		for def, raw := range whole.Defs {
			var of struct {
				Side   string `json:"x-side"`
				Method string `json:"x-method"`
			}
			if err := json.Unmarshal(raw, &of); err != nil || of.Method == "" {
				continue
			}
			for _, part := range []string{"Request", "Response", "Notification"} {
				key := of.Side + " " + of.Method + " " + part
				if !strings.HasSuffix(def, part) || p.schemas[key] != nil {
					continue
				}
				p.schemas[key] = resolved(t, fmt.Sprintf(`{"$ref":"#/$defs/%s","$defs":%s}`, def, defs))
				p.unstable[key] = name != "schema.json"
			}
		}
	}
	if len(p.schemas) < 30 {
		t.Fatalf("the schema has %d messages", len(p.schemas))
	}
	return p
}

func resolved(t *testing.T, text string) *jsonschema.Resolved {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// message is a frame of the protocol, which is JSON-RPC.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`
}

// check validates the frames that the given ends of a conversation sent. The argument sent has the client's lines, and
// the argument received has the agent's lines.
func (p *protocol) check(sent, received []byte, ends ...string) {
	p.t.Helper()
	methods := map[string]string{} // methods of requests, by the receiving side and the id
	for side, lines := range map[string][]byte{"agent": sent, "client": received} {
		for line := range bytes.Lines(lines) {
			var m message
			if json.Unmarshal(line, &m) == nil && m.Method != "" && m.ID != nil {
				methods[side+string(m.ID)] = m.Method
			}
		}
	}
	// The schema of a request belongs to the side that answers it.
	for _, d := range []struct {
		lines      []byte
		from, asks string
	}{{sent, "client", "agent"}, {received, "agent", "client"}} {
		if !slices.Contains(ends, d.from) {
			continue
		}
		for line := range bytes.Lines(d.lines) {
			var m message
			if json.Unmarshal(line, &m) != nil || m.Version != "2.0" {
				p.t.Errorf("the %s sent a line that is no frame: %s", d.from, line)
				continue
			}
			switch {
			case m.Method != "" && m.ID != nil:
				p.valid(d.asks+" "+m.Method+" Request", m.Params)
			case m.Method != "":
				p.valid(d.asks+" "+m.Method+" Notification", m.Params)
			case m.Error == nil:
				p.valid(d.from+" "+methods[d.from+string(m.ID)]+" Response", m.Result)
			default:
				p.seen[d.from+" error"]++
			}
		}
	}
}

func (p *protocol) valid(key string, raw json.RawMessage) {
	p.t.Helper()
	p.seen[key]++
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		p.t.Errorf("%s: %v", key, err)
		return
	}
	schema := p.schemas[key]
	if schema == nil {
		p.t.Errorf("the protocol has no %s", key)
		return
	}
	if err := schema.Validate(v); err != nil {
		p.t.Errorf("%s is not valid: %v\n%s", key, err, raw)
	}
}

// recorded records the bytes written to a pipe.
type recorded struct {
	mu   sync.Mutex
	data bytes.Buffer
}

func (r *recorded) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.data.Write(b)
}

func (r *recorded) bytes() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return bytes.Clone(r.data.Bytes())
}

// through writes to two writers and closes only the first.
type through struct {
	io.WriteCloser
	copy io.Writer
}

func (t through) Write(b []byte) (int, error) {
	_, _ = t.copy.Write(b)
	return t.WriteCloser.Write(b)
}

// scripted is a client of the scripted agent. The agent is a command of the built program and runs in a process of
// its own.
type scripted struct {
	*acp.Client
	process        *agentprocess.Process
	sent, received recorded
	mu             sync.Mutex
	updates        []acp.Update
	agent          acp.Agent
}

func (w *world) scripted(script, home, dir, option string) *scripted {
	w.t.Helper()
	path := filepath.Join(w.t.TempDir(), "script")
	if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
		w.t.Fatal(err)
	}
	s := &scripted{}
	var err error
	s.process, err = agentprocess.Start(agentprocess.Spec{Argv: []string{w.bin, "agent-script", path}, Dir: dir, Home: home, Turn: "turn",
		Runs: filepath.Join(home, "runs"), Env: agentprocess.Environment(os.Environ(), agentprocess.Basics, nil)})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { s.process.Stop() })
	s.Client = acp.Connect(io.TeeReader(s.process.Stdout, &s.received), through{s.process.Stdin, &s.sent}, acp.Handlers{
		Update: func(u acp.Update) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.updates = append(s.updates, u)
		},
		Permission: func(context.Context, acp.Permission) string { return option },
	})
	if s.agent, err = s.Initialize(w.t.Context(), acp.Implementation{Name: "samepage", Version: "1"}); err != nil {
		w.t.Fatal(err)
	}
	return s
}

// outputs returns the results of the tool calls, with their statuses.
func (s *scripted) outputs() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	for _, u := range s.updates {
		if u.Tool != nil {
			fmt.Fprintln(&b, u.Tool.Status, strings.Join(u.Tool.Text, "\n"))
		}
	}
	return b.String()
}

// TestTheAgentClientProtocol runs the scripted agent against a real server. The agent reads and changes pages over
// MCP, by HTTP and by stdio, asks for permissions, continues in another process, is forked and is cancelled. Each
// frame of both sides is validated with the protocol's published schema.
func TestTheAgentClientProtocol(t *testing.T) {
	pgtest.Folder(t, "an agent sees the same program")
	w := newWorld(t)
	p := newProtocol(t)
	token := w.token("Scribe")
	home, dir := t.TempDir(), t.TempDir()
	repository := exec.Command("git", "init", "--quiet", dir)
	if err := repository.Run(); err != nil {
		t.Fatal(err)
	}
	const script = `plan Look; Write
think About {prompt}
navigate /whoami
navigate /studios/team
act create_note {"title":"Made by a script","text":"It said: {prompt}"}
ask git commit
denied fail -32603 denied
write hello.txt Hello from {prompt}
commit Say hello
usage 1200 200000 0.04
say Done.
turn
navigate /search?q=script
say Second turn
turn
sleep 1h
`
	place := acp.Place{Dir: dir, Servers: []acp.Server{{Name: "samepage", URL: w.url + "/mcp",
		Headers: []acp.Pair{{Name: "Authorization", Value: "Bearer " + token}}}}}
	s := w.scripted(script, home, dir, "once")
	if !s.agent.HTTP || !s.agent.Resume || !s.agent.Fork || s.agent.Info.Name == "" {
		t.Fatalf("the agent says %+v", s.agent)
	}
	begun, err := s.NewSession(t.Context(), place)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.SetMode(t.Context(), begun.ID, "ask"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.SetOption(t.Context(), begun.ID, "model", "bold"); err != nil {
		t.Fatal(err)
	}
	answer, err := s.Prompt(t.Context(), begun.ID, "a real prompt")
	if o := acp.OutcomeOf(answer, err); o.Stop != "end_turn" || answer.Tokens == nil {
		t.Fatalf("the turn ended as %+v\n%s", o, s.outputs())
	}
	out := s.outputs()
	for _, want := range []string{"Scribe", "Made by a script", "completed"} {
		if !strings.Contains(out, want) {
			t.Errorf("the pages have no %q:\n%s", want, out)
		}
	}
	if strings.Contains(out, "failed") {
		t.Errorf("a call failed:\n%s", out)
	}
	if log, err := exec.Command("git", "-C", dir, "log", "--format=%s").Output(); string(log) != "Say hello\n" {
		t.Errorf("the commits are %q, %v", log, err)
	}
	s.Close()
	if exit := s.process.Exit(); exit.Code != 0 {
		t.Errorf("the agent ended as %+v", exit)
	}
	p.check(s.sent.bytes(), s.received.bytes(), "client", "agent")

	w.goesOn(p, script, home, dir, begun.ID, token)
}

// goesOn forks, loads and resumes the session, each in another process of the agent. The agent reaches the pages with
// the program samepage mcp, over stdio. A turn that has not ended after five seconds is cancelled.
func (w *world) goesOn(p *protocol, script, home, dir, session, token string) {
	t := w.t
	t.Helper()
	place := acp.Place{Dir: dir, Servers: []acp.Server{{Name: "samepage", Command: w.bin, Args: []string{"mcp", "--url", w.url},
		Env: []acp.Pair{{Name: "SAMEPAGE_TOKEN", Value: token}}}}}
	cancelled := false
	for _, how := range []func(*acp.Client) (acp.Session, error){
		func(c *acp.Client) (acp.Session, error) { return c.ForkSession(t.Context(), session, place) },
		func(c *acp.Client) (acp.Session, error) { return c.LoadSession(t.Context(), session, place) },
		func(c *acp.Client) (acp.Session, error) { return c.ResumeSession(t.Context(), session, place) },
	} {
		s := w.scripted(script, home, dir, "")
		on, err := how(s.Client)
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan acp.Outcome, 1)
		go func() { done <- acp.OutcomeOf(s.Prompt(t.Context(), on.ID, "more")) }()
		var o acp.Outcome
		for ended := false; !ended; {
			select {
			case o = <-done:
				ended = true
			case <-time.After(5 * time.Second):
				cancelled = true // the sleeping turn ends only when it is cancelled
				if err := s.Cancel(t.Context(), on.ID); err != nil {
					t.Fatal(err)
				}
			}
		}
		if out := s.outputs(); o.Stop != "end_turn" && !o.Cancelled() || !o.Cancelled() && !strings.Contains(out, "Made by a script") {
			t.Errorf("the turn ended as %+v\n%s", o, out)
		}
		s.Close()
		s.process.Exit()
		p.check(s.sent.bytes(), s.received.bytes(), "client", "agent")
	}
	for _, key := range []string{"agent session/fork Request", "agent session/load Request", "agent session/resume Request",
		"agent session/cancel Notification", "client session/request_permission Response", "client session/update Notification",
		"agent session/set_mode Response", "agent session/set_config_option Response"} {
		if p.seen[key] == 0 {
			t.Errorf("no frame was %s", key)
		}
	}
	if !cancelled {
		t.Error("no turn slept")
	}
	if p.unstable["agent session/prompt Request"] || !p.unstable["agent session/fork Request"] {
		t.Error("prompts are no longer stable, or forks are")
	}
	t.Log("frames:", p.seen)
}
