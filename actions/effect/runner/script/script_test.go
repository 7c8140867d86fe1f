package script

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"samepage/actions/effect/runner/acp"
)

// server is an MCP server with the tools navigate and execute_action. The server records the calls of these tools.
type server struct {
	*httptest.Server
	mu    sync.Mutex
	calls []string
}

func newServer(t *testing.T) *server {
	s := &server{}
	m := mcp.NewServer(&mcp.Implementation{Name: "pages", Version: "1"}, nil)
	tool := func(name, text string) {
		m.AddTool(&mcp.Tool{Name: name, InputSchema: map[string]any{"type": "object"}},
			func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.calls = append(s.calls, name+" "+string(r.Params.Arguments)+" "+r.Extra.Header.Get("Authorization"))
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}},
					IsError: strings.Contains(string(r.Params.Arguments), "missing")}, nil
			})
	}
	tool("navigate", "# Here\n\n[Note](/studios/team/n/abc) and [more](/search)")
	tool("execute_action", "Done.")
	s.Server = httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return m }, nil))
	t.Cleanup(s.Close)
	return s
}

// talk is a client of an agent that plays a script.
type talk struct {
	*acp.Client
	t       *testing.T
	place   acp.Place
	mu      sync.Mutex
	updates []acp.Update
	choice  string
	asked   int
}

