package hook_test

import (
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"samepage/actions/param"
	"samepage/store/governance"
	"samepage/store/notice"
)

// TestOwnWebhookTellsNothingHidden checks that the webhook gets nothing about a studio that the person does not see any
// more, no direct message, and nothing after the person has left. Erasing the person deletes the webhook.
func TestOwnWebhookTellsNothingHidden(t *testing.T) {
	x := newOwn(t)
	x.do("bob", "/orgs/acme/dm/alice", "send_direct_message", param.Input{"text": "A hazelnut between us."})
	x.none("a direct message")
	x.do("bob", "/orgs/acme", "create_studio", param.Input{"name": "Den", "handle": "den", "tempo": "weekly"})
	x.do("bob", "/studios/den", "change_visibility", param.Input{"visibility": "members"})
	x.do("bob", "/studios/den/members", "add_member", param.Input{"member": "alice"})
	x.arrived()
	zone := param.Input{"zone": "UTC"}
	x.do("alice", notice.SettingsURL, "set_zone", zone)
	now := x.Store.Now().UTC()
	x.do("alice", notice.SettingsURL, "set_quiet_hours", param.Input{"from": now.Add(-time.Hour).Format("15:04"),
		"to": now.Add(2 * time.Hour).Format("15:04")})
	x.do("bob", "/studios/den", "create_note", param.Input{"title": "HIDDEN", "text": "For @alice."})
	x.none("it is quiet")
	x.do("bob", "/studios/den/members", "remove_from_studio", param.Input{"member": "alice"})
	x.do("alice", notice.SettingsURL, "end_quiet_hours", nil)
	for _, g := range x.arrived() {
		if strings.Contains(string(g.body), "HIDDEN") {
			t.Errorf("%s", g.body)
		}
	}
	if page := x.page(); !strings.Contains(page, "ou may not see the page any more") {
		t.Errorf("the log does not say why:\n%s", page)
	}
	if strings.Contains(x.page(), "HIDDEN") {
		t.Errorf("the log names the page:\n%s", x.page())
	}
	x.r.answer(500)
	x.mention("standups")
	x.one("an attempt that fails")
	x.mention("standups")
	x.do("alice", "/orgs/acme/settings", "transfer_ownership", param.Input{"member": "bob"})
	x.do("bob", "/orgs/acme/members/alice", "remove_member", nil)
	x.Clock.Advance(time.Hour)
	x.none("she has left the organization")
	var out int
	if x.Query(&out, `SELECT count(*) FROM own_deliveries WHERE due_at IS NULL AND problem LIKE '%left the organization'`); out != 1 {
		t.Errorf("%d deliveries were left out because she has left", out)
	}
	if text := strings.Join(x.Rows("own_webhooks"), "\n"); !strings.Contains(text, "127.0.0.1") {
		t.Errorf("the webhook is not kept until the erasure:\n%s", text)
	}
	x.do("bob", "/orgs/acme/members/alice", "erase_member", nil)
	if text := strings.Join(x.Rows("own_deliveries", "own_webhooks"), "\n"); strings.Contains(text, "127.0.0.1") ||
		strings.Contains(text, "notification.mention") {
		t.Errorf("the erasure leaves the webhook:\n%s", text)
	}
}

