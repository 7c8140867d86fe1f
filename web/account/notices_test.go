package account_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"samepage/actions/param"
	"samepage/store"
	"samepage/web"
	"samepage/web/account"
	"samepage/web/webtest"
)

const choices = "/settings/notifications"

var stopLink = regexp.MustCompile(`(?m)^  ` + regexp.QuoteMeta(webtest.Origin) + `(/unsubscribe/\S+)$`)

// told is a test world with a mail server that stores the mails.
type told struct {
	*webtest.World
	t   *testing.T
	l   *letterbox
	log bytes.Buffer
}

func newTold(t *testing.T, set ...func(*letterbox)) *told {
	x := &told{t: t, l: newLetterbox(t, set...)}
	x.World = webtest.New(t, x.config)
	return x
}

func (x *told) config(c *web.Config) {
	c.Mail, c.Log = x.l.smtp(x.t, ""), slog.New(slog.NewTextHandler(&x.log, nil))
}

// do takes an action, which must succeed.
func (x *told) do(who, at, name string, in param.Input) {
	x.t.Helper()
	if r := x.As(who).PostJSON(at, name, in); r.Status != http.StatusOK {
		x.t.Fatalf("%s does %s: %d %s", who, name, r.Status, r.Body)
	}
}

// mention lets Bob mention Alice in a comment.
func (x *told) mention(page string) {
	x.t.Helper()
	x.do("bob", x.URL(page), "comment", param.Input{"text": "Look at this, @alice: the walnut."})
}

// arrived sends the mails that are due. It returns the mails that arrived at the address since the last call.
func (x *told) arrived(to string) (list []letter) {
	x.t.Helper()
	x.Site.Account().SendMail(x.t.Context())
	x.l.mu.Lock()
	defer x.l.mu.Unlock()
	for _, m := range x.l.kept {
		if m.to == "TO:<"+to+">" {
			list = append(list, m)
		}
	}
	x.l.kept = nil
	return list
}

func (x *told) none(why string) {
	x.t.Helper()
	if list := x.arrived("alice@acme.example"); len(list) > 0 {
		x.t.Fatalf("%s: %d mails: %s\n%s", why, len(list), list[0].subject, list[0].body)
	}
}

func (x *told) one(why string) letter {
	x.t.Helper()
	list := x.arrived("alice@acme.example")
	if len(list) != 1 {
		x.t.Fatalf("%s: %d mails", why, len(list))
	}
	return list[0]
}

// TestMailAtOnce expects one mail about a mention for a person who wants mails at once. The mail does not contain the
// text of the comment. There is no mail about a mention that the person has read, may no longer see, or has turned off.
func TestMailAtOnce(t *testing.T) {
	x := newTold(t)
	x.mention("standups")
	x.none("nothing was chosen")
	x.do("alice", choices, "choose_notifications", param.Input{"mail_at_once": []string{"mention", "reply"}})
	x.none("what happened before the choice")
	x.mention("standups")
	m := x.one("a mention")
	if !strings.HasPrefix(m.subject, "@bob commented on “") || !strings.Contains(m.body,
		webtest.Origin+x.URL("standups")+"#c") ||
		!strings.Contains(m.html, `<a href="`+webtest.Origin+x.URL("standups")+"#c") || strings.Contains(m.body+m.html,
		"walnut") {
		t.Errorf("the mail is %s\n%s\n%s", m.subject, m.body, m.html)
	}
	x.none("it was sent")
	x.mention("standups")
	x.As("alice").Get(x.URL("standups"), "text/html")
	x.none("it was read in the browser")
	x.mention("note post")
	x.do("alice", x.URL("team"), "leave", nil)
	x.do("alice", x.URL("plaza"), "follow", nil)
	x.do("alice", choices, "choose_notifications", param.Input{"mail_at_once": []string{"mention"},
		"turn_off": []string{"mention"}})
	x.Clock.Advance(time.Minute)
	x.none("mentions are turned off")
	before := x.As("alice").Get("/inbox", "application/json").Body
	x.mention("standups")
	if now := x.As("alice").Get("/inbox", "application/json").Body; now != before {
		t.Errorf("the inbox has what is turned off:\n%s", now)
	}
}

