package main

import (
	"context"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// keptOpen is the number of connections that may wait for another request. An idle one takes
// about 20 KB.
const keptOpen = 4096

// keepOpen bounds the number of connections that stay open between requests. Beyond it, each
// connection is closed after its answer, and the client connects again for its next request.
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

// mostHeld is the size of the part of an answer that is held back to be written at once, in
// bytes.
const mostHeld = 64 << 10

// writeWhole sends an answer in one piece, so that its reader wakes once: net/http would split it
// at 4 KiB, and before the last chunk. An answer is no longer held back after its handler has
// flushed, or if its request waits for 100 Continue.
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
				c.release() // a panic ends the connection, and net/http sends the written part
			}
		}()
		next.ServeHTTP(&wholeWriter{w, c}, r)
		ended = true
		c.end(w)
	})
	return wholeListener{l}
}

// wholeWriter ends the holding back when a handler flushes.
type wholeWriter struct {
	http.ResponseWriter
	conn *wholeConn
}

// Flush implements http.Flusher.
func (w *wholeWriter) Flush() {
	w.conn.release()
	http.NewResponseController(w.ResponseWriter).Flush()
}

// Unwrap lets http.ResponseController reach the other methods.
func (w *wholeWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

type wholeListener struct{ net.Listener }

func (l wholeListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &wholeConn{Conn: c}, nil
}

// wholeConn can hold back written data until it is released. Only the goroutine that serves its
// requests writes, or one at a time in its place. Others may close it, which loses the held data
// as it loses the buffered data of net/http.
type wholeConn struct {
	net.Conn
	hold bool
	last bool    // the next write is the end of the answer
	held *[]byte // nil while nothing is held: a connection that waits for a request keeps no buffer
}

var holders = sync.Pool{New: func() any { return new(make([]byte, 0, 16<<10)) }}

// end releases the answer after its handler has ended. An answer without a length ends with a
// last chunk, which is still to come. This is not left to SetWriteDeadline, because net/http
// first waits for another of its goroutines.
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

// release writes the held data, and ends the holding back.
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

// SetWriteDeadline implements net.Conn. The held data is written under the earlier deadline,
// which net/http removes after each answer.
func (c *wholeConn) SetWriteDeadline(t time.Time) error {
	if err := c.release(); err != nil {
		return err
	}
	return c.Conn.SetWriteDeadline(t)
}

// SetDeadline implements net.Conn. A hijacked connection gets another deadline first.
func (c *wholeConn) SetDeadline(t time.Time) error {
	if err := c.release(); err != nil {
		return err
	}
	return c.Conn.SetDeadline(t)
}

// CloseWrite lets net/http linger after it refuses the rest of a request, so that the refusal
// itself is not lost.
func (c *wholeConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
