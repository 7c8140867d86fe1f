package account_test

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"samepage/web"
	"samepage/web/webtest"
)

// limited counts tries, as a server does.
func limited(c *web.Config) { c.Unlimited = false }

// TestNobodyIsLockedOut: many tries at an account are stopped, from any number of addresses. Its
// owner still signs in on a known browser, and still gets a link to another password.
func TestNobodyIsLockedOut(t *testing.T) {
	t.Parallel()
	w := webtest.New(t, limited, func(c *web.Config) {
		c.Mail = newLetterbox(t).smtp(t, "")
		c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("192.0.2.1/32")}
	})
	w.Clock.Advance(time.Hour)
	try := func(from, password string, cookies ...string) int {
		form := url.Values{"email": {"bob@acme.example"}, "password": {password}}
		return webtest.RequestBody(w.As("anonymous"), "POST", "/login", form.Encode(),
			append(cookies, webtest.FormMedia, "X-Forwarded-For: "+from)...).Status
	}
	known := func(email string) string {
		form := url.Values{"email": {email}, "password": {webtest.Password}}
		for _, line := range webtest.RequestBody(w.As("anonymous"), "POST", "/login", form.Encode(), webtest.FormMedia,
			"X-Forwarded-For: 198.51.100.99").Header["Set-Cookie"] {
			if cookie, _, _ := strings.Cut(line, ";"); strings.Contains(cookie, "-known=") {
				return "Cookie: " + cookie
			}
		}
		t.Fatal("the browser is not known")
		return ""
	}
	bob, erin := known("bob@acme.example"), known("erin@acme.example")
	w.Clock.Advance(time.Hour)
	refused := 0
	for i := range 40 {
		if try(fmt.Sprintf("198.51.100.%d", i), "wrong") == 429 {
			refused++
		}
	}
	if refused != 30 {
		t.Errorf("%d of 40 tries from 40 addresses were refused, want 30", refused)
	}
	if status := try("203.0.113.7", webtest.Password); status != 429 {
		t.Errorf("from a browser that nobody knows: %d", status)
	}
	if status := try("203.0.113.7", webtest.Password, erin); status != 429 {
		t.Errorf("from a browser that is known to another: %d", status)
	}
	if status := try("203.0.113.7", webtest.Password, bob); status != 303 {
		t.Errorf("from a browser of theirs: %d", status)
	}
	refused = 0
	for i := range 40 {
		if try(fmt.Sprintf("203.0.113.%d", i+100), "wrong", bob) == 429 {
			refused++
		}
	}
	if refused != 31 {
		t.Errorf("of 40 tries with what makes a browser known %d were refused, want 31", refused)
	}
	if r := webtest.RequestBody(w.As("anonymous"), "POST", "/forgot", "email=bob%40acme.example",
		webtest.FormMedia); r.Status != 200 {
		t.Errorf("asking for another password: %d", r.Status)
	}
}
