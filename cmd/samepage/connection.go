package main

import (
	"context"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// keptOpen is how many connections wait for another request. An idle one takes about 20 KB.
const keptOpen = 4096

// keepOpen bounds how many connections stay open between requests: while there are more, each is closed with its answer, and
// whoever asks again connects again.
func keepOpen(server *http.Server, most int64) {
	var open atomic.Int64
	server.ConnState = func(_ net.Conn, s http.ConnState) {
		switch s {
		case http.StateNew:
			open.Add(1)
		case http.StateClosed, http.StateHijacked:
			open.Add(-1)
		}
	}
	next := server.Handler
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if open.Load() > most {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// mostHeld is how much of an answer is held back to be written at once, in bytes.
const mostHeld = 64 << 10

// writeWhole lets an answer go out in one piece, so that its reader is woken once: net/http cuts at 4 KiB, and before the last
// chunk. A handler that flushes is not held back any more, nor is one whose request waits to be told to go on.
func writeWhole(server *http.Server, l net.Listener) net.Listener {
	type key struct{}
	server.ConnContext = func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, key{}, c) }
	next := server.Handler
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, ok := r.Context().Value(key{}).(*wholeConn)
		if !ok || r.Header["Expect"] != nil {
			next.ServeHTTP(w, r)
			return
		}
		c.hold = true
		ended := false
		defer func() {
			if !ended {
				c.release() // a panic ends the connection, and net/http sends what there is
			}
		}()
		next.ServeHTTP(&wholeWriter{w, c}, r)
		ended = true
		c.end(w)
	})
	return wholeListener{l}
}

// wholeWriter ends the holding back where a handler wants to be read at once.
type wholeWriter struct {
	http.ResponseWriter
	conn *wholeConn
}

// Flush implements http.Flusher.
func (w *wholeWriter) Flush() {
	w.conn.release()
	http.NewResponseController(w.ResponseWriter).Flush()
}

// Unwrap lets http.ResponseController reach the rest.
func (w *wholeWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

type wholeListener struct{ net.Listener }

func (l wholeListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &wholeConn{Conn: c}, nil
}

// wholeConn can hold back what is written until it is released. Only the goroutine that serves its requests writes, or one at a
// time in its place; others may close it, which loses what is held as it loses what net/http itself has buffered.
type wholeConn struct {
	net.Conn
	hold bool
	last bool    // what is written next is the end of the answer
	held *[]byte // nil while nothing is held: a connection that waits for a request keeps no buffer
}

var holders = sync.Pool{New: func() any { return new(make([]byte, 0, 16<<10)) }}

// end lets the answer go when its handler has ended. An answer without a length ends with a last chunk, which is to come. It is
// not left to SetWriteDeadline, because net/http first waits for another goroutine of its own.
func (c *wholeConn) end(w http.ResponseWriter) {
	if c.held == nil || w.Header()["Content-Length"] == nil {
		c.last = true
		return
	}
	http.NewResponseController(w).Flush()
	c.release()
}

// Write implements net.Conn.
func (c *wholeConn) Write(p []byte) (int, error) {
	if c.hold && c.held == nil && !c.last {
		c.held = holders.Get().(*[]byte)
	}
	if c.held == nil || len(*c.held)+len(p) > mostHeld {
		if err := c.release(); err != nil {
			return 0, err
		}
		return c.Conn.Write(p)
	}
	*c.held = append(*c.held, p...)
	if c.last {
		return len(p), c.release()
	}
	return len(p), nil
}

// release writes what is held, and holds nothing more.
func (c *wholeConn) release() error {
	held := c.held
	c.hold, c.last, c.held = false, false, nil
	if held == nil {
		return nil
	}
	_, err := c.Conn.Write(*held)
	*held = (*held)[:0]
	holders.Put(held)
	return err
}

// SetWriteDeadline implements net.Conn. What is held was written under the deadline before, which net/http takes away after
// each answer.
func (c *wholeConn) SetWriteDeadline(t time.Time) error {
	if err := c.release(); err != nil {
		return err
	}
	return c.Conn.SetWriteDeadline(t)
}

// SetDeadline implements net.Conn. A connection that is taken over gets another deadline first.
func (c *wholeConn) SetDeadline(t time.Time) error {
	if err := c.release(); err != nil {
		return err
	}
	return c.Conn.SetDeadline(t)
}

// CloseWrite lets net/http linger where it refuses the rest of a request, lest the refusal itself be lost.
func (c *wholeConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
