// Package acp speaks version 1 of the Agent Client Protocol: lines of JSON-RPC over the standard input and output of a
// coding agent. It splits the lines itself, so that each line can be logged before it is decoded, and so that the
// connection survives a line that cannot be decoded.
package acp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// MaxLine is the maximum length of a received line, in bytes. A longer line ends the connection.
const MaxLine = 16 << 20

// outgoing is the number of lines that can wait to be written. When that many lines wait, sending blocks.
const outgoing = 16

// codeCancelled is the code of the error that answers a request that its sender has withdrawn.
const codeCancelled = -32800

var (
	// ErrEnded means that the other end closed its output or its input, for example because its process ended.
	ErrEnded = errors.New("the other end closed the connection")
	// ErrClosed means that this end closed the connection.
	ErrClosed = errors.New("this end closed the connection")
	// ErrLong means that a line was longer than [MaxLine].
	ErrLong = fmt.Errorf("a line of the protocol has more than %d bytes", MaxLine)
)

// Peer has the functions that receive the other end's messages. One goroutine calls them, in the order of the lines.
// While a function runs, nothing more is read.
type Peer struct {
	Line    func(line []byte)                             // each line that is not empty, before it is decoded
	Request func(ctx context.Context, r *jsonrpc.Request) // [Conn.Answer] or [Conn.Refuse] must follow
	Notice  func(method string, params json.RawMessage)
}

// Conn is one end of a connection. Its methods may be called from several goroutines.
type Conn struct {
	peer    Peer
	out     chan []byte
	closing chan struct{}
	closed  sync.Once
	read    chan struct{} // closed when nothing more will be read
	written chan struct{} // closed when nothing more will be written

	mu   sync.Mutex
	last float64
	open map[jsonrpc.ID]chan *jsonrpc.Response
	err  error // reason for the end, once read is closed
}

// Open starts to read lines from r and to write lines to w. [Conn.Close] closes w, but not r.
func Open(r io.Reader, w io.WriteCloser, p Peer) *Conn {
	c := newConn(p)
	c.start(r, w)
	return c
}

func newConn(p Peer) *Conn {
	return &Conn{
		peer: p, out: make(chan []byte, outgoing), closing: make(chan struct{}), read: make(chan struct{}),
		written: make(chan struct{}), open: map[jsonrpc.ID]chan *jsonrpc.Response{},
	}
}

func (c *Conn) start(r io.Reader, w io.WriteCloser) {
	go c.write(w)
	go c.receive(r)
}

// Done returns a channel that is closed when nothing more is received. [Conn.Err] then has the reason.
func (c *Conn) Done() <-chan struct{} { return c.read }

// Err returns ErrEnded, ErrClosed, ErrLong or an error of the reader. It returns nil before the end of the connection.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Close begins to end the connection, and returns at once. The lines that wait are still written, and then the writer
// is closed.
func (c *Conn) Close() { c.closed.Do(func() { close(c.closing) }) }

// Written returns a channel that is closed when nothing more is written and the writer is closed.
func (c *Conn) Written() <-chan struct{} { return c.written }

// Call sends a request and waits for its answer, which it decodes into result unless result is nil. The error is a
// *jsonrpc.Error if the other end answered with an error.
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	raw, err := encode(params)
	if err != nil {
		return fmt.Errorf("encode %s: %w", method, err)
	}
	id, answer := c.expect()
	defer c.forget(id)
	if err := c.send(ctx, &jsonrpc.Request{ID: id, Method: method, Params: raw}); err != nil {
		return err
	}
	select {
	case r := <-answer:
		return decodeAnswer(r, method, result)
	case <-ctx.Done():
		return ctx.Err()
	case <-c.read:
	}
	select { // the answer may have come in the last line before the end
	case r := <-answer:
		return decodeAnswer(r, method, result)
	default:
		return c.Err()
	}
}

