package turn

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"samepage/actions/effect/runner/acp"
	"samepage/actions/effect/runner/process"
	"samepage/actions/effect/runner/script"
)

// TestMain runs the tests, or one of the programs that tests start: an agent that follows a script, or a runner.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "agent" {
		f, err := os.Open(os.Args[2])
		if err == nil {
			var s script.Script
			if s, err = script.Read(f); err == nil {
				err = script.Run(context.Background(), s, script.Options{In: os.Stdin, Out: os.Stdout, Log: os.Stderr,
					Home: os.Getenv("HOME"), Version: "1", Crash: func() { os.Exit(70) }})
			}
		}
		if err != nil {
			panic(err)
		}
		return
	}
	if len(os.Args) == 3 && os.Args[1] == "runner" {
		if err := runUntilKilled(os.Args[2]); err != nil {
			panic(err)
		}
		return
	}
	os.Exit(m.Run())
}

// runUntilKilled acts as a runner. It ends the processes that an earlier runner left behind, prints their number, and
// runs turns until it is killed.
func runUntilKilled(home string) error {
	runs := filepath.Join(home, "runs")
	left, err := process.EndLeftovers(runs)
	if err != nil {
		return err
	}
	ended := 0
	for _, l := range left {
		ended += l.Ended
	}
	fmt.Printf("ended %d\n", ended)
	for n := 0; ; n++ {
		s := Spec{Program: process.Spec{Argv: []string{os.Args[0], "agent", filepath.Join(home, "script")}, Dir: home,
			Home: home,
			Turn: strconv.Itoa(n), Runs: runs, Env: process.Environment(os.Environ(), process.Basics, nil)},
			Us: acp.Implementation{Name: "samepage", Version: "1"}, Prompt: "go"}
		if got := Run(context.Background(), s, &reporter{}); got.State != Succeeded {
			return fmt.Errorf("the turn ended as %+v", got)
		}
	}
}

// reporter keeps the events of a turn in memory.
type reporter struct {
	mu     sync.Mutex
	began  string // id of the agent's session
	events []Event
	calls  int
	choice string
	asked  chan acp.Permission
	refuse bool
	busy   chan bool // if not nil, reports wait until it is closed
}

func (r *reporter) Report(_ context.Context, list []Event) error {
	if r.busy != nil {
		<-r.busy
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refuse {
		return errors.New("the lease is another runner's")
	}
	r.calls++
	for _, e := range list {
		if e.Kind == Began {
			r.began = e.Text
			continue
		}
		r.events = append(r.events, e)
	}
	return nil
}

func (r *reporter) Permission(ctx context.Context, _ int, p acp.Permission) string {
	if r.asked != nil {
		r.asked <- p
		<-ctx.Done()
		return "once"
	}
	return r.choice
}

// said returns the kinds, texts and states of the events.
func (r *reporter) said() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []string
	for _, e := range r.events {
		text := string(e.Kind)
		if e.Text != "" {
			text += ":" + e.Text
		}
		if e.State != "" {
			text += ":" + string(e.State)
		}
		list = append(list, text)
	}
	return strings.Join(list, " ")
}

// spec returns the parameters of a turn whose agent follows the script in text, in the folder home.
func spec(t *testing.T, home, text string) Spec {
	t.Helper()
	path := filepath.Join(home, "script")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Spec{Program: process.Spec{Argv: []string{os.Args[0], "agent", path}, Dir: home, Home: home, Turn: "turn",
		Runs: filepath.Join(home, "runs"), Env: process.Environment(os.Environ(), process.Basics, nil)},
		Us: acp.Implementation{Name: "samepage", Version: "1"}, Prompt: "go", Mode: "ask", Memory: "Read /sessions/1."}
}

