package main

import (
	"context"
	"net"
	"net/http"
	"sync/atomic"
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

// writeWhole lets a page go out in one piece, so that its reader is woken once: net/http cuts at 4 KiB. Only answers to
// requests without a body are held, for a body may have to be invited.
func writeWhole(server *http.Server, l net.Listener) net.Listener {
	type key struct{}
	server.ConnContext = func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, key{}, c) }
	next := server.Handler
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, ok := r.Context().Value(key{}).(*wholeConn)
		if !ok || r.Body != http.NoBody {
			next.ServeHTTP(w, r)
			return
		}
		c.hold = true
		defer c.release()
		next.ServeHTTP(w, r)
		if len(c.held) > 0 {
			http.NewResponseController(w).Flush()
		}
	})
	return wholeListener{l}
}

type wholeListener struct{ net.Listener }

func (l wholeListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &wholeConn{Conn: c}, nil
}

// wholeConn can hold back what is written until it is released. Only the goroutine that serves a request writes.
type wholeConn struct {
	net.Conn
	hold bool
	held []byte
}

func (c *wholeConn) Write(p []byte) (int, error) {
	if c.hold && len(c.held)+len(p) <= mostHeld {
		c.held = append(c.held, p...)
		return len(p), nil
	}
	if err := c.release(); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

// release writes what is held, and holds nothing more.
func (c *wholeConn) release() error {
	held := c.held
	c.hold, c.held = false, nil
	if len(held) == 0 {
		return nil
	}
	_, err := c.Conn.Write(held)
	return err
}
