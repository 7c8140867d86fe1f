package web

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"samepage/actions"
	"samepage/store"
	"samepage/web/wire"
)

// OpenID says which provider may sign people in beside passwords and passkeys (OpenID Connect, authorization code with PKCE).
type OpenID struct {
	Issuer, ClientID, Secret string
	Name                     string // what people call it; empty means its host
}

func (o *OpenID) name() string {
	switch {
	case o == nil:
		return ""
	case o.Name != "":
		return o.Name
	}
	return actions.IssuerName(o.Issuer)
}

const (
	openIDPath   = "/login/openid"
	returnPath   = openIDPath + "/return"
	openIDCookie = "samepage-openid"
	toReturn     = "come back from the provider"
)

// provider is what is known of the OpenID provider. It is asked when somebody first wants to sign in with it, so that we start
// without it, and not again once it has answered.
type provider struct {
	mu    sync.Mutex
	known *oidc.Provider
}

// errProvider is the one answer to all that a provider may do wrong; the log has which.
var errProvider = store.Errorf(store.Forbidden, "The provider did not vouch for you. Try again, or sign in another way.")

// asks is a client for what we ask the provider: it follows nobody elsewhere and does not wait long.
var asks = &http.Client{Timeout: 10 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// openID is the provider's endpoints and keys.
func (s *Site) openID(ctx context.Context) (*oidc.Provider, error) {
	s.provider.mu.Lock()
	defer s.provider.mu.Unlock()
	if s.provider.known != nil {
		return s.provider.known, nil
	}
	p, err := oidc.NewProvider(oidc.ClientContext(context.WithoutCancel(ctx), asks), s.config.OpenID.Issuer)
	if err == nil {
		s.provider.known = p
	}
	return p, err
}

func (s *Site) relyingParty(r *http.Request, p *oidc.Provider) *oauth2.Config {
	return &oauth2.Config{ClientID: s.config.OpenID.ClientID, ClientSecret: s.config.OpenID.Secret, Endpoint: p.Endpoint(),
		RedirectURL: s.origin(r) + returnPath, Scopes: []string{oidc.ScopeOpenID, "email"}}
}

// journey is what a browser takes along to the provider and brings back.
type journey struct {
	State, Nonce, Verifier, Next string
	Again                        bool   // they prove anew who they are
	Connect                      string // the user whose account it is to be connected to; empty to sign in
}

// openIDStart sends somebody to the provider.
func (s *Site) openIDStart(w http.ResponseWriter, r *http.Request) {
	e := s.arrivalOf(r)
	j := journey{State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(), Next: e.next, Again: e.again}
	if r.URL.Query().Get("connect") == "1" {
		var a *store.Account
		if err := s.store.Read(r.Context(), func(tx *store.Tx) (err error) { a, err = s.owner(tx, r); return err }); err != nil {
			s.fail(w, r, err)
			return
		}
		j.Connect, j.Next = a.UserID, store.AccountURL
	}
	p, err := s.openID(r.Context())
	var text string
	if err == nil {
		text, err = s.sealUp(toReturn, j)
	}
	if err != nil {
		s.log.Error("openid provider", "error", err)
		s.fail(w, r, store.Errorf(store.Unavailable, "%s cannot be reached now. Sign in another way, or try again later.", s.config.OpenID.name()))
		return
	}
	options := []oauth2.AuthCodeOption{oidc.Nonce(j.Nonce), oauth2.S256ChallengeOption(j.Verifier)}
	if j.Again {
		options = append(options, oauth2.SetAuthURLParam("prompt", "login"), oauth2.SetAuthURLParam("max_age", "0"))
	}
	s.setJourney(w, text, int(sealedLife.Seconds()))
	w.Header()["Cache-Control"] = wire.NoStore
	http.Redirect(w, r, s.relyingParty(r, p).AuthCodeURL(j.State, options...), http.StatusSeeOther)
}

func (s *Site) setJourney(w http.ResponseWriter, text string, seconds int) {
	name := openIDCookie
	if s.secure() {
		name = "__Host-" + name
	}
	http.SetCookie(w, &http.Cookie{Name: name, Value: text, Path: "/", HttpOnly: true, Secure: s.secure(), SameSite: http.SameSiteLaxMode, MaxAge: seconds})
}

// begun is the journey that this browser is on.
func (s *Site) begun(r *http.Request) (j journey, ok bool) {
	name := openIDCookie
	if s.secure() {
		name = "__Host-" + name
	}
	c, err := r.Cookie(name)
	return j, err == nil && s.unseal(toReturn, c.Value, &j)
}

// openIDReturn signs in whom the provider vouches for.
func (s *Site) openIDReturn(w http.ResponseWriter, r *http.Request) {
	w.Header()["Cache-Control"] = wire.NoStore
	if _, err := s.limits.take(s.tries(r)); err != nil {
		s.event(r, "sign-in limited")
		s.fail(w, r, err)
		return
	}
	s.setJourney(w, "", -1)
	j, ok := s.begun(r)
	var v voucher
	err := errors.New("no journey was begun here, or it took too long")
	if ok {
		v, err = s.vouched(r, j)
	}
	if err != nil {
		s.event(r, "openid refused", "error", err.Error())
		s.fail(w, r, errProvider)
		return
	}
	userID := ""
	err = s.store.Write(r.Context(), func(tx *store.Tx) (err error) {
		if err := tx.Spend(j.State, tx.Now.Add(sealedLife)); err != nil {
			return err
		}
		userID, err = s.whom(tx, r, j, v)
		if err != nil {
			return err
		}
		return tx.Connect(userID, s.config.OpenID.Issuer, v.Subject, v.Email)
	})
	if err != nil {
		s.event(r, "openid refused", "error", err.Error(), "subject", wire.Clip(v.Subject, 100))
		s.fail(w, r, err)
		return
	}
	if j.Connect != "" {
		s.event(r, "openid connected", "by", "user:"+userID)
		wire.SetFlash(w, "From now on "+s.config.OpenID.name()+" can sign you in.", s.secure())
		http.Redirect(w, r, j.Next, http.StatusSeeOther)
		return
	}
	s.signIn(w, r, userID, j.Next, v.proved(s.store.Now()))
}

// voucher is what the provider says of a person.
type voucher struct {
	Subject  string `json:"sub"`
	Email    string `json:"email"`
	Verified bool   `json:"email_verified"`
	AuthTime int64  `json:"auth_time"`
}

// proved is when the person showed the provider who they are; zero if it does not say.
func (v voucher) proved(now time.Time) time.Time {
	at := time.Unix(v.AuthTime, 0)
	if v.AuthTime == 0 || at.After(now) {
		return time.Time{}
	}
	return at
}

// vouched checks what the provider has sent a browser back with: the state, the issuer, the code, and the token that it is
// redeemed for, with its signature, issuer, audience, times and nonce.
func (s *Site) vouched(r *http.Request, j journey) (v voucher, err error) {
	q := r.URL.Query()
	switch {
	case subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(j.State)) != 1:
		return v, errors.New("another state")
	case q.Get("error") != "":
		return v, fmt.Errorf("the provider says %s", wire.Clip(q.Get("error"), 100))
	case q.Has("iss") && q.Get("iss") != s.config.OpenID.Issuer:
		return v, errors.New("another issuer answered")
	case q.Get("code") == "":
		return v, errors.New("no code")
	}
	p, err := s.openID(r.Context())
	if err != nil {
		return v, err
	}
	ctx := oidc.ClientContext(r.Context(), asks)
	token, err := s.relyingParty(r, p).Exchange(ctx, q.Get("code"), oauth2.VerifierOption(j.Verifier))
	if err != nil {
		if e, ok := errors.AsType[*oauth2.RetrieveError](err); ok { // its text has the whole answer
			err = fmt.Errorf("the code was not redeemed: %s", wire.Clip(e.ErrorCode, 100))
		}
		return v, err
	}
	raw, _ := token.Extra("id_token").(string)
	id, err := p.VerifierContext(ctx, &oidc.Config{ClientID: s.config.OpenID.ClientID, Now: s.store.Now}).Verify(ctx, raw)
	if err != nil {
		return v, err
	}
	if subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(j.Nonce)) != 1 {
		return v, errors.New("another nonce")
	}
	if err := id.Claims(&v); err != nil {
		return v, err
	}
	if proved := v.proved(s.store.Now()); j.Again && s.store.Now().Sub(proved) > store.ProofLife {
		return v, errors.New("the provider did not ask who they are again")
	}
	return v, nil
}

