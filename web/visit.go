package web

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"time"

	"github.com/go-chi/chi/v5"

	"samepage/store"
)

// requestID is the header with the ID of a request. Every answer has it, so that the request can be found in the log.
const requestID = "X-Request-Id"

var givenID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// These are the ways by which a request reaches the site, as named in metrics and the log.
const (
	byHTTP = "http"
	byMCP  = "mcp" // from a tool of the MCP endpoint
)

// otherPage is the name of all URLs without a route in metrics and the log, and of unknown actions in metrics.
const otherPage = "other"

// visit wraps the ResponseWriter of a request to see whether the answer has begun. It records the request for the metrics
// and the access log if one of them is on.
type visit struct {
	http.ResponseWriter
	recorded bool
	door     string
	page     string // pattern of the page or other route
	by       string // key of the actor; empty if unknown
	status   int
	bytes    int64
	waited   bool // whether the request may have waited for the page to change
}

// ServeHTTP answers a request from the network.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.enter(w, r, s.handler, &visit{door: byHTTP})
}

// FromTools returns the handler for requests that the tools of the MCP endpoint make. It keeps the ID that such a
// request has.
func (s *Site) FromTools() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.enter(w, r, s.handler, &visit{door: byMCP})
	})
}

// Place returns a handler that measures and logs requests to a route that does not belong to the site.
func (s *Site) Place(route string, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.enter(w, r, h, &visit{door: byHTTP, page: route})
	})
}

func (s *Site) enter(w http.ResponseWriter, r *http.Request, next http.Handler, v *visit) {
	id := r.Header[requestID]
	if len(id) != 1 || !givenID.MatchString(id[0]) || v.door != byMCP && !s.fromProxy(r) {
		id = []string{store.NewID()}
		r.Header[requestID] = id
	}
	w.Header()[requestID] = id
	v.ResponseWriter, v.recorded = w, s.meters != nil || s.config.AccessLog
	if !v.recorded {
		next.ServeHTTP(v, r)
		return
	}
	began := time.Now()
	defer func() { s.left(v, r, time.Since(began)) }()
	next.ServeHTTP(v, r)
}

// left records an answered request in the metrics and in the access log, each only if it is enabled.
func (s *Site) left(v *visit, r *http.Request, took time.Duration) {
	v.page = cmp.Or(v.page, otherPage)
	if v.status == 0 {
		v.status = http.StatusOK // net/http sends this status if the handler writes nothing
	}
	s.meters.request(v, took)
	if !s.config.AccessLog {
		return
	}
	s.log.LogAttrs(context.Background(), slog.LevelInfo, "request", slog.String("request", r.Header.Get(requestID)),
		slog.String("door", v.door), slog.String("method", r.Method), slog.String("page", v.page),
		slog.String("path", withoutSecret(r.URL.Path)), slog.Int("status", v.status), slog.Int64("bytes", v.bytes),
		slog.Float64("took_ms", float64(took.Microseconds())/1000), slog.String("by", v.by), slog.String("address", s.address(r)))
}

// visitOf returns the visit behind the ResponseWriter of a request, or nil if nothing is measured or logged.
func visitOf(w http.ResponseWriter) *visit {
	if v, _ := w.(*visit); v != nil && v.recorded {
		return v
	}
	return nil
}

// begun reports whether a part of the answer to a request was written.
func begun(w http.ResponseWriter) bool {
	v, _ := w.(*visit)
	return v != nil && v.status >= http.StatusOK
}

func (v *visit) setPage(page string) {
	if v != nil && page != "" {
		v.page = page
	}
}

func (v *visit) setActor(by store.Actor) {
	if v != nil {
		v.by = by.Key()
	}
}

func (v *visit) setWaited() {
	if v != nil {
		v.waited = true
	}
}

func (v *visit) WriteHeader(status int) {
	if v.status < http.StatusOK { // another status follows an informational one
		v.status = status
	}
	v.ResponseWriter.WriteHeader(status)
}

func (v *visit) Write(p []byte) (int, error) {
	n, err := v.ResponseWriter.Write(p)
	if v.status < http.StatusOK {
		v.status = http.StatusOK
	}
	v.bytes += int64(n)
	return n, err
}

// ReadFrom lets the server send a file without a copy in memory.
func (v *visit) ReadFrom(from io.Reader) (int64, error) {
	v.status = max(v.status, http.StatusOK)
	n, err := io.Copy(v.ResponseWriter, from)
	v.bytes += n
	return n, err
}

func (v *visit) Flush() { http.NewResponseController(v.ResponseWriter).Flush() }

// Unwrap gives [http.ResponseController] access to the other methods of the writer.
func (v *visit) Unwrap() http.ResponseWriter { return v.ResponseWriter }

func routeNamed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r)
		visitOf(w).setPage(chi.RouteContext(r.Context()).RoutePattern())
	})
}
