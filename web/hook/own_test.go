package hook_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"samepage/actions/param"
	"samepage/store"
	"samepage/store/faulttest"
	"samepage/store/governance"
	"samepage/store/notice"
	"samepage/web/hook"
	"samepage/web/webtest"
)

// own is a test world in which Alice has a webhook for her own notifications.
type own struct {
	*webtest.World
	t      *testing.T
	r      *receiver
	send   func()
	secret string
	seen   int // number of requests that the test has looked at
}

func newOwn(t *testing.T) *own {
	t.Helper()
	x := &own{World: newWorld(t), t: t, r: listen(t)}
	x.send = sender(t, x.World, "127.0.0.1/32")
	x.secret = secretIn.FindString(x.do("alice", notice.SettingsURL, "set_webhook",
		param.Input{"address": x.r.URL + "/mine?key=hidden"}).Body)
	if x.secret == "" {
		t.Fatal("set_webhook shows no secret")
	}
	return x
}

// do takes an action, which must succeed.
func (x *own) do(who, at, name string, in param.Input) *webtest.Response {
	x.t.Helper()
	r := x.As(who).PostJSON(at, name, in)
	if r.Status != http.StatusOK {
		x.t.Fatalf("%s does %s: %d %s", who, name, r.Status, r.Body)
	}
	return r
}

// mention lets Bob mention Alice in a comment.
func (x *own) mention(page string) {
	x.t.Helper()
	x.do("bob", x.URL(page), "comment", param.Input{"text": "Look at this, @alice: the walnut."})
}

// arrived sends the due deliveries, and returns the requests that were received since the last call.
func (x *own) arrived() []received {
	x.t.Helper()
	x.send()
	all := x.r.all()
	list := all[x.seen:]
	x.seen = len(all)
	return list
}

func (x *own) none(why string) {
	x.t.Helper()
	if list := x.arrived(); len(list) > 0 {
		x.t.Fatalf("%s: %d events: %s", why, len(list), list[0].body)
	}
}

func (x *own) one(why string) received {
	x.t.Helper()
	list := x.arrived()
	if len(list) != 1 {
		x.t.Fatalf("%s: %d events", why, len(list))
	}
	return list[0]
}

// page returns the page of Alice's webhook as markdown.
func (x *own) page() string { return x.As("alice").Get(governance.OwnWebhookURL, "text/markdown").Body }

// notification is an event about a notification.
type notification struct {
	Type string
	Data struct{ Organization, Studio, Reason, By, Title, URL, Sentence string }
}

// TestOwnWebhook follows a notification of Alice to her own webhook. The message has a genuine signature and says what
// a mail would say. Only Alice sees the webhook, and no journal has an entry about it.
func TestOwnWebhook(t *testing.T) {
	x := newOwn(t)
	x.none("what happened before")
	before := len(x.Rows("journal"))
	x.mention("standups")
	g := x.one("a mention")
	check, err := standardwebhooks.NewWebhook(x.secret)
	if err == nil {
		err = check.VerifyIgnoringTimestamp(g.body, g.header)
	}
	if err != nil {
		t.Error(err)
	}
	var n notification
	if err := json.Unmarshal(g.body, &n); err != nil {
		t.Fatal(err)
	}
	if n.Type != "notification.mention" || n.Data.Organization != "acme" || n.Data.Studio != "Team" ||
		n.Data.By != "@bob" || n.Data.Reason != "mention" ||
		!strings.HasPrefix(n.Data.URL, webtest.Origin+x.URL("standups")+"#c") ||
		n.Data.Sentence != "@bob commented on “"+n.Data.Title+"”" {
		t.Errorf("%s", g.body)
	}
	if strings.Contains(string(g.body), "walnut") {
		t.Error("the message has the text of the comment")
	}
	x.none("it was sent")
	if page := x.page(); !strings.Contains(page, "notification.mention") || !strings.Contains(page, "accepted, 1 try") {
		t.Errorf("the log lacks the notification:\n%s", page)
	}
	if after := len(x.Rows("journal")); after != before+1 {
		t.Errorf("%d entries in the journal, and not the comment alone", after-before)
	}
	for _, who := range []string{"bob", "scribe", "reader", "anonymous", "oscar"} {
		if page := x.As(who).Get(governance.OwnWebhookURL, "text/markdown").Body; strings.Contains(page, "127.0.0.1") {
			t.Errorf("%s reads the webhook:\n%s", who, page)
		}
		body := x.As(who).Get(notice.SettingsURL, "application/json").Body
		if strings.Contains(body, "127.0.0.1") || strings.Contains(body, "hidden") {
			t.Errorf("%s sees where Alice's webhook sends:\n%s", who, body)
		}
	}
	if held := x.Holds(strings.TrimPrefix(x.secret, "whsec_")); held != "" {
		t.Errorf("the database has the secret in %s", held)
	}
	for _, bad := range []string{"ftp://example.org", "https://a:b@example.org/", "https://example.org/#x"} {
		if a := x.As("carol").PostJSON(notice.SettingsURL, "set_webhook", param.Input{"address": bad}); a.Status/100 != 4 {
			t.Errorf("%s: %d %s", bad, a.Status, a.Body)
		}
	}
	if a := x.As("alice").PostJSON(notice.SettingsURL, "set_webhook",
		param.Input{"address": "https://example.org"}); a.Status != http.StatusConflict {
		t.Errorf("a second webhook: %d %s", a.Status, a.Body)
	}
	for _, who := range []string{"scribe", "reader"} {
		if a := x.As(who).PostJSON(notice.SettingsURL, "set_webhook",
			param.Input{"address": "https://example.org"}); a.Status != http.StatusForbidden {
			t.Errorf("%s sets a webhook: %d %s", who, a.Status, a.Body)
		}
	}
}