func TestTurns(t *testing.T) {
	for name, c := range map[string]struct {
		script, choice string
		state          State
		class          acp.Class
		said           string
	}{
		"success": {"think hm\nsay a\nsay b\nusage 1 2 0.5", "", Succeeded, "",
			"thought:hm text:a\n\nb usage end:succeeded"},
		"allowed": {"ask make\nallowed say yes", "once", Succeeded, "", "permission text:yes end:succeeded"},
		"denied":  {"ask make\ndenied say no", "no", Succeeded, "", "permission text:no end:succeeded"},
		"nobody":  {"ask make\ndenied say no", "", Succeeded, "", "permission text:no end:succeeded"},
		"plan":    {"plan a; b", "", Succeeded, "", "plan end:succeeded"},
		"raw":     {`update {"sessionUpdate":"notice","message":"m"}`, "", Succeeded, "", "raw end:succeeded"},
		"failure": {"fail -32603 You have hit your usage limit", "", Failed, acp.LimitReached,
			"end:You have hit your usage limit:failed"},
		"refusal": {"refuse", "", Failed, acp.Refused, "end:The model declined to go on.:failed"},
		"crash": {"say a\nlog last words\ncrash", "", Failed, acp.Crashed,
			"text:a stderr:last words\n end:The agent's program ended in the middle of the turn.:failed"},
	} {
		t.Run(name, func(t *testing.T) {
			to := &reporter{choice: c.choice}
			got := Run(t.Context(), spec(t, t.TempDir(), c.script), to)
			if got.State != c.state || got.Class != c.class || got.Session == "" || got.Agent.Name == "" {
				t.Errorf("the turn ended as %+v", got)
			}
			if said := to.said(); said != c.said {
				t.Errorf("the events are %q, want %q", said, c.said)
			}
			for i, e := range to.events {
				if e.N != i+2 {
					t.Errorf("event %d has number %d", i+1, e.N)
				}
			}
		})
	}
}

func TestWhatCannotBegin(t *testing.T) {
	s := spec(t, t.TempDir(), "say a")
	s.Mode = "root"
	if got := Run(t.Context(), s, &reporter{}); got.State != Failed || !strings.Contains(got.Reason, `no mode "root"`) {
		t.Errorf("a mode that the agent does not have ended as %+v", got)
	}
	s.Mode, s.Model = "", "gone"
	if got := Run(t.Context(), s, &reporter{}); got.State != Failed || got.Class != acp.NoSuchModel {
		t.Errorf("a model that the agent does not have ended as %+v", got)
	}
	s.Model, s.Program.Argv = "bold", []string{"/nowhere/agent"}
	to := &reporter{}
	if got := Run(t.Context(), s, to); got.State != Failed || got.Class != acp.Crashed || len(to.events) != 1 {
		t.Errorf("a program that is missing ended as %+v", got)
	}
	s.Program.Argv = []string{"/bin/cat", "/nowhere/file"}
	to = &reporter{}
	if got := Run(t.Context(), s, to); got.Class != acp.Crashed || !strings.Contains(to.said(), "/nowhere/file") {
		t.Errorf("a program that fails ended as %+v and %s", got, to.said())
	}
}

// TestSessionsGoOn plays four turns. The second continues the session of the first, the third forks it, and the fourth
// names a session that the agent does not know. The fourth must begin a new session, with the memory before its prompt.
func TestSessionsGoOn(t *testing.T) {
	home := t.TempDir()
	s := spec(t, home, "say one\nturn\nsay two {prompt}\nturn\nsay three")
	first := Run(t.Context(), s, &reporter{})
	s.Session = first.Session
	to := &reporter{}
	if got := Run(t.Context(), s, to); got.Session != first.Session || got.Fresh ||
		to.said() != "text:two go end:succeeded" {
		t.Errorf("the second turn ended as %+v and said %s", got, to.said())
	}
	s.Fork = true
	to = &reporter{}
	if got := Run(t.Context(), s, to); got.Session == first.Session || got.Fresh ||
		to.said() != "text:three end:succeeded" {
		t.Errorf("the copy ended as %+v and said %s", got, to.said())
	}
	s = spec(t, home, "say {prompt}")
	s.Session = "script-77"
	to = &reporter{}
	if got := Run(t.Context(), s, to); !got.Fresh || got.Session == "" ||
		to.said() != "text:Read /sessions/1.\n\ngo end:succeeded" {
		t.Errorf("the unknown session ended as %+v and said %s", got, to.said())
	}
}

