package acp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// ProtocolVersion is the supported version of the protocol.
const ProtocolVersion = 1

// Handlers has the functions that receive an agent's messages. Line and Update are called in the order of the lines,
// one at a time. A nil function is not called.
type Handlers struct {
	// Line receives each line before it is decoded.
	Line func(line []byte)
	// Update receives each update of a session.
	Update func(Update)
	// Permission returns the id of the chosen option, or "" if none was chosen. Each call has a goroutine
	// of its own. The context ends when the request needs no choice any more.
	Permission func(ctx context.Context, p Permission) (option string)
}

// Client is the client's end of a connection to an agent. It does not offer files or terminals to the agent.
type Client struct {
	conn *Conn
	h    Handlers

	mu     sync.Mutex
	turns  map[string]*turn // open prompt of each session
	asks   map[jsonrpc.ID]*ask
	places chan struct{} // has one value for each open permission request; its capacity is maxAsks
}

type turn struct{ cancelled bool }

// maxAsks is the maximum number of open permission requests. The client reads nothing after a request beyond it, until
// one of them has ended.
const maxAsks = 64

// Connect returns a client that reads the agent's output from r and writes to the agent's input w. [Client.Close]
// closes w.
func Connect(r io.Reader, w io.WriteCloser, h Handlers) *Client {
	c := &Client{h: h, turns: map[string]*turn{}, asks: map[jsonrpc.ID]*ask{}, places: make(chan struct{}, maxAsks)}
	c.conn = newConn(Peer{Line: h.Line, Request: c.request, Notice: c.notice})
	c.conn.start(r, w)
	return c
}

// Close makes the client close the agent's input once the waiting lines are written.
func (c *Client) Close() { c.conn.Close() }

// Done returns a channel that is closed when the agent's output has ended or cannot be read any further.
func (c *Client) Done() <-chan struct{} { return c.conn.Done() }

// Implementation names a program and its version.
type Implementation struct {
	Name    string `json:"name"`
	Title   string `json:"title,omitempty"`
	Version string `json:"version"`
}

// Agent has an agent's answer to [Client.Initialize].
type Agent struct {
	Info   Implementation // empty if the agent does not say
	Load   bool           // sessions can be continued with their history sent again
	Resume bool           // sessions can be continued without sending their history again
	Fork   bool           // sessions can be copied
	HTTP   bool           // MCP servers can be reached over HTTP
}

// Initialize begins the connection. It returns an error if the agent speaks another version of the protocol.
func (c *Client) Initialize(ctx context.Context, us Implementation) (Agent, error) {
	var answer struct {
		Version      int            `json:"protocolVersion"`
		Info         Implementation `json:"agentInfo"`
		Capabilities struct {
			Load bool `json:"loadSession"`
			MCP  struct {
				HTTP bool `json:"http"`
			} `json:"mcpCapabilities"`
			Session struct {
				Resume *struct{} `json:"resume"`
				Fork   *struct{} `json:"fork"`
			} `json:"sessionCapabilities"`
		} `json:"agentCapabilities"`
	}
	err := c.conn.Call(ctx, "initialize", map[string]any{
		"protocolVersion": ProtocolVersion,
		"clientCapabilities": map[string]any{
			"fs":       map[string]bool{"readTextFile": false, "writeTextFile": false},
			"terminal": false,
		},
		"clientInfo": us,
	}, &answer)
	if err != nil {
		return Agent{}, err
	}
	if answer.Version != ProtocolVersion {
		return Agent{}, fmt.Errorf("the agent speaks version %d of the Agent Client Protocol, and Samepage version %d",
			answer.Version, ProtocolVersion)
	}
	can := answer.Capabilities
	return Agent{Info: answer.Info, Load: can.Load, Resume: can.Session.Resume != nil, Fork: can.Session.Fork != nil,
		HTTP: can.MCP.HTTP}, nil
}

// Authenticate signs the agent in by the method with the given id. [ClassOf] classifies the error.
func (c *Client) Authenticate(ctx context.Context, method string) error {
	return c.conn.Call(ctx, "authenticate", map[string]string{"methodId": method}, nil)
}

// Place is the absolute path of a session's folder, with the MCP servers that the session may use.
type Place struct {
	Dir     string
	Servers []Server
	Meta    map[string]any // settings for the agents of one vendor
}

func (p Place) params(session string) map[string]any {
	m := map[string]any{"cwd": p.Dir, "mcpServers": append([]Server{}, p.Servers...)}
	if session != "" {
		m["sessionId"] = session
	}
	if p.Meta != nil {
		m["_meta"] = p.Meta
	}
	return m
}

// Pair is an HTTP header or an environment variable.
type Pair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Server is an MCP server: either an address with HTTP headers, or a command with arguments and environment variables.
type Server struct {
	Name    string
	URL     string
	Headers []Pair
	Command string
	Args    []string
	Env     []Pair
}

