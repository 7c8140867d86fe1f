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

// knownFor is how long a browser stays known after a sign-in.
const knownFor = 180 * 24 * time.Hour

// Login returns the secret of the login cookie. It returns the empty string if there is no such cookie, or if the
// request has an Authorization header, which takes precedence.
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

// SetLogin sets the login cookie, which lasts for [credential.LoginIdle] from now.
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

// setCookie sets a cookie that lasts for a number of seconds, or removes the cookie if the number is negative.
func (s *Server) setCookie(w http.ResponseWriter, name, value string, seconds int) {
	http.SetCookie(w, &http.Cookie{Name: name, Value: value, Path: "/", HttpOnly: true, Secure: s.secure(),
		SameSite: http.SameSiteLaxMode, MaxAge: seconds})
}

// setKnown sets the cookie that [Server.isKnown] checks. It does not sign anybody in.
func (s *Server) setKnown(w http.ResponseWriter, account string) {
	s.setCookie(w, s.cookieName()+"-known", s.knownMark(account), int(knownFor.Seconds()))
}

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
