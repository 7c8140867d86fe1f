package acp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// far is the agent's end of a connection. Tests read and write its lines.
type far struct {
	t   *testing.T
	in  *bufio.Scanner
	out io.WriteCloser
}

// connected returns a client and the other end of its connection.
func connected(t *testing.T, h Handlers) (*Client, *far) {
	t.Helper()
	fromAgent, agentOut := io.Pipe()
	agentIn, toAgent := io.Pipe()
	c := Connect(fromAgent, toAgent, h)
	t.Cleanup(func() {
		agentOut.Close()
		c.Close()
		<-c.Done()
	})
	lines := bufio.NewScanner(agentIn)
	lines.Buffer(nil, MaxLine)
	return c, &far{t, lines, agentOut}
}

// frame is any line that the client sends.
type frame struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *jsonrpc.Error  `json:"error"`
}

func (f *far) next() frame {
	f.t.Helper()
	if !f.in.Scan() {
		f.t.Fatal("the client sent nothing more:", f.in.Err())
	}
	var got frame
	if err := json.Unmarshal(f.in.Bytes(), &got); err != nil {
		f.t.Fatal(err)
	}
	return got
}

// expect reads a request and returns its id.
func (f *far) expect(method string) json.RawMessage {
	f.t.Helper()
	got := f.next()
	if got.Method != method {
		f.t.Fatalf("the client sent %s, want %s", got.Method, method)
	}
	return got.ID
}

func (f *far) send(format string, args ...any) {
	f.t.Helper()
	if _, err := fmt.Fprintf(f.out, format+"\n", args...); err != nil {
		f.t.Fatal(err)
	}
}

