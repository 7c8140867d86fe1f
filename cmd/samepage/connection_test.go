package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// countedListener counts the writes of its connections.
type countedListener struct {
	net.Listener
	writes *atomic.Int64
}

type countedConn struct {
	*net.TCPConn
	writes *atomic.Int64
}

func (l countedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return countedConn{c.(*net.TCPConn), l.writes}, nil
}

func (c countedConn) Write(p []byte) (int, error) {
	c.writes.Add(1)
	return c.TCPConn.Write(p)
}

// wholeServer serves a handler with writeWhole, as the program does.
func wholeServer(t *testing.T, h http.HandlerFunc) (addr string, writes *atomic.Int64) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	writes = new(atomic.Int64)
	server := &http.Server{Handler: h, WriteTimeout: 2 * time.Minute}
	done := make(chan struct{})
	go func() {
		defer close(done)
		server.Serve(writeWhole(server, countedListener{l, writes}))
	}()
	t.Cleanup(func() {
		server.Close()
		<-done
	})
	return l.Addr().String(), writes
}

// talk opens one connection with a deadline of two minutes.
func talk(t *testing.T, addr string) (net.Conn, *bufio.Reader) {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(2 * time.Minute))
	return c, bufio.NewReader(c)
}

// pattern returns n bytes in which missing or reordered parts are visible.
func pattern(n int) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "%d ", i)
	}
	return b.Bytes()[:n]
}

func answered(t *testing.T, in *bufio.Reader, method string) (*http.Response, []byte) {
	t.Helper()
	res, err := http.ReadResponse(in, &http.Request{Method: method})
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, body
}

func TestWriteWhole(t *testing.T) {
	page := pattern(9000)
	sized := func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Length", fmt.Sprint(len(page)))
		w.Write(page)
	}
	chunked := func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		for half := range 2 {
			w.Write(page[half*4500 : (half+1)*4500])
		}
	}
	const get, post, head = "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "POST / HTTP/1.1\r\nHost: x\r\n" +
		"Content-Length: 4\r\n\r\nbody", "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n"
	for _, c := range []struct {
		name, request string
		h             http.HandlerFunc
		answers       int
	}{
		{"a page", get, sized, 1},
		{"a page in chunks", get, chunked, 1},
		{"the answer to a body", post, chunked, 1},
		{"no body", head, sized, 1},
		{"nothing", get, func(http.ResponseWriter, *http.Request) {}, 1},
		{"one after another", get + post + get, sized, 3},
		{"the last one", strings.Replace(get, "Host: x", "Host: x\r\nConnection: close", 1), chunked, 1},
		{"an old client", "GET / HTTP/1.0\r\n\r\n", chunked, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			addr, writes := wholeServer(t, c.h)
			conn, in := talk(t, addr)
			for again := range 2 {
				if _, err := io.WriteString(conn, c.request); err != nil {
					t.Fatal(err)
				}
				closed := false
				for range c.answers {
					res, body := answered(t, in, c.request[:strings.Index(c.request, " ")])
					if want := c.name != "no body" && c.name != "nothing"; want &&
						!bytes.Equal(body, page) || !want && len(body) > 0 {
						t.Fatalf("%d bytes: %.40q", len(body), body)
					}
					closed = res.Close
				}
				if got := writes.Load(); got != int64((again+1)*c.answers) {
					t.Errorf("%d answers in %d writes", (again+1)*c.answers, got)
				}
				if closed {
					if _, err := in.ReadByte(); err != io.EOF {
						t.Errorf("the connection was left open: %v", err)
					}
					return
				}
			}
		})
	}
}

