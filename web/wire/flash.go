package wire

import (
	"net/http"
	"net/url"
)

// flashCookie carries one message over the redirect after a form.
const flashCookie = "samepage-done"

// SetFlash stores a message for the next page in this browser. If secure is true, the browser sends it only over HTTPS.
func SetFlash(w http.ResponseWriter, message string, secure bool) {
	http.SetCookie(w, &http.Cookie{Name: flashCookie, Value: url.QueryEscape(Clip(message, 500)), Path: "/",
		MaxAge: 60, HttpOnly: true, Secure: secure, SameSite: http.SameSiteLaxMode})
}

// TakeFlash returns the message for this page and removes it from the browser. It returns the empty string if there is
// no message.
func TakeFlash(w http.ResponseWriter, r *http.Request, secure bool) string {
	c, err := r.Cookie(flashCookie)
	if err != nil {
		return ""
	}
	http.SetCookie(w, &http.Cookie{Name: flashCookie, Path: "/", MaxAge: -1, HttpOnly: true,
		Secure: secure, SameSite: http.SameSiteLaxMode})
	message, err := url.QueryUnescape(c.Value)
	if err != nil {
		return ""
	}
	return message
}