// begin starts a new agent that follows the script in text. Like agents in different processes, two agents share
// nothing but the folder home.
func begin(t *testing.T, text, home, dir string, s *server) *talk {
	t.Helper()
	script, err := Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	agentIn, toAgent := io.Pipe()
	fromAgent, agentOut := io.Pipe()
	k := &talk{t: t, place: acp.Place{Dir: dir}}
	if s != nil {
		k.place.Servers = []acp.Server{{Name: "samepage", URL: s.URL, Headers: []acp.Pair{{Name: "Authorization", Value: "Bearer x"}}}}
	}
	ended := make(chan error, 1)
	go func() {
		ended <- Run(context.Background(), script, Options{In: agentIn, Out: agentOut, Log: io.Discard, Home: home, Version: "1",
			Crash: func() { agentOut.Close() }})
		agentOut.Close()
	}()
	k.Client = acp.Connect(fromAgent, toAgent, acp.Handlers{
		Update: func(u acp.Update) {
			k.mu.Lock()
			defer k.mu.Unlock()
			k.updates = append(k.updates, u)
		},
		Permission: func(context.Context, acp.Permission) string {
			k.mu.Lock()
			defer k.mu.Unlock()
			k.asked++
			return k.choice
		},
	})
	t.Cleanup(func() {
		k.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	agent, err := k.Initialize(t.Context(), acp.Implementation{Name: "test", Version: "1"})
	if err != nil || !agent.Resume || !agent.Load || !agent.Fork || !agent.HTTP {
		t.Fatalf("the agent says %+v, %v", agent, err)
	}
	return k
}

func (k *talk) new() acp.Session {
	k.t.Helper()
	s, err := k.NewSession(k.t.Context(), k.place)
	if err != nil {
		k.t.Fatal(err)
	}
	return s
}

func (k *talk) prompt(session, text string) acp.Outcome {
	return acp.OutcomeOf(k.Prompt(k.t.Context(), session, text))
}

// words returns the texts of all messages, and the states of tool calls, since it was last called.
func (k *talk) words() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	var list []string
	for _, u := range k.updates {
		switch {
		case u.Tool != nil:
			list = append(list, "("+u.Tool.Title+u.Tool.Status+")")
		case u.Text != "":
			list = append(list, u.Text)
		default:
			list = append(list, u.Kind)
		}
	}
	k.updates = nil
	return strings.Join(list, " ")
}

func TestPagesAreCalled(t *testing.T) {
	s := newServer(t)
	k := begin(t, "navigate /\nopen /n/\nact comment {\"text\":\"{prompt}\"}\nnavigate /missing", t.TempDir(),
		t.TempDir(), s)
	if o := k.prompt(k.new().ID, `say "hi"`); o.Stop != "end_turn" {
		t.Fatalf("the turn ended as %+v", o)
	}
	want := []string{
		`navigate {"url":"/"} Bearer x`,
		`navigate {"url":"/studios/team/n/abc"} Bearer x`,
		`execute_action {"action":"comment","params":{"text":"say \"hi\""},"url":"/studios/team/n/abc"} Bearer x`,
		`navigate {"url":"/missing"} Bearer x`,
	}
	if got := strings.Join(s.calls, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("the calls were\n%s", got)
	}
	if got := k.words(); !strings.Contains(got, "(execute_action commentin_progress) (completed)") || !strings.HasSuffix(got, "(failed)") {
		t.Errorf("the updates were %s", got)
	}
}

// TestParagraphsStayApart plays a script whose paragraphs follow each other without anything that a client shows.
func TestParagraphsStayApart(t *testing.T) {
	k := begin(t, "think a\nthink b\nsay one\nusage 1 2 0.1\nsay two\nask make\nallowed say three\nplan A\nsay four", t.TempDir(),
		t.TempDir(), nil)
	k.prompt(k.new().ID, "go")
	if got, want := k.words(), "a \n\nb one usage_update \n\ntwo \n\nthree plan four"; got != want {
		t.Errorf("it says %q", got)
	}
}

func TestAskingDependsOnTheMode(t *testing.T) {
	text := strings.Repeat("ask make\nallowed say yes\ndenied say no\nturn\n", 6)
	k := begin(t, text, t.TempDir(), t.TempDir(), nil)
	s := k.new()
	if s.Mode != "free" || len(s.Modes) != 2 {
		t.Fatalf("the session begins as %+v", s)
	}
	for i, c := range []struct {
		mode, choice, want string
		asked              int
	}{
		{"free", "no", "yes", 0},
		{"ask", "no", "no", 1},
		{"ask", "", "no", 2},
		{"ask", "once", "yes", 3},
		{"ask", "always", "yes", 4},
		{"ask", "no", "yes", 4},
	} {
		if err := k.SetMode(t.Context(), s.ID, c.mode); err != nil {
			t.Fatal(err)
		}
		k.choice = c.choice
		k.prompt(s.ID, "go")
		if got := k.words(); got != c.want || k.asked != c.asked {
			t.Errorf("%d: %s, asked %d times", i, got, k.asked)
		}
	}
	if err := k.SetMode(t.Context(), s.ID, "root"); err == nil {
		t.Error("a mode that is not offered was set")
	}
	if _, err := k.SetOption(t.Context(), s.ID, "model", "gone"); acp.ClassOf(err) != acp.NoSuchModel {
		t.Errorf("an unknown model was refused with %v", err)
	}
	options, err := k.SetOption(t.Context(), s.ID, "model", "bold")
	if err != nil || len(options) != 1 || options[0].Value != "bold" || len(options[0].Choices) != 2 {
		t.Errorf("the options are %+v, %v", options, err)
	}
}

// TestSessionsGoOnElsewhere plays turns of one session, and of a fork, with agents that share only their home. Each
// agent must go on where the agent before it stopped.
func TestSessionsGoOnElsewhere(t *testing.T) {
	home, dir, text := t.TempDir(), t.TempDir(), "say one\nturn\nsay two\ncrash\nsay never\nturn\nsay three"
	k := begin(t, text, home, dir, nil)
	id := k.new().ID
	k.prompt(id, "first")
	if o := k.prompt(id, "second"); o.Class != acp.Crashed {
		t.Errorf("the crash ended as %+v", o)
	}

	k = begin(t, text, home, dir, nil)
	if _, err := k.ResumeSession(t.Context(), id, k.place); err != nil {
		t.Fatal(err)
	}
	if got := k.words(); got != "" {
		t.Errorf("resuming repeats %s", got)
	}
	k = begin(t, text, home, dir, nil)
	fork, err := k.ForkSession(t.Context(), id, k.place)
	if err != nil || fork.ID == id {
		t.Fatalf("the fork is %+v, %v", fork, err)
	}
	k.prompt(fork.ID, "third")
	if got := k.words(); got != "three" {
		t.Errorf("the fork says %s", got)
	}

	k = begin(t, text, home, dir, nil)
	if _, err := k.LoadSession(t.Context(), id, k.place); err != nil {
		t.Fatal(err)
	}
	if got := k.words(); !strings.HasPrefix(got, "first one") {
		t.Errorf("loading repeats %s", got)
	}
	for _, text := range []string{"third", "fourth"} {
		if o := k.prompt(id, text); o.Stop != "end_turn" {
			t.Errorf("the %s turn ended as %+v", text, o)
		}
	}
	if got := k.words(); got != "three The script has nothing more to do." {
		t.Errorf("the session goes on with %s", got)
	}
	for _, wrong := range []string{"script-99", "../script-1", ""} {
		if _, err := k.ResumeSession(t.Context(), wrong, k.place); !acp.IsNoSession(err) {
			t.Errorf("session %q was refused with %v", wrong, err)
		}
	}
}

// TestNothingFollowsACrash checks that an agent writes nothing more after a crash. Another agent has its session then.
func TestNothingFollowsACrash(t *testing.T) {
	home, files := t.TempDir(), ""
	look := func() (text string) {
		list, err := filepath.Glob(filepath.Join(home, folder, "*"))
		for _, file := range list {
			data, rerr := os.ReadFile(file)
			err = errors.Join(err, rerr)
			text += filepath.Base(file) + ": " + string(data) + "\n"
		}
		if err != nil {
			t.Error(err)
		}
		return text
	}
	script, err := Read(strings.NewReader("say one\ncrash\nsay never"))
	if err != nil {
		t.Fatal(err)
	}
	agentIn, toAgent := io.Pipe()
	fromAgent, agentOut := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- Run(context.Background(), script, Options{In: agentIn, Out: agentOut, Log: io.Discard, Home: home,
			Version: "1", Crash: func() { files = look() }})
	}()
	client := acp.Connect(fromAgent, toAgent, acp.Handlers{})
	s, err := client.NewSession(t.Context(), acp.Place{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Prompt(t.Context(), s.ID, "go"); err == nil {
		t.Error("the turn has an end")
	}
	client.Close()
	if err := <-ended; err != nil { // no step runs any more
		t.Error(err)
	}
	if now := look(); now != files || !strings.Contains(now, `"go"`) {
		t.Errorf("after the crash there is\n%s\ninstead of\n%s", now, files)
	}
}

// TestBrokenTurnsArePlayedAgain plays a turn that has the step "again". If the turn fails, another agent must play it
// from the beginning for the next prompt. If the turn has ended, the next prompt must get the next turn.
func TestBrokenTurnsArePlayedAgain(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	k := begin(t, "again\nsay one\nfail 7 Lost.\nturn\nsay two", home, dir, nil)
	id := k.new().ID
	if o := k.prompt(id, "first"); !strings.Contains(o.Reason, "Lost.") {
		t.Errorf("it ended as %+v", o)
	}
	k = begin(t, "again\nsay one\nturn\nsay two", home, dir, nil)
	if _, err := k.ResumeSession(t.Context(), id, k.place); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		k.prompt(id, "go on")
	}
	if got := k.words(); got != "one two The script has nothing more to do." {
		t.Errorf("the session goes on with %s", got)
	}
}

func TestEndings(t *testing.T) {
	k := begin(t, "fail -32000 Please log in\nturn\nrefuse\nturn\nsleep 1h\nturn\nusage 10 200 0.5\nprint no frame\n"+
		"update {\"sessionUpdate\":\"notice\"}\nrequest fs/read_text_file", t.TempDir(), t.TempDir(), nil)
	s := k.new()
	if o := k.prompt(s.ID, "1"); o.Class != acp.NotSignedIn {
		t.Errorf("the failure ended as %+v", o)
	}
	if o := k.prompt(s.ID, "2"); o.Class != acp.Refused {
		t.Errorf("the refusal ended as %+v", o)
	}
	ended := make(chan acp.Outcome)
	go func() { ended <- k.prompt(s.ID, "3") }()
	var o acp.Outcome
	for done := false; !done; { // repeated, because a cancellation that arrives before the prompt has no effect
		if err := k.Cancel(t.Context(), s.ID); err != nil {
			t.Fatal(err)
		}
		select {
		case o = <-ended:
			done = true
		default:
		}
	}
	if !o.Cancelled() {
		t.Errorf("the cancelled turn ended as %+v", o)
	}
	a, err := k.Prompt(t.Context(), s.ID, "4")
	if err != nil || a.Tokens == nil || a.Tokens.Total != 10 {
		t.Errorf("the turn ended as %+v, %v", a, err)
	}
	if got := k.words(); got != "usage_update notice fs/read_text_file: fs/read_text_file is not offered" {
		t.Errorf("the updates were %s", got)
	}
}

func TestFilesStayBelowTheFolder(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("/tmp", filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	k := begin(t, `write a/b.txt one\ntwo`+"\nwrite ../x no\nwrite out/x no", t.TempDir(), dir, nil)
	k.prompt(k.new().ID, "go")
	const want = "(Write a/b.txtin_progress) (completed) (Write ../xin_progress) (failed) (Write out/xin_progress) (failed)"
	if got := k.words(); got != want {
		t.Errorf("the updates were %s", got)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "a/b.txt")); string(data) != "one\ntwo\n" {
		t.Errorf("the file has %q, %v", data, err)
	}
}

func TestScriptsAreChecked(t *testing.T) {
	for _, text := range []string{"dance", "say", "sleep long", "flood many", "act comment {", "say {name}", "say {prompt", "update 7",
		"usage 1", "fail Please", "fail 1", "write file", "refuse me", "allowed dance", "allowed"} {
		if _, err := Read(strings.NewReader("# well\n" + text)); err == nil || !strings.HasPrefix(err.Error(), "line 2: ") {
			t.Errorf("%q is read: %v", text, err)
		}
	}
	for _, v := range verbs {
		if !strings.Contains(Help(), "\n  "+v.name) {
			t.Errorf("the help leaves out %s", v.name)
		}
	}
}