func (f *far) answer(id json.RawMessage, result string) {
	f.t.Helper()
	f.send(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

const permission = `{"jsonrpc":"2.0","id":%d,"method":"session/request_permission","params":{"sessionId":"s","toolCall":` +
	`{"toolCallId":"c1","title":"make migrate","kind":"execute","rawInput":{"command":"make"}},"options":[` +
	`{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"}]}}`

func TestUnknownRequestsAreRefused(t *testing.T) {
	_, agent := connected(t, Handlers{})
	for i, method := range []string{"fs/read_text_file", "terminal/create", "cursor/task", "elicitation/create", "",
		"session/request_permission"} {
		agent.send(`{"jsonrpc":"2.0","id":"q%d","method":%q,"params":{}}`, i, method)
		got := agent.next()
		if got.Error == nil || got.Error.Code != -32601 || string(got.ID) != fmt.Sprintf(`"q%d"`, i) {
			t.Errorf("%s was answered with %s and %v", method, got.ID, got.Error)
		}
	}
}

// updated returns the line of an update of the session s.
func updated(update string) string {
	return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":` + update + `}}`
}

// TestLinesAreKeptAsTheyCame sends valid and invalid messages. The handler Line must get every line unchanged.
func TestLinesAreKeptAsTheyCame(t *testing.T) {
	var lines []string
	updates := make(chan Update, 20)
	_, agent := connected(t, Handlers{
		Line:   func(line []byte) { lines = append(lines, string(line)) },
		Update: func(u Update) { updates <- u },
	})
	sent := []string{
		updated(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"<b> & ü"}}`),
		`Downloading model… 12%`,
		`[{"jsonrpc":"2.0","method":"x"}]`,
		`{"jsonrpc":"1.0","method":"x"}`,
		`{"jsonrpc":"2.0","id":99,"result":{}}`,
		updated(`{"sessionUpdate":"compaction_summary_chunk","content":{"type":"text","text":"never said"}}`),
		updated(`{"sessionUpdate":"notice","message":"m","title":"no title"}`),
		updated(`{"sessionUpdate":"usage_update","used":5}`),
		updated(`{"sessionUpdate":"tool_call","title":"no id"}`),
		updated(`{"sessionUpdate":"plan"}`),
		updated(`{"sessionUpdate":"current_mode_update"}`),
		updated(`7`),
	}
	for _, line := range sent {
		agent.send("%s", line)
	}
	first := <-updates
	if !first.Known || first.Text != "<b> & ü" || !first.Idle {
		t.Errorf("the message is %+v", first)
	}
	for range 7 {
		u := <-updates
		if u.Known || u.Text != "" || u.Title != "" || u.Usage != nil || u.Tool != nil || len(u.Raw) == 0 {
			t.Errorf("%s was taken for something: %+v", u.Raw, u)
		}
	}
	if len(lines) != len(sent) {
		t.Fatalf("%d lines were kept of %d", len(lines), len(sent))
	}
	for i := range sent {
		if lines[i] != sent[i] {
			t.Errorf("line %d was kept as %s", i, lines[i])
		}
	}
}

func TestPermissionIsAnsweredByAPerson(t *testing.T) {
	asked := make(chan Permission, 1)
	choice := make(chan string)
	_, agent := connected(t, Handlers{Permission: func(_ context.Context, p Permission) string {
		asked <- p
		return <-choice
	}})
	for i, c := range []struct{ choice, want string }{
		{"y", `{"outcome":{"optionId":"y","outcome":"selected"}}`},
		{"", `{"outcome":{"outcome":"cancelled"}}`},
		{"never offered", `{"outcome":{"outcome":"cancelled"}}`},
	} {
		agent.send(permission, i)
		p := <-asked
		if p.Tool.Title != "make migrate" || p.Tool.Kind != "execute" || len(p.Choices) != 2 ||
			string(p.Tool.Input) != `{"command":"make"}` {
			t.Errorf("the request is %+v", p)
		}
		choice <- c.choice
		if got := agent.next(); string(got.Result) != c.want {
			t.Errorf("%q was answered as %s, want %s", c.choice, got.Result, c.want)
		}
	}
	agent.send(`{"jsonrpc":"2.0","id":9,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{},"options":[]}}`)
	if got := agent.next(); got.Error == nil || got.Error.Code != -32602 {
		t.Errorf("a request without a tool was answered with %v", got.Error)
	}
}

// TestCancelAnswersOpenRequests cancels a turn with two open permission requests, and sends a third request
// afterwards. All three requests must be answered as cancelled.
func TestCancelAnswersOpenRequests(t *testing.T) {
	asked := make(chan context.Context, 3)
	c, agent := connected(t, Handlers{Permission: func(ctx context.Context, _ Permission) string {
		asked <- ctx
		<-ctx.Done()
		return "y" // too late
	}})
	ended := make(chan Outcome, 1)
	go func() { ended <- OutcomeOf(c.Prompt(t.Context(), "s", "go")) }()
	prompt := agent.expect("session/prompt")
	agent.send(permission, 100)
	agent.send(permission, 101)
	<-asked
	<-asked
	if err := c.Cancel(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	agent.expect("session/cancel")
	agent.send(permission, 102)
	answered := map[string]string{}
	for range 3 {
		got := agent.next()
		answered[string(got.ID)] = string(got.Result)
	}
	for _, id := range []string{"100", "101", "102"} {
		if answered[id] != `{"outcome":{"outcome":"cancelled"}}` {
			t.Errorf("request %s was answered with %s", id, answered[id])
		}
	}
	agent.answer(prompt, `{"stopReason":"cancelled"}`)
	if o := <-ended; !o.Cancelled() || o.Class != "" {
		t.Errorf("the turn ended as %+v", o)
	}
	if len(asked) != 0 {
		t.Error("somebody was asked after the turn was cancelled")
	}
}

func TestWithdrawnRequest(t *testing.T) {
	asked := make(chan bool, 1)
	_, agent := connected(t, Handlers{Permission: func(ctx context.Context, _ Permission) string {
		asked <- true
		<-ctx.Done()
		return ""
	}})
	agent.send(permission, 7)
	<-asked
	agent.send(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":7}}`)
	if got := agent.next(); got.Error == nil || got.Error.Code != -32800 {
		t.Errorf("the withdrawn request was answered with %s, %v", got.Result, got.Error)
	}
}

