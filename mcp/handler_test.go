package mcp

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func connect(t testing.TB, url, token string) *sdk.ClientSession {
	t.Helper()
	return joined(t, &sdk.StreamableClientTransport{Endpoint: url, HTTPClient: httpClient(t, token)}, modern)
}

func request(token string) *http.Request {
	r := httptest.NewRequest("POST", "http://samepage.test/mcp", nil)
	r.Header.Set("Authorization", "Bearer "+token)
	return r
}

const listTools = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

func TestDoor(t *testing.T) {
	const plain = `Bearer resource_metadata="https://x.test/meta"`
	const tried = `Bearer error="invalid_token", resource_metadata="https://x.test/meta"`
	tests := []struct {
		name, method, host, body string
		header                   map[string]string
		status                   int
		challenge                string
	}{
		{"no token", "POST", "", listTools, nil, 401, plain},
		{"probe", "GET", "", "", nil, 401, plain},
		{"probe with a bad token", "GET", "", "", map[string]string{"Authorization": "Bearer stolen"}, 401, tried},
		{"delete", "DELETE", "", "", nil, 401, plain},
		{"preflight", "OPTIONS", "", "", map[string]string{"Origin": "https://evil.example"}, 401, plain},
		{"bad token", "POST", "", listTools, map[string]string{"Authorization": "Bearer stolen"}, 401, tried},
		{"no token from elsewhere", "POST", "evil.example", listTools, map[string]string{"Origin": "https://evil.example"}, 401, plain},
		{"token that cannot be checked", "POST", "", listTools, map[string]string{"Authorization": "Bearer unchecked"}, 503, ""},
		{"good token", "POST", "", listTools, map[string]string{"Authorization": "Bearer " + alice}, 200, ""},
		{"probe with a good token", "GET", "", "", map[string]string{"Authorization": "Bearer " + alice}, 405, ""},
		{"evil origin", "POST", "", listTools,
			map[string]string{"Authorization": "Bearer " + alice, "Origin": "https://evil.example"},
			403, ""},
		{"cross-site fetch", "POST", "", listTools,
			map[string]string{"Authorization": "Bearer " + alice, "Sec-Fetch-Site": "cross-site"},
			403, ""},
		{"our origin", "POST", "", listTools,
			map[string]string{"Authorization": "Bearer " + alice, "Origin": "http://localhost:80"},
			200, ""},
		{"rebound host", "POST", "evil.example", listTools, map[string]string{"Authorization": "Bearer " + alice}, 403, ""},
		{"IPv6 host", "POST", "[::1]:8080", listTools, map[string]string{"Authorization": "Bearer " + alice}, 200, ""},
		{"too large", "POST", "",
			`{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", maxBody) + `"}`,
			map[string]string{"Authorization": "Bearer " + alice}, 413, ""},
		{"not JSON", "POST", "", listTools, map[string]string{"Authorization": "Bearer " + alice, "Content-Type": "text/plain"}, 415, ""},
	}
	h := Handler(newStub(), options())
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := httptest.NewRequest(tt.method, "http://localhost:80/mcp", strings.NewReader(tt.body))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			for k, v := range tt.header {
				r.Header.Set(k, v)
			}
			if tt.host != "" {
				r.Host = tt.host
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != tt.status || w.Header().Get("WWW-Authenticate") != tt.challenge {
				t.Errorf("got %d %q: %s", w.Code, w.Header().Get("WWW-Authenticate"), w.Body)
			}
		})
	}
}

