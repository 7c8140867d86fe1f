package mcp

import (
	"context"
	"errors"
	"math"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const maxBody = 256 << 10

// Handler returns a handler for MCP over Streamable HTTP, without sessions, for the revisions of the protocol from
// 2025-03-26 to 2026-07-28. It answers 401 to a request without a valid token, 403 for another origin or host, 405 for
// a method other than POST, 413 for a body above 256 KiB, 429 to an address that sent too many requests without a valid
// token, and 503 if the token cannot be checked. The 401 comes first, because clients send a GET to receive the
// challenge. Handler panics if Options.Authenticate is nil.
//
// Each call makes about 0.5 MB of garbage in the SDK, and Go's smallest heap goal is 4 MB. Without a larger heap or a
// higher GOGC, the garbage collector therefore runs almost all the time (BenchmarkNavigate).
func Handler(site http.Handler, o Options) http.Handler {
	if o.Authenticate == nil {
		panic("mcp: Options.Authenticate is nil")
	}
	w := newWalker(context.Background(), site, o)
	server := newServer(w)
	var h http.Handler = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server {
		return server
	}, &sdk.StreamableHTTPOptions{
		Stateless:    true,
		JSONResponse: true,
		// The SDK's own check would refuse every reverse proxy on the same machine; atOurHost replaces it.
		DisableLocalhostProtection:   true,
		MaxRequestBodyBytes:          maxBody,
		PropagateRequestCancellation: true,
	})
	h = w.fewCalls(w.steppedUp(h))
	if o.Bounded != nil {
		h = o.Bounded(h)
	}
	h = w.atOurHost(h)
	h = w.fromOurOrigin(h)
	return w.authenticated(w.chargedUnread(h))
}

// authenticated is middleware that refuses requests without a valid token. It runs before all other checks, because
// clients need the challenge even if the request has other errors.
func (w *walker) authenticated(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		principal, ok, err := w.Authenticate(r) // also without a token, because the site counts such requests
		if err != nil {
			// The status is not 401, because clients delete a token after a 401.
			status, wait := http.StatusServiceUnavailable, "5"
			if l, ok := errors.AsType[limited](err); ok {
				status, wait = http.StatusTooManyRequests, strconv.Itoa(int(math.Ceil(l.Wait().Seconds())))
			}
			rw.Header().Set("Retry-After", wait)
			rw.Header().Set("Cache-Control", "no-store")
			http.Error(rw, err.Error(), status)
			return
		}
		if !ok {
			w.challenge(rw, r)
			return
		}
		by := caller{principal: principal, request: r, heard: new(atomic.Bool)}
		next.ServeHTTP(rw, r.WithContext(context.WithValue(r.Context(), callerKey{}, by)))
	})
}

// limited is the error of Options.Authenticate for an address that sent too many requests without a valid token.
type limited interface {
	error
	Wait() time.Duration
}

// challenge answers 401 with a WWW-Authenticate header. The header has an error code only if the request had a token
// (RFC 6750 §3).
func (w *walker) challenge(rw http.ResponseWriter, r *http.Request) {
	header := "Bearer"
	sep := " "
	if r.Header.Get("Authorization") != "" {
		header += sep + `error="invalid_token"`
		sep = ", "
	}
	if w.Challenge != nil {
		if params := w.Challenge(r); params != "" {
			header += sep + params
		}
	}
	rw.Header().Set("WWW-Authenticate", header)
	rw.Header().Set("Cache-Control", "no-store")
	http.Error(rw, "Sign in: send a valid access token in the Authorization header, as Bearer.",
		http.StatusUnauthorized)
}

// fromOurOrigin is middleware that refuses requests from web pages of other origins. MCP demands this check, and the
// SDK does not make it by default.
func (w *walker) fromOurOrigin(next http.Handler) http.Handler {
	p := http.NewCrossOriginProtection()
	if w.Origin != "" {
		if err := p.AddTrustedOrigin(w.Origin); err != nil {
			panic("mcp: Options.Origin: " + err.Error())
		}
	}
	return p.Handler(next)
}

// atOurHost is middleware that refuses requests with a Host header that is not a name of this server, against DNS
// rebinding.
func (w *walker) atOurHost(next http.Handler) http.Handler {
	allowed := w.HostAllowed
	if allowed == nil {
		allowed = func(r *http.Request) bool { return isLoopback(r.Host) }
	}
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if !allowed(r) {
			http.Error(rw, "This server is not known by that Host.", http.StatusForbidden)
			return
		}
		next.ServeHTTP(rw, r)
	})
}

func isLoopback(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	if len(host) > 1 && host[0] == '[' && host[len(host)-1] == ']' {
		host = host[1 : len(host)-1]
	}
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
