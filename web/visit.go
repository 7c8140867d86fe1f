package web

import (
	"context"
	"log/slog"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"github.com/go-chi/chi/v5"

	"samepage/store"
)

// requestID is the header with the id of a request. It is in every answer, and in what is logged of
// the request.
const requestID = "X-Request-Id"

// givenID are the ids that a proxy may give a request.
var givenID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// The doors by which a request comes in.
const (
	byHTTP = "http"
	byMCP  = "mcp" // within a message to /mcp
)

// otherPage stands for all addresses of no page and no other route.
const otherPage = "other"

// visit is one request, as the metrics and the access log see it. It stands in the place of the
// request's ResponseWriter, and exists only if one of them is on.
type visit struct {
	http.ResponseWriter
	door   string
	page   string // the pattern of the page, or of another route
	by     string // the key of the actor, if known
	status int
	bytes  int64
	waited bool // it may have waited for the page to change
}

// ServeHTTP implements [http.Handler].
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.enter(w, r, s.handler, &visit{door: byHTTP})
}

// FromTools returns the handler for the requests that the tools of the MCP endpoint make. Their ids
// are those of the messages to the endpoint.
func (s *Site) FromTools() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.enter(w, r, s.handler, &visit{door: byMCP})
	})
}

// Place returns a handler for a route beside the site map, whose requests are measured and logged
// like those of the site.
func (s *Site) Place(route string, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.enter(w, r, h, &visit{door: byHTTP, page: route})
	})
}

// enter gives a request its id, and has it measured and logged.
func (s *Site) enter(w http.ResponseWriter, r *http.Request, next http.Handler, v *visit) {
	id := r.Header[requestID]
	if len(id) != 1 || !givenID.MatchString(id[0]) || v.door != byMCP && !s.fromProxy(r) {
		id = []string{store.NewID()}
		r.Header[requestID] = id
	}
	w.Header()[requestID] = id
	if s.meters == nil && !s.config.AccessLog {
		next.ServeHTTP(w, r)
		return
	}
	v.ResponseWriter = w
	began := time.Now()
	defer func() { s.left(v, r, time.Since(began)) }()
	next.ServeHTTP(v, r)
}

// left measures and logs a request that was answered.
func (s *Site) left(v *visit, r *http.Request, took time.Duration) {
	if v.page == "" {
		v.page = otherPage
	}
	if v.status == 0 {
		v.status = http.StatusOK // net/http writes it if the handler writes nothing
	}
	s.meters.request(v, took)
	if !s.config.AccessLog {
		return
	}
	s.log.LogAttrs(context.Background(), slog.LevelInfo, "request", slog.String("request", r.Header.Get(requestID)),
		slog.String("door", v.door), slog.String("method", r.Method), slog.String("page", v.page),
		slog.String("path", withoutSecret(r.URL.Path)), slog.Int("status", v.status), slog.Int64("bytes", v.bytes),
		slog.Duration("took", took), slog.String("by", v.by), slog.String("address", s.address(r)))
}

// visitOf returns the visit of a request by its ResponseWriter, or nil if nothing is measured.
func visitOf(w http.ResponseWriter) *visit {
	v, _ := w.(*visit)
	return v
}

// on names the page that answers.
func (v *visit) on(page string) {
	if v != nil && page != "" {
		v.page = page
	}
}

// from names the actor.
func (v *visit) from(by store.Actor) {
	if v != nil {
		v.by = by.Key()
	}
}

// waits says that the request may wait for the page to change.
func (v *visit) waits() {
	if v != nil {
		v.waited = true
	}
}

// WriteHeader implements [http.ResponseWriter].
func (v *visit) WriteHeader(status int) {
	if v.status < http.StatusOK { // after an informational answer another follows
		v.status = status
	}
	v.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (v *visit) Write(p []byte) (int, error) {
	n, err := v.ResponseWriter.Write(p)
	if v.status < http.StatusOK {
		v.status = http.StatusOK
	}
	v.bytes += int64(n)
	return n, err
}

// Flush implements [http.Flusher], for streams of events.
func (v *visit) Flush() { http.NewResponseController(v.ResponseWriter).Flush() }

// Unwrap lets [http.ResponseController] reach the other methods.
func (v *visit) Unwrap() http.ResponseWriter { return v.ResponseWriter }

// class is the class of an answer's status, such as 2xx.
func (v *visit) class() string { return strconv.Itoa(v.status/100) + "xx" }

// routeNamed names the route of a request that is answered beside the site map.
func routeNamed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r)
		visitOf(w).on(chi.RouteContext(r.Context()).RoutePattern())
	})
}
