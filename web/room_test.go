package web_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"samepage/actions/param"
	"samepage/web"
	"samepage/web/webtest"
)

// stalled is a body that signals each read, and then waits until it may go on.
type stalled struct{ began, goOn chan struct{} }

func (b stalled) Read([]byte) (int, error) {
	b.began <- struct{}{}
	<-b.goOn
	return 0, io.ErrUnexpectedEOF
}

// TestNoRoom uses up the memory for request bodies, first of one caller and then of all callers. The next request is
// refused with Retry-After.
func TestNoRoom(t *testing.T) {
	w := webtest.New(t)
	var all sync.WaitGroup
	began, goOn := make(chan struct{}), make(chan struct{})
	send := func(c *webtest.Client, r *http.Request) {
		all.Go(func() { c.Do(r) })
		<-began
	}
	body := func() io.Reader { return stalled{began, goOn} }
	attach := func(body io.Reader, size int64) *http.Request {
		return upload(w.URL("talk"), "attach", "multipart/form-data; boundary=x", body, size)
	}
	signIn := func(from string, body io.Reader) *http.Request {
		r := httptest.NewRequest("POST", webtest.Origin+"/login", body)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Accept", "application/json")
		r.RemoteAddr = from + ":1"
		return r
	}
	refused := func(as string, r *http.Request, status int, says string) {
		t.Helper()
		got := w.As(as).Do(r)
		told := strings.Contains(got.Body, says) &&
			strings.Contains(got.Body, "Nothing was done. Wait 5 seconds and send it again.")
		if got.Status != status || got.Header.Get("Retry-After") != "5" || !told {
			t.Errorf("%s: %d, Retry-After %q, want %d: %s", as, got.Status, got.Header.Get("Retry-After"),
				status, got.Body)
		}
	}
	for _, as := range []string{"alice", "bob"} {
		for range 3 {
			send(w.As(as), attach(body(), mostInAFile))
		}
	}
	refused("bob", attach(unread{t}, mostInAFile), 429, "of this caller")
	refused("bob", attach(unread{t}, -1), 429, "of this caller")
	refused("scribe", attach(unread{t}, mostInAFile), 429, "of this caller") // Scribe is Alice's agent
	if r := w.As("bob").PostJSON(w.URL("talk"), "comment",
		param.Input{"text": "There is room for this."}); r.Status != 200 {
		t.Errorf("a small call: %d %s", r.Status, r.Body)
	}
	send(w.As("erin"), attach(body(), mostInAFile))
	send(w.As("erin"), attach(body(), mostInAFile-100<<10))
	refused("dave", attach(unread{t}, mostInAFile), 503, "Too much is being sent to this server")
	if r := tooMany(t, w, w.Token("scout")); r.Code != 503 || r.Header().Get("Retry-After") != "5" {
		t.Errorf("a message of 256 KiB: %d %v %s", r.Code, r.Header(), r.Body)
	}
	for range 5 {
		send(w.As("anonymous"), signIn("192.0.2.1", io.MultiReader(strings.NewReader("x"), body())))
	}
	refused("anonymous", signIn("192.0.2.1", unread{t}), 429, "of this address")
	for i := range 15 {
		send(w.As("anonymous"), signIn(fmt.Sprint("192.0.2.", 2+i/5), body()))
	}
	send(w.As("anonymous"), signIn("192.0.2.9", body()))
	refused("anonymous", signIn("192.0.2.8", unread{t}), 503, "Too much is being sent to this server")
	close(goOn)
	all.Wait()
	if r := w.As("bob").PostJSON(w.URL("talk"), "attach",
		param.Input{"file": strings.Repeat("x", mostInAFile)}); r.Status != 200 {
		t.Errorf("there is no room later: %d %s", r.Status, r.Body)
	}
	if r := w.As("anonymous").Do(signIn("192.0.2.1", strings.NewReader("email=x"))); r.Status != 422 {
		t.Errorf("there is no room for strangers later: %d %s", r.Status, r.Body)
	}
}

