package account_test

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"samepage/web"
	"samepage/web/webtest"
)

// limited switches on the limits on requests, which tests otherwise do without.
func limited(c *web.Config) { c.Unlimited = false }

// TestNobodyIsLockedOut makes many attempts to sign in to an account, from many addresses. The attempts become slow and
// are refused in the end. The owner can still sign in: slowly on a browser that is not known, and at once on a known
// one. The owner can also still get a link to choose another password.
func TestNobodyIsLockedOut(t *testing.T) {
	t.Parallel()
	slow := 0
	w := webtest.New(t, limited, func(c *web.Config) {
		c.Pause = func(_ context.Context, d time.Duration) {
			if d != 5*time.Second {
				t.Errorf("a slow try takes %v", d)
			}
			slow++
		}
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
	for i := range 60 {
		if try(fmt.Sprintf("198.51.100.%d", i%40), "wrong") == 429 {
			refused++
		}
	}
	// Ten attempts are checked at once, and then one slow attempt from each address. The second attempt from an
	// address is refused.
	if refused != 10 || slow != 40 {
		t.Errorf("of 60 tries from 40 addresses %d were refused and %d slow, want 10 and 40", refused, slow)
	}
	if status := try("203.0.113.7", webtest.Password); status != 303 || slow != 41 {
		t.Errorf("from a browser that nobody knows: %d, after %d slow tries", status, slow)
	}
	if status := try("203.0.113.7", webtest.Password); status != 429 {
		t.Errorf("a second slow try from one address in a minute: %d", status)
	}
	if status := try("203.0.113.8", webtest.Password, erin); status != 303 || slow != 42 {
		t.Errorf("from a browser that is known to another: %d, after %d slow tries", status, slow)
	}
	for i := range 40 {
		if status := try(fmt.Sprintf("192.0.2.%d", i+10), "wrong"); (status == 429) != (i >= 18) {
			t.Errorf("slow try %d of the account in a minute: %d", 43+i, status)
		}
	}
	slow = 0
	if status := try("203.0.113.7", webtest.Password, bob); status != 303 {
		t.Errorf("from a browser of theirs: %d", status)
	}
	refused = 0
	for i := range 40 {
		if try(fmt.Sprintf("203.0.113.%d", i+100), "wrong", bob) == 429 {
			refused++
		}
	}
	if refused != 31 || slow != 0 {
		t.Errorf("of 40 tries with what makes a browser known %d were refused and %d slow, want 31 and none",
			refused, slow)
	}
	if r := webtest.RequestBody(w.As("anonymous"), "POST", "/forgot", "email=bob%40acme.example",
		webtest.FormMedia); r.Status != 200 {
		t.Errorf("asking for another password: %d", r.Status)
	}
}
