package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"samepage/store"
	"samepage/store/credential"
	"samepage/web"
	"samepage/web/demo"
)

// TestMCPChallenge sends requests without a valid token to the MCP endpoint, with every method. The answer tells the
// client where to obtain a token.
func TestMCPChallenge(t *testing.T) {
	st, err := store.Open(t.Context(), t.TempDir(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	site, err := web.New(context.Background(), st, web.Config{Origin: "https://team.example"})
	if err != nil {
		t.Fatal(err)
	}
	h := handler(site, "https://team.example")
	const pointer = `resource_metadata="https://team.example/.well-known/oauth-protected-resource/mcp", scope="read"`
	for _, method := range []string{"GET", "POST", "DELETE", "HEAD"} {
		for authorization, want := range map[string]string{
			"":                  "Bearer " + pointer,
			"Bearer sp_rubbish": `Bearer error="invalid_token", ` + pointer,
			"Bearer a.b.c":      `Bearer error="invalid_token", ` + pointer,
			"Basic YTpi":        `Bearer error="invalid_token", ` + pointer,
		} {
			r := httptest.NewRequest(method, "https://team.example/mcp", strings.NewReader("{}"))
			if authorization != "" {
				r.Header.Set("Authorization", authorization)
			}
			rec := httptest.NewRecorder()
			h.ServeHTTP(rec, r)
			if got := rec.Header().Get("WWW-Authenticate"); rec.Code != 401 || got != want {
				t.Errorf("%s with %q: %d %s", method, authorization, rec.Code, got)
			}
		}
	}
}

// TestStopAnswersWaiters stops a server while requests wait for a page to change, over HTTP and over MCP. Each request
// is answered with the present page, and the server ends without an error.
func TestStopAnswersWaiters(t *testing.T) {
	dir := t.TempDir()
	copyDemo(t, dir)
	st, err := store.Open(t.Context(), dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	looked := make(chan struct{}, 100)
	site, err := web.New(t.Context(), st, web.Config{Observe: func(string, int) { looked <- struct{}{} }})
	if err != nil {
		t.Fatal(err)
	}
	seeded, err := demo.Seed(t.Context(), site, st)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + listener.Addr().String()
	serving, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- run(serving, site, handler(site, url), listener, nil) }()
	ask := func(method, path, body string) (status int, text string) {
		return request(t, seeded.Tokens[0].Token, method, url+path, body)
	}
	_, home := ask("GET", "/", "")
	_, version, _ := strings.Cut(home, "\nversion: \"")
	version, _, _ = strings.Cut(version, "\"")
	for len(looked) > 0 {
		<-looked
	}
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"navigate","arguments":{"url":"/?wait=60&since=` +
		version + `"}}}`
	var waiters sync.WaitGroup
	const each = 5
	for range each {
		waiters.Go(func() {
			if status, text := ask("GET", "/?wait=60&since="+version, ""); status != 200 ||
				!strings.Contains(text, `version: "`+version) {
				t.Errorf("a page: %d %s", status, text)
			}
		})
		waiters.Go(func() {
			status, text := ask("POST", "/mcp", call)
			if status != 200 || !strings.Contains(text, `version: \"`+version) || strings.Contains(text, "isError") {
				t.Errorf("navigate: %d %s", status, text)
			}
		})
	}
	for range 2 * each {
		<-looked
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	waiters.Wait()
}

// request sends a request as an agent does: it reads a page as Markdown, or posts a message of MCP.
func request(t *testing.T, token, method, url, body string) (status int, text string) {
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	r.Header = http.Header{"Authorization": {"Bearer " + token}, "Accept": {"text/markdown"}}
	if method == http.MethodPost {
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Content-Type", "application/json")
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer a.Body.Close()
	answer, err := io.ReadAll(a.Body)
	if err != nil {
		t.Error(err)
	}
	return a.StatusCode, string(answer)
}

func TestOutgoingAllow(t *testing.T) {
	if out, code := runCommand(t, "serve", "--data", t.TempDir(), "--listen", "127.0.0.1:0",
		"--outgoing-allow", "intranet"); code != exitUsage || !strings.Contains(out, "10.0.0.0/8") {
		t.Errorf("%d %s", code, out)
	}
}

func TestRekey(t *testing.T) {
	dir := t.TempDir()
	copyDemo(t, dir)
	for range 2 {
		if out, code := runCommand(t, "token", "rekey", "--data", dir); code != 0 ||
			!strings.Contains(out, "A new key signs") {
			t.Fatalf("%d %s", code, out)
		}
	}
	st, err := store.Open(t.Context(), dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if err := st.Read(t.Context(), func(tx *store.Tx) error {
		keys, err := credential.SigningKeys(tx)
		if len(keys) != 1 {
			t.Errorf("%d keys", len(keys))
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}
