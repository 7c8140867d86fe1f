package oauth

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"samepage/actions"
	"samepage/store"
	"samepage/store/credential"
	"samepage/store/keyfile"
)

const (
	codeGrant    = "authorization_code"
	refreshGrant = "refresh_token"
)

// issued is the answer of the token endpoint (RFC 6749 §5.1).
type issued struct {
	Access  string `json:"access_token"`
	Type    string `json:"token_type"`
	Expires int64  `json:"expires_in"`
	Refresh string `json:"refresh_token"`
	Scope   string `json:"scope"`
}

type tokenRequest struct {
	params           map[string]string
	keys             *keyfile.Keys
	client           string
	issuer, resource string
}

var errGrant = newFault(invalidGrant, "It is not valid: unknown, expired, revoked or used already.")

func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	p, err := form(w, r)
	if err != nil {
		s.fail(w, err)
		return
	}
	a := tokenRequest{params: p, keys: s.Keys, issuer: s.Origin(r), resource: s.Resource(r)}
	if a.client, err = clientID(r, p); err != nil {
		s.fail(w, err)
		return
	}
	if to, ok := p["resource"]; ok && to != a.resource {
		s.fail(w, newFault(invalidTarget, "The only resource here is "+a.resource))
		return
	}
	var out issued
	switch p["grant_type"] {
	case codeGrant:
		out, err = s.redeem(r, a)
	case refreshGrant:
		out, err = s.refresh(r, a)
	case "":
		err = newFault(invalidRequest, "grant_type is missing.")
	default:
		err = newFault(unsupportedGrant, "grant_type must be "+codeGrant+" or "+refreshGrant+".")
	}
	if err != nil {
		s.fail(w, err)
		return
	}
	answer(w, http.StatusOK, out)
}

// clientID returns the ID of the client from the form or from Basic authentication. Clients here have no secret, so any
// secret that is not empty is an error.
func clientID(r *http.Request, p map[string]string) (string, error) {
	id := p["client_id"]
	if user, password, ok := r.BasicAuth(); ok {
		user, err := url.QueryUnescape(user)
		if err != nil || password != "" || id != "" && id != user {
			return "", newFault(invalidClient, "Clients here have no secret.")
		}
		id = user
	}
	if id == "" || p["client_secret"] != "" || p["client_assertion"] != "" {
		return "", newFault(invalidClient, "Send the client_id, and no secret: clients here have none.")
	}
	return id, nil
}

// verifier matches a PKCE code verifier (RFC 7636 §4.1). It is compiled at its first use, so that the program starts
// faster.
var verifier = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9._~-]{43,128}$`) })

// redeem exchanges an authorization code for the first tokens. A second attempt with the same code may come from a
// thief, so it ends the grant that the first attempt obtained.
func (s *Server) redeem(r *http.Request, a tokenRequest) (out issued, err error) {
	p := a.params
	if !verifier().MatchString(p["code_verifier"]) {
		return out, newFault(invalidRequest, "code_verifier must be 43 to 128 letters, digits and -._~.")
	}
	replayed := false
	err = s.Store.Write(r.Context(), func(tx *store.Tx) error {
		replayed = false
		g, err := credential.FindGrant(tx, p["code"])
		if err != nil {
			return err
		}
		if !g.RedeemedAt.IsZero() {
			replayed = true
			return s.endGrant(tx, g.TokenID, "Its code was redeemed twice.")
		}
		sum := sha256.Sum256([]byte(p["code_verifier"]))
		proof := base64.RawURLEncoding.EncodeToString(sum[:])
		if g.Client != a.client || p["redirect_uri"] != "" && p["redirect_uri"] != g.Redirect ||
			subtle.ConstantTimeCompare([]byte(proof), []byte(g.Challenge)) != 1 {
			return errGrant
		}
		by, refresh, err := credential.RedeemCode(tx, g)
		if err != nil {
			return err
		}
		if err := s.supersede(tx, by); err != nil {
			return err
		}
		out, err = a.issue(tx, by, refresh)
		return err
	})
	return out, refused(err, replayed)
}

// supersede ends earlier grants of the same member to the same client if they allow no more than the new grant. The
// grants of a client with a metadata document remain, because such a client may run on several machines under one ID.
func (s *Server) supersede(tx *store.Tx, by store.Actor) error {
	if hasDocument(by.Grant.Client) {
		return nil
	}
	ids, err := credential.SupersededTokens(tx, by)
	for _, id := range ids {
		if err == nil {
			err = s.endGrant(tx, id, "Its client was granted as much anew.")
		}
	}
	return err
}

// refresh exchanges a refresh token for its successor. If the token is used again after [credential.RefreshGrace],
// either it or its successor has been stolen. The server cannot tell the client from the thief, so it ends the grant.
func (s *Server) refresh(r *http.Request, a tokenRequest) (out issued, err error) {
	secret := a.params["refresh_token"]
	successor := s.successor(secret)
	stolen := false
	err = s.Store.Write(r.Context(), func(tx *store.Tx) error {
		by, late, err := credential.RefreshGrant(tx, secret, successor)
		stolen = late
		switch {
		case err != nil:
			return err
		case by.Grant.Client != a.client:
			return errGrant
		case late:
			return s.endGrant(tx, by.Token, "A refresh token of it was used twice.")
		}
		out, err = a.issue(tx, by, successor)
		return err
	})
	return out, refused(err, stolen)
}

// refused returns errGrant if the grant is unknown, or if err is nil but the code or token was used again. Otherwise it
// returns err.
func refused(err error, again bool) error {
	if again && err == nil || store.CodeOf(err) == store.NotFound {
		return errGrant
	}
	return err
}

// successor returns the refresh token that replaces this one. It is the same for the same token and keys of the server,
// and nobody can compute it without the keys.
func (s *Server) successor(secret string) string {
	h := hmac.New(sha256.New, s.Keys.Derive("refresh tokens"))
	h.Write([]byte("refresh\x00" + secret))
	return credential.RefreshPrefix + base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

// issue returns the answer with an access token and the refresh token. The access token has the requested scopes, or
// all granted scopes if the request names none.
func (a *tokenRequest) issue(tx *store.Tx, by store.Actor, refresh string) (issued, error) {
	scopes := by.Grant.Scopes
	if asked := strings.Fields(a.params["scope"]); len(asked) > 0 {
		if slices.ContainsFunc(asked, func(s string) bool { return !slices.Contains(scopes, store.Scope(s)) }) {
			return issued{}, newFault(invalidScope, "That is more than was granted: "+scopes.String())
		}
		scopes = commonScopes(scopes, asked)
	}
	access, expires, err := sign(tx, a.keys, by, a.issuer, a.resource, scopes)
	return issued{access, "Bearer", int64(expires.Sub(tx.Now).Seconds()), refresh, scopes.String()}, err
}

// endGrant revokes a grant and journals the reason.
func (s *Server) endGrant(tx *store.Tx, tokenID, why string) error {
	by, err := tx.ActorByGrant(tokenID)
	if store.CodeOf(err) == store.NotFound {
		return nil // the grant has ended already
	}
	if err != nil {
		return err
	}
	if err := actions.EndToken(tx, by, tokenID, why); err != nil {
		return err
	}
	s.Log.Warn("security: grant revoked", "token", tokenID, "member", by.MemberID(), "why", why)
	return nil
}