// TestOwnWebhookChoices checks that the choices about kinds and studios hold for the webhook. Nothing is sent
// about kinds that the person has not chosen for the webhook, about studios whose notifications do not go to the
// webhook, about muted pages, or about kinds that are turned off.
func TestOwnWebhookChoices(t *testing.T) {
	x := newOwn(t)
	kinds := func(in param.Input) { t.Helper(); x.do("alice", notice.SettingsURL, "choose_notifications", in) }
	studios := func(in param.Input) { t.Helper(); x.do("alice", notice.SettingsURL, "choose_studio_notifications", in) }
	digest := []string{"mention", "reply"}
	kinds(param.Input{"mail_at_once": digest, "to_webhook": []string{"reply"}})
	x.mention("standups")
	x.none("mentions do not go to the webhook")
	kinds(param.Input{"mail_at_once": []string{}, "in_digest": digest, "to_webhook": []string{"mention"}})
	x.none("the choice holds for later notifications only")
	x.mention("standups")
	x.one("mentions go to the webhook")
	page := x.As("alice").Get(notice.SettingsURL, "text/markdown").Body
	if !strings.Contains(page, "inbox, digest and webhook") {
		t.Errorf("the page does not say where mentions go:\n%s", page)
	}
	unread := func() (n int) {
		x.Query(&n, `SELECT unread FROM members WHERE handle = 'alice'`)
		return n
	}
	before := unread()
	studios(param.Input{"not_to_webhook": []string{"team"}})
	x.mention("standups")
	x.none("the webhook is not told of the studio")
	if unread() != before+1 {
		t.Error("the inbox is not told either")
	}
	studios(param.Input{"nothing": []string{"team"}, "not_to_webhook": []string{}})
	x.mention("standups")
	x.none("the studio is silenced")
	studios(param.Input{"nothing": []string{}, "not_to_webhook": []string{}})
	x.do("alice", x.URL("standups"), "mute", nil)
	kinds(param.Input{"to_webhook": []string{"mention", "reply"}})
	x.do("bob", x.URL("standups"), "comment", param.Input{"text": "To nobody."})
	x.none("the page is muted")
	x.mention("standups")
	x.one("a mention on a muted page")
	kinds(param.Input{"to_webhook": []string{"mention"}, "turn_off": []string{"mention"}})
	x.mention("standups")
	x.none("mentions are turned off")
	kinds(param.Input{"to_webhook": []string{"mention"}, "turn_off": []string{}})
	x.mention("standups")
	x.As("alice").Get(x.URL("standups"), "text/html")
	x.none("it was read in the browser")
	x.mention("standups")
	x.one("the next one")
}

// TestOwnWebhookInQuietHours checks that nothing but a test is sent in quiet hours, and that unread notifications are
// sent at the end of quiet hours.
func TestOwnWebhookInQuietHours(t *testing.T) {
	x := newOwn(t)
	quiet := func() {
		t.Helper()
		now := x.Store.Now().UTC()
		x.do("alice", notice.SettingsURL, "set_quiet_hours", param.Input{"from": now.Add(-time.Hour).Format("15:04"),
			"to": now.Add(2 * time.Hour).Format("15:04")})
	}
	x.do("alice", notice.SettingsURL, "set_zone", param.Input{"zone": "UTC"})
	quiet()
	x.mention("standups")
	x.mention("note post")
	x.none("it is quiet")
	if page := x.page(); !strings.Contains(page, "2 events wait") || !strings.Contains(page, "waiting until") {
		t.Errorf("the log does not say what waits:\n%s", page)
	}
	x.do("alice", governance.OwnWebhookURL, "send_test", nil)
	if g := x.one("a test"); g.event(t).Type != "webhook.test" {
		t.Errorf("%s", g.body)
	}
	x.As("alice").Get(x.URL("note post"), "text/html")
	x.Clock.Advance(2*time.Hour + time.Minute)
	if g := x.one("the end of the quiet hours"); !strings.Contains(string(g.body), x.URL("standups")) {
		t.Errorf("%s", g.body)
	}
	if page := x.page(); !strings.Contains(page, "left out") || !strings.Contains(page, "Nothing waits") {
		t.Errorf("the log does not say what was read meanwhile:\n%s", page)
	}
	quiet()
	x.mention("standups")
	x.none("it is quiet again")
	x.do("alice", notice.SettingsURL, "end_quiet_hours", nil)
	x.one("the quiet hours were ended")
}

// TestMayTell checks that MayTell returns an error if the database fails, and does not leave out the notification.
func TestMayTell(t *testing.T) {
	x := newOwn(t)
	x.mention("standups")
	var id string
	x.Query(&id, `SELECT w.id FROM own_webhooks w JOIN users u ON u.id = w.user_id WHERE u.email = 'alice@acme.example'`)
	d := &governance.Delivery{}
	x.Query(&d.MemberID, `SELECT member_id FROM notifications WHERE reason = 'mention' ORDER BY seq DESC LIMIT 1`)
	x.Query(&d.Seq, `SELECT max(seq) FROM notifications WHERE reason = 'mention' AND member_id = '`+d.MemberID+`'`)
	s := hook.New(hook.Config{Store: x.Store, MayRead: x.Site.Account().MayRead})
	faulttest.EachStatement(t, x.Store, "a notification", func(tx *store.Tx) error {
		w, err := governance.OwnWebhookOf(tx, id)
		if err != nil {
			return err
		}
		told, why, err := s.MayTell(tx, w, d)
		if err == nil && (told == nil || why != "") {
			t.Errorf("it is left out: %s", why)
		}
		return err
	})
}
