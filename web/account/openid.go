package account

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"samepage/actions"
	"samepage/store"
	"samepage/store/credential"
	"samepage/web/wire"
)

// OpenID describes a provider that may sign people in (OpenID Connect, authorization code flow with PKCE).
type OpenID struct {
	Issuer, ClientID, Secret string
	Name                     string // shown to people; if empty, the provider's host is shown
}

// Title returns the name of the provider for people, or the empty string if o is nil.
func (o *OpenID) Title() string {
	switch {
	case o == nil:
		return ""
	case o.Name != "":
		return o.Name
	}
	return actions.IssuerName(o.Issuer)
}

const (
	openIDPath   = LoginPath + "/openid"
	returnPath   = openIDPath + "/return"
	openIDCookie = "samepage-openid"
	toReturn     = "come back from the provider" // purpose under which the cookie is sealed
)

// ConnectPath is the path for connecting a signed-in person to their account at the provider.
const ConnectPath = openIDPath + "?connect=1"

// provider caches the endpoints and keys that the OpenID provider publishes. They are fetched at the first use, so that
// the program can start while the provider is down.
type provider struct {
	mu        sync.Mutex
	described *oidc.Provider
}

// errProvider is the answer if a sign-in that began at the provider cannot be finished. The log has the reason.
var errProvider = store.Errorf(store.Forbidden,
	"The provider did not vouch for you. Try again, or sign in another way.")

var providerClient = &http.Client{Timeout: 10 * time.Second,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// findProvider returns the provider's endpoints and keys. It fetches them unless an earlier call has succeeded.
func (s *Server) findProvider(ctx context.Context) (*oidc.Provider, error) {
	s.provider.mu.Lock()
	defer s.provider.mu.Unlock()
	if s.provider.described != nil {
		return s.provider.described, nil
	}
	p, err := oidc.NewProvider(oidc.ClientContext(context.WithoutCancel(ctx), providerClient), s.OpenID.Issuer)
	if err == nil {
		s.provider.described = p
	}
	return p, err
}

func (s *Server) openIDClient(r *http.Request, p *oidc.Provider) *oauth2.Config {
	return &oauth2.Config{ClientID: s.OpenID.ClientID, ClientSecret: s.OpenID.Secret, Endpoint: p.Endpoint(),
		RedirectURL: s.Origin(r) + returnPath, Scopes: []string{oidc.ScopeOpenID, "email"}}
}

// journey is the state of a sign-in at the provider. The browser keeps it in a sealed cookie until the provider
// redirects the browser back.
type journey struct {
	State, Nonce, Verifier, Next string
	Again                        bool   // as in loginOptions
	Connect                      string // user ID to connect with the provider's account; empty to sign in
}

func (s *Server) beginOpenID(w http.ResponseWriter, r *http.Request) {
	o := s.loginOptions(r)
	j := journey{State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(), Next: o.next,
		Again: o.again}
	if r.URL.Query().Get("connect") == "1" {
		a, err := s.findOwner(r)
		if err != nil {
			s.Fail(w, r, err)
			return
		}
		j.Connect, j.Next = a.UserID, credential.AccountURL
	}
	p, err := s.findProvider(r.Context())
	var text string
	if err == nil {
		text, err = s.seal(toReturn, j)
	}
	if err != nil {
		s.Log.Error("the OpenID provider cannot be used", "error", err)
		s.Fail(w, r, store.Errorf(store.Unavailable,
			"%s cannot be reached now. Sign in another way, or try again later.", s.OpenID.Title()))
		return
	}
	options := []oauth2.AuthCodeOption{oidc.Nonce(j.Nonce), oauth2.S256ChallengeOption(j.Verifier)}
	if j.Again {
		options = append(options, oauth2.SetAuthURLParam("prompt", "login"), oauth2.SetAuthURLParam("max_age", "0"))
	}
	s.setCookie(w, s.journeyCookie(), text, int(sealedLife.Seconds()))
	w.Header()["Cache-Control"] = wire.NoStore
	http.Redirect(w, r, s.openIDClient(r, p).AuthCodeURL(j.State, options...), http.StatusSeeOther)
}

func (s *Server) journeyCookie() string {
	if s.secure() {
		return "__Host-" + openIDCookie
	}
	return openIDCookie
}

// readJourney returns the journey that began on this browser. It returns false if there is none or it took too long.
func (s *Server) readJourney(r *http.Request) (j journey, ok bool) {
	c, err := r.Cookie(s.journeyCookie())
	return j, err == nil && s.unseal(toReturn, c.Value, &j)
}

func (s *Server) finishOpenID(w http.ResponseWriter, r *http.Request) {
	w.Header()["Cache-Control"] = wire.NoStore
	if err := s.Try(r, "", ""); err != nil {
		s.Event(r, "sign-in limited")
		s.Fail(w, r, err)
		return
	}
	s.setCookie(w, s.journeyCookie(), "", -1)
	j, ok := s.readJourney(r)
	var v voucher
	err := errors.New("no journey was begun here, or it took too long")
	if ok {
		v, err = s.redeem(r, j)
	}
	if err != nil {
		s.Event(r, "openid refused", "error", err.Error())
		s.Fail(w, r, errProvider)
		return
	}
	userID := ""
	err = s.Store.Write(r.Context(), func(tx *store.Tx) (err error) {
		if err := credential.SpendNonce(tx, j.State, tx.Now.Add(sealedLife)); err != nil {
			return err
		}
		if userID, err = s.findUser(tx, r, j, v); err != nil {
			return err
		}
		return credential.ConnectIdentity(tx, userID, s.OpenID.Issuer, v.Subject, v.Email)
	})
	if err != nil {
		s.Event(r, "openid refused", "error", err.Error(), "subject", clip(v.Subject, 100))
		s.Fail(w, r, err)
		return
	}
	if j.Connect != "" {
		s.Event(r, "openid connected", "by", "user:"+userID)
		s.setFlash(w, "From now on "+s.OpenID.Title()+" can sign you in.")
		http.Redirect(w, r, j.Next, http.StatusSeeOther)
		return
	}
	s.signIn(w, r, userID, "", j.Next, v.proved(s.Store.Now()))
}

// findUser returns the ID of the user that the provider's claims in v are about: the signed-in person if the journey
// connects accounts, or else the owner of the connected account, or else the user with the address in v. In the last
// case the provider must have verified the address, and the user must have a password.
func (s *Server) findUser(tx *store.Tx, r *http.Request, j journey, v voucher) (string, error) {
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
	known, err := credential.FindIdentity(tx, s.OpenID.Issuer, v.Subject)
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
	return "", store.Errorf(store.Forbidden,
		"No account here is connected to that one. If you have an account, sign in another way "+
			"and connect them on the page of your account; if you have none, ask to be invited.")
}
