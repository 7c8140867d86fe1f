package web

import (
	"net/http"
	"strings"

	"samepage/store"
)

// credentials are what a request shows of who asks. They are looked up in every transaction anew, so that a revoked token
// or a lost membership counts on the very next request.
type credentials struct {
	token string // bearer
	login string // cookie
	as    *store.Actor
}

// As are the credentials of an actor that needs none: the scheduler, the operator at the command line.
func As(by store.Actor) credentials { return credentials{as: &by} }

func (s *Site) credentials(r *http.Request) credentials {
	if h := r.Header.Get("Authorization"); h != "" {
		scheme, token, _ := strings.Cut(h, " ")
		if strings.EqualFold(scheme, "Bearer") {
			return credentials{token: strings.TrimSpace(token)}
		}
		return credentials{token: "?"} // another scheme is nobody we know
	}
	if c, err := r.Cookie(s.cookieName()); err == nil {
		return credentials{login: c.Value}
	}
	return credentials{}
}

var errBadToken = store.Errorf(store.Unauthenticated, "This token is not valid: unknown, expired or revoked. Ask its member for a new one.")

// actor looks the credentials up. A wrong token is an error; a wrong or missing login is nobody.
func (c credentials) actor(tx *store.Tx) (by store.Actor, stale bool, err error) {
	switch {
	case c.as != nil:
		return *c.as, false, nil
	case c.token != "":
		by, err = tx.ActorByToken(c.token)
		if store.KindOf(err) == store.NotFound {
			err = errBadToken
		}
	case c.login != "":
		by, stale, err = tx.ActorByLogin(c.login)
		if store.KindOf(err) == store.NotFound {
			err = nil
		}
	}
	return by, stale, err
}

// Authenticate names the principal of a bearer token for the MCP endpoint.
func (s *Site) Authenticate(r *http.Request) (string, bool) {
	c := s.credentials(r)
	if c.token == "" {
		return "", false
	}
	key := ""
	err := s.store.Read(r.Context(), func(tx *store.Tx) (err error) {
		key, err = tx.KeyByToken(c.token)
		return err
	})
	return key, err == nil
}

func (s *Site) cookieName() string {
	if s.secure() {
		return "__Host-samepage"
	}
	return "samepage"
}

func (s *Site) setLogin(w http.ResponseWriter, secret string) {
	http.SetCookie(w, &http.Cookie{Name: s.cookieName(), Value: secret, Path: "/", HttpOnly: true, Secure: s.secure(),
		SameSite: http.SameSiteLaxMode, MaxAge: int(store.LoginLife.Seconds())})
}

func (s *Site) clearLogin(w http.ResponseWriter) {
	http.SetCookie(w, &http.Cookie{Name: s.cookieName(), Path: "/", HttpOnly: true, Secure: s.secure(), SameSite: http.SameSiteLaxMode, MaxAge: -1})
}