// TestStop stops a turn that sleeps and a turn that waits for a person, and ends a third turn with another cause. No
// file of a run may remain.
func TestStop(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		cause  error
		state  State
	}{
		"asleep":      {"say a\nsleep 1h", ErrStop, Stopped},
		"waiting":     {"say a\nask make\nallowed say allowed", ErrStop, Stopped},
		"lease ended": {"say a\nchild 1h\nsleep 1h", errors.New("the lease is over"), Interrupted},
	} {
		t.Run(name, func(t *testing.T) {
			to := &reporter{asked: make(chan acp.Permission, 1)}
			ctx, end := context.WithCancelCause(t.Context())
			done := make(chan Result, 1)
			s := spec(t, t.TempDir(), c.script)
			go func() { done <- Run(ctx, s, to) }()
			for !strings.Contains(to.said(), "text:a") {
				time.Sleep(10 * time.Millisecond)
			}
			end(c.cause)
			got := <-done
			if got.State != c.state || strings.Contains(to.said(), "allowed") {
				t.Errorf("the turn ended as %+v and said %s", got, to.said())
			}
			if left, err := filepath.Glob(filepath.Join(s.Program.Runs, "*")); len(left) > 0 || err != nil {
				t.Errorf("the runs %v are left, %v", left, err)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	s := spec(t, t.TempDir(), "say a\nsleep 1h")
	s.Limits = process.Limits{Idle: 300 * time.Millisecond, Wall: time.Hour}
	if got := Run(t.Context(), s, &reporter{}); got.State != Stalled || got.Class != "" || got.Reason == "" {
		t.Errorf("a silent turn ended as %+v", got)
	}
	s.Limits = process.Limits{Idle: time.Hour, Wall: 300 * time.Millisecond}
	if got := Run(t.Context(), s, &reporter{}); got.State != TimedOut {
		t.Errorf("a long turn ended as %+v", got)
	}
}

func TestARefusedReportEndsTheTurn(t *testing.T) {
	got := Run(t.Context(), spec(t, t.TempDir(), "say a\nsleep 1h"), &reporter{refuse: true})
	if got.State != Interrupted || !strings.Contains(got.Reason, "another runner's") {
		t.Errorf("the turn ended as %+v", got)
	}
}

// TestAFloodIsBatched has an agent that says 5 MB in pieces, while the reporter is busy at first. No text may be
// lost, and no event may be longer than [MaxText].
func TestAFloodIsBatched(t *testing.T) {
	const pieces = 5_000
	to := &reporter{busy: make(chan bool)}
	var raw bytes.Buffer
	s := spec(t, t.TempDir(), fmt.Sprintf("flood %d\nusage 5 10 0.5", pieces))
	s.Raw = &raw
	done := make(chan Result, 1)
	go func() { done <- Run(t.Context(), s, to) }()
	time.AfterFunc(300*time.Millisecond, func() { close(to.busy) })
	got := <-done
	if got.State != Succeeded || got.Usage == nil || got.Usage.Cost.Amount != 0.5 || got.Tokens == nil {
		t.Fatalf("the turn ended as %+v", got)
	}
	letters := 0
	for i, e := range to.events {
		letters += len(e.Text)
		if len(e.Text) > MaxText || e.N != i+2 { // the first event is Began
			t.Errorf("event %d has number %d and %d bytes", i+1, e.N, len(e.Text))
		}
	}
	if letters != pieces*1000 {
		t.Errorf("%d letters were reported, want %d", letters, pieces*1000)
	}
	if n := bytes.Count(raw.Bytes(), []byte("agent_message_chunk")); n != pieces {
		t.Errorf("%d lines were kept raw, want %d", n, pieces)
	}
	t.Logf("%d events in %d reports", len(to.events), to.calls)
}

func TestLongValuesAreCut(t *testing.T) {
	long := strings.Repeat("ü", MaxText)
	tool, cut := shortened(acp.Tool{ID: "1", Title: "t", Text: []string{long, "more"},
		Diffs: []acp.Diff{{Path: "p", Old: &long, New: long}},
		Input: json.RawMessage(`"` + long + `"`), Output: json.RawMessage(`1`), Locations: make([]acp.Location, 500)})
	e := Event{Kind: Call, Tool: &tool}
	if n := e.size(); n > 64<<10 || cut == 0 {
		t.Errorf("the event has %d bytes, %d cut", n, cut)
	}
	data, err := json.Marshal(e)
	if err != nil || len(data) > 64<<10 {
		t.Errorf("its JSON has %d bytes, %v", len(data), err)
	}
	if raw, cut := cutBytes(json.RawMessage(`{"a":"` + long + `"}`)); !json.Valid(raw) || len(raw) > MaxText+2 || cut == 0 {
		t.Errorf("the raw event has %d bytes, %d cut", len(raw), cut)
	}
}

// TestALongPermissionRequestIsCut checks that the event of a permission request is cut, too, and that the request itself is
// whole.
func TestALongPermissionRequestIsCut(t *testing.T) {
	long := strings.Repeat("x", MaxText+MaxText/4)
	to := &reporter{asked: make(chan acp.Permission, 1)}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	done := make(chan Result, 1)
	go func() { done <- Run(ctx, spec(t, t.TempDir(), "ask "+long), to) }()
	select {
	case p := <-to.asked:
		if p.Tool.Title != long {
			t.Errorf("the request has a title of %d bytes", len(p.Tool.Title))
		}
		stop()
		<-done
	case got := <-done:
		t.Fatalf("nothing was asked: %+v", got)
	}
	at := slices.IndexFunc(to.events, func(e Event) bool { return e.Kind == Permission })
	if at < 0 || to.events[at].size() > 64<<10 || to.events[at].Cut == 0 {
		t.Errorf("the event is not cut: %d of %d events", at, len(to.events))
	}
}

// TestTheServerIsTheOneThatTheAgentCanReach offers an MCP server over HTTP and one as a command to an agent that
// supports HTTP. The agent must use HTTP, with the turn's header.
func TestTheServerIsTheOneThatTheAgentCanReach(t *testing.T) {
	m := mcp.NewServer(&mcp.Implementation{Name: "pages", Version: "1"}, nil)
	var seen []string
	m.AddTool(&mcp.Tool{Name: "navigate", InputSchema: map[string]any{"type": "object"}},
		func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			seen = append(seen, r.Extra.Header.Get("Authorization"))
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "# Here"}}}, nil
		})
	server := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return m }, nil))
	defer server.Close()
	s := spec(t, t.TempDir(), "navigate /whoami")
	s.Raw = io.Discard
	s.Server = acp.Server{Name: "samepage", URL: server.URL,
		Headers: []acp.Pair{{Name: "Authorization", Value: "Bearer of the turn"}}}
	s.Stdio = acp.Server{Name: "samepage", Command: "/nowhere"}
	to := &reporter{}
	Run(t.Context(), s, to)
	if !slices.Equal(seen, []string{"Bearer of the turn"}) {
		t.Errorf("the server saw %q", seen)
	}
	if len(to.events) != 3 || to.events[1].Tool.Status != "completed" || to.events[1].Tool.Text[0] != "# Here" {
		t.Errorf("the events are %+v", to.events)
	}
}