// TestMailAfterADay lets a server be down for days after a mention. A person who wants mails at once is told of the
// mention by the digest, or by a mail if the person has no digest.
func TestMailAfterADay(t *testing.T) {
	x := newTold(t)
	x.do("alice", choices, "choose_notifications", param.Input{"mail_at_once": []string{"mention"}})
	x.mention("standups")
	x.Clock.Advance(5 * 24 * time.Hour)
	x.one("without a digest")
	x.do("alice", choices, "set_digest", param.Input{"every": "daily", "at": "10:30"})
	x.mention("standups")
	x.Clock.Advance(5 * 24 * time.Hour)
	m := x.one("with a digest")
	if !strings.HasPrefix(m.subject, "Samepage digest: ") || !strings.Contains(m.body, "stand-ups?”, Wed 25 Nov 2026") {
		t.Errorf("the digest is %s\n%s", m.subject, m.body)
	}
	x.mention("standups")
	x.Clock.Advance(time.Minute)
	x.one("at once")
	x.Clock.Advance(24 * time.Hour)
	if m := x.one("the next digest"); strings.Contains(m.body, "@bob commented on") {
		t.Errorf("the digest has what was mailed:\n%s", m.body)
	}
}

// TestQuietHours expects mails to be held back until the end of quiet hours and then sent as one mail, even if two
// nodes send mails.
func TestQuietHours(t *testing.T) {
	x := newTold(t)
	alice := x.As("alice")
	for _, bad := range []param.Input{{"from": "22:00", "to": "22:00"}, {"from": "25:00", "to": "07:00"},
		{"from": "22:00", "to": "7 h"},
		{"from": "07:00"}, {"from": "22:00", "to": "07:00", "days": []string{"today"}}} {
		if r := alice.PostJSON(choices, "set_quiet_hours", bad); r.Status != http.StatusUnprocessableEntity {
			t.Errorf("%v: %d %s", bad, r.Status, r.Body)
		}
	}
	if r := alice.PostJSON(choices, "set_zone",
		param.Input{"zone": "Mars/Base"}); r.Status != http.StatusUnprocessableEntity {
		t.Errorf("a zone that is none: %d", r.Status)
	}
	x.do("alice", choices, "choose_notifications", param.Input{"mail_at_once": []string{"mention"}})
	x.do("alice", choices, "set_zone", param.Input{"zone": "America/New_York"}) // it is four in the morning there
	x.do("alice", choices, "set_quiet_hours", param.Input{"from": "22:00", "to": "07:00"})
	x.mention("standups")
	x.none("quiet hours")
	x.Clock.Advance(time.Hour)
	x.mention("note post")
	x.none("still quiet")
	other := x.Beside(x.config)
	x.Clock.Advance(2*time.Hour - time.Minute)
	x.none("a minute too early")
	x.Clock.Advance(time.Minute)
	var nodes sync.WaitGroup
	for _, w := range []*webtest.World{x.World, other} {
		nodes.Go(func() { w.Site.Account().SendMail(t.Context()) })
	}
	nodes.Wait()
	if m := x.one("the end of quiet hours"); strings.Count(m.body, "@bob commented on") != 2 ||
		!strings.HasSuffix(m.subject, "and 1 more") {
		t.Errorf("not both are told:\n%s\n%s", m.subject, m.body)
	}
	x.none("they were sent")
	x.Clock.Advance(16 * time.Hour)
	x.mention("standups")
	x.none("quiet again")
	x.do("alice", choices, "end_quiet_hours", nil)
	x.one("quiet hours were ended")
}

