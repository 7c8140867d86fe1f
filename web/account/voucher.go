package account

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"samepage/store/credential"
)

// voucher holds the OpenID provider's claims about a person.
type voucher struct {
	Subject  string `json:"sub"`
	Email    string `json:"email"`
	Verified bool   `json:"email_verified"`
	AuthTime int64  `json:"auth_time"`
}

// proved returns when the person last proved their identity to the provider. It returns the zero time if the provider
// does not say or gives a time in the future.
func (v voucher) proved(now time.Time) time.Time {
	at := time.Unix(v.AuthTime, 0)
	if v.AuthTime == 0 || at.After(now) {
		return time.Time{}
	}
	return at
}

// redeem checks the state, issuer and code in the query with which the provider redirected the browser back. Then it
// redeems the code for an ID token and checks the token's signature, issuer, audience, times and nonce.
func (s *Server) redeem(r *http.Request, j journey) (v voucher, err error) {
	q := r.URL.Query()
	switch {
	case subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(j.State)) != 1:
		return v, errors.New("another state")
	case q.Get("error") != "":
		return v, fmt.Errorf("the provider says %s", clip(q.Get("error"), 100))
	case q.Has("iss") && q.Get("iss") != s.OpenID.Issuer:
		return v, errors.New("another issuer answered")
	case q.Get("code") == "":
		return v, errors.New("no code")
	}
	p, err := s.findProvider(r.Context())
	if err != nil {
		return v, err
	}
	ctx := oidc.ClientContext(r.Context(), providerClient)
	token, err := s.openIDClient(r, p).Exchange(ctx, q.Get("code"), oauth2.VerifierOption(j.Verifier))
	if err != nil {
		// the text of the error would put the provider's whole answer into the log
		if e, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
			err = fmt.Errorf("the code was not redeemed: %s", clip(e.ErrorCode, 100))
		}
		return v, err
	}
	raw, _ := token.Extra("id_token").(string)
	id, err := p.VerifierContext(ctx, &oidc.Config{ClientID: s.OpenID.ClientID, Now: s.Store.Now}).Verify(ctx, raw)
	if err != nil {
		return v, err
	}
	if subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(j.Nonce)) != 1 {
		return v, errors.New("another nonce")
	}
	if err := id.Claims(&v); err != nil {
		return v, err
	}
	if proved := v.proved(s.Store.Now()); j.Again && s.Store.Now().Sub(proved) > credential.ProofLife {
		return v, errors.New("the provider did not ask for proof of their identity again")
	}
	return v, nil
}
