package oauth

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"samepage/store"
	"samepage/store/credential"
)

const (
	maxRedirects = 10
	maxName      = 80 // runes
)

// metadata is a client's description of itself (RFC 7591 §2). Other fields, such as pictures and contacts, are ignored.
type metadata struct {
	Name       string          `json:"client_name"`
	Redirects  []string        `json:"redirect_uris"`
	AuthMethod string          `json:"token_endpoint_auth_method"`
	Grants     []string        `json:"grant_types"`
	Responses  []string        `json:"response_types"`
	Secret     json.RawMessage `json:"client_secret"`
}

// check returns the first fault in the metadata as an OAuth error.
func (m *metadata) check() error {
	switch {
	case len(m.Redirects) == 0 || len(m.Redirects) > maxRedirects:
		return newFault(invalidRedirect, fmt.Sprintf("redirect_uris must name 1 to %d addresses", maxRedirects))
	case !slices.ContainsFunc(m.Redirects, goodRedirect) ||
		slices.ContainsFunc(m.Redirects, func(to string) bool { return !goodRedirect(to) }):
		return newFault(invalidRedirect, "redirect_uris must be https, or http on 127.0.0.1, [::1] or localhost, or "+
			"have a scheme of the program's own, such as com.example.app:/callback")
	case utf8.RuneCountInString(m.Name) > maxName ||
		strings.ContainsFunc(m.Name, func(r rune) bool { return !unicode.IsGraphic(r) }):
		return newFault(invalidMetadata, fmt.Sprintf("client_name must be at most %d visible characters", maxName))
	case len(m.Grants) > 0 && !slices.Contains(m.Grants, codeGrant):
		return newFault(invalidMetadata, "grant_types must have "+codeGrant)
	case len(m.Responses) > 0 && !slices.Contains(m.Responses, "code"):
		return newFault(invalidMetadata, "response_types must have code")
	}
	return nil
}

// register stores a client that describes itself (RFC 7591). The answer has no secret, because clients here are public.
func (s *Server) register(w http.ResponseWriter, r *http.Request) {
	var m metadata
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&m); err != nil {
		s.fail(w, newFault(invalidMetadata, "The body must be JSON of at most 16 KB."))
		return
	}
	if err := m.check(); err != nil {
		s.fail(w, err)
		return
	}
	if m.Name = strings.TrimSpace(m.Name); m.Name == "" {
		m.Name = "A program without a name"
	}
	var c *credential.OAuthClient
	if err := s.Store.Write(r.Context(), func(tx *store.Tx) (err error) {
		c, err = credential.RegisterClient(tx, m.Name, m.Redirects)
		return err
	}); err != nil {
		s.fail(w, err)
		return
	}
	answer(w, http.StatusCreated, struct {
		ID         string   `json:"client_id"`
		IssuedAt   int64    `json:"client_id_issued_at"`
		Name       string   `json:"client_name"`
		Redirects  []string `json:"redirect_uris"`
		AuthMethod string   `json:"token_endpoint_auth_method"`
		Grants     []string `json:"grant_types"`
		Responses  []string `json:"response_types"`
	}{c.ID, s.Store.Now().Unix(), c.Name, c.Redirects, "none", []string{codeGrant, refreshGrant}, []string{"code"}})
}
