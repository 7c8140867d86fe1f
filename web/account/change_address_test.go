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
	"samepage/store/credential"
	"samepage/web"
	"samepage/web/account"
	"samepage/web/webtest"
)

var addressLink = regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(webtest.Origin) + `(/address/[0-9a-z]+)`)

// newAddress is a test in which Bob changes the address that he signs in with.
type newAddress struct {
	t   *testing.T
	w   *webtest.World
	l   *letterbox
	bob *webtest.Browser
	now string // the present address
}

func (n *newAddress) ask(email string, status int) {
	n.t.Helper()
	if r := n.bob.Post(credential.AccountURL+"/actions/change_email", url.Values{"email": {email}}); r.Status != status {
		n.t.Fatalf("%s: %d %s", email, r.Status, webtest.Main(r.Body))
	}
}

// mailed sends the queued mails. It returns the path of the link in them, and the text of the notice to the present
// address.
func (n *newAddress) mailed() (path, notice string) {
	n.t.Helper()
	before := len(n.l.letters())
	n.w.Site.Account().SendMail(n.t.Context())
	for _, m := range n.l.letters()[before:] {
		link := addressLink.FindStringSubmatch(m.body)
		if told := m.to == "TO:<"+n.now+">"; told != (link == nil) {
			n.t.Errorf("%s is mailed %s", m.to, m.body)
		} else if told {
			notice = m.body
		} else {
			path = link[1]
		}
	}
	return path, notice
}

func (n *newAddress) open(path string) *webtest.Response {
	return webtest.RequestBody(n.w.As("anonymous"), "POST", path, "", webtest.FormMedia, "Accept: text/html")
}

// keepsNo fails the test if the secret of a link is in the database or in the log.
func keepsNo(t *testing.T, w *webtest.World, log *bytes.Buffer, prefix string, paths ...string) {
	t.Helper()
	for _, path := range paths {
		secret := strings.TrimPrefix(path, prefix)
		if at := w.Holds(secret); at != "" || strings.Contains(log.String(), secret) {
			t.Errorf("the secret is kept in %s, or logged:\n%s", at, log.String())
		}
	}
}

// TestAddressIsConfirmed changes an address to sign in with. The new address takes effect when its mailed link is
// opened, and the old address gets a notice before that. The link works once, for a day and until the next link is
// mailed. The secret of the link is in no table and in no log.
func TestAddressIsConfirmed(t *testing.T) {
	t.Parallel()
	l := newLetterbox(t)
	var log bytes.Buffer
	w := webtest.New(t, func(c *web.Config) {
		c.Mail = l.smtp(t, "")
		c.Log = slog.New(slog.NewTextHandler(&log, nil))
	})
	n := &newAddress{t: t, w: w, l: l, now: "bob@acme.example", bob: w.Browser(t, "bob@acme.example")}
	n.ask("bob@acme.example", 422)
	n.ask("Robert@acme.example", 303)
	n.ask("robert@acme.example", 409) // refused, because a mail was queued just before
	first, notice := n.mailed()
	if !strings.Contains(strings.Join(strings.Fields(notice), " "), "wants to sign in with robert@acme.example") ||
		strings.Contains(notice, first) {
		t.Errorf("the address until now is told:\n%s", notice)
	}
	if _, c := w.SignIn("/login", "robert@acme.example", webtest.Password); c != nil {
		t.Error("the address counts before its link was opened")
	}
	if body := n.bob.Get(credential.AccountURL, "Accept: text/markdown").Body; !strings.Contains(body,
		"robert\\@acme.example once you open the link") {
		t.Error(body)
	}
	if r := w.As("anonymous").Get(first, "text/html"); r.Status != 200 || r.Header.Get("Cache-Control") != "no-store" ||
		!strings.Contains(r.Body, "robert@acme.example") {
		t.Errorf("the link opens %d", r.Status)
	}
	w.Clock.Advance(credential.AddressLife)
	if r := n.open(first); r.Status != 404 || !strings.Contains(r.Body, "not in force") {
		t.Errorf("after a day: %d", r.Status)
	}
	n.bob = w.Browser(t, "bob@acme.example")
	n.ask("robert@acme.example", 303)
	second, _ := n.mailed()
	w.Clock.Advance(time.Hour)
	n.bob = w.Browser(t, "bob@acme.example")
	n.ask("robert@acme.example", 303)
	third, _ := n.mailed()
	if r := n.open(second); r.Status != 404 {
		t.Errorf("an earlier link: %d", r.Status)
	}
	if r := n.open(third); r.Status != 303 || r.Location() != credential.AccountURL {
		t.Fatalf("%d %s", r.Status, webtest.Main(r.Body))
	}
	if r := n.open(third); r.Status != 404 {
		t.Errorf("a second time: %d", r.Status)
	}
	if _, c := w.SignIn("/login", "bob@acme.example", webtest.Password); c != nil {
		t.Error("the old address still signs in")
	}
	n.now = "robert@acme.example"
	robert := w.Browser(t, "robert@acme.example")
	if !robert.In() || !n.bob.In() {
		t.Error("a login has ended")
	}
	w.Clock.Advance(time.Hour)
	n.bob = w.Browser(t, "robert@acme.example")
	if r := n.bob.Post(credential.AccountURL+"/actions/change_email",
		url.Values{"email": {"erin@acme.example"}}); r.Status != 303 {
		t.Errorf("a request for a taken address tells so: %d", r.Status)
	}
	taken, _ := n.mailed()
	if r := n.open(taken); r.Status != 409 || !strings.Contains(r.Body, "Another account signs in with this address") {
		t.Errorf("an address that is taken: %d", r.Status)
	}
	keepsNo(t, w, &log, "/address/", first, second, third, taken)
}