// whom is the user that a voucher stands for: whose account is connected; else who has the address, if the provider has
// verified it and a password is enough for that account.
func (s *Site) whom(tx *store.Tx, r *http.Request, j journey, v voucher) (string, error) {
	if j.Connect != "" {
		a, err := s.owner(tx, r)
		if err == nil && a.UserID != j.Connect {
			err = store.Errorf(store.Conflict, "Somebody else is signed in on this browser now. Nothing was connected.")
		}
		if err != nil {
			return "", err
		}
		return a.UserID, nil
	}
	known, err := tx.FindIdentity(s.config.OpenID.Issuer, v.Subject)
	if err == nil {
		return known.UserID, nil
	}
	if store.CodeOf(err) != store.NotFound {
		return "", err
	}
	if v.Verified {
		u, err := tx.UserByEmail(strings.ToLower(v.Email))
		if err == nil && u.Password != "" {
			return u.ID, nil
		}
		if err != nil && store.CodeOf(err) != store.NotFound {
			return "", err
		}
	}
	return "", store.Errorf(store.Forbidden, "No account here is connected to that one. If you have an account, sign in another way and connect them on the page of your account; if you have none, ask to be invited.")
}

// openIDLink is where signing in with the provider begins.
func openIDLink(e arrival) string {
	q, _ := url.Parse(e.url())
	return wire.WithQuery(openIDPath, q.RawQuery)
}
