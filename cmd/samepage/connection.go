package main

import (
	"context"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// keptOpen is the largest number of connections that stay open between requests. Each takes about 20 KB of memory.
const keptOpen = 4096

// keepOpen limits the number of connections that stay open between requests. Beyond the limit, the server closes each
// connection after its answer.
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

// mostHeld is the largest answer that is held back, in bytes.
const mostHeld = 64 << 10

// writeWhole makes the server write each answer of up to mostHeld bytes in one piece, so that the client is woken only
// once. The package net/http would split an answer at 4 KiB and before the last chunk. An answer to a request with an
// Expect header is not held back, because the client waits for 100 Continue. The server must serve the returned
// listener.
func writeWhole(server *http.Server, l net.Listener) net.Listener {
	type key struct{}
	server.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		return context.WithValue(ctx, key{}, c)
	}
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
				c.release() // after a panic net/http ends the connection, and sends what was written
			}
		}()
		next.ServeHTTP(&wholeWriter{w, c}, r)
		ended = true
		c.end(w)
	})
	return wholeListener{l}
}

type wholeWriter struct {
	http.ResponseWriter
	conn *wholeConn
}

func (w *wholeWriter) Flush() {
	w.conn.release()
	http.NewResponseController(w.ResponseWriter).Flush()
}

// Unwrap returns the wrapped writer, which [http.ResponseController] needs.
func (w *wholeWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

type wholeListener struct{ net.Listener }

func (l wholeListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &wholeConn{Conn: c}, nil
}

// wholeConn is a connection that can hold back written data until it is released. One goroutine at a time may write.
// Closing the connection loses the held data.
type wholeConn struct {
	net.Conn
	hold bool
	last bool    // the next write ends the answer
	held *[]byte // nil while nothing is held, so that an idle connection has no buffer
}

var holders = sync.Pool{New: func() any { return new(make([]byte, 0, 16<<10)) }}

// end sends the answer after its handler has returned. If the answer has no Content-Length, net/http still writes a
// last chunk, and that write sends the held data. Otherwise end sends the held data itself, because net/http would do
// it only after waiting for another goroutine.
func (c *wholeConn) end(w http.ResponseWriter) {
	if c.held == nil || w.Header()["Content-Length"] == nil {
		c.last = true
		return
	}
	http.NewResponseController(w).Flush()
	c.release()
}

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

// SetWriteDeadline writes the held data under the previous deadline, and then sets the new one. After each answer,
// net/http calls it to remove the deadline.
func (c *wholeConn) SetWriteDeadline(t time.Time) error {
	if err := c.release(); err != nil {
		return err
	}
	return c.Conn.SetWriteDeadline(t)
}

// SetDeadline writes the held data and sets the deadline. It is called by net/http before a connection is hijacked.
func (c *wholeConn) SetDeadline(t time.Time) error {
	if err := c.release(); err != nil {
		return err
	}
	return c.Conn.SetDeadline(t)
}

// CloseWrite closes the sending direction only. It is called by net/http after a refused request, so that the client
// can still receive the refusal.
func (c *wholeConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