// TestOwnWebhookAgain checks that a notification is sent again with the same id and body until it is accepted.
// After a day without success the webhook is paused, only its person is notified, and the deliveries go on when
// the person resumes the webhook.
func TestOwnWebhookAgain(t *testing.T) {
	x := newOwn(t)
	x.r.answer(500, 302, 429)
	x.mention("standups")
	for range 3 {
		x.send()
		x.Clock.Advance(10 * time.Minute)
	}
	x.Clock.Advance(time.Hour)
	got := x.arrived()
	for _, g := range got {
		if string(g.body) != string(got[0].body) || g.event(t).id != got[0].event(t).id {
			t.Errorf("another attempt is %s %s", g.event(t).id, g.body)
		}
	}
	if page := x.page(); len(got) != 4 || !strings.Contains(page, "accepted, 4 tries") {
		t.Errorf("%d tries:\n%s", len(got), page)
	}
	down := make([]int, 30)
	for i := range down {
		down[i] = 503
	}
	x.r.answer(down...)
	x.mention("standups")
	for range 12 {
		x.send()
		x.Clock.Advance(9 * time.Hour)
	}
	if n := len(x.arrived()); n != 9 {
		t.Errorf("%d tries", n)
	}
	if page := x.page(); !strings.Contains(page, "Nothing was accepted for a day") || !strings.Contains(page, "Paused") {
		t.Errorf("the page does not say why it is paused:\n%s", page)
	}
	if settings := x.As("alice").Get(notice.SettingsURL, "text/markdown").Body; !strings.Contains(settings, "is paused") ||
		!strings.Contains(settings, "Nothing was accepted for a day") {
		t.Errorf("the settings do not say that it is paused:\n%s", settings)
	}
	for who, told := range map[string]bool{"alice": true, "bob": false, "scout": false} {
		for _, at := range []string{"/inbox", "/orgs/acme/journal"} {
			if text := x.As(who).Get(at, "text/markdown").Body; strings.Contains(text, "Your webhook") != told {
				t.Errorf("%s is told: %v:\n%s", who, !told, text)
			}
		}
	}
	x.mention("standups")
	x.none("it is paused")
	x.r.answer()
	x.do("alice", governance.OwnWebhookURL, "resume_webhook", nil)
	x.none("what happened in the pause")
	x.mention("standups")
	x.one("after the pause")
	x.do("alice", governance.OwnWebhookURL, "redeliver_event", param.Input{"delivery": 1})
	if g := x.one("an event sent again"); g.event(t).id != got[0].event(t).id {
		t.Errorf("an event sent again has another id")
	}
}

// TestOwnWebhookChanges checks that events are signed with both secrets after a rotation. After a change of the
// address, events go to the new address. They do not go to an address in the server's own network unless the
// operator allows it. An answer of 410 pauses the webhook. After a deletion, no table of webhooks has the address,
// and nothing is sent.
func TestOwnWebhookChanges(t *testing.T) {
	x := newOwn(t)
	present := secretIn.FindString(x.do("alice", governance.OwnWebhookURL, "rotate_secret", nil).Body)
	x.do("alice", governance.OwnWebhookURL, "send_test", nil)
	g := x.one("a test")
	for _, secret := range []string{x.secret, present} {
		check, err := standardwebhooks.NewWebhook(secret)
		if err != nil || check.VerifyIgnoringTimestamp(g.body, g.header) != nil {
			t.Errorf("the test is not signed with both secrets: %v", err)
		}
	}
	other := listen(t)
	x.do("alice", governance.OwnWebhookURL, "change_address", param.Input{"address": other.URL})
	x.mention("standups")
	x.none("the address is another")
	if n := len(other.all()); n != 1 {
		t.Errorf("%d events at the new address", n)
	}
	x.mention("standups")
	sender(t, x.World)()
	if page := x.page(); len(other.all()) != 1 || !strings.Contains(page, "not port 443 on the public internet") {
		t.Errorf("the own network is dialled:\n%s", page)
	}
	x.Clock.Advance(time.Minute)
	other.answer(410)
	x.send()
	if page := x.page(); !strings.Contains(page, "gone (410)") {
		t.Errorf("410 does not pause:\n%s", page)
	}
	x.do("alice", governance.OwnWebhookURL, "delete_webhook", nil)
	if rows := x.Rows("own_webhooks", "own_deliveries"); strings.Contains(strings.Join(rows, "\n"), other.URL) {
		t.Errorf("its deletion leaves %q", rows)
	}
	x.mention("standups")
	x.none("it is deleted")
}