// TestDigest expects one digest at the chosen time, however long the server was down, and no digest if there is no
// news.
func TestDigest(t *testing.T) {
	x := newTold(t)
	x.do("alice", choices, "set_digest", param.Input{"every": "daily", "at": "10:30"}) // 9:30 UTC, in half an hour
	x.mention("standups")
	x.do("bob", "/orgs/acme/dm/alice", "send_direct_message", param.Input{"text": "The walnut is secret."})
	x.none("it is not time yet")
	x.Clock.Advance(30 * time.Minute)
	m := x.one("the first")
	for _, want := range []string{"What waits for you", "@bob commented on", webtest.Origin + x.URL("standups"),
		"Direct messages",
		webtest.Origin + "/orgs/acme/dm\n"} {
		if !strings.Contains(m.body, want) {
			t.Errorf("the digest lacks %q:\n%s", want, m.body)
		}
	}
	if strings.Contains(m.body+m.html, "walnut") || !strings.HasPrefix(m.subject, "Samepage digest: ") {
		t.Errorf("the digest is %s\n%s", m.subject, m.body)
	}
	x.none("it was sent")
	x.mention("standups")
	x.Clock.Advance(5 * 24 * time.Hour)
	if m := x.one("after five days"); strings.Count(m.body, "@bob commented on") != 1 {
		t.Errorf("it does not tell what is new alone:\n%s", m.body)
	}
	x.none("only one is made up for")
	if page := x.As("alice").Get(choices, "text/markdown").Body; !strings.Contains(page,
		"Every day at 10:30 in Europe/Berlin") {
		t.Errorf("the page does not say when:\n%s", page)
	}
	x.do("alice", choices, "end_digest", nil)
	x.Clock.Advance(5 * 24 * time.Hour)
	x.none("it was ended")
	if _, err := account.EnrollMember(t.Context(), x.Store, "globex", account.Joining{Handle: "nora", Name: "Nora New",
		Email: "nora@globex.example", Password: webtest.Password}); err != nil {
		t.Fatal(err)
	}
	_, cookie := x.SignIn("/login", "nora@globex.example", webtest.Password)
	nora := x.As("anonymous")
	nora.Header.Set("Cookie", cookie.Name+"="+cookie.Value)
	if r := nora.PostJSON(choices, "set_digest", param.Input{"every": "weekly", "at": "00:00",
		"day": "sun"}); r.Status != http.StatusOK {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	x.Clock.Advance(8 * 24 * time.Hour)
	for _, m := range x.arrived("nora@globex.example") {
		t.Errorf("a digest of nothing: %s\n%s", m.subject, m.body)
	}
}

// TestUnsubscribe turns mails off by the link in a mail. Opening the link changes nothing. The link works without
// signing in and after a change of the password. The link cannot be forged, and is in no log.
func TestUnsubscribe(t *testing.T) {
	x := newTold(t)
	x.do("alice", choices, "choose_notifications", param.Input{"mail_at_once": []string{"mention", "reply"}})
	x.do("alice", choices, "set_digest", param.Input{"every": "daily", "at": "10:30"})
	x.mention("standups")
	m := x.one("a mention")
	found := stopLink.FindStringSubmatch(m.body)
	if found == nil || m.header.Get("List-Unsubscribe") != "<"+webtest.Origin+found[1]+">" ||
		m.header.Get("List-Unsubscribe-Post") != "List-Unsubscribe=One-Click" {
		t.Fatalf("the link is %v, and the headers are %v", found, m.header)
	}
	link, nobody := found[1], x.As("anonymous")
	state := func() string { return x.As("alice").Get(choices, "application/json").Body }
	before := state()
	page := nobody.Get(link, "text/html")
	if page.Status != 200 || !strings.Contains(page.Body, "Nothing is changed yet") || state() != before {
		t.Fatalf("%d %s", page.Status, webtest.Main(page.Body))
	}
	if got := page.Header; got.Get("Referrer-Policy") != "no-referrer" || got.Get("Cache-Control") != "no-store" {
		t.Errorf("the headers of the page: %v", got)
	}
	for _, bad := range []string{link[:len(link)-1], link + "0", strings.Replace(link, ".mention.", ".digest.", 1),
		strings.Replace(link, ".mention.", ".all.", 1), "/unsubscribe/x", "/unsubscribe/a.b.c"} {
		for _, r := range []*webtest.Response{nobody.Get(bad, "text/html"), submit(nobody, bad)} {
			if r.Status != 404 || state() != before {
				t.Errorf("%s is answered %d %s", bad, r.Status, webtest.Main(r.Body))
			}
		}
	}
	x.do("alice", "/settings/account", "change_password", param.Input{"current": webtest.Password,
		"password": "another walnut 77"})
	r := submit(nobody, link, "List-Unsubscribe", "One-Click")
	if r.Status != 200 || !strings.Contains(r.Body, "From now on you get no mails at once about “Mentions”") ||
		!strings.Contains(r.Body, choices) {
		t.Fatalf("%d %s", r.Status, webtest.Main(r.Body))
	}
	if r := submit(nobody, link); !strings.Contains(r.Body, "before either") {
		t.Errorf("twice: %s", webtest.Main(r.Body))
	}
	x.mention("standups")
	x.none("mentions were ended")
	x.Clock.Advance(30 * time.Minute)
	digest := x.one("the digest goes on")
	all := regexp.MustCompile(`action="(/unsubscribe/[^"]+\.all\.[^"]+)"`).FindStringSubmatch(nobody.Get(
		stopLink.FindStringSubmatch(digest.body)[1], "text/html").Body)
	if all == nil || submit(nobody, all[1]).Status != 200 {
		t.Fatalf("all mails are not ended: %v", all)
	}
	x.mention("standups")
	x.Clock.Advance(48 * time.Hour)
	x.none("all were ended")
	x.do("alice", "/orgs/acme/settings", "transfer_ownership", param.Input{"member": "bob"})
	x.do("bob", "/orgs/acme/members/alice", "remove_member", nil)
	if r := submit(nobody, link); r.Status != http.StatusGone || !strings.Contains(r.Body, "no longer a member") {
		t.Errorf("of a former member: %d %s", r.Status, webtest.Main(r.Body))
	}
	if strings.Contains(x.log.String(), link) || x.Holds(link[strings.LastIndexByte(link, '.')+1:]) != "" {
		t.Error("the link is in a table or in the log")
	}
}

// TestMailAfterAnError expects mails that the mail server has refused to be sent again.
func TestMailAfterAnError(t *testing.T) {
	x := newTold(t)
	x.do("alice", choices, "choose_notifications", param.Input{"mail_at_once": []string{"mention"}})
	x.l.setBroken(true)
	x.mention("standups")
	x.none("the mail server refuses it")
	x.mention("note post")
	x.none("the mail server refuses it, too")
	x.l.setBroken(false)
	x.Clock.Advance(2 * time.Minute)
	list := x.arrived("alice@acme.example")
	if len(list) != 2 {
		t.Fatalf("%d mails", len(list))
	}
	for _, m := range list {
		if strings.Count(m.body, "@bob commented on") != 1 {
			t.Errorf("not one is told:\n%s", m.body)
		}
	}
	x.none("they were sent")
	w := webtest.New(t)
	if page := w.As("alice").Get(choices, "text/markdown").Body; !strings.Contains(page, "This server sends no mail") {
		t.Errorf("a server without mail does not say so:\n%s", page)
	}
}

// TestErasedMemberGetsNoMail erases a member between an event and its mail, and expects no mail.
func TestErasedMemberGetsNoMail(t *testing.T) {
	x := newTold(t)
	x.do("carol", choices, "choose_notifications", param.Input{"mail_at_once": []string{"mention"}})
	x.do("carol", choices, "set_digest", param.Input{"every": "daily", "at": "08:00"})
	x.do("bob", x.URL("standups"), "comment", param.Input{"text": "@carol, look"})
	x.do("alice", "/orgs/acme/members/carol", "remove_member", nil)
	x.do("alice", "/orgs/acme/members/carol", "erase_member", nil)
	x.Clock.Advance(48 * time.Hour)
	x.Site.Account().SendMail(t.Context())
	if list := x.l.letters(); len(list) > 0 {
		t.Errorf("%d mails are sent, the first %s to %s", len(list), list[0].subject, list[0].to)
	}
	var rows int
	x.Query(&rows, `SELECT count(*) FROM notification_settings WHERE user_id NOT IN (SELECT user_id FROM members)`)
	if rows != 0 {
		t.Errorf("%d choices of erased people stay", rows)
	}
}

// TestEveryReasonHasChoices checks that each declared reason can be stored, has words, and is on the page.
func TestEveryReasonHasChoices(t *testing.T) {
	x := newTold(t)
	var all []string
	for _, r := range store.Reasons() {
		all = append(all, string(r.Reason))
		if page := x.As("bob").Get(choices, "text/markdown").Body; !strings.Contains(page,
			"| **"+r.Title+"** | "+r.Doc) {
			t.Errorf("the page does not describe %s", r.Reason)
		}
		in := param.Input{"turn_off": []string{string(r.Reason)}}
		if got := x.As("bob").PostJSON(choices, "choose_notifications", in).Status; (got != http.StatusOK) != r.Always {
			t.Errorf("%s is turned off: %d", r.Reason, got)
		}
	}
	x.do("bob", choices, "choose_notifications", param.Input{"mail_at_once": all, "turn_off": []string{}})
	if r := x.As("scribe").PostJSON(choices, "choose_notifications",
		param.Input{"turn_off": []string{"reply"}}); r.Status != http.StatusForbidden {
		t.Errorf("an agent chooses: %d", r.Status)
	}
}

// TestStudioTellsLess limits the notifications of a studio to mentions, or turns them off, on the settings page.
func TestStudioTellsLess(t *testing.T) {
	x := newTold(t)
	unread := func() int {
		n := 0
		x.Query(&n, `SELECT unread FROM members WHERE handle = 'alice'`)
		return n
	}
	tells := func(in param.Input, mention, news bool) {
		t.Helper()
		x.do("alice", choices, "choose_studio_notifications", in)
		was := unread()
		x.mention("note post")
		if got := unread() > was; got != mention {
			t.Errorf("%v: a mention is told: %v", in, got)
		}
		was = unread()
		x.do("bob", x.URL("team"), "create_note", param.Input{"title": "News", "text": "Some"})
		if got := unread() > was; got != news {
			t.Errorf("%v: news are told: %v", in, got)
		}
	}
	tells(param.Input{"only_mentions": []string{}, "nothing": []string{}}, true, true)
	tells(param.Input{"only_mentions": []string{"team"}}, true, false)
	tells(param.Input{"nothing": []string{"team"}}, false, false)
	tells(param.Input{"only_mentions": []string{}, "nothing": []string{}}, true, true)
}