func decodeAnswer(r *jsonrpc.Response, method string, result any) error {
	switch {
	case r.Error != nil:
		return r.Error
	case result == nil || len(r.Result) == 0:
		return nil
	}
	if err := json.Unmarshal(r.Result, result); err != nil {
		return fmt.Errorf("read the answer to %s: %w", method, err)
	}
	return nil
}

// Notify sends a notification, which has no answer. It returns an error if the connection has ended.
func (c *Conn) Notify(ctx context.Context, method string, params any) error {
	raw, err := encode(params)
	if err != nil {
		return fmt.Errorf("encode %s: %w", method, err)
	}
	return c.send(ctx, &jsonrpc.Request{Method: method, Params: raw})
}

// Answer sends the result of a request. It returns an error if the connection has ended.
func (c *Conn) Answer(ctx context.Context, id jsonrpc.ID, result any) error {
	raw, err := encode(result)
	if err != nil {
		return fmt.Errorf("encode an answer: %w", err)
	}
	return c.send(ctx, &jsonrpc.Response{ID: id, Result: raw})
}

// Refuse answers a request with an error. It returns an error if the connection has ended.
func (c *Conn) Refuse(ctx context.Context, id jsonrpc.ID, code int64, message string) error {
	return c.send(ctx, &jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: code, Message: message}})
}

func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

func (c *Conn) expect() (jsonrpc.ID, <-chan *jsonrpc.Response) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	id, _ := jsonrpc.MakeID(c.last) // cannot fail for a number
	answer := make(chan *jsonrpc.Response, 1)
	c.open[id] = answer
	return id, answer
}

func (c *Conn) forget(id jsonrpc.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, id)
}

func (c *Conn) send(ctx context.Context, m jsonrpc.Message) error {
	line, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	select {
	case <-c.closing:
		return ErrClosed
	case <-c.read:
		return c.Err()
	default:
	}
	select {
	case c.out <- append(line, '\n'):
		return nil
	case <-c.closing:
		return ErrClosed
	case <-c.written:
		return ErrEnded
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *Conn) write(w io.WriteCloser) {
	defer close(c.written)
	defer w.Close()
	for {
		select {
		case line := <-c.out:
			if _, err := w.Write(line); err != nil {
				return
			}
		case <-c.read:
			return
		case <-c.closing:
			for {
				select {
				case line := <-c.out:
					if _, err := w.Write(line); err != nil {
						return
					}
				default:
					return
				}
			}
		}
	}
}

func (c *Conn) receive(r io.Reader) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	lines := bufio.NewReaderSize(r, 64<<10)
	for {
		line, err := readLine(lines)
		if line = bytes.TrimSpace(line); len(line) > 0 && err != ErrLong {
			c.take(ctx, line)
		}
		if err != nil {
			c.end(err)
			return
		}
	}
}

func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > MaxLine {
			return nil, ErrLong
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

func (c *Conn) take(ctx context.Context, line []byte) {
	if c.peer.Line != nil {
		c.peer.Line(line)
	}
	m, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		return // some agents print other text between their frames
	}
	switch m := m.(type) {
	case *jsonrpc.Response:
		c.mu.Lock()
		answer, ok := c.open[m.ID]
		delete(c.open, m.ID)
		c.mu.Unlock()
		if ok {
			answer <- m
		}
	case *jsonrpc.Request:
		switch {
		case !m.IsCall() && c.peer.Notice != nil:
			c.peer.Notice(m.Method, m.Params)
		case m.IsCall() && c.peer.Request != nil:
			c.peer.Request(ctx, m)
		case m.IsCall():
			_ = c.Refuse(ctx, m.ID, jsonrpc.CodeMethodNotFound, m.Method+" is not offered")
		}
	}
}

func (c *Conn) end(err error) {
	select {
	case <-c.closing:
		err = ErrClosed
	default:
		if errors.Is(err, io.EOF) {
			err = ErrEnded
		}
	}
	c.mu.Lock()
	c.err = err
	c.mu.Unlock()
	close(c.read)
}
