package webtest

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// SignIn sends the login form to the target and returns the answer, with the login cookie or nil if none was set.
func (w *World) SignIn(target, email, password string, headers ...string) (*Response, *http.Cookie) {
	form := url.Values{"email": {email}, "password": {password}}
	r := RequestBody(w.As("anonymous"), "POST", target, form.Encode(), append(headers, FormMedia)...)
	for _, line := range r.Header["Set-Cookie"] {
		if c, err := http.ParseSetCookie(line); err == nil && strings.HasSuffix(c.Name, "samepage") && c.MaxAge > 0 {
			return r, c
		}
	}
	return r, nil
}

// SignedIn returns the name of the actor that the login cookie signs in, or the empty string.
func (w *World) SignedIn(c *http.Cookie) string {
	r := Request(w.As("anonymous"), "GET", "/whoami", "Accept: text/markdown", "Cookie: "+c.Name+"="+c.Value)
	_, as, _ := strings.Cut(r.Body, "\nas: \"")
	as, _, _ = strings.Cut(as, "\"")
	if r.Status != 200 || strings.Contains(r.Body, "Nobody is signed in") {
		return ""
	}
	return as
}

// Browser is a browser with its own login.
type Browser struct {
	Cookie *http.Cookie
	w      *World
}

// Browser signs a person in and returns the browser that holds the new login.
func (w *World) Browser(t *testing.T, email string, headers ...string) *Browser {
	t.Helper()
	_, c := w.SignIn("/login", email, Password, headers...)
	if c == nil {
		t.Fatalf("%s is not signed in", email)
	}
	return &Browser{c, w}
}

// Get requests a page.
func (b *Browser) Get(target string, headers ...string) *Response {
	return Request(b.w.As("anonymous"), "GET", target, append(headers, "Cookie: "+b.Cookie.Name+"="+b.Cookie.Value)...)
}

// Post sends a form. If the answer sets a new login cookie, the browser uses that from then on.
func (b *Browser) Post(target string, form url.Values) *Response {
	r := RequestBody(b.w.As("anonymous"), "POST", target, form.Encode(), FormMedia,
		"Cookie: "+b.Cookie.Name+"="+b.Cookie.Value)
	for _, line := range r.Header["Set-Cookie"] {
		if c, err := http.ParseSetCookie(line); err == nil && c.Name == b.Cookie.Name && c.MaxAge > 0 {
			b.Cookie = c
		}
	}
	return r
}

// In reports whether the browser is signed in.
func (b *Browser) In() bool { return b.w.SignedIn(b.Cookie) != "" }
