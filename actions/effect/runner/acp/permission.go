package acp

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Choice is an answer that an agent offers to its own request. Kind is allow_once, allow_always, reject_once or
// reject_always.
type Choice struct {
	ID   string `json:"optionId"`
	Name string `json:"name"`
	Kind string `json:"kind"`
}

// Permission is an agent's request for permission, such as to run a command.
type Permission struct {
	Session string
	Tool    Tool
	Choices []Choice
}

var (
	errCancelled = errors.New("the turn was cancelled")
	errWithdrawn = errors.New("the agent withdrew its request")
)

type ask struct {
	session string
	end     context.CancelCauseFunc
}

func (c *Client) request(ctx context.Context, r *jsonrpc.Request) {
	if r.Method != "session/request_permission" || c.h.Permission == nil {
		_ = c.conn.Refuse(ctx, r.ID, jsonrpc.CodeMethodNotFound, r.Method+" is not offered")
		return
	}
	p, err := readPermission(r.Params)
	if err != nil {
		_ = c.conn.Refuse(ctx, r.ID, jsonrpc.CodeInvalidParams, err.Error())
		return
	}
	select {
	case c.places <- struct{}{}:
	case <-c.conn.closing:
		return
	}
	ctx, end := context.WithCancelCause(ctx)
	c.mu.Lock()
	if c.asks[r.ID] != nil {
		c.mu.Unlock()
		end(nil)
		<-c.places
		_ = c.conn.Refuse(context.WithoutCancel(ctx), r.ID, jsonrpc.CodeInvalidRequest, "a request with this id is open")
		return
	}
	c.asks[r.ID] = &ask{session: p.Session, end: end}
	if t := c.turns[p.Session]; t != nil && t.cancelled {
		end(errCancelled)
	}
	c.mu.Unlock()
	go c.ask(ctx, r.ID, p)
}

func readPermission(params json.RawMessage) (Permission, error) {
	var got struct {
		Session string          `json:"sessionId"`
		Tool    json.RawMessage `json:"toolCall"`
		Choices []Choice        `json:"options"`
	}
	if err := json.Unmarshal(params, &got); err != nil {
		return Permission{}, err
	}
	p := Permission{Session: got.Session, Choices: got.Choices}
	switch err := p.Tool.decode(got.Tool); {
	case err != nil:
		return p, err
	case p.Session == "" || len(p.Choices) == 0:
		return p, errors.New("a permission request needs a sessionId and options")
	}
	return p, nil
}

func (c *Client) ask(ctx context.Context, id jsonrpc.ID, p Permission) {
	defer func() { <-c.places }()
	chosen := make(chan string, 1)
	if ctx.Err() == nil {
		go func() { chosen <- c.h.Permission(ctx, p) }()
	}
	option := ""
	select {
	case option = <-chosen:
	case <-ctx.Done():
	}
	c.mu.Lock() // a choice is ignored if the request has ended before this point
	cause := context.Cause(ctx)
	c.asks[id].end(nil)
	delete(c.asks, id)
	c.mu.Unlock()
	background := context.WithoutCancel(ctx)
	switch {
	case errors.Is(cause, errWithdrawn):
		_ = c.conn.Refuse(background, id, codeCancelled, cause.Error())
	case cause == nil && slices.ContainsFunc(p.Choices, func(o Choice) bool { return o.ID == option }):
		_ = c.conn.Answer(background, id, outcome("selected", option))
	default:
		_ = c.conn.Answer(background, id, outcome("cancelled", ""))
	}
}

func outcome(kind, option string) any {
	m := map[string]string{"outcome": kind}
	if option != "" {
		m["optionId"] = option
	}
	return map[string]any{"outcome": m}
}

// settle ends, with the given cause, each open permission request for which match returns true.
func (c *Client) settle(match func(*ask) bool, cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, a := range c.asks {
		if match(a) {
			a.end(cause)
		}
	}
}

func (c *Client) withdraw(params json.RawMessage) {
	var got struct {
		ID any `json:"requestId"`
	}
	if json.Unmarshal(params, &got) != nil {
		return
	}
	id, err := jsonrpc.MakeID(got.ID)
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if a := c.asks[id]; a != nil {
		a.end(errWithdrawn)
	}
}
