package account

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"time"

	"samepage/store/credential"
	"samepage/web/wire"
)

// knownFor is the time for which a browser is known after a person signed in on it.
const knownFor = 180 * 24 * time.Hour

// Login returns the secret of the login cookie; empty if the request has none, or shows a token instead.
func (s *Server) Login(r *http.Request) string {
	if r.Header.Get("Authorization") != "" {
		return ""
	}
	c, err := r.Cookie(s.cookieName())
	if err != nil {
		return ""
	}
	return c.Value
}

// SetLogin sets the login cookie, which lasts for [store.LoginIdle] from now.
func (s *Server) SetLogin(w http.ResponseWriter, secret string) {
	s.setCookie(w, s.cookieName(), secret, int(credential.LoginIdle.Seconds()))
}

func (s *Server) clearLogin(w http.ResponseWriter) { s.setCookie(w, s.cookieName(), "", -1) }

func (s *Server) cookieName() string {
	if s.secure() {
		return "__Host-samepage"
	}
	return "samepage"
}

// setCookie sets a cookie for a number of seconds; a negative number removes it.
func (s *Server) setCookie(w http.ResponseWriter, name, value string, seconds int) {
	http.SetCookie(w, &http.Cookie{Name: name, Value: value, Path: "/", HttpOnly: true, Secure: s.secure(),
		SameSite: http.SameSiteLaxMode, MaxAge: seconds})
}

// setKnown marks the browser as one on which the account has signed in. The mark signs nobody in.
func (s *Server) setKnown(w http.ResponseWriter, account string) {
	s.setCookie(w, s.cookieName()+"-known", s.knownMark(account), int(knownFor.Seconds()))
}

// isKnown reports whether the account has signed in on this browser.
func (s *Server) isKnown(r *http.Request, account string) bool {
	c, err := r.Cookie(s.cookieName() + "-known")
	return err == nil && hmac.Equal([]byte(c.Value), []byte(s.knownMark(account)))
}

func (s *Server) knownMark(account string) string {
	h := hmac.New(sha256.New, s.Secret)
	h.Write([]byte("known browser\x00" + account))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:16])
}

func (s *Server) setFlash(w http.ResponseWriter, message string) {
	wire.SetFlash(w, message, s.secure())
}
