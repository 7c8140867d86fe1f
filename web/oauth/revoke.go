package oauth

import (
	"errors"
	"net/http"
	"strings"

	"samepage/store"
	"samepage/store/credential"
)

// revoke ends the grant of an access or refresh token (RFC 7009). A client can end only its own grants, but the answer
// is the same for an unknown token and for a token of another client.
func (s *Server) revoke(w http.ResponseWriter, r *http.Request) {
	p, err := form(w, r)
	if err != nil {
		s.fail(w, err)
		return
	}
	client, err := clientID(r, p)
	if err == nil && p["token"] == "" {
		err = newFault(invalidRequest, "token is missing.")
	}
	if err == nil {
		holder, _ := s.holder(r, p["token"])
		err = s.Store.Write(r.Context(), func(tx *store.Tx) error {
			by, err := holder(tx)
			if err != nil || by.Grant.Client != client {
				return err
			}
			return s.endGrant(tx, by.Token, "Its client gave it back.")
		})
	}
	if err != nil && store.CodeOf(err) != store.NotFound {
		s.fail(w, err)
		return
	}
	answer(w, http.StatusOK, struct{}{})
}

// holder returns a function that finds the agent of a token in a transaction, with the error [store.NotFound] if the
// token is not valid. The result access is nil unless the token is a valid access token.
func (s *Server) holder(r *http.Request, token string) (find func(tx *store.Tx) (store.Actor, error), access *Access) {
	if !IsAccess(token) {
		return func(tx *store.Tx) (store.Actor, error) { return credential.RefreshOwner(tx, token) }, nil
	}
	access, err := s.Verify(r, token)
	if errors.Is(err, ErrUnchecked) {
		return func(*store.Tx) (store.Actor, error) { return store.Actor{}, err }, nil
	}
	if err != nil {
		return func(*store.Tx) (store.Actor, error) { return store.Actor{}, store.Missing() }, nil
	}
	return access.Actor, access
}

// introspect answers with the claims of a token and whether the token is valid (RFC 7662). The caller must have a valid
// token. A token of another member is answered like an unknown token.
func (s *Server) introspect(w http.ResponseWriter, r *http.Request) {
	p, err := form(w, r)
	if err != nil {
		s.fail(w, err)
		return
	}
	type state struct {
		Active   bool   `json:"active"`
		Scope    string `json:"scope,omitempty"`
		Client   string `json:"client_id,omitempty"`
		Subject  string `json:"sub,omitempty"`
		Username string `json:"username,omitempty"`
		Type     string `json:"token_type,omitempty"`
		Audience string `json:"aud,omitempty"`
		Issuer   string `json:"iss,omitempty"`
		Expires  int64  `json:"exp,omitempty"`
	}
	out, known := state{}, false
	caller := s.Caller(r)
	holder, access := s.holder(r, p["token"])
	err = s.Store.Read(r.Context(), func(tx *store.Tx) error {
		asker, err := caller(tx)
		if err != nil || !asker.IsAgent() {
			return err
		}
		known = true
		by, err := holder(tx)
		if err != nil || by.MemberID() != asker.MemberID() {
			return err
		}
		out = state{true, by.Grant.Scopes.String(), by.Grant.Client, by.MemberID(), by.Name(), refreshGrant,
			s.Resource(r), s.Origin(r), by.Grant.Expires.Unix()}
		if access != nil {
			out.Type, out.Expires = "Bearer", access.ExpiresAt.Unix()
		}
		return nil
	})
	switch {
	case !known && (err == nil || store.CodeOf(err) == store.NotFound || store.CodeOf(err) == store.Unauthenticated):
		w.Header().Set("WWW-Authenticate", s.Challenge(r, strings.TrimSpace(r.Header.Get("Authorization")) != ""))
		answer(w, http.StatusUnauthorized, map[string]string{"error": invalidToken})
	case err != nil && store.CodeOf(err) != store.NotFound:
		s.fail(w, err)
	default:
		answer(w, http.StatusOK, out)
	}
}
