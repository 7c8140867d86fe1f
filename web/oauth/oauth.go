// Package oauth is the authorization server of the workspace. It implements OAuth 2.1 for public clients: authorization
// codes with PKCE, refresh tokens that change with every use, and signed access tokens. The consent page is in package
// account.
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
	"samepage/store/credential"
	"samepage/store/keyfile"
)

// AccessLife is the longest life of an access token.
const AccessLife = time.Hour

// These are the paths of the endpoints. The page at AuthorizePath is in package account.
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

// Config configures a [Server].
type Config struct {
	Store  *store.Store
	Origin func(*http.Request) string // scheme and host by which the caller reaches the site; also the issuer of tokens
	// Keys encrypts the signing keys, and derives each refresh token after the first. All nodes need the same keys.
	Keys      *keyfile.Keys
	Log       *slog.Logger
	Documents Documents
	Caller    func(r *http.Request) func(tx *store.Tx) (store.Actor, error)
	// Wait counts a request to an endpoint of this package. It returns how long the client must wait, or zero.
	Wait func(r *http.Request) time.Duration
}

// Server issues and checks tokens. It is safe for concurrent use.
type Server struct {
	Config
	keys       keyring
	signatures signatures
	documents  *library // nil if metadata documents are not fetched
}

// New returns a server.
func New(c Config) *Server {
	s := &Server{Config: c}
	if c.Documents.On {
		s.documents = newLibrary(c.Documents, c.Store.Now)
	}
	return s
}

// Mount adds the endpoints to the router.
func (s *Server) Mount(on *chi.Mux) {
	m := on.With(s.counted)
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
	for path, serve := range map[string]http.HandlerFunc{RegisterPath: s.register, tokenPath: s.token,
		revokePath: s.revoke, introspectPath: s.introspect} {
		m.Post(path, serve)
		m.MethodFunc(http.MethodGet, path, onlyPost)
	}
}

// counted refuses requests from an address that has exceeded its limit.
func (s *Server) counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if wait := s.Wait(r); wait > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
			s.fail(w, newFault(temporarilyUnavailable,
				"Too many requests came from this address. Wait as long as Retry-After says."))
			return
		}
		next.ServeHTTP(w, r)
	})
}

func onlyPost(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Allow", "POST")
	answer(w, http.StatusMethodNotAllowed, map[string]string{"error": invalidRequest,
		"error_description": "Send a POST. What there is, is said at /.well-known/oauth-authorization-server."})
}

// public adds a route for GET that scripts of every origin may use.
func public(m chi.Router, path string, serve http.HandlerFunc) {
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

// These are the codes of OAuth errors (RFC 6749 §4.1.2.1 and §5.2, RFC 6750 §3.1, RFC 7591 §3.2.2, RFC 8707 §2).
const (
	invalidRequest         = "invalid_request"
	invalidClient          = "invalid_client"
	invalidGrant           = "invalid_grant"
	invalidScope           = "invalid_scope"
	invalidTarget          = "invalid_target"
	invalidRedirect        = "invalid_redirect_uri"
	invalidMetadata        = "invalid_client_metadata"
	accessDenied           = "access_denied"
	unsupportedGrant       = "unsupported_grant_type"
	unsupportedReply       = "unsupported_response_type"
	invalidToken           = "invalid_token"
	insufficientScope      = "insufficient_scope"
	temporarilyUnavailable = "temporarily_unavailable"
)

// fault is an OAuth error (RFC 6749 §5.2).
type fault struct{ code, description string }

func (f *fault) Error() string { return f.code + ": " + f.description }

func newFault(code, description string) error { return &fault{code, description} }

// answer writes JSON with headers that keep it out of caches.
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

// fail answers with an error. The text of an error that is no [fault] does not go into the answer.
func (s *Server) fail(w http.ResponseWriter, err error) {
	f, ok := errors.AsType[*fault](err)
	status := http.StatusBadRequest
	switch {
	case !ok && store.CodeOf(err) == store.Unavailable:
		f, status = &fault{temporarilyUnavailable, "Try again in a moment."}, http.StatusServiceUnavailable
		w.Header().Set("Retry-After", "5")
	case err == credential.ErrPaused:
		// Not invalid_grant (RFC 6749 §5.2), at which clients discard a refresh token that would work again.
		f, status = &fault{temporarilyUnavailable, err.Error()}, http.StatusServiceUnavailable
		w.Header().Set("Retry-After", "60")
	case !ok:
		s.Log.Error("an OAuth request failed", "error", err)
		f, status = &fault{"server_error", "Something went wrong on the server."}, http.StatusInternalServerError
	case f.code == invalidClient:
		status = http.StatusUnauthorized
	case f.code == temporarilyUnavailable:
		status = http.StatusTooManyRequests
	}
	answer(w, status, struct {
		Error       string `json:"error"`
		Description string `json:"error_description,omitempty"`
	}{f.code, f.description})
}

// maxBody is the largest body of a request, in bytes.
const maxBody = 16 << 10

// form reads the parameters in the body of a request and ignores those in the query. It returns the errors of
// [singleValues].
func form(w http.ResponseWriter, r *http.Request) (map[string]string, error) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	if media, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); !strings.EqualFold(strings.TrimSpace(media),
		"application/x-www-form-urlencoded") {
		return nil, newFault(invalidRequest, "Send a form: application/x-www-form-urlencoded.")
	}
	if err := r.ParseForm(); err != nil {
		return nil, newFault(invalidRequest, "The form cannot be read.")
	}
	return singleValues(r.PostForm)
}

// singleValues returns the value of each key. More than one value is an error, except that the resource may be repeated
// with the same value.
func singleValues(values map[string][]string) (map[string]string, error) {
	single := map[string]string{}
	for key, list := range values {
		for _, v := range list[1:] {
			if key != "resource" {
				return nil, newFault(invalidRequest, "A parameter is given twice.")
			}
			if v != list[0] {
				return nil, newFault(invalidTarget, "There is only one resource here.")
			}
		}
		single[key] = list[0]
	}
	return single, nil
}
