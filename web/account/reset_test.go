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

var resetLink = regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(webtest.Origin) + `(/reset/[0-9a-z]+)`)

// TestReset asks for another password by mail: the answer is the same for every address, the link
// works once and for half an hour, and the account's logins end. The secret is in no table and in
// no log.
func TestReset(t *testing.T) {
	l := newLetterbox(t)
	var log bytes.Buffer
	w := webtest.New(t, func(c *web.Config) {
		c.Mail = l.smtp(t, "")
		c.Log = slog.New(slog.NewTextHandler(&log, nil))
	})
	nobody := w.As("anonymous")
	send := func(path string, form url.Values) *webtest.Response {
		t.Helper()
		return webtest.RequestBody(nobody, "POST", path, form.Encode(), webtest.FormMedia, "Accept: text/html")
	}
	ask := func(email string) string {
		t.Helper()
		r := send("/forgot", url.Values{"email": {email}})
		if r.Status != 200 {
			t.Fatalf("%s: %d %s", email, r.Status, webtest.Main(r.Body))
		}
		return webtest.Main(r.Body)
	}
	link := func(n int) string {
		t.Helper()
		w.Site.Account().SendMail(t.Context())
		list := l.letters()
		if len(list) != n {
			t.Fatalf("%d letters, want %d", len(list), n)
		}
		m := resetLink.FindStringSubmatch(list[n-1].body)
		if m == nil || list[n-1].to != "TO:<bob@acme.example>" {
			t.Fatalf("%+v", list[n-1])
		}
		return m[1]
	}
	if known, unknown := ask("Bob@acme.example"), ask("nobody@acme.example"); known != unknown {
		t.Errorf("an address with an account is answered\n%s\nand one without\n%s", known, unknown)
	}
	ask("bob@acme.example") // just now
	first := link(1)
	if p := nobody.Get(first, "text/html"); p.Status != 200 || p.Header.Get("Cache-Control") != "no-store" ||
		!strings.Contains(p.Body, "Set the password") {
		t.Errorf("the link opens %d", p.Status)
	}
	if r := send(first, url.Values{"password": {"short"}}); r.Status != 422 {
		t.Errorf("a short password: %d", r.Status)
	}
	w.Clock.Advance(store.ResetLife)
	if r := send(first, url.Values{"password": {"four odd lamps sing"}}); r.Status != 404 ||
		!strings.Contains(r.Body, "not in force") {
		t.Errorf("after half an hour: %d", r.Status)
	}
	ask("bob@acme.example")
	second := link(2)
	bob := w.As("bob")
	if r := bob.Get("/inbox", "text/html"); r.Status != 200 {
		t.Fatal(r.Status)
	}
	if r := send(second, url.Values{"password": {"four odd lamps sing"}}); r.Status != 303 || r.Location() != "/login" {
		t.Fatalf("%d %s", r.Status, webtest.Main(r.Body))
	}
	if r := bob.Get("/inbox", "text/html"); r.Status == 200 {
		t.Error("a login from before still stands")
	}
	if r := send(second, url.Values{"password": {"five odd lamps sing"}}); r.Status != 404 {
		t.Errorf("a second time: %d", r.Status)
	}
	if r, _ := w.SignIn("/login", "bob@acme.example", webtest.Password); r.Status == 303 {
		t.Error("the old password still signs in")
	}
	if r, _ := w.SignIn("/login", "bob@acme.example", "four odd lamps sing"); r.Status != 303 {
		t.Errorf("the new password: %d", r.Status)
	}
	for _, path := range []string{first, second} {
		secret := strings.TrimPrefix(path, "/reset/")
		if at := w.Holds(secret); at != "" || strings.Contains(log.String(), secret) {
			t.Errorf("the secret is kept in %s, or logged:\n%s", at, log.String())
		}
	}
	agents := func(want map[string]int) {
		t.Helper()
		for name, status := range want {
			if r := w.As(name).Get("/whoami", "text/markdown"); r.Status != status {
				t.Errorf("%s reads: %d, want %d", name, r.Status, status)
			}
		}
	}
	agents(map[string]int{"scout": 200, "reader": 200, "scribe": 200}) // as nobody has said otherwise
	w.Clock.Advance(time.Hour)
	ask("bob@acme.example")
	third := link(3)
	if r := send(third, url.Values{"password": {"short"}, "tokens": {"true"}}); r.Status != 422 ||
		!regexp.MustCompile(`<input[^>]* name="tokens"[^>]* checked`).MatchString(r.Body) {
		t.Errorf("what was chosen beside a short password: %d %s", r.Status, webtest.Main(r.Body))
	}
	if r := send(third, url.Values{"password": {"six odd lamps sing"}, "tokens": {"true"}}); r.Status != 303 {
		t.Fatalf("%d %s", r.Status, webtest.Main(r.Body))
	}
	agents(map[string]int{"scout": 401, "reader": 401, "scribe": 200})
	r, c := w.SignIn("/login", "bob@acme.example", "six odd lamps sing")
	if c == nil {
		t.Fatalf("the third password: %d", r.Status)
	}
	if r = webtest.Request(nobody, "GET", "/orgs/acme/journal?action=revoke_token", "Accept: text/markdown",
		"Cookie: "+c.Name+"="+c.Value); strings.Count(r.Body, "with another password") != 2 {
		t.Errorf("of two tokens that were revoked the journal says %s", r.Body)
	}
	w.Clock.Advance(time.Hour)
	if err := w.Store.Write(t.Context(), func(tx *store.Tx) error {
		u, err := tx.UserByEmail("bob@acme.example")
		if err != nil {
			return err
		}
		return tx.SetPassword(u.ID, "")
	}); err != nil {
		t.Fatal(err)
	}
	ask("bob@acme.example")
	link(3) // none for an account without a password
}

// TestNoReset: a server without mail names another way.
func TestNoReset(t *testing.T) {
	w := webtest.New(t)
	if p := w.As("anonymous").Get("/forgot", "text/html"); p.Status != 200 ||
		!strings.Contains(p.Body, "samepage member reset-password") || strings.Contains(p.Body, "Send me a link") {
		t.Errorf("%d %s", p.Status, webtest.Main(p.Body))
	}
	if p := w.As("anonymous").Get("/reset/rubbish", "text/html"); p.Status != 404 ||
		!strings.Contains(p.Body, "not in force") {
		t.Errorf("%d", p.Status)
	}
}
