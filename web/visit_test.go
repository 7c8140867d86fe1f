package web_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"samepage/actions/param"
	"samepage/web"
	"samepage/web/webtest"
)

// logText is a log in memory.
type logText struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write appends to the log.
func (e *logText) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.text.Write(p)
}

// accessEntry is one entry of the access log.
type accessEntry struct {
	TookMS                                                     float64 `json:"took_ms"`
	Msg, Request, Door, Method, Page, Path, By, Address, Error string
	Status, Bytes                                              int
}

// of returns the entries about the request with this ID.
func (e *logText) of(t *testing.T, id string) (list []accessEntry) {
	t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	for line := range strings.Lines(e.text.String()) {
		var one accessEntry
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if one.Request == id {
			list = append(list, one)
		}
	}
	return list
}

// logged returns a world and its log.
func logged(t *testing.T, change ...func(*web.Config)) (*webtest.World, *logText) {
	log := &logText{}
	return webtest.New(t, append(change, func(c *web.Config) {
		c.AccessLog, c.Log = true, slog.New(slog.NewJSONHandler(log, nil))
	})...), log
}

// TestAccessLog sends requests with secrets in every place that can contain one. The log has each request, and no
// secret.
func TestAccessLog(t *testing.T) {
	w, log := logged(t)
	const secret = "s3cr3tvalue"
	talk := w.URL("talk")
	asked := func(who, method, target, body string, headers ...string) *webtest.Response {
		return webtest.RequestBody(w.As(who), method, target, body, headers...)
	}
	for _, c := range []struct {
		answer   *webtest.Response
		who      string
		method   string
		page     string
		path     string
		by       string
		noAnswer bool
	}{
		{asked("alice", "GET", "/", "", "Accept: text/html"), "alice", "GET", "/", "/", "user:", false},
		{asked("scribe", "GET", talk+"?card="+secret+"&x="+secret, ""), "scribe", "GET", "", talk, "token:", false},
		{asked("scribe", "POST", talk+"/actions/comment", `{"params":{"text":"`+secret+`"}}`, webtest.JSONMedia),
			"scribe", "POST", "", talk + "/actions/comment", "token:", false},
		{asked("scribe", "POST", talk+"/actions/nothing", "{}", webtest.JSONMedia), "scribe", "POST", "", talk + "/actions/nothing",
			"token:", false},
		{asked("anonymous", "GET", talk, "", "Authorization: Bearer sp_"+secret), "", "GET", "", talk, "", false},
		{asked("anonymous", "GET", "/invitations/"+secret, ""), "", "GET", "/invitations/{secret}", "/invitations/…", "", false},
		{asked("anonymous", "POST", "/login", "email=a%40b.example&password="+secret, webtest.FormMedia), "", "POST",
			"/login", "/login", "", false},
		{asked("alice", "GET", "/no/such/page/at/all", ""), "alice", "GET", "other", "/no/such/page/at/all", "user:", false},
		{asked("alice", "GET", "/static/app.css", ""), "", "GET", "/static/*", "/static/app.css", "", false},
		{asked("alice", "HEAD", "/help", ""), "alice", "HEAD", "/help", "/help", "user:", false},
	} {
		id := c.answer.Request
		list := log.of(t, id)
		entry := accessEntry{}
		for _, e := range list {
			if e.Msg == "request" {
				entry = e
			}
		}
		if id == "" || entry.Method != c.method || entry.Status != c.answer.Status || entry.Path != c.path ||
			entry.Door != "http" || c.page != "" && entry.Page != c.page || !strings.HasPrefix(entry.By, c.by) ||
			c.by == "" && strings.Contains(entry.By, ":") || c.method == "GET" && entry.Bytes != len(c.answer.Body) ||
			entry.TookMS <= 0 || entry.TookMS > 60_000 {
			t.Errorf("%s %s: %+v", c.method, c.path, list)
		}
	}
	if text := log.text.String(); strings.Contains(text, secret) || strings.Contains(text, "sp_") {
		t.Errorf("a secret is logged:\n%s", text)
	}
}

