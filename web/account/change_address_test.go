package account_test

import (
	"bytes"
	"log/slog"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"samepage/store"
	"samepage/web"
	"samepage/web/webtest"
)

var addressLink = regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(webtest.Origin) + `(/address/[0-9a-z]+)`)

// TestAddressIsConfirmed: another address counts once its mailed link is opened, and the present
// address gets a notice before. The link works once, for a day and until the next link. Its secret
// is in no table and in no log.
func TestAddressIsConfirmed(t *testing.T) {
	t.Parallel()
	l := newLetterbox(t)
	var log bytes.Buffer
	w := webtest.New(t, func(c *web.Config) {
		c.Mail = l.smtp(t, "")
		c.Log = slog.New(slog.NewTextHandler(&log, nil))
	})
	bob := w.Browser(t, "bob@acme.example")
	ask := func(email string, status int) {
		t.Helper()
		if r := bob.Post(store.AccountURL+"/actions/change_email", url.Values{"email": {email}}); r.Status != status {
			t.Fatalf("%s: %d %s", email, r.Status, webtest.Main(r.Body))
		}
	}
	now := "bob@acme.example"
	mailed := func() (path, notice string) {
		t.Helper()
		before := len(l.letters())
		w.Site.Account().SendMail(t.Context())
		for _, m := range l.letters()[before:] {
			link := addressLink.FindStringSubmatch(m.body)
			if told := m.to == "TO:<"+now+">"; told != (link == nil) {
				t.Errorf("%s is mailed %s", m.to, m.body)
			} else if told {
				notice = m.body
			} else {
				path = link[1]
			}
		}
		return path, notice
	}
	open := func(path string) *webtest.Response {
		return webtest.RequestBody(w.As("anonymous"), "POST", path, "", webtest.FormMedia, "Accept: text/html")
	}
	ask("bob@acme.example", 422)
	ask("Robert@acme.example", 303)
	ask("robert@acme.example", 409) // just now
	first, notice := mailed()
	if !strings.Contains(strings.Join(strings.Fields(notice), " "), "wants to sign in with robert@acme.example") ||
		strings.Contains(notice, first) {
		t.Errorf("the address until now is told:\n%s", notice)
	}
	if _, c := w.SignIn("/login", "robert@acme.example", webtest.Password); c != nil {
		t.Error("the address counts before its link was opened")
	}
	if body := bob.Get(store.AccountURL, "Accept: text/markdown").Body; !strings.Contains(body,
		"robert\\@acme.example once you open the link") {
		t.Error(body)
	}
	if r := w.As("anonymous").Get(first, "text/html"); r.Status != 200 || r.Header.Get("Cache-Control") != "no-store" ||
		!strings.Contains(r.Body, "robert@acme.example") {
		t.Errorf("the link opens %d", r.Status)
	}
	w.Clock.Advance(store.AddressLife)
	if r := open(first); r.Status != 404 || !strings.Contains(r.Body, "not in force") {
		t.Errorf("after a day: %d", r.Status)
	}
	bob = w.Browser(t, "bob@acme.example")
	ask("robert@acme.example", 303)
	second, _ := mailed()
	w.Clock.Advance(time.Hour)
	bob = w.Browser(t, "bob@acme.example")
	ask("robert@acme.example", 303)
	third, _ := mailed()
	if r := open(second); r.Status != 404 {
		t.Errorf("an earlier link: %d", r.Status)
	}
	if r := open(third); r.Status != 303 || r.Location() != store.AccountURL {
		t.Fatalf("%d %s", r.Status, webtest.Main(r.Body))
	}
	if r := open(third); r.Status != 404 {
		t.Errorf("a second time: %d", r.Status)
	}
	if _, c := w.SignIn("/login", "bob@acme.example", webtest.Password); c != nil {
		t.Error("the old address still signs in")
	}
	now = "robert@acme.example"
	robert := w.Browser(t, "robert@acme.example")
	if !robert.In() || !bob.In() {
		t.Error("a login has ended")
	}
	w.Clock.Advance(time.Hour)
	bob = w.Browser(t, "robert@acme.example")
	if r := bob.Post(store.AccountURL+"/actions/change_email",
		url.Values{"email": {"erin@acme.example"}}); r.Status != 303 {
		t.Errorf("who asks is not told that somebody has the address: %d", r.Status)
	}
	taken, _ := mailed()
	if r := open(taken); r.Status != 409 || !strings.Contains(r.Body, "Another account signs in with this address") {
		t.Errorf("an address that is taken: %d", r.Status)
	}
	for _, path := range []string{first, second, third, taken} {
		secret := strings.TrimPrefix(path, "/address/")
		if at := w.Holds(secret); at != "" || strings.Contains(log.String(), secret) {
			t.Errorf("the secret is kept in %s, or logged:\n%s", at, log.String())
		}
	}
}
