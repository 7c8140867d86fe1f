package mcp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Stdio serves MCP over a pair of streams, one message on each line, until the input ends or ctx is done. The site is a
// handler in this process, or a [Bridge] to another server. Every request to the site carries the token, if it is not
// empty. At the end of the input, Stdio answers the calls that it has read and returns nil. When ctx is done, it
// returns the error of ctx.
func Stdio(ctx context.Context, in io.Reader, out io.Writer, token string, site http.Handler, o Options) error {
	w := newWalker(ctx, site, o)
	r, err := http.NewRequest(http.MethodPost, w.Origin+"/mcp", nil)
	if err != nil {
		return err
	}
	r.RemoteAddr = "127.0.0.1:0" // the caller is on this machine
	r.Header.Set("User-Agent", strings.TrimSuffix("samepage-mcp/"+o.Version, "/"))
	if token = strings.TrimSpace(token); token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	ctx = context.WithValue(ctx, callerKey{}, caller{principal: "stdio", request: r})
	to := &writer{out: out}
	// The transport has no limit for the length of a message, because newLines limits it.
	err = newServer(w).Run(ctx, draining{&sdk.IOTransport{Reader: newLines(in, to), Writer: to, MaxLineLength: -1}})
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// draining is a transport whose input ends only after every call has been answered. The SDK cancels running calls when
// the input ends, so a script that pipes its calls into the process would get no answers.
type draining struct{ sdk.Transport }

func (t draining) Connect(ctx context.Context) (sdk.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &drainingConn{
		Connection: c,
		open:       map[any]bool{},
		idle:       make(chan struct{}, 1),
		closed:     make(chan struct{}),
	}, nil
}

type drainingConn struct {
	sdk.Connection
	mu     sync.Mutex
	open   map[any]bool  // IDs of unanswered calls
	idle   chan struct{} // receives a value after each answer
	closed chan struct{}
	once   sync.Once
}

// Read records calls. At the end of the input, it waits for all answers.
func (c *drainingConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if err != nil {
		c.drain(ctx)
	}
	if call, ok := m.(*jsonrpc.Request); ok && call.IsCall() {
		c.mu.Lock()
		c.open[call.ID.Raw()] = true
		c.mu.Unlock()
	}
	return m, err
}

func (c *drainingConn) Write(ctx context.Context, m jsonrpc.Message) error {
	err := c.Connection.Write(ctx, m)
	if res, ok := m.(*jsonrpc.Response); ok {
		c.mu.Lock()
		delete(c.open, res.ID.Raw())
		c.mu.Unlock()
		select {
		case c.idle <- struct{}{}:
		default:
		}
	}
	return err
}

func (c *drainingConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Connection.Close()
}

func (c *drainingConn) drain(ctx context.Context) {
	for {
		c.mu.Lock()
		n := len(c.open)
		c.mu.Unlock()
		if n == 0 {
			return
		}
		select {
		case <-c.idle:
		case <-c.closed:
			return
		case <-ctx.Done():
			return
		}
	}
}