func TestOutcomes(t *testing.T) {
	refusal := func(code int64, message string) error { return &jsonrpc.Error{Code: code, Message: message} }
	for _, c := range []struct {
		stop  string
		err   error
		class Class
	}{
		{"end_turn", nil, ""},
		{"cancelled", nil, ""},
		{"refusal", nil, Refused},
		{"max_tokens", nil, LimitReached},
		{"max_turn_requests", nil, LimitReached},
		{"some_new_reason", nil, AgentError},
		{"", refusal(-32000, "Authentication required"), NotSignedIn},
		{"", refusal(-32603, "Reached maximum number of turns (3)"), LimitReached},
		{"", refusal(-32603, "API Error: 429 rate_limit_error"), LimitReached},
		{"", refusal(-32603, "The model `gpt-9` does not exist or you do not have access to it"), NoSuchModel},
		{"", refusal(-32603, "Invalid API key · Please run /login"), NotSignedIn},
		{"", refusal(-32603, "something broke"), AgentError},
		{"", ErrEnded, Crashed},
		{"", ErrClosed, Lost},
		{"", context.DeadlineExceeded, Lost},
	} {
		if o := OutcomeOf(Answer{Stop: c.stop}, c.err); o.Class != c.class || o.Stop != c.stop || (o.Class != "") != (o.Reason != "") {
			t.Errorf("%q and %v end as %+v, want %q", c.stop, c.err, o, c.class)
		}
	}
	gemini := &jsonrpc.Error{Code: -32603, Message: "Internal error",
		Data: json.RawMessage(`{"details":"Invalid session identifier \"1\"."}`)}
	if o := OutcomeOf(Answer{}, gemini); o.Reason != `Internal error: Invalid session identifier "1".` || !IsNoSession(gemini) {
		t.Errorf("an error with details ends as %+v", o)
	}
	if !IsRefusal(gemini) || IsRefusal(refusal(-32000, "Authentication required")) || IsRefusal(ErrEnded) {
		t.Error("IsRefusal takes one error for another")
	}
	if !IsNoSession(refusal(-32603, "no rollout found for thread id 1")) || !IsNoSession(refusal(-32002, "Resource not found")) ||
		IsNoSession(refusal(-32603, "something broke")) || IsNoSession(ErrEnded) {
		t.Error("IsNoSession takes one error for another")
	}
}

func TestAnAgentThatEndsHasCrashed(t *testing.T) {
	c, agent := connected(t, Handlers{})
	ended := make(chan error, 1)
	go func() {
		_, err := c.Prompt(t.Context(), "s", "go")
		ended <- err
	}()
	agent.expect("session/prompt")
	agent.out.Close()
	if err := <-ended; ClassOf(err) != Crashed {
		t.Errorf("the prompt ended with %v", err)
	}
	if _, err := c.Prompt(t.Context(), "s", "again"); ClassOf(err) != Crashed {
		t.Errorf("a prompt after the end ended with %v", err)
	}
}

func TestALongLineEndsTheConnection(t *testing.T) {
	c, agent := connected(t, Handlers{})
	go func() {
		long := strings.Repeat("x", 1<<20)
		for range 17 {
			if _, err := io.WriteString(agent.out, long); err != nil {
				return
			}
		}
	}()
	<-c.Done()
	if err := c.conn.Err(); !errors.Is(err, ErrLong) {
		t.Errorf("the connection ended with %v", err)
	}
	agent.out.(*io.PipeWriter).CloseWithError(io.ErrClosedPipe)
}

// TestAFloodWaits has an agent that sends many updates while the handler of the first one does not return. The client
// must read no more lines than fit into its buffer.
func TestAFloodWaits(t *testing.T) {
	hold := make(chan bool)
	_, agent := connected(t, Handlers{Update: func(Update) { <-hold }})
	line := updated(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"`+
		strings.Repeat("x", 1000)+`"}}`) + "\n"
	written := make(chan int)
	go func() {
		n := 0
		for range 1000 {
			select {
			case written <- n:
			default:
			}
			k, err := io.WriteString(agent.out, line)
			if n += k; err != nil {
				break
			}
		}
		written <- n
	}()
	most := 0
	for done := false; !done; {
		select {
		case n := <-written:
			most = max(most, n)
		case <-time.After(300 * time.Millisecond):
			done = true
		}
	}
	if most > 200<<10 {
		t.Errorf("%d bytes were read while a handler was busy", most)
	}
	close(hold)
	for n := range written {
		if n == 1000*len(line) {
			break
		}
	}
}

func TestVersionOfTheProtocol(t *testing.T) {
	c, agent := connected(t, Handlers{})
	got := make(chan error, 1)
	go func() {
		_, err := c.Initialize(t.Context(), Implementation{Name: "samepage", Version: "1"})
		got <- err
	}()
	agent.answer(agent.expect("initialize"), `{"protocolVersion":2}`)
	if err := <-got; err == nil || !strings.Contains(err.Error(), "version 2") {
		t.Errorf("version 2 was answered with %v", err)
	}
}
