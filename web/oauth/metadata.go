package oauth

import (
	"net/http"
	"slices"
	"strings"

	"samepage/store"
)

// Resource returns the URL that every access token has as its audience.
func (s *Server) Resource(r *http.Request) string { return s.Origin(r) + resourcePath }

// Challenge returns the WWW-Authenticate header for a request without a valid token (RFC 6750 §3, RFC 9728 §5.1). The
// argument tried is true if the request had an invalid token.
func (s *Server) Challenge(r *http.Request, tried bool) string {
	header := "Bearer "
	if tried {
		header += `error="` + invalidToken + `", `
	}
	return header + s.ChallengeParams(r)
}

// ChallengeParams returns the URL of the resource's metadata and the scope for reading. A client asks for more scopes
// when it needs them.
func (s *Server) ChallengeParams(r *http.Request) string {
	return s.pointer(r) + `, scope="` + string(store.ScopeRead) + `"`
}

// StepUp returns the WWW-Authenticate header for a request with a token that lacks the scopes in needs. The header
// lists these scopes and the scope for reading.
func (s *Server) StepUp(r *http.Request, needs store.Set[store.Scope]) string {
	var all store.Set[store.Scope]
	for _, scope := range store.Scopes() {
		if scope == store.ScopeRead || slices.Contains(needs, scope) {
			all = append(all, scope)
		}
	}
	return `Bearer error="` + insufficientScope + `", scope="` + all.String() + `", ` + s.pointer(r)
}

func (s *Server) pointer(r *http.Request) string {
	return `resource_metadata="` + s.Origin(r) + metadataPath + resourcePath + `"`
}

// resourceMetadata answers with the description of the resource (RFC 9728).
func (s *Server) resourceMetadata(w http.ResponseWriter, r *http.Request) {
	described(w, struct {
		Resource      string   `json:"resource"`
		Name          string   `json:"resource_name"`
		Servers       []string `json:"authorization_servers"`
		Scopes        []string `json:"scopes_supported"`
		Methods       []string `json:"bearer_methods_supported"`
		Documentation string   `json:"resource_documentation"`
	}{s.Resource(r), "Samepage", []string{s.Origin(r)}, []string{string(store.ScopeRead)}, []string{"header"},
		s.Origin(r) + "/help/agents"})
}

// serverMetadata answers with the description of this server (RFC 8414), and with the fields that OpenID Connect
// Discovery requires, because some clients read them.
func (s *Server) serverMetadata(w http.ResponseWriter, r *http.Request) {
	origin := s.Origin(r)
	none := []string{"none"}
	described(w, struct {
		Issuer        string   `json:"issuer"`
		Authorization string   `json:"authorization_endpoint"`
		Token         string   `json:"token_endpoint"`
		Registration  string   `json:"registration_endpoint"`
		Revocation    string   `json:"revocation_endpoint"`
		Introspection string   `json:"introspection_endpoint"`
		JWKS          string   `json:"jwks_uri"`
		Scopes        []string `json:"scopes_supported"`
		Responses     []string `json:"response_types_supported"`
		Modes         []string `json:"response_modes_supported"`
		Grants        []string `json:"grant_types_supported"`
		Challenges    []string `json:"code_challenge_methods_supported"`
		TokenAuth     []string `json:"token_endpoint_auth_methods_supported"`
		RevokeAuth    []string `json:"revocation_endpoint_auth_methods_supported"`
		Iss           bool     `json:"authorization_response_iss_parameter_supported"`
		Documents     bool     `json:"client_id_metadata_document_supported,omitempty"`
		Resources     []string `json:"protected_resources"`
		Help          string   `json:"service_documentation"`
		Subjects      []string `json:"subject_types_supported"`
		Signing       []string `json:"id_token_signing_alg_values_supported"`
	}{
		Issuer: origin, Authorization: origin + AuthorizePath, Token: origin + tokenPath,
		Registration: origin + RegisterPath,
		Revocation:   origin + revokePath, Introspection: origin + introspectPath, JWKS: origin + jwksPath,
		Scopes: strings.Fields(store.Set[store.Scope](store.Scopes()).String()), Responses: []string{"code"},
		Modes:  []string{"query"},
		Grants: []string{codeGrant, refreshGrant}, Challenges: []string{"S256"}, TokenAuth: none,
		RevokeAuth: none, Iss: true,
		Documents: s.documents != nil, Resources: []string{s.Resource(r)}, Help: origin + "/help/agents",
		Subjects: []string{"public"}, Signing: []string{signing.Alg()},
	})
}

func described(w http.ResponseWriter, v any) {
	w.Header().Set("Cache-Control", "public, max-age=300")
	writeJSON(w, http.StatusOK, v)
}
