package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	modern = "2026-07-28"
	legacy = "2025-06-18"
	alice  = "good-alice"
	bob    = "good-bob"
)

// stub is a site of a few pages. It answers as the real site does, and records the requests.
type stub struct {
	mu     sync.Mutex
	offers map[string][]string // the actions of each page; a leading ! marks a destructive one
	posts  []post
	waits  chan string // receives the path of each request that begins to wait
	gone   chan string // receives the path of each request that was cancelled while it waited
}

type post struct {
	page, name string
	order      map[string]any
	header     http.Header
}

func newStub() *stub {
	return &stub{waits: make(chan string, 100), gone: make(chan string, 100), offers: map[string][]string{
		"/": nil, "/d/1": {"cast_vote", "comment"}, "/d/2": {"cast_vote"}, "/n/1": {"!delete_note", "update_note"},
		"/cycles/2026-11-20": {"plan"}, "/held": {"pay"}, "/stale": {"resolve"}, "/bad": {"fill"}, "/limited": {"rush"},
		"/broken": {"crash"}, "/boom": {"explode"}, "/search": nil, "/slow": {"wait_here"}, "/mute": {"plain"},
		"/make": {"start"}, "/titled": {"pay"}, "/closed": {"pay"}, "/n/2": {"resolve"},
	}}
}

func (s *stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasPrefix(r.Header.Get("Authorization"), "Bearer good-") {
		w.WriteHeader(401)
		io.WriteString(w, "# Sign in\n\nThis token is not valid any more.")
		return
	}
	if v := r.Context().Value(callerKey{}); v != nil {
		panic("values of the outer request reached the site")
	}
	switch r.URL.Path {
	case "/cycles/today", "/cycles/today/actions/plan":
		http.Redirect(w, r, strings.Replace(r.URL.Path, "today", "2026-11-20", 1), http.StatusPermanentRedirect)
		return
	case "/d/1/":
		w.Header().Set("Location", "http://"+r.Host+"/d/1")
		w.WriteHeader(308)
		return
	case "/loop":
		http.Redirect(w, r, "/loop", http.StatusFound)
		return
	case "/out":
		http.Redirect(w, r, "//evil.example/d/1", http.StatusFound)
		return
	case "/detour/actions/plan":
		http.Redirect(w, r, "/d/1/actions/cast_vote", http.StatusPermanentRedirect)
		return
	case "/secret":
		w.WriteHeader(403)
		io.WriteString(w, "# Not yours\n\nAsk @bob for the role.")
		return
	case "/stream":
		w.Header().Set("Content-Type", "text/event-stream")
		for r.Context().Err() == nil {
			io.WriteString(w, "data: changed\n\n")
		}
		return
	case "/endless":
		for r.Context().Err() == nil {
			io.WriteString(w, strings.Repeat("x", 1<<16))
		}
		return
	case "/card.png", "/forged.txt", "/forged.md":
		file(w, r.URL.Path)
		return
	}
	if page, name, ok := strings.Cut(r.URL.Path, "/actions/"); ok && r.Method == "POST" {
		s.act(w, r, page, name)
		return
	}
	s.mu.Lock()
	acts, ok := s.offers[r.URL.Path]
	s.mu.Unlock()
	switch {
	case !ok:
		w.WriteHeader(404)
		io.WriteString(w, "# Not found\n\nNear: [Home](/)")
	case r.URL.Path == "/boom":
		panic("boom")
	case r.URL.Path == "/slow" && r.URL.RawQuery != "":
		s.waits <- r.URL.Path
		<-r.Context().Done()
		s.gone <- r.URL.Path
	case r.Header.Get("Accept") == "application/json":
		var list []map[string]any
		for _, a := range acts {
			name, destructive := strings.CutPrefix(a, "!")
			list = append(list, map[string]any{"name": name, "destructive": destructive, "ballot": name == "cast_vote"})
		}
		json.NewEncoder(w).Encode(map[string]any{"url": r.URL.Path, "title": "Page " + r.URL.Path, "actions": list})
	case r.Header.Get("Accept") == "text/markdown" && r.Header.Get("Prefer") == "relative-links":
		w.Header().Set("Content-Type", "text/markdown; charset=utf-8")
		io.WriteString(w, markdown(r.URL.RequestURI()))
	default:
		w.WriteHeader(406)
	}
}

func markdown(url string) string { return fmt.Sprintf("---\nurl: %q\n---\n\n# Page\n", url) }

// file answers with a file. The text files look like a page.
func file(w http.ResponseWriter, path string) {
	kind, data := "image/png", "\x89PNG"
	switch path {
	case "/forged.txt":
		kind, data = "text/plain", markdown("/")
	case "/forged.md":
		kind, data = "text/markdown", markdown("/")
		w.Header().Set("Content-Disposition", "attachment")
	}
	w.Header().Set("Content-Type", kind)
	io.WriteString(w, data)
}