// TestBareCalls sends a tool call without a handshake, in the old and in the new form of the protocol. The answer
// must be JSON and not a stream.
func TestBareCalls(t *testing.T) {
	url := served(t, newStub()) + "/mcp"
	client := httpClient(t, alice)
	tests := []struct{ name, version, body string }{
		{"legacy", legacy, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"navigate","arguments":{"url":"/d/1"}}}`},
		{"oldest, no header", "", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"navigate","arguments":{"url":"/d/1"}}}`},
		{
			"modern",
			modern,
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"navigate","arguments":{"url":"/d/1"},"_meta":{` +
				`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, _ := http.NewRequest("POST", url, strings.NewReader(tt.body))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			if tt.version != "" {
				r.Header.Set("MCP-Protocol-Version", tt.version)
			}
			if tt.version == modern {
				r.Header.Set("Mcp-Method", "tools/call")
				r.Header.Set("Mcp-Name", "navigate")
			}
			res, err := client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			body, _ := io.ReadAll(res.Body)
			var got struct {
				Result struct{ Content []struct{ Text string } }
			}
			json.Unmarshal(body, &got)
			if res.StatusCode != 200 || res.Header.Get("Content-Type") != "application/json" ||
				len(got.Result.Content) != 1 ||
				got.Result.Content[0].Text != markdown("/d/1") {
				t.Errorf("%d %s", res.StatusCode, body)
			}
		})
	}
}

// TestBatch sends several calls in one message, which revisions of the protocol before 2025-06-18 allow. Each call must
// get its own answer.
func TestBatch(t *testing.T) {
	r := httptest.NewRequest("POST", "http://localhost/mcp", strings.NewReader(`[`+
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"navigate","arguments":{"url":"/d/1"}}},`+
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"navigate","arguments":{"url":"/boom"}}}]`))
	r.Header.Set("Authorization", "Bearer "+alice)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	w := httptest.NewRecorder()
	Handler(newStub(), options()).ServeHTTP(w, r)
	var got []struct {
		ID     int
		Result struct{ IsError bool }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || len(got) != 2 ||
		got[0].Result.IsError == got[1].Result.IsError {
		t.Errorf("%v: %s", err, w.Body)
	}
}

// TestWhatTheSiteIsTold checks the headers of requests to the site. The requests must have the caller's credentials
// and address, and none of the headers by which a browser protects pages.
func TestWhatTheSiteIsTold(t *testing.T) {
	outer := request(alice)
	outer.RemoteAddr = "192.0.2.7:1234"
	for _, name := range []string{"Cookie", "Origin", "Sec-Fetch-Site", "Mcp-Method", "X-Forwarded-For", "User-Agent"} {
		outer.Header.Set(name, "x")
	}
	var got *http.Request
	site := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r })
	w := newWalker(t.Context(), site, options())
	if _, err := w.get(t.Context(), caller{principal: "p", request: outer}, "/d/1?a=b", "text/markdown"); err != nil {
		t.Fatal(err)
	}
	want := http.Header{
		"Authorization":   {"Bearer " + alice},
		"X-Forwarded-For": {"x"},
		"User-Agent":      {"x"},
		"Accept":          {"text/markdown"},
		"Prefer":          {"relative-links"},
	}
	if !reflect.DeepEqual(got.Header, want) || got.Host != "samepage.test" ||
		got.RemoteAddr != outer.RemoteAddr || got.RequestURI != "/d/1?a=b" {
		t.Errorf("the site was told %v, %s, %s, %s", got.Header, got.Host, got.RemoteAddr, got.RequestURI)
	}
}

func TestBothErasActOverHTTP(t *testing.T) {
	for _, version := range []string{"2025-03-26", legacy, "2025-11-25", modern} {
		t.Run(version, func(t *testing.T) {
			s := overHTTP(t, newStub(), alice, version)
			if got, isError := call(t, s, "navigate", args{"url": "/boom"}); !isError {
				t.Errorf("a panic: %s", got)
			}
			if got, isError := call(t, s, "navigate", args{"url": "/d/1"}); isError || got != markdown("/d/1") {
				t.Errorf("navigate: %s", got)
			}
			if got, isError := call(t, s, "execute_action", args{"url": "/d/1", "action": "cast_vote"}); isError ||
				!strings.HasPrefix(got, "cast_vote on /d/1: ") {
				t.Errorf("execute_action: %s", got)
			}
			if got, isError := call(t, s, "execute_action", args{
				"action": "explode", "url": "/boom",
			}); !isError || !strings.Contains(got, uncertain) {
				t.Errorf("a panic: %s", got)
			}
		})
	}
}

func TestHandlerNeedsAuthenticate(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a server without authentication started")
		}
	}()
	Handler(newStub(), Options{})
}
