package mcp

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"
)

const (
	// patience is the time limit of one request to the site. It is longer than longestWait in web/wait.go, the longest
	// time for which the site delays an answer.
	patience     = 100 * time.Second
	maxAnswer    = 1 << 20 // bytes; e2e/budget limits a page to 10,000 characters
	maxRedirects = 3
)

type walker struct {
	Options
	site   http.Handler
	life   context.Context // its end cancels pending requests; for [Handler], it never ends
	visits *visits
	bodies sync.Pool // values are of type *bytes.Buffer
}

func newWalker(life context.Context, site http.Handler, o Options) *walker {
	o.Log = cmp.Or(o.Log, slog.Default())
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Origin = strings.TrimSuffix(o.Origin, "/")
	return &walker{
		Options: o, site: site, life: life, visits: newVisits(o.Now),
		bodies: sync.Pool{New: func() any { return new(bytes.Buffer) }},
	}
}

type siteRequest struct {
	method, uri string
	accept      string
	body        []byte
	callID      string // the client's own ID of the call, if it sent one
}

type answer struct {
	status int
	header http.Header
	body   string
	uri    string // path and query of the last request, after redirects
}

func (a answer) ok() bool { return a.status >= 200 && a.status < 300 }

var (
	errTooLong = errors.New("The answer is not a page but a stream, or longer than any page. Open it in a browser.")
	errSlow    = errors.New("No answer came in time. Try again later.")
)

// forwarded lists the headers that are copied to the request to the site, such as the caller's credentials, address and
// request ID. Cookies and a browser's Origin headers are not copied, because the request does not come from a browser.
var forwarded = []string{"Authorization", "User-Agent", "Forwarded", "X-Forwarded-For",
	"X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip", "X-Request-Id"}

func (w *walker) ask(ctx context.Context, by caller, q siteRequest) (answer, error) {
	// The request gets a new context, because routers such as chi keep state in context values, and would treat the
	// request as a part of the request to /mcp.
	own, cancel := context.WithTimeout(w.life, patience)
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	req, err := http.NewRequestWithContext(own, q.method, q.uri, bytes.NewReader(q.body))
	if err != nil {
		return answer{}, errors.New("That URL cannot be read. Give a path such as / or /studios/team.")
	}
	req.RequestURI = q.uri
	req.Host, req.RemoteAddr, req.TLS = by.request.Host, by.request.RemoteAddr, by.request.TLS
	for _, name := range forwarded {
		if v := by.request.Header[name]; v != nil {
			req.Header[name] = v
		}
	}
	req.Header.Set("Accept", q.accept)
	req.Header.Set("Prefer", "relative-links")
	if q.method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	if q.callID != "" {
		req.Header.Set("Samepage-Call-Id", q.callID)
	}
	rec := &recorder{header: http.Header{}, body: w.bodies.Get().(*bytes.Buffer), stop: cancel}
	rec.body.Reset()
	if by.asked != nil {
		by.asked.Store(true)
	}
	w.site.ServeHTTP(rec, req)
	defer w.bodies.Put(rec.body)
	switch {
	case rec.over:
		return answer{}, errTooLong
	case ctx.Err() != nil:
		return answer{}, ctx.Err()
	case own.Err() != nil:
		return answer{}, errSlow
	}
	return answer{status: max(rec.status, http.StatusOK), header: rec.header, body: rec.body.String(), uri: q.uri}, nil
}

// follow sends a request and follows at most maxRedirects redirects. Before it follows a redirect, it calls
// `again` with the status and the new URL. If `again` returns false, follow returns the redirect as the answer.
func (w *walker) follow(
	ctx context.Context, by caller, q siteRequest, again func(status int, uri string) bool,
) (answer, error) {
	for range maxRedirects + 1 {
		a, err := w.ask(ctx, by, q)
		if err != nil || a.status < 300 || a.status > 399 || a.header.Get("Location") == "" {
			return a, err
		}
		next, err := w.locateFrom(by, a.uri, a.header.Get("Location"))
		if err != nil {
			return a, errors.New("That page leads outside this workspace. Open it in a browser.")
		}
		if !again(a.status, next) {
			return a, nil
		}
		q.uri = next
	}
	return answer{}, errors.New("That page leads from one to another without end. Open another page.")
}

func (w *walker) get(ctx context.Context, by caller, uri, accept string) (answer, error) {
	return w.follow(ctx, by, siteRequest{method: http.MethodGet, uri: uri, accept: accept},
		func(int, string) bool { return true })
}

type recorder struct {
	header http.Header
	status int
	body   *bytes.Buffer
	over   bool
	stop   context.CancelFunc // cancels the request if the answer is a stream of events or too long
}

func (r *recorder) Header() http.Header { return r.header }

// WriteHeader records the first status that is not informational. A stream of events is cancelled, because it would not
// end.
func (r *recorder) WriteHeader(status int) {
	if r.status != 0 || status < 200 {
		return
	}
	r.status = status
	if strings.HasPrefix(r.header.Get("Content-Type"), "text/event-stream") {
		r.end()
	}
}

// Write appends to the body. Beyond maxAnswer bytes it cancels the request.
func (r *recorder) Write(p []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	if r.over || r.body.Len()+len(p) > maxAnswer {
		r.end()
		return 0, errTooLong
	}
	return r.body.Write(p)
}

// WriteString is like Write, without a copy of the text.
func (r *recorder) WriteString(s string) (int, error) {
	r.WriteHeader(http.StatusOK)
	if r.over || r.body.Len()+len(s) > maxAnswer {
		r.end()
		return 0, errTooLong
	}
	return r.body.WriteString(s)
}

func (r *recorder) end() {
	r.over = true
	r.stop()
}