// MarshalJSON encodes the server in the protocol's form for HTTP or for a command.
func (s Server) MarshalJSON() ([]byte, error) {
	if s.URL != "" {
		return json.Marshal(struct {
			Type    string `json:"type"`
			Name    string `json:"name"`
			URL     string `json:"url"`
			Headers []Pair `json:"headers"`
		}{"http", s.Name, s.URL, append([]Pair{}, s.Headers...)})
	}
	return json.Marshal(struct {
		Name    string   `json:"name"`
		Command string   `json:"command"`
		Args    []string `json:"args"`
		Env     []Pair   `json:"env"`
	}{s.Name, s.Command, append([]string{}, s.Args...), append([]Pair{}, s.Env...)})
}

// Mode is a way in which an agent works, such as one that asks before it writes.
type Mode struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
}

// Session is an agent's description of a session that begins or is continued.
type Session struct {
	ID      string
	Mode    string // id of the current mode, or ""
	Modes   []Mode
	Options []Option
}

// NewSession begins a session. [ClassOf] classifies the error.
func (c *Client) NewSession(ctx context.Context, p Place) (Session, error) {
	return c.session(ctx, "session/new", "", p)
}

// ResumeSession continues a session without sending its history again. It requires [Agent.Resume].
func (c *Client) ResumeSession(ctx context.Context, id string, p Place) (Session, error) {
	return c.session(ctx, "session/resume", id, p)
}

// LoadSession continues a session. The agent sends the history again, as updates in which [Update.Idle] is true.
// LoadSession requires [Agent.Load].
func (c *Client) LoadSession(ctx context.Context, id string, p Place) (Session, error) {
	return c.session(ctx, "session/load", id, p)
}

// ForkSession begins a session with a copy of another session's conversation. It requires [Agent.Fork].
func (c *Client) ForkSession(ctx context.Context, id string, p Place) (Session, error) {
	return c.session(ctx, "session/fork", id, p)
}

func (c *Client) session(ctx context.Context, method, id string, p Place) (Session, error) {
	var answer struct {
		ID    string `json:"sessionId"`
		Modes *struct {
			Current string `json:"currentModeId"`
			All     []Mode `json:"availableModes"`
		} `json:"modes"`
		Options []Option `json:"configOptions"`
	}
	if err := c.conn.Call(ctx, method, p.params(id), &answer); err != nil {
		return Session{}, err
	}
	s := Session{ID: cmp.Or(answer.ID, id), Options: answer.Options}
	if s.ID == "" {
		return Session{}, fmt.Errorf("the agent gave its new session no id")
	}
	if answer.Modes != nil {
		s.Mode, s.Modes = answer.Modes.Current, answer.Modes.All
	}
	return s, nil
}

// SetMode sets the mode of a session to the id of one of its modes.
func (c *Client) SetMode(ctx context.Context, session, mode string) error {
	return c.conn.Call(ctx, "session/set_mode", map[string]string{"sessionId": session, "modeId": mode}, nil)
}

// SetOption sets an option of a session, and returns all options with their values afterwards.
func (c *Client) SetOption(ctx context.Context, session, option, value string) ([]Option, error) {
	var answer struct {
		Options []Option `json:"configOptions"`
	}
	err := c.conn.Call(ctx, "session/set_config_option",
		map[string]string{"sessionId": session, "configId": option, "value": value}, &answer)
	return answer.Options, err
}

// Prompt sends a prompt and waits for the end of the turn. It returns an error if the session has an open prompt
// already.
func (c *Client) Prompt(ctx context.Context, session, text string) (Answer, error) {
	t := &turn{}
	c.mu.Lock()
	if c.turns[session] != nil {
		c.mu.Unlock()
		return Answer{}, fmt.Errorf("session %s has an open prompt", session)
	}
	c.turns[session] = t
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.turns, session)
		c.mu.Unlock()
	}()
	var raw json.RawMessage
	err := c.conn.Call(ctx, "session/prompt", map[string]any{
		"sessionId": session, "prompt": []any{map[string]string{"type": "text", "text": text}},
	}, &raw)
	if err != nil {
		return Answer{}, err
	}
	var answer Answer
	if err := json.Unmarshal(raw, &answer); err != nil || answer.Stop == "" {
		return answer, fmt.Errorf("the agent ended the turn without a reason")
	}
	return answer, nil
}

// Cancel asks the agent to end the open prompt of a session, and answers its permission requests as cancelled.
// [Client.Prompt] returns when the agent has ended the turn.
func (c *Client) Cancel(ctx context.Context, session string) error {
	c.mu.Lock()
	if t := c.turns[session]; t != nil {
		t.cancelled = true
	}
	c.mu.Unlock()
	err := c.conn.Notify(ctx, "session/cancel", map[string]string{"sessionId": session})
	c.settle(func(a *ask) bool { return a.session == session }, errCancelled)
	return err
}