// tooMany sends the MCP endpoint a message of unknown size. The endpoint must not read the body.
func tooMany(t *testing.T, w *webtest.World, token string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", webtest.Origin+"/mcp", unread{t})
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	rec := httptest.NewRecorder()
	tools(w).ServeHTTP(rec, r)
	return rec
}

// broken is a body that ends with an error.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }

// TestCutShort checks that a body that ends early or arrives too slowly counts as an error of the client, and not of
// the server.
func TestCutShort(t *testing.T) {
	var log bytes.Buffer
	w := webtest.New(t, func(c *web.Config) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	var slow error = &net.OpError{Op: "read", Net: "tcp", Err: os.ErrDeadlineExceeded}
	const urlencoded = "application/x-www-form-urlencoded"
	attach := w.URL("talk") + "/actions/attach"
	for _, c := range []struct{ as, target, media string }{
		{"bob", attach, "application/json"}, {"bob", attach, urlencoded},
		{"bob", attach, "multipart/form-data; boundary=x"},
		{"anonymous", "/login", urlencoded}, {"anonymous", "/forgot", urlencoded},
	} {
		for err, status := range map[error]int{io.ErrUnexpectedEOF: 400, errors.New("malformed chunks"): 400,
			net.ErrClosed: 400, slow: 408} {
			start := "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\nabc"
			r := upload("", "", c.media, io.MultiReader(strings.NewReader(start), broken{err}), -1)
			r.URL.Path = c.target
			if got := w.As(c.as).Do(r); got.Status != status {
				t.Errorf("%s to %s with %s: %d, want %d: %s", c.media, c.target, err, got.Status, status, got.Body)
			}
		}
	}
	if text := log.String(); strings.Contains(text, "ERROR") || strings.Contains(text, "WARN") ||
		!strings.Contains(text, "a request body was not received") {
		t.Error(text)
	}
}

// TestSlowBody uses a real connection. An anonymous upload is answered before its body is sent, a body that never
// arrives gets 408, and a file that arrives slowly is accepted.
func TestSlowBody(t *testing.T) {
	w := webtest.New(t)
	server := httptest.NewUnstartedServer(w.Site)
	// When the header has been read, the read timeout is over.
	server.Config.ReadHeaderTimeout, server.Config.ReadTimeout = time.Minute, time.Millisecond
	server.Start()
	defer server.Close()
	ask := func(head string) *http.Response {
		t.Helper()
		c, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		io.WriteString(c, strings.ReplaceAll(head, "\n", "\r\n")+"\r\n\r\n")
		r, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	const more = " HTTP/1.1\nHost: localhost\nContent-Type: application/json\nContent-Length: 8000000"
	if r := ask("POST " + w.URL("talk") + "/actions/attach" + more); r.StatusCode != 401 || !r.Close {
		t.Errorf("a stranger: %d %v", r.StatusCode, r.Header)
	}
	known := "\nAuthorization: Bearer " + w.Token("scout")
	if r := ask("POST " + w.URL("talk") + "/actions/attach" + more + known); r.StatusCode != 408 || !r.Close {
		t.Errorf("a body that does not come: %d %v", r.StatusCode, r.Header)
	}
	body := strings.ReplaceAll("--x\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\n\nSlow.\n--x--\n", "\n", "\r\n")
	from, to := io.Pipe()
	form, err := http.NewRequest("POST", server.URL+w.URL("talk")+"/actions/attach", from)
	if err != nil {
		t.Fatal(err)
	}
	form.Header.Set("Authorization", "Bearer "+w.Token("scout"))
	form.Header.Set("Content-Type", "multipart/form-data; boundary=x")
	form.Header.Set("Accept", "application/json")
	form.Host = "localhost"
	go func() {
		for _, half := range []string{body[:60], body[60:]} {
			io.WriteString(to, half)
			time.Sleep(50 * time.Millisecond)
		}
		to.Close()
	}()
	r, err := http.DefaultClient.Do(form)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if r.StatusCode != 200 {
		t.Errorf("an upload that comes slowly: %d", r.StatusCode)
	}
}
