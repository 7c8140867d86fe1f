package account_test

import (
	"bytes"
	"log/slog"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"samepage/store"
	"samepage/store/credential"
	"samepage/web"
	"samepage/web/webtest"
)

var resetLink = regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(webtest.Origin) + `(/reset/[0-9a-z]+)`)

// resetter is an anonymous caller who can read Bob's mail.
type resetter struct {
	t   *testing.T
	w   *webtest.World
	l   *letterbox
	log *bytes.Buffer
}

func newResetter(t *testing.T) *resetter {
	x := &resetter{t: t, l: newLetterbox(t), log: &bytes.Buffer{}}
	x.w = webtest.New(t, func(c *web.Config) {
		c.Mail = x.l.smtp(t, "")
		c.Log = slog.New(slog.NewTextHandler(x.log, nil))
	})
	return x
}

func (x *resetter) send(path string, form url.Values) *webtest.Response {
	x.t.Helper()
	return webtest.RequestBody(x.w.As("anonymous"), "POST", path, form.Encode(), webtest.FormMedia, "Accept: text/html")
}

// ask asks for a link and returns the page with the answer.
func (x *resetter) ask(email string) string {
	x.t.Helper()
	r := x.send("/forgot", url.Values{"email": {email}})
	if r.Status != 200 {
		x.t.Fatalf("%s: %d %s", email, r.Status, webtest.Main(r.Body))
	}
	return webtest.Main(r.Body)
}

// link sends the queued mails and returns the path of the link in the last one. The test fails unless n mails have been
// sent in all.
func (x *resetter) link(n int) string {
	x.t.Helper()
	x.w.Site.Account().SendMail(x.t.Context())
	list := x.l.letters()
	if len(list) != n {
		x.t.Fatalf("%d letters, want %d", len(list), n)
	}
	m := resetLink.FindStringSubmatch(list[n-1].body)
	if m == nil || list[n-1].to != "TO:<bob@acme.example>" {
		x.t.Fatalf("%+v", list[n-1])
	}
	return m[1]
}

// agents requests a page as each agent and checks the status of the answer.
func (x *resetter) agents(want map[string]int) {
	x.t.Helper()
	for name, status := range want {
		if r := x.w.As(name).Get("/whoami", "text/markdown"); r.Status != status {
			x.t.Errorf("%s reads: %d, want %d", name, r.Status, status)
		}
	}
}

// TestReset chooses another password with a mailed link. The page on which a person asks for the link gives the same
// answer for every address. The link works once, for half an hour. The account's logins end, and its agents keep their
// access. The secret is in no table and in no log.
func TestReset(t *testing.T) {
	x := newResetter(t)
	w := x.w
	if known, unknown := x.ask("Bob@acme.example"), x.ask("nobody@acme.example"); known != unknown {
		t.Errorf("an address with an account is answered\n%s\nand one without\n%s", known, unknown)
	}
	x.ask("bob@acme.example") // queues no mail, because one was queued just before
	first := x.link(1)
	if p := w.As("anonymous").Get(first, "text/html"); p.Status != 200 || p.Header.Get("Cache-Control") != "no-store" ||
		!strings.Contains(p.Body, "Set the password") {
		t.Errorf("the link opens %d", p.Status)
	}
	if r := x.send(first, url.Values{"password": {"short"}}); r.Status != 422 {
		t.Errorf("a short password: %d", r.Status)
	}
	w.Clock.Advance(credential.ResetLife)
	if r := x.send(first, url.Values{"password": {"four odd lamps sing"}}); r.Status != 404 ||
		!strings.Contains(r.Body, "not in force") {
		t.Errorf("after half an hour: %d", r.Status)
	}
	x.ask("bob@acme.example")
	second := x.link(2)
	bob := w.As("bob")
	if r := bob.Get("/inbox", "text/html"); r.Status != 200 {
		t.Fatal(r.Status)
	}
	if r := x.send(second, url.Values{"password": {"four odd lamps sing"}}); r.Status != 303 || r.Location() != "/login" {
		t.Fatalf("%d %s", r.Status, webtest.Main(r.Body))
	} else if said := strings.Join(r.Header["Set-Cookie"], " "); !strings.Contains(said, "Your+password+is+set") {
		t.Errorf("nothing says that the password is set: %s", said)
	}
	if r := bob.Get("/inbox", "text/html"); r.Status == 200 {
		t.Error("a login from before still stands")
	}
	if r := x.send(second, url.Values{"password": {"five odd lamps sing"}}); r.Status != 404 {
		t.Errorf("a second time: %d", r.Status)
	}
	if r, _ := w.SignIn("/login", "bob@acme.example", webtest.Password); r.Status == 303 {
		t.Error("the old password still signs in")
	}
	if r, _ := w.SignIn("/login", "bob@acme.example", "four odd lamps sing"); r.Status != 303 {
		t.Errorf("the new password: %d", r.Status)
	}
	keepsNo(t, w, x.log, "/reset/", first, second)
	x.agents(map[string]int{"scout": 200, "reader": 200, "scribe": 200})
}

// TestResetRevokesTokens sets another password and revokes the tokens of the account's agents.
func TestResetRevokesTokens(t *testing.T) {
	x := newResetter(t)
	x.ask("bob@acme.example")
	link := x.link(1)
	if r := x.send(link, url.Values{"password": {"short"}, "tokens": {"true"}}); r.Status != 422 ||
		!regexp.MustCompile(`<input[^>]* name="tokens"[^>]* checked`).MatchString(r.Body) {
		t.Errorf("the checkbox beside a short password: %d %s", r.Status, webtest.Main(r.Body))
	}
	if r := x.send(link, url.Values{"password": {"six odd lamps sing"}, "tokens": {"true"}}); r.Status != 303 {
		t.Fatalf("%d %s", r.Status, webtest.Main(r.Body))
	}
	x.agents(map[string]int{"scout": 401, "reader": 401, "scribe": 200})
	r, c := x.w.SignIn("/login", "bob@acme.example", "six odd lamps sing")
	if c == nil {
		t.Fatalf("the new password: %d", r.Status)
	}
	if r = webtest.Request(x.w.As("anonymous"), "GET", "/orgs/acme/journal?action=revoke_token",
		"Accept: text/markdown", "Cookie: "+c.Name+"="+c.Value); strings.Count(r.Body, "with another password") != 4 ||
		strings.Count(r.Body, "Token of Mason") != 2 {
		t.Errorf("of four tokens that were revoked, two of them of turns, the journal says %s", r.Body)
	}
}

// TestResetWithoutPassword checks that no link is sent to an account without a password.
func TestResetWithoutPassword(t *testing.T) {
	x := newResetter(t)
	if err := x.w.Store.Write(t.Context(), func(tx *store.Tx) error {
		u, err := tx.UserByEmail("bob@acme.example")
		if err != nil {
			return err
		}
		return credential.SetPassword(tx, u.ID, "")
	}); err != nil {
		t.Fatal(err)
	}
	x.ask("bob@acme.example")
	x.w.Site.Account().SendMail(t.Context())
	if n := len(x.l.letters()); n != 0 {
		t.Errorf("%d letters", n)
	}
}

// TestNoReset checks that a server without mail says how else to get another password.
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