// TestWriteWholeLetsGo checks that an answer too large to be held back is sent before its handler has returned.
func TestWriteWholeLetsGo(t *testing.T) {
	large := pattern(1 << 20)
	addr, writes := wholeServer(t, func(w http.ResponseWriter, _ *http.Request) {
		for rest := large; len(rest) > 0; {
			n := min(len(rest), 3000)
			w.Write(rest[:n])
			rest = rest[n:]
		}
	})
	conn, in := talk(t, addr)
	for range 2 {
		io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		if _, body := answered(t, in, "GET"); !bytes.Equal(body, large) {
			t.Fatalf("%d bytes arrived of %d, or in another order", len(body), len(large))
		}
	}
	if writes.Load() < 4 {
		t.Errorf("2 MiB in %d writes", writes.Load())
	}
}

// TestWriteWholeFlush checks that the answer of a handler that flushes arrives while the handler is running.
func TestWriteWholeFlush(t *testing.T) {
	read := make(chan struct{})
	addr, _ := wholeServer(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "first\n")
		if r.Method == "GET" {
			w.(http.Flusher).Flush()
		} else if err := http.NewResponseController(w).Flush(); err != nil {
			t.Error(err)
		}
		select {
		case <-read:
		case <-r.Context().Done():
			t.Error("nothing was read before the end")
		}
		io.WriteString(w, "second\n")
	})
	for _, method := range []string{"GET", "POST"} {
		conn, in := talk(t, addr)
		fmt.Fprintf(conn, "%s / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", method)
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		body := bufio.NewReader(res.Body)
		if line, err := body.ReadString('\n'); line != "first\n" {
			t.Fatalf("%q, %v", line, err)
		}
		read <- struct{}{}
		if rest, err := io.ReadAll(body); string(rest) != "second\n" {
			t.Errorf("%q, %v", rest, err)
		}
	}
}

// TestWriteWholeContinue checks that a client waiting for 100 Continue gets it before anything is held back.
func TestWriteWholeContinue(t *testing.T) {
	addr, _ := wholeServer(t, func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) })
	conn, in := talk(t, addr)
	io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n")
	if res, err := http.ReadResponse(in, nil); err != nil || res.StatusCode != http.StatusContinue {
		t.Fatalf("%+v, %v", res, err)
	}
	io.WriteString(conn, "body")
	if _, body := answered(t, in, "POST"); string(body) != "body" {
		t.Errorf("%q", body)
	}
}

// TestWriteWholeAbort checks that a handler that aborts ends the connection, so that the client does not take the
// partial answer for the whole one.
func TestWriteWholeAbort(t *testing.T) {
	for _, wrote := range []int{0, 9000, 200_000} {
		addr, _ := wholeServer(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Write(pattern(wrote))
			panic(http.ErrAbortHandler)
		})
		conn, in := talk(t, addr)
		io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		res, err := http.ReadResponse(in, nil)
		if err == nil {
			_, err = io.ReadAll(res.Body)
		}
		if !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
			t.Errorf("%d bytes and a panic: %v", wrote, err)
		}
	}
}

// TestWriteWholeHijack checks that writes to a hijacked connection are sent at once.
func TestWriteWholeHijack(t *testing.T) {
	addr, _ := wholeServer(t, func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		io.WriteString(conn, "ping\n")
		if line, err := bufio.NewReader(conn).ReadString('\n'); line != "pong\n" {
			t.Errorf("%q, %v", line, err)
		}
	})
	conn, in := talk(t, addr)
	io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	if line, err := in.ReadString('\n'); line != "ping\n" {
		t.Fatalf("%q, %v", line, err)
	}
	io.WriteString(conn, "pong\n")
	if _, err := in.ReadByte(); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
}

// TestWriteWholeRefusal checks that a refusal arrives even if the server never reads the rest of the request.
func TestWriteWholeRefusal(t *testing.T) {
	addr, _ := wholeServer(t, func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "Too large.", http.StatusRequestEntityTooLarge)
	})
	conn, in := talk(t, addr)
	fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", 64<<20)
	go conn.Write(make([]byte, 1<<20))
	if res, body := answered(t, in, "POST"); res.StatusCode != http.StatusRequestEntityTooLarge ||
		string(body) != "Too large.\n" {
		t.Errorf("%d %q", res.StatusCode, body)
	}
}
