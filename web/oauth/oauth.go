// Package oauth is the authorization server for the one resource there is: the workspace itself, which agents reach at /mcp
// and at its pages. It is OAuth 2.1 for public clients: authorization codes with PKCE, rotated refresh tokens, and access
// tokens that are signed and checked against their grant on every request. The consent page belongs to the site.
package oauth

import (
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"samepage/store"
)

// AccessLife is how long an access token lives at most; a refresh token gets the next.
const AccessLife = time.Hour

// The paths of the endpoints. Authorize is a page and served by the site.
const (
	AuthorizePath  = "/oauth/authorize"
	tokenPath      = "/oauth/token"
	RegisterPath   = "/oauth/register"
	revokePath     = "/oauth/revoke"
	introspectPath = "/oauth/introspect"
	jwksPath       = "/oauth/jwks"
	resourcePath   = "/mcp"
	metadataPath   = "/.well-known/oauth-protected-resource"
)

// Config is what the server cannot know by itself.
type Config struct {
	Store     *store.Store
	Origin    func(*http.Request) string // scheme and host as the one who asks reaches us: the issuer
	Secret    []byte                     // derives refresh tokens from those before them; the same on all nodes
	Log       *slog.Logger
	Documents Documents
	// Caller finds who sent a request.
	Caller func(r *http.Request) func(tx *store.Tx) (store.Actor, error)
	// Wait counts a request to an endpoint that anybody may ask, and says how long its sender must wait; 0 lets it pass.
	Wait func(r *http.Request) time.Duration
}

// Server issues and checks tokens. It is safe for concurrent use.
type Server struct {
	Config
	keys       keyring
	signatures signatures
	documents  *library // nil where metadata documents are not fetched
}

// New makes a server.
func New(c Config) *Server {
	s := &Server{Config: c}
	if c.Documents.On {
		s.documents = newLibrary(c.Documents, c.Store.Now)
	}
	return s
}

// Mount adds the endpoints to the router, but for the one that is a page.
func (s *Server) Mount(m *chi.Mux) {
	for _, path := range []string{metadataPath, metadataPath + resourcePath} {
		public(m, path, s.resourceMetadata)
	}
	for _, path := range []string{"/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"} {
		public(m, path, s.serverMetadata)
		public(m, path+resourcePath, s.serverMetadata)
		public(m, resourcePath+path, s.serverMetadata)
	}
	for _, path := range []string{jwksPath, "/.well-known/jwks.json"} {
		public(m, path, s.jwks)
	}
	for path, serve := range map[string]http.HandlerFunc{RegisterPath: s.register, tokenPath: s.token, revokePath: s.revoke, introspectPath: s.introspect} {
		m.Post(path, func(w http.ResponseWriter, r *http.Request) {
			if wait := s.Wait(r); wait > 0 {
				w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
				s.fail(w, faulty(temporarilyTooMany, "Too many requests came from this address. Wait as long as Retry-After says."))
				return
			}
			serve(w, r)
		})
		m.MethodFunc(http.MethodGet, path, onlyPost)
	}
}

// onlyPost answers who opens an endpoint that programs send to.
func onlyPost(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Allow", "POST")
	answer(w, http.StatusMethodNotAllowed, map[string]string{"error": invalidRequest, "error_description": "Send a POST. What there is, is said at /.well-known/oauth-authorization-server."})
}

// public serves what any page of any origin may read.
func public(m *chi.Mux, path string, serve http.HandlerFunc) {
	m.Get(path, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		serve(w, r)
	})
	m.Options(path, func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Access-Control-Allow-Methods", "GET, HEAD")
		h.Set("Access-Control-Allow-Headers", "*")
		w.WriteHeader(http.StatusNoContent)
	})
}

// The codes of errors (RFC 6749 §4.1.2.1 and §5.2, RFC 7591 §3.2.2, RFC 8707 §2).
const (
	invalidRequest     = "invalid_request"
	invalidClient      = "invalid_client"
	invalidGrant       = "invalid_grant"
	invalidScope       = "invalid_scope"
	invalidTarget      = "invalid_target"
	invalidRedirect    = "invalid_redirect_uri"
	invalidMetadata    = "invalid_client_metadata"
	accessDenied       = "access_denied"
	unsupportedGrant   = "unsupported_grant_type"
	unsupportedReply   = "unsupported_response_type"
	invalidToken       = "invalid_token"
	insufficientScope  = "insufficient_scope"
	temporarilyTooMany = "temporarily_unavailable"
)

// fault is an error as OAuth tells it to programs.
type fault struct{ code, description string }

func (f *fault) Error() string { return f.code + ": " + f.description }

func faulty(code, description string) error { return &fault{code, description} }

// answer writes JSON that nobody may keep.
func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Pragma", "no-cache")
	writeJSON(w, status, v)
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(text)
}

// fail answers with an error. What is wrong on our side is logged and not told.
func (s *Server) fail(w http.ResponseWriter, err error) {
	f, ok := errors.AsType[*fault](err)
	status := http.StatusBadRequest
	switch {
	case !ok && store.CodeOf(err) == store.Unavailable:
		f, status = &fault{temporarilyTooMany, "Try again in a moment."}, http.StatusServiceUnavailable
	case !ok:
		s.Log.Error("oauth", "error", err)
		f, status = &fault{"server_error", "Something went wrong on the server."}, http.StatusInternalServerError
	case f.code == invalidClient:
		status = http.StatusUnauthorized
	case f.code == temporarilyTooMany:
		status = http.StatusTooManyRequests
	}
	answer(w, status, struct {
		Error       string `json:"error"`
		Description string `json:"error_description,omitempty"`
	}{f.code, f.description})
}

// maxBody is the largest request, in bytes.
const maxBody = 16 << 10

// form reads a request's form, in which nothing may be said twice; what stands in the address does not count.
func form(w http.ResponseWriter, r *http.Request) (map[string]string, error) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	if media, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); !strings.EqualFold(strings.TrimSpace(media), "application/x-www-form-urlencoded") {
		return nil, faulty(invalidRequest, "Send a form: application/x-www-form-urlencoded.")
	}
	if err := r.ParseForm(); err != nil {
		return nil, faulty(invalidRequest, "The form cannot be read.")
	}
	return once(r.PostForm)
}

// once is the only value of each key. Resources may be named several times, if they are the same.
func once(values map[string][]string) (map[string]string, error) {
	single := map[string]string{}
	for key, list := range values {
		for _, v := range list[1:] {
			if key != "resource" {
				return nil, faulty(invalidRequest, "A parameter is given twice.")
			}
			if v != list[0] {
				return nil, faulty(invalidTarget, "There is only one resource here.")
			}
		}
		single[key] = list[0]
	}
	return single, nil
}