func (s *stub) act(w http.ResponseWriter, r *http.Request, page, name string) {
	if page == "" {
		page = "/"
	}
	var order map[string]any
	json.NewDecoder(r.Body).Decode(&order)
	s.mu.Lock()
	s.posts = append(s.posts, post{page, name, order, r.Header.Clone()})
	s.mu.Unlock()
	answer := func(status int, format string, args ...any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprintf(w, format, args...)
	}
	switch page {
	case "/held":
		answer(202, `{"held":true,"message":"@bob decides.","url":"/approvals/a1"}`)
	case "/stale":
		answer(409, `{"error":{"code":"conflict","message":"Voting closed.","actions":["comment","withdraw_request"],`+
			`"next":[{"title":"Results\n## Forged","url":"/d/1/results"},{"title":"Home","url":"/"}]},"page":"# Fresh\n"}`)
	case "/bad":
		answer(422,
			`{"error":{"code":"invalid","message":"Some params are wrong.",`+
				`"fields":[{"field":"accept","message":"Choose one."},{"field":"reason","message":"Too long."}]}}`)
	case "/titled":
		answer(200, `{"message":"Paid.","on":"Who pays?\n\") on \"x\" (/"}`)
	case "/closed":
		answer(409, `{"error":{"code":"conflict","message":"Closed."},"on":"Who pays?"}`)
	case "/make":
		answer(200, `{"message":"Your decision was started.","url":"/d/2","page":%q}`, markdown("/d/2"))
	case "/limited":
		w.Header().Set("Retry-After", "12")
		answer(429, `{"error":{"code":"limited","message":"Too many actions."}}`)
	case "/broken":
		answer(500, `{"error":{"code":"internal","message":"It broke."}}`)
	case "/boom":
		panic("boom")
	case "/mute":
		w.WriteHeader(400)
		io.WriteString(w, "plain words")
	case "/slow":
		s.waits <- r.URL.Path
		<-r.Context().Done()
		s.gone <- r.URL.Path
	default:
		if order["dry_run"] == true {
			answer(200,
				`{"message":"Dry run, nothing was changed. It would say: Your ballot was cast.","url":%q}`,
				page)
			return
		}
		answer(200, `{"message":"Your ballot was cast.","url":%q,"page":%q}`, page, markdown(page))
	}
}

func (s *stub) last(t *testing.T) post {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.posts) == 0 {
		t.Fatal("the site got no action")
	}
	return s.posts[len(s.posts)-1]
}

func (s *stub) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.posts)
}

func options() Options {
	return Options{
		Authenticate: func(r *http.Request) (string, bool, error) {
			token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
			if token == "unchecked" {
				return "", false, errors.New("the database cannot be reached")
			}
			return "key of " + token, strings.HasPrefix(token, "good-"), nil
		},
		Challenge: func(*http.Request) string { return `resource_metadata="https://x.test/meta"` },
		Resolve: func(raw string, r *http.Request) (string, error) {
			if path, ok := strings.CutPrefix(raw, "http://"+r.Host); ok {
				return path, nil
			}
			return "", errElsewhere
		},
		Version: "test", Log: slog.New(slog.DiscardHandler),
	}
}

// served starts a server on loopback with the site and the MCP endpoint, and returns its URL.
func served(t testing.TB, site http.Handler) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/mcp", Handler(site, options()))
	mux.Handle("/", site)
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return srv.URL
}

// bearer adds the token to each request, like a client that is configured with a header.
type bearer struct {
	token string
	*http.Transport
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if b.token != "" {
		r.Header.Set("Authorization", "Bearer "+b.token)
	}
	return b.Transport.RoundTrip(r)
}

func httpClient(t testing.TB, token string) *http.Client {
	tr := &http.Transport{MaxIdleConnsPerHost: 64}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: bearer{token, tr}}
}

func joined(t testing.TB, over sdk.Transport, version string) *sdk.ClientSession {
	t.Helper()
	c := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	s, err := c.Connect(context.Background(), over, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func overHTTP(t testing.TB, site http.Handler, token, version string) *sdk.ClientSession {
	t.Helper()
	return joined(t, &sdk.StreamableClientTransport{
		Endpoint:   served(t, site) + "/mcp",
		HTTPClient: httpClient(t, token),
	}, version)
}

// inMemory connects a client and a server within the process, for tests that do not depend on the transport.
func inMemory(t testing.TB, site http.Handler, token string) *sdk.ClientSession {
	t.Helper()
	r := httptest.NewRequest("POST", "http://samepage.test/mcp", nil)
	r.Header.Set("Authorization", "Bearer "+token)
	ctx := context.WithValue(context.Background(), callerKey{}, caller{principal: "key of " + token, request: r})
	ours, theirs := sdk.NewInMemoryTransports()
	if _, err := newServer(newWalker(context.Background(), site, options())).Connect(ctx, ours, nil); err != nil {
		t.Fatal(err)
	}
	return joined(t, theirs, modern)
}

// call returns the text of a tool's result. The result must be one block of text and nothing else.
func call(t testing.TB, s *sdk.ClientSession, tool string, args any) (text string, isError bool) {
	t.Helper()
	res, err := s.CallTool(context.Background(), &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatalf("%s %v: %v", tool, args, err)
	}
	return textOf(t, res), res.IsError
}

func textOf(t testing.TB, res *sdk.CallToolResult) string {
	t.Helper()
	if len(res.Content) != 1 || res.StructuredContent != nil {
		t.Fatalf("not one text block: %+v", res)
	}
	return res.Content[0].(*sdk.TextContent).Text
}

type args = map[string]any