// TestRequestIDs checks that a request has an ID from the server, or from a trusted proxy. A tool's request for a
// page has the ID of the message to the MCP endpoint.
func TestRequestIDs(t *testing.T) {
	w, log := logged(t, func(c *web.Config) {
		c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	})
	for _, c := range []struct {
		from, given string
		kept        bool
	}{
		{"10.1.2.3:80", "trace-7.f_1", true},
		{"10.1.2.3:80", "two words", false},
		{"10.1.2.3:80", strings.Repeat("x", 65), false},
		{"10.1.2.3:80", "", false},
		{"192.0.2.7:80", "trace-7.f_1", false},
	} {
		r := httptest.NewRequest("GET", webtest.Origin+"/help", nil)
		r.RemoteAddr = c.from
		r.Header.Set("X-Request-Id", c.given)
		id := w.As("anonymous").Do(r).Request
		if (id == c.given) != c.kept || id == "" || len(log.of(t, id)) == 0 {
			t.Errorf("%q from %s became %q", c.given, c.from, id)
		}
	}
	r := httptest.NewRequest("GET", webtest.Origin+"/help", nil)
	r.Header.Set("X-Request-Id", "message1")
	w.Site.FromTools().ServeHTTP(httptest.NewRecorder(), r)
	if list := log.of(t, "message1"); len(list) != 1 || list[0].Door != "mcp" || list[0].Page != "/help" {
		t.Errorf("%+v", list)
	}
}

// breaking is a writer that panics at the second part of an answer.
type breaking struct {
	*httptest.ResponseRecorder
	parts int
}

func (b *breaking) Write(part []byte) (int, error) {
	if b.parts++; b.parts == 2 {
		panic("broken on purpose")
	}
	return b.ResponseRecorder.Write(part)
}

// TestAHalfAnswerIsCutOff checks that a panic within a long answer cuts the connection and is logged, with and without an
// access log. The answer gets no page with an error at its end.
func TestAHalfAnswerIsCutOff(t *testing.T) {
	defer web.SetJournalPart(1)()
	for _, access := range []bool{true, false} {
		log := &logText{}
		w := webtest.New(t, func(c *web.Config) { c.AccessLog, c.Log = access, slog.New(slog.NewJSONHandler(log, nil)) })
		answer := &breaking{ResponseRecorder: httptest.NewRecorder()}
		r := httptest.NewRequest("GET", webtest.Origin+"/orgs/acme/journal.csv", nil)
		r.Header.Set("Authorization", "Bearer "+w.Token("scribe"))
		func() {
			defer func() {
				if p := recover(); p != http.ErrAbortHandler {
					t.Errorf("the connection is not cut: %v", p)
				}
			}()
			w.Site.ServeHTTP(answer, r)
		}()
		if body := answer.Body.String(); strings.Count(body, "\n") != 2 || strings.Contains(body, "The log calls") {
			t.Errorf("the answer is %q", body)
		}
		if list := log.of(t, answer.Header().Get("X-Request-Id")); len(list) == 0 || !strings.Contains(list[0].Error, "broken on purpose") {
			t.Errorf("the log has %+v", list)
		}
	}
}

// TestFailuresNameTheirRequest checks that the page of an internal error shows the request's ID in the log.
func TestFailuresNameTheirRequest(t *testing.T) {
	broken := false
	w, log := logged(t, func(c *web.Config) {
		c.Observe = func(string, int) {
			if broken {
				panic("broken on purpose")
			}
		}
	})
	broken = true
	for _, accept := range []string{"text/html", "text/markdown", "application/json"} {
		r := w.As("alice").Get("/help", accept)
		id := r.Request
		list := log.of(t, id)
		if r.Status != 500 || !strings.Contains(r.Body, "The log calls this request "+id+".") || len(list) != 2 ||
			!strings.Contains(list[0].Error, "broken on purpose") {
			t.Errorf("%d %s %+v", r.Status, webtest.Main(r.Body), list)
		}
	}
	broken = false
	answered := w.As("scribe").JSON(w.URL("talk"), "comment", webtest.Call{Params: param.Input{"text": "Well."}})
	if answered.Status != 200 || strings.Contains(answered.Body, "The log calls") {
		t.Errorf("%d %s", answered.Status, answered.Body)
	}
}
