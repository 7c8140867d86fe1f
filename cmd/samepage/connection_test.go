package main

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestKeepOpen(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "page") }))
	keepOpen(s.Config, 2)
	// A test server keeps an account of its own in ConnState, and calls ours.
	s.Start()
	defer s.Close()
	for i, want := range []bool{false, false, true} {
		conn, err := net.Dial("tcp", s.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		r, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		if body, err := io.ReadAll(r.Body); string(body) != "page" || err != nil {
			t.Errorf("connection %d: %q, %v", i, body, err)
		}
		if r.Close != want {
			t.Errorf("connection %d: closed %v, want %v", i, r.Close, want)
		}
	}
}
