package account_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"samepage/store"
	"samepage/web"
	"samepage/web/webtest"
)

// submit posts a form that is not a call of an action.
func submit(c *webtest.Client, path string, fields ...string) *webtest.Response {
	v := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		v.Set(fields[i], fields[i+1])
	}
	r := httptest.NewRequest(http.MethodPost, webtest.Origin+path, strings.NewReader(v.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return c.Do(r)
}

// newcomer returns a client with the login that an answer has set.
func newcomer(t *testing.T, w *webtest.World, r *webtest.Response) *webtest.Client {
	t.Helper()
	for _, line := range r.Header.Values("Set-Cookie") {
		if c, err := http.ParseSetCookie(line); err == nil && strings.HasSuffix(c.Name, "samepage") && c.Value != "" {
			c := w.As("anonymous")
			c.Header.Set("Cookie", line[:strings.IndexByte(line, ';')])
			return c
		}
	}
	t.Fatalf("nobody was signed in: %d %s", r.Status, webtest.Main(r.Body))
	return nil
}

// TestInvitation checks that an invited person makes a login and becomes a member, and that the link works only once.
// No page contains the secret.
func TestInvitation(t *testing.T) {
	w := webtest.New(t)
	u := w.Invitation("acme gina")
	nobody := w.As("anonymous")
	page := nobody.Get(u, "text/html")
	if page.Status != 200 || page.Header.Get("Cache-Control") != "no-store" ||
		page.Header.Get("Referrer-Policy") != "no-referrer" {
		t.Fatalf("%d %v\n%s", page.Status, page.Header, page.Body)
	}
	forms := strings.Count(page.Body, `="`+u+`/`) + strings.Count(page.Body, "/login?next="+url.QueryEscape(u))
	if n := strings.Count(page.Body, strings.TrimPrefix(u, "/invitations/")); n != forms ||
		strings.Contains(page.Body, `name="email" value="gina`) {
		t.Errorf("the secret is on the page %d times\n%s", n, page.Body)
	}
	if md := nobody.Get(u, "text/markdown"); md.Status != 200 || strings.Contains(md.Body, "/accept") ||
		strings.Contains(md.Body, u) {
		t.Errorf("markdown: %d\n%s", md.Status, md.Body)
	}
	for _, c := range []struct {
		want   string
		fields []string
	}{
		{"handle", []string{"name", "Gina", "handle", "-", "password", webtest.Password}},
		{"is taken", []string{"name", "Gina", "handle", "bob", "password", webtest.Password}},
		{"does not apply", []string{"name", "Gina", "handle", "gina", "password", webtest.Password, "email",
			"other@acme.example"}},
		{"A password has", []string{"name", "Gina", "handle", "gina", "password", "short"}},
		{"A name is made", []string{"name", "Gi\u0007na", "handle", "gina", "password", webtest.Password}},
	} {
		if r := submit(nobody, u+"/accept", c.fields...); r.Status != 422 || !strings.Contains(r.Body, c.want) {
			t.Errorf("%q: %d %s", c.fields, r.Status, webtest.Main(r.Body))
		}
	}
	r := submit(nobody, u+"/accept", "name", "Gina Grün", "handle", "gina", "password", webtest.Password)
	if r.Status != 303 || r.Location() != "/" {
		t.Fatalf("%d %s %s", r.Status, r.Location(), webtest.Main(r.Body))
	}
	gina := newcomer(t, w, r)
	if r := gina.Get("/orgs/acme/members/gina", "text/markdown"); r.Status != 200 ||
		!strings.Contains(r.Body, `gina\@acme.example`) {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	if r := w.As("alice").Get("/inbox", "text/markdown"); !strings.Contains(r.Body,
		"| [Gina Grün]("+webtest.Origin+"/orgs/acme/members/gina) | @gina accepted your invitation, ") {
		t.Errorf("Alice was not told:\n%s", r.Body)
	}
	if r := gina.Get(w.URL("team"), ""); r.Status != 404 {
		t.Errorf("Gina is in Team: %d", r.Status)
	}
	gone := nobody.Get(u, "text/html")
	for _, name := range []string{"acme hugo", "acme ines", "acme jan", "acme kim"} {
		if r := nobody.Get(w.Invitation(name), "text/html"); r.Status != 404 || r.Body != gone.Body ||
			!strings.Contains(r.Body, "cannot be accepted") {
			t.Errorf("%s: %d\n%s", name, r.Status, webtest.Main(r.Body))
		}
		if r := submit(nobody, w.Invitation(name)+"/accept", "name", "N", "handle", "nn", "password",
			webtest.Password, "email", "n@n.example"); r.Status != 404 {
			t.Errorf("%s was accepted: %d", name, r.Status)
		}
	}
	if r := nobody.Get("/invitations/"+strings.Repeat("0", 32), "text/html"); r.Status != 404 || r.Body != gone.Body {
		t.Errorf("a made-up secret: %d\n%s", r.Status, webtest.Main(r.Body))
	}
	w.VerifyJournal()
}

// TestInvitationOfUser checks that a person with a login can accept an invitation, but only one for the address of that
// login.
func TestInvitationOfUser(t *testing.T) {
	w := webtest.New(t)
	u := w.Invitation("acme frank")
	if r := w.As("oscar").Get(u, "text/html"); r.Status != 200 ||
		!strings.Contains(r.Body, "is for frank@acme.example") || strings.Contains(r.Body, "/accept") {
		t.Errorf("%d %s", r.Status, webtest.Main(r.Body))
	}
	if r := submit(w.As("oscar"), u+"/accept", "name", "Oscar", "handle", "oscar"); r.Status != 422 ||
		!strings.Contains(r.Body, "for another address") {
		t.Errorf("%d %s", r.Status, webtest.Main(r.Body))
	}
	if r := submit(w.As("scribe"), u+"/accept", "name", "Scribe", "handle", "scribe"); r.Status != 403 {
		t.Errorf("an agent joins: %d", r.Status)
	}
	frank := w.As("frank")
	if r := frank.Get("/orgs/acme", ""); r.Status != 404 {
		t.Errorf("who was removed sees the organization: %d", r.Status)
	}
	if r := submit(frank, u+"/accept", "name", "Frank Fuchs", "handle", "franz"); r.Status != 303 ||
		r.Location() != "/" {
		t.Fatalf("%d %s", r.Status, webtest.Main(r.Body))
	}
	if r := frank.Get("/orgs/acme/members/frank", ""); r.Status/100 != 3 || r.Location() != "/orgs/acme/members/franz" {
		t.Errorf("the old handle leads to %d %s", r.Status, r.Location())
	}
	link := w.Invitation("acme link")
	if r := submit(frank, link+"/accept", "name", "Frank Fuchs", "handle", "franz"); r.Status != 422 ||
		!strings.Contains(r.Body, "You are a member already.") {
		t.Errorf("a member joins: %d %s", r.Status, webtest.Main(r.Body))
	}
	if r := frank.Get(link, "text/html"); !strings.Contains(r.Body, "already, as @franz") || strings.Contains(r.Body,
		"/accept") ||
		strings.Contains(r.Body, "/decline") {
		t.Errorf("a member opens the link: %d %s", r.Status, webtest.Main(r.Body))
	}
	if r := w.As("anonymous").Get(link, "text/html"); strings.Contains(r.Body, `action="`+link+`/decline"`) {
		t.Errorf("one click declines: %s", webtest.Main(r.Body))
	}
	if r := w.As("anonymous").Get(link+"/decline", "text/html"); r.Status != 200 ||
		!strings.Contains(r.Body, `action="`+link+`/decline"`) {
		t.Errorf("declining: %d %s", r.Status, webtest.Main(r.Body))
	}
	if r := submit(w.As("anonymous"), link+"/accept", "name", "Bob", "handle", "bob2", "email",
		"bob@acme.example", "password",
		webtest.Password); r.Status != 422 || !strings.Contains(r.Body, "sign in first") {
		t.Errorf("a known address: %d %s", r.Status, webtest.Main(r.Body))
	}
	if r := submit(w.As("anonymous"), "/login?next="+url.QueryEscape(link), "email", "oscar@globex.example", "password",
		webtest.Password); r.Location() != link {
		t.Errorf("signing in leads to %s", r.Location())
	}
	if r := submit(w.As("oscar"), link+"/decline"); r.Status != 200 {
		t.Errorf("declined: %d %s", r.Status, webtest.Main(r.Body))
	}
	if r := submit(w.As("oscar"), link+"/accept", "name", "Oscar", "handle", "oscar"); r.Status != 404 {
		t.Errorf("what was declined is accepted: %d", r.Status)
	}
}

// TestInvitationOnce lets a hundred guests accept an invitation at the same time. Only one becomes a member.
func TestInvitationOnce(t *testing.T) {
	w := webtest.New(t)
	u := w.Invitation("globex link")
	var all sync.WaitGroup
	var mu sync.Mutex
	answers := map[int]int{}
	for i := range 100 {
		all.Go(func() {
			c := w.As("anonymous")
			r := httptest.NewRequest(http.MethodPost, webtest.Origin+u+"/accept",
				strings.NewReader(url.Values{"name": {"N"}, "handle": {fmt.Sprintf("n%d", i)},
					"email": {fmt.Sprintf("n%d@n.example", i)}, "password": {webtest.Password}}.Encode()))
			r.RemoteAddr = fmt.Sprintf("192.0.2.%d:1", i)
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			status := c.Do(r).Status
			mu.Lock()
			answers[status]++
			mu.Unlock()
		})
	}
	all.Wait()
	var members, users int
	w.Query(&members, `SELECT count(*) FROM members m JOIN organizations o ON o.id = m.org_id WHERE o.handle = ?`,
		"globex")
	w.Query(&users, `SELECT count(*) FROM users WHERE email LIKE '%@n.example'`)
	if answers[303] != 1 || answers[404] != 99 || members != 3 || users != 1 {
		t.Errorf("answers %v, %d members, %d logins", answers, members, users)
	}
}

var mailedLink = regexp.MustCompile(regexp.QuoteMeta(webtest.Origin) + `(/invitations/[0-9a-z]+)`)

// TestMailedInvitation checks that the mail has a link of its own, which is in no page, log or table. A mail that the
// mail server refuses is sent again, and given up after several attempts.
func TestMailedInvitation(t *testing.T) {
	l := newLetterbox(t)
	var log bytes.Buffer
	w := webtest.New(t, func(c *web.Config) { c.Mail, c.Log = l.smtp(t, ""), slog.New(slog.NewTextHandler(&log, nil)) })
	alice := w.As("alice")
	r := alice.Post("/orgs/acme/invitations", "invite_member", map[string]any{"email": "Lena@Acme.example"})
	if r.Status != 303 {
		t.Fatalf("%d %s", r.Status, webtest.Main(r.Body))
	}
	if r := alice.Post("/orgs/acme/invitations", "invite_member",
		map[string]any{"email": "lena@acme.example"}); r.Status != 422 || !strings.Contains(r.Body, "invited already") {
		t.Errorf("a second one: %d", r.Status)
	}
	if r := alice.Post("/orgs/acme/invitations", "invite_member",
		map[string]any{"email": "bob@acme.example"}); r.Status != 422 || !strings.Contains(r.Body, "a member already") {
		t.Errorf("a member: %d", r.Status)
	}
	shows := func(want string) {
		t.Helper()
		if page := alice.Get("/orgs/acme/invitations", "text/markdown"); !strings.Contains(page.Body, want) {
			t.Errorf("it does not say %q\n%s", want, page.Body)
		}
	}
	shows("on the way")
	l.setBroken(true)
	w.Site.Account().SendMail(t.Context())
	shows("tried 1 time, will be tried again: 451 \"not today\"")
	w.Site.Account().SendMail(t.Context()) // the mail is not due yet
	shows("tried 1 time,")
	l.setBroken(false)
	w.Clock.Advance(time.Minute)
	w.Site.Account().SendMail(t.Context())
	w.Site.Account().SendMail(t.Context())
	list := l.letters()
	if len(list) != 1 {
		t.Fatalf("%d letters", len(list))
	}
	shows("sent, ")
	m := mailedLink.FindStringSubmatch(list[0].body)
	if m == nil || list[0].subject != "@alice invites you to Acme" || list[0].to != "TO:<lena@acme.example>" {
		t.Fatalf("%+v", list[0])
	}
	if page := w.As("anonymous").Get(m[1], "text/html"); page.Status != 200 {
		t.Errorf("the link opens %d", page.Status)
	}
	secret := strings.TrimPrefix(m[1], "/invitations/")
	if at := w.Holds(secret); at != "" || strings.Contains(log.String(), secret) {
		t.Errorf("the secret is kept in %s, or logged:\n%s", at, log.String())
	}
	l.setBroken(true)
	alice.Post("/orgs/acme/invitations", "invite_member", map[string]any{"email": "otto@acme.example"})
	for range 2 * store.MailAttempts {
		w.Site.Account().SendMail(t.Context())
		w.Clock.Advance(24 * time.Hour)
	}
	shows(fmt.Sprintf("given up after %d tries: 451 \"not today\"", store.MailAttempts))
	for path, want := range map[string]string{"/join": "Send me a link", "/login": "Join with your work address"} {
		if page := w.As("anonymous").Get(path, "text/html"); !strings.Contains(page.Body, want) {
			t.Errorf("%s does not offer %q", path, want)
		}
	}
}

// TestASlowMailServer lets the mail server take ten seconds for a mail while two servers on one database send mails.
// The mail server gets each mail once, and the link in the mail works.
func TestASlowMailServer(t *testing.T) {
	arrived, acknowledge := make(chan struct{}, 100), make(chan struct{})
	l := newLetterbox(t, func(l *letterbox) { l.slow = func() { arrived <- struct{}{}; <-acknowledge } })
	config := func(c *web.Config) { c.Mail = l.smtp(t, "") }
	w := webtest.New(t, config)
	other := w.Beside(config)
	for _, name := range []string{"lena", "otto", "nina"} {
		if r := w.As("alice").Post("/orgs/acme/invitations", "invite_member",
			map[string]any{"email": name + "@acme.example"}); r.Status != 303 {
			t.Fatalf("%d %s", r.Status, webtest.Main(r.Body))
		}
	}
	var sending sync.WaitGroup
	sending.Go(func() { w.Site.Account().SendMail(t.Context()) })
	<-arrived
	w.Clock.Advance(10 * time.Second)
	sending.Go(func() { other.Site.Account().SendMail(t.Context()) })
	<-arrived
	close(acknowledge)
	sending.Wait()
	other.Site.Account().SendMail(t.Context())
	sent := map[string]int{}
	for _, x := range l.letters() {
		sent[x.to]++
		m := mailedLink.FindStringSubmatch(x.body)
		if m == nil || w.As("anonymous").Get(m[1], "text/html").Status != 200 {
			t.Errorf("the link to %s does not work: %v", x.to, m)
		}
	}
	if len(sent) != 3 || len(l.letters()) != 3 {
		t.Errorf("mails sent: %v", sent)
	}
}

// TestJoinByDomain checks that an address of an organization's domain gets a mail with an invitation. The page gives
// the same answer for every address.
func TestJoinByDomain(t *testing.T) {
	l := newLetterbox(t)
	w := webtest.New(t, func(c *web.Config) { c.Mail = l.smtp(t, "") })
	if r := w.As("alice").Post("/orgs/acme/settings", "update_settings",
		map[string]any{"email_domains": "@Acme.example\nacme.test", "inviters": "members"}); r.Status != 303 {
		t.Fatalf("%d %s", r.Status, webtest.Main(r.Body))
	}
	nobody := w.As("anonymous")
	answer := submit(nobody, "/join", "email", "new@acme.test")
	if answer.Status != 200 {
		t.Fatalf("%d %s", answer.Status, webtest.Main(answer.Body))
	}
	for _, email := range []string{"new@acme.test", "bob@acme.example", "eve@evil.example", "eve@notacme.test",
		"eve@sub.acme.test"} {
		if r := submit(nobody, "/join", "email", email); r.Status != 200 || r.Body != answer.Body {
			t.Errorf("%s is answered %d %s", email, r.Status, webtest.Main(r.Body))
		}
	}
	if r := submit(nobody, "/join", "email", "a@b@c"); r.Status != 422 {
		t.Errorf("no address: %d", r.Status)
	}
	w.Site.Account().SendMail(t.Context())
	list := l.letters()
	if len(list) != 1 || list[0].to != "TO:<new@acme.test>" || list[0].subject != "Join Acme" {
		t.Fatalf("%+v", list)
	}
	u := mailedLink.FindStringSubmatch(list[0].body)[1]
	r := submit(nobody, u+"/accept", "name", "Nora New", "handle", "nora", "password", webtest.Password)
	nora := newcomer(t, w, r)
	if r := nora.Get("/orgs/acme/invitations", "text/markdown"); r.Status != 200 ||
		!strings.Contains(r.Body, "asked for it") || !strings.Contains(r.Body, "**invite_member**") {
		t.Errorf("every member may invite: %d\n%s", r.Status, r.Body)
	}
	for _, form := range []string{"text/html", "text/markdown", "application/json"} {
		if r := w.As("scribe").Get("/orgs/acme/invitations?full=1", form); r.Status != 200 ||
			strings.Contains(r.Body, "new") &&
				strings.Contains(r.Body, "acme.test") || strings.Contains(r.Body, "gina") {
			t.Errorf("a token sees addresses: %d\n%s", r.Status, r.Body)
		}
	}
	if r := webtest.New(t).As("anonymous").Get("/join", "text/html"); strings.Contains(r.Body, "Send me a link") {
		t.Error("joining is offered without mail")
	}
}

// TestRevokingInvitations checks that where every member may invite, a member can revoke only their own invitations,
// and the owner can revoke all.
func TestRevokingInvitations(t *testing.T) {
	w := webtest.New(t)
	const page = "/orgs/acme/invitations"
	if r := w.As("alice").Post("/orgs/acme/settings", "update_settings", map[string]any{"inviters": "members"}); r.Status != 303 {
		t.Fatalf("%d %s", r.Status, webtest.Main(r.Body))
	}
	made := map[string]string{}
	for who, emails := range map[string][]string{"bob": {"b1@acme.test", "b2@acme.test"}, "carol": {"c1@acme.test"}} {
		for _, email := range emails {
			if r := w.As(who).PostJSON(page, "invite_member", map[string]any{"email": email}); r.Status != 200 {
				t.Fatalf("%s invites: %d %s", who, r.Status, r.Body)
			}
			var id string
			w.Query(&id, `SELECT id FROM invitations WHERE email = ?`, email)
			made[email] = id
		}
	}
	for _, c := range []struct {
		who, email string
		want       int
		says       string
	}{
		{"carol", "b1@acme.test", 422, "it was made by @bob, and only @bob and the owner, @alice, can revoke it"},
		{"erin", "b1@acme.test", 403, "Only the owner, @alice, and the member who made an invitation can revoke it."},
		{"bob", "c1@acme.test", 422, "it was made by @carol"},
		{"scribe", "b1@acme.test", 403, ""},
		{"bob", "b1@acme.test", 200, "The invitation is revoked."},
		{"bob", "b1@acme.test", 422, "it was revoked already"},
		{"carol", "c1@acme.test", 200, "The invitation is revoked."},
		{"carol", "b2@acme.test", 403, "You made none of those that are pending here."},
		{"alice", "b2@acme.test", 200, "The invitation is revoked."},
	} {
		form := w.As(c.who).Get(page+"/actions/revoke_invitation", "text/html")
		if offers := strings.Contains(form.Body, made[c.email]); offers != (c.want == 200) {
			t.Errorf("the form offers the invitation of %s to %s: %t", c.email, c.who, offers)
		}
		r := w.As(c.who).PostJSON(page, "revoke_invitation", map[string]any{"invitation": made[c.email]})
		if r.Status != c.want || !strings.Contains(r.Body, c.says) {
			t.Errorf("%s revokes that of %s: %d, want %d\n%s", c.who, c.email, r.Status, c.want, r.Body)
		}
	}
}