// TestAddressIsCancelled requests another address, as somebody who has got into the account would. Each remedy that the
// notice and the account page name makes the mailed link invalid, and its answer says so. So does a reset of the
// password by mail or at the command line.
func TestAddressIsCancelled(t *testing.T) {
	t.Parallel()
	const next = "other odd lamps sing"
	act := func(name string, form url.Values) func(*resetter, *newAddress) {
		return func(_ *resetter, n *newAddress) {
			r := n.w.Browser(n.t, n.now).Post(credential.AccountURL+"/actions/"+name, form)
			said, _ := url.QueryUnescape(strings.Join(r.Header["Set-Cookie"], " "))
			if r.Status != 303 || !strings.Contains(said,
				"You still sign in as bob@acme.example; the link for evil@acme.example is invalid.") {
				n.t.Errorf("%s: %d %s %s", name, r.Status, said, webtest.Main(r.Body))
			}
		}
	}
	for name, remedy := range map[string]func(*resetter, *newAddress){
		"change_password":     act("change_password", url.Values{"current": {webtest.Password}, "password": {next}}),
		"end_other_logins":    act("end_other_logins", nil),
		"cancel_email_change": act("cancel_email_change", nil),
		"reset by mail": func(x *resetter, _ *newAddress) {
			x.ask("bob@acme.example")
			if r := x.send(x.link(3), url.Values{"password": {next}}); r.Status != 303 {
				x.t.Fatalf("%d %s", r.Status, webtest.Main(r.Body))
			}
		},
		"reset by the operator": func(x *resetter, _ *newAddress) {
			if err := account.ResetPassword(x.t.Context(), x.w.Store, "bob@acme.example", next); err != nil {
				x.t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			x := newResetter(t)
			n := &newAddress{t: t, w: x.w, l: x.l, now: "bob@acme.example", bob: x.w.Browser(t, "bob@acme.example")}
			n.ask("evil@acme.example", 303)
			link, _ := n.mailed()
			remedy(x, n)
			if r := n.open(link); r.Status != 404 || !strings.Contains(r.Body, "was cancelled") {
				t.Errorf("the link for the other address: %d %s", r.Status, webtest.Main(r.Body))
			}
		})
	}
}

// TestResetEnds mails a link to reset the password. Another password and another address make it invalid.
func TestResetEnds(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*store.Tx, string) error{
		"password": func(tx *store.Tx, user string) error { return credential.SetPassword(tx, user, "-") },
		"address":  func(tx *store.Tx, user string) error { return credential.SetEmail(tx, user, "robert@acme.example") },
	} {
		t.Run(name, func(t *testing.T) {
			x := newResetter(t)
			x.ask("bob@acme.example")
			link := x.link(1)
			if err := x.w.Store.Write(t.Context(), func(tx *store.Tx) error {
				u, err := tx.UserByEmail("bob@acme.example")
				if err != nil {
					return err
				}
				return change(tx, u.ID)
			}); err != nil {
				t.Fatal(err)
			}
			if r := x.send(link, url.Values{"password": {"four odd lamps sing"}}); r.Status != 404 {
				t.Errorf("%d %s", r.Status, webtest.Main(r.Body))
			}
		})
	}
}
