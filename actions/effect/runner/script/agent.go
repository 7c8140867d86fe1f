package script

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"samepage/actions/effect/runner/acp"
)

// Options has the input, the output and the settings of an agent.
type Options struct {
	In      io.Reader
	Out     io.WriteCloser
	Log     io.Writer // standard error
	Home    string    // folder in which the agent stores its sessions
	Version string
	Crash   func() // ends the process at once
}

// Run runs the agent for one client until the input ends or the context is done.
func Run(ctx context.Context, s Script, o Options) error {
	a := &agent{script: s, o: o, sessions: map[string]*session{}}
	a.ctx, a.stop = context.WithCancel(ctx)
	defer a.stop()
	a.ready = make(chan struct{})
	a.conn = acp.Open(o.In, o.Out, acp.Peer{Request: a.request, Notice: a.notice})
	close(a.ready)
	select {
	case <-a.conn.Done():
	case <-ctx.Done():
	}
	a.stop()
	a.conn.Close()
	a.turns.Wait()
	if err := a.conn.Err(); err != nil && !errors.Is(err, acp.ErrEnded) && !errors.Is(err, acp.ErrClosed) {
		return err
	}
	return nil
}

type agent struct {
	script Script
	o      Options
	conn   *acp.Conn
	ready  chan struct{}
	ctx    context.Context
	stop   context.CancelFunc
	turns  sync.WaitGroup

	mu       sync.Mutex
	sessions map[string]*session
}

const (
	codeNotFound = -32002
)

// failure is an error that answers a request with a certain code.
type failure struct {
	code    int64
	message string
}

func (f failure) Error() string { return f.message }

func (a *agent) request(ctx context.Context, r *jsonrpc.Request) {
	<-a.ready
	if r.Method == "session/prompt" {
		a.prompt(r)
		return
	}
	result, err := a.handle(r)
	a.reply(r.ID, result, err)
}

func (a *agent) reply(id jsonrpc.ID, result any, err error) {
	ctx := context.WithoutCancel(a.ctx)
	if err == nil {
		_ = a.conn.Answer(ctx, id, result)
		return
	}
	f := failure{jsonrpc.CodeInternalError, err.Error()}
	errors.As(err, &f)
	_ = a.conn.Refuse(ctx, id, f.code, f.message)
}

// params has the fields of all requests that this agent accepts.
type params struct {
	Session string `json:"sessionId"`
	Dir     string `json:"cwd"`
	Servers []struct {
		Type    string     `json:"type"`
		Name    string     `json:"name"`
		URL     string     `json:"url"`
		Headers []acp.Pair `json:"headers"`
		Command string     `json:"command"`
		Args    []string   `json:"args"`
		Env     []acp.Pair `json:"env"`
	} `json:"mcpServers"`
	Mode   string `json:"modeId"`
	Config string `json:"configId"`
	Value  string `json:"value"`
	Prompt []struct {
		Text string `json:"text"`
	} `json:"prompt"`
}

func (a *agent) handle(r *jsonrpc.Request) (any, error) {
	var p params
	if r.Method != "initialize" {
		if err := json.Unmarshal(r.Params, &p); err != nil {
			return nil, failure{jsonrpc.CodeInvalidParams, err.Error()}
		}
	}
	switch r.Method {
	case "initialize":
		return a.introduction(), nil
	case "authenticate":
		return map[string]any{}, nil
	case "session/new":
		s, err := a.begin(p)
		if err != nil {
			return nil, err
		}
		return s.settings(true), nil
	case "session/resume", "session/load":
		s, err := a.goOn(p)
		if err != nil {
			return nil, err
		}
		if r.Method == "session/load" {
			s.repeat()
		}
		return s.settings(false), nil
	case "session/fork":
		s, err := a.fork(p)
		if err != nil {
			return nil, err
		}
		return s.settings(true), nil
	case "session/set_mode", "session/set_config_option":
		s, err := a.find(p.Session)
		if err != nil {
			return nil, err
		}
		return s.set(r.Method, p)
	}
	return nil, failure{jsonrpc.CodeMethodNotFound, r.Method + " is not offered"}
}

func (a *agent) introduction() any {
	return map[string]any{
		"protocolVersion": acp.ProtocolVersion,
		"agentInfo":       acp.Implementation{Name: "samepage-script", Title: "Script", Version: a.o.Version},
		"authMethods":     []any{},
		"agentCapabilities": map[string]any{
			"loadSession":         true,
			"mcpCapabilities":     map[string]bool{"http": true},
			"sessionCapabilities": map[string]any{"resume": map[string]any{}, "fork": map[string]any{}},
		},
	}
}

func (a *agent) find(id string) (*session, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s := a.sessions[id]; s != nil {
		return s, nil
	}
	return nil, failure{codeNotFound, fmt.Sprintf("there is no open session %q", id)}
}

func (a *agent) prompt(r *jsonrpc.Request) {
	var p params
	if err := json.Unmarshal(r.Params, &p); err != nil {
		a.reply(r.ID, nil, failure{jsonrpc.CodeInvalidParams, err.Error()})
		return
	}
	s, err := a.find(p.Session)
	if err != nil {
		a.reply(r.ID, nil, err)
		return
	}
	text := ""
	for _, block := range p.Prompt {
		text += block.Text
	}
	ctx, end, err := s.open(a.ctx)
	if err != nil {
		a.reply(r.ID, nil, failure{jsonrpc.CodeInvalidRequest, err.Error()})
		return
	}
	a.turns.Go(func() {
		result, err := s.play(ctx, text)
		cancelled := ctx.Err() != nil
		end()
		if cancelled {
			result, err = map[string]any{"stopReason": "cancelled"}, nil
		}
		a.reply(r.ID, result, err)
	})
}

func (a *agent) notice(method string, raw json.RawMessage) {
	<-a.ready
	var p params
	if method != "session/cancel" || json.Unmarshal(raw, &p) != nil {
		return
	}
	if s, err := a.find(p.Session); err == nil {
		s.cancel()
	}
}
