package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// piped returns a client that is connected with Stdio by a pair of pipes.
func piped(t *testing.T, site http.Handler, token, version string, o Options) *sdk.ClientSession {
	t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- Stdio(context.Background(), fromClient, toClient, token, site, o) }()
	t.Cleanup(func() { // runs after the session's own Close
		toServer.Close()
		if err := <-done; err != nil {
			t.Errorf("Stdio ended with %v", err)
		}
	})
	return joined(t, &sdk.IOTransport{Reader: fromServer, Writer: toServer}, version)
}

func TestStdio(t *testing.T) {
	for _, version := range []string{legacy, modern} {
		t.Run(version, func(t *testing.T) {
			s := piped(t, newStub(), alice, version,
				Options{Origin: "https://samepage.test", Log: slog.New(slog.DiscardHandler)})
			for url, want := range map[string]string{
				"/d/1":                      "/d/1",
				"https://samepage.test/d/1": "/d/1",
				"HTTPS://SAMEPAGE.test":     "/",
				"https://samepage.test?x=1": "/?x=1",
			} {
				if got, isError := call(t, s, "navigate", args{"url": url}); isError || got != markdown(want) {
					t.Errorf("%s: %s", url, got)
				}
			}
			for _, url := range []string{"https://samepage.test.evil.example/",
				"https://samepage.test:8443/", "http://samepage.test/d/1",
				"https://samepage.test//x"} {
				if got, isError := call(t, s, "navigate", args{"url": url}); !isError {
					t.Errorf("%s: %s", url, got)
				}
			}
			if got, isError := call(t, s, "execute_action", args{"url": "/d/1", "action": "cast_vote"}); isError ||
				!strings.HasPrefix(got, "cast_vote on /d/1: ") {
				t.Errorf("execute_action: %s", got)
			}
			if got, isError := call(t, s, "navigate", args{"url": "/boom"}); !isError {
				t.Errorf("a panic: %s", got)
			}
		})
	}
}

// TestStdioAnswersWhatWasPipedIn checks that a script which pipes its calls in gets all answers. Each line of the
// output is a message of JSON-RPC.
func TestStdioAnswersWhatWasPipedIn(t *testing.T) {
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
		`"clientInfo":{"name":"sh","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"navigate","arguments":{"url":"/d/1"}}}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"execute_action","arguments":{"url":"/d/1","action":"cast_vote"}}}
`)
	var out bytes.Buffer
	if err := Stdio(context.Background(), in, &out, alice, newStub(), Options{}); err != nil {
		t.Fatal(err)
	}
	answered := map[float64]bool{}
	for lines := bufio.NewScanner(&out); lines.Scan(); {
		var m map[string]any
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil || m["jsonrpc"] != "2.0" || m["result"] == nil {
			t.Errorf("%v: %s", err, lines.Text())
			continue
		}
		answered[m["id"].(float64)] = true
	}
	if len(answered) != 3 {
		t.Errorf("answered %v", answered)
	}
}

func TestStdioEndsWhenCancelled(t *testing.T) {
	in, client := io.Pipe()
	defer client.Close()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	site := newStub()
	go func() { done <- Stdio(ctx, in, io.Discard, alice, site, Options{Log: slog.New(slog.DiscardHandler)}) }()
	io.WriteString(client,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},`+
			`"clientInfo":{"name":"sh","version":"1"}}}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"execute_action","arguments":{"url":"/slow","action":"wait_here"}}}
`)
	<-site.waits
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
	<-site.gone
}

func TestStdioWithoutToken(t *testing.T) {
	got, isError := call(t, piped(t, newStub(), "", modern, Options{}), "navigate", args{"url": "/"})
	if !isError || !strings.Contains(got, "# Sign in") {
		t.Errorf("got %s", got)
	}
}

func TestBridge(t *testing.T) {
	site := newStub()
	srv := httptest.NewUnstartedServer(site)
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.Start()
	defer srv.Close()
	h, err := Bridge(srv.URL + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer h.(*bridge).client.CloseIdleConnections()
	s := piped(t, h, alice, modern, Options{Origin: srv.URL})
	for url, want := range map[string]string{
		"/d/1":           "/d/1",
		srv.URL + "/d/1": "/d/1",
		"/cycles/today":  "/cycles/2026-11-20",
		"/d/1/":          "/d/1",
		"/search?q=a b":  "/search?q=a%20b",
	} {
		if got, isError := call(t, s, "navigate", args{"url": url}); isError || got != markdown(want) {
			t.Errorf("%s: %s", url, got)
		}
	}
	for url, want := range map[string]string{
		"https://evil.example/": "not a URL of this workspace", "/out": "leads outside", "/nowhere": "Near: [Home](/)",
	} {
		if got, isError := call(t, s, "navigate", args{"url": url}); !isError || !strings.Contains(got, want) {
			t.Errorf("%s: %s", url, got)
		}
	}
	got, isError := call(t, s, "execute_action",
		args{"action": "/d/1/actions/cast_vote", "params": args{"accept": "1"}, "why": "Agreed."})
	if isError || !strings.HasPrefix(got, "cast_vote on /d/1: Your ballot was cast.") ||
		site.last(t).order["why"] != "Agreed." {
		t.Errorf("execute_action: %s", got)
	}
	if got, isError := call(t, s, "execute_action",
		args{"action": "explode", "url": "/boom"}); !isError || !strings.Contains(got, uncertain) {
		t.Errorf("a server that broke off: %s", got)
	}
	srv.Close()
	h.(*bridge).client.CloseIdleConnections()
	if got, isError := call(t, s, "execute_action", args{"action": "cast_vote", "url": "/d/1"}); !isError ||
		!strings.Contains(got, "cannot be reached") || !strings.HasSuffix(got, unchanged) {
		t.Errorf("a server that is off: %s", got)
	}
	if got, isError := call(t, s, "navigate", args{"url": "/d/1"}); !isError ||
		!strings.HasPrefix(got, "The server at ") {
		t.Errorf("a server that is off: %s", got)
	}
}

func TestBridgeTo(t *testing.T) {
	for url, ok := range map[string]bool{
		"https://samepage.example.com": true, "https://samepage.example.com:8443/": true, "http://127.0.0.1:8080": true,
		"http://localhost:8080": true, "http://[::1]:8080": true,
		"http://samepage.example.com": false, "http://127.0.0.1.evil.example": false,
		"ftp://localhost": false, "localhost:8080": false, "": false,
		"https://a.example/x": false, "https://user:pass@a.example": false,
		"https://a.example?x=1": false, "https://": false,
	} {
		if _, err := Bridge(url); (err == nil) != ok {
			t.Errorf("%q: %v", url, err)
		}
	}
}
