package web

import (
	"net/http"
	"net/url"
)

// setFlash and takeFlash carry one message over the redirect after a form.
const flashCookie = "samepage-done"

func (s *Site) setFlash(w http.ResponseWriter, message string) {
	http.SetCookie(w, &http.Cookie{Name: flashCookie, Value: url.QueryEscape(clip(message, 500)), Path: "/", MaxAge: 60, HttpOnly: true,
		Secure: s.secure(), SameSite: http.SameSiteLaxMode})
}

func (s *Site) takeFlash(w http.ResponseWriter, r *http.Request) string {
	c, err := r.Cookie(flashCookie)
	if err != nil {
		return ""
	}
	http.SetCookie(w, &http.Cookie{Name: flashCookie, Path: "/", MaxAge: -1, HttpOnly: true, Secure: s.secure(), SameSite: http.SameSiteLaxMode})
	message, err := url.QueryUnescape(c.Value)
	if err != nil {
		return ""
	}
	return message
}
