package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"samepage/actions/param"
	"samepage/web/webtest"
)

// told returns the notifications of an actor, the newest first, as "reason state url", and the number of unread
// notifications.
func told(t *testing.T, w *webtest.World, who, query string) (list []string, unread int) {
	t.Helper()
	var page struct {
		Data struct {
			Unread        int
			Notifications []struct{ Reason, State, URL, Did, Actor string }
		}
	}
	if err := json.Unmarshal([]byte(w.As(who).Get("/inbox"+query, "application/json").Body), &page); err != nil {
		t.Fatal(err)
	}
	for _, n := range page.Data.Notifications {
		list = append(list, n.Reason+" "+n.State+" "+n.URL)
	}
	return list, page.Data.Unread
}

func comment(t *testing.T, w *webtest.World, who, on, text string) {
	t.Helper()
	if r := w.As(who).JSON(w.URL(on), "comment", webtest.Call{Params: param.Input{"text": text}}); r.Status != 200 {
		t.Fatal(r.Status, r.Body)
	}
}

// TestWhoIsTold checks which members a comment notifies, and the reason. A member is notified once, with the strongest
// reason. The author is not notified, nor is the member of an agent that is the author. Members who muted the page are
// notified only of mentions, and members who may not see the page are never notified.
func TestWhoIsTold(t *testing.T) {
	for _, c := range []struct {
		name, by, on, text string
		want               map[string]string // reason by member; empty: the member is not notified
	}{
		{"a reply", "dave", "talk", "Hello.",
			map[string]string{"bob": "reply", "erin": "", "dave": "", "alice": "reply", "carol": ""}},
		{"a mention", "dave", "talk", "Hello @alice and @alice.",
			map[string]string{"alice": "mention", "bob": "reply"}},
		{"a mention of a follower", "dave", "talk", "@bob?", map[string]string{"bob": "mention"}},
		{"a mention of who muted it", "bob", "talk", "@erin?", map[string]string{"erin": "mention"}},
		{"a mention of who may not see it", "bob", "talk", "@carol, @oscar, @mia?",
			map[string]string{"carol": "", "oscar": "", "mia": ""}},
		{"a mention in code, in an address and of nobody", "bob", "talk",
			"`@dave` me@dave.example @nobody\n```\n@dave\n```", map[string]string{"dave": ""}},
		{"of oneself", "alice", "open irv", "@alice", map[string]string{"alice": ""}},
		{"one's agent", "scribe", "talk", "@alice, @bob: done.", map[string]string{"alice": "", "bob": "mention"}},
		{"of what one follows", "alice", "standups", "Soon.", map[string]string{"dave": "reply", "bob": "reply"}},
		{"of a draft", "alice", "draft", "@bob, look.", map[string]string{"bob": ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := webtest.New(t)
			before := map[string]int{}
			for who := range c.want {
				_, before[who] = told(t, w, who, "?show=unread")
			}
			comment(t, w, c.by, c.on, c.text)
			for who, reason := range c.want {
				list, unread := told(t, w, who, "?show=unread")
				want := before[who]
				if reason != "" {
					want++
				}
				if unread != want || len(list) != min(want, 30) {
					t.Errorf("%s has %d unread, %d listed, before %d", who, unread, len(list), before[who])
				} else if reason != "" && list[0] != reason+" unread "+w.URL(c.on) {
					t.Errorf("%s is told %q", who, list[0])
				}
			}
		})
	}
}

// TestEditMentions edits a text. Members whom only the new text mentions are notified.
func TestEditMentions(t *testing.T) {
	w := webtest.New(t)
	for i, text := range []string{"Every meeting has a page. @dave?", "Every meeting has a page. @dave, @erin?",
		"Every meeting has a page.", "Again: @dave."} {
		if r := w.As("bob").JSON(w.URL("note post"), "update_note",
			webtest.Call{Params: param.Input{"text": text}}); r.Status != 200 {
			t.Fatal(i, r.Status, r.Body)
		}
	}
	if got, _ := told(t, w, "dave", ""); count(got, "mention unread "+w.URL("note post")) != 2 {
		t.Errorf("dave is told of mentions in %q", got)
	}
	if got, _ := told(t, w, "erin", ""); count(got, "mention unread "+w.URL("note post")) != 1 {
		t.Errorf("erin is told of mentions in %q", got)
	}
}

func count(list []string, s string) (n int) {
	for _, x := range list {
		if x == s {
			n++
		}
	}
	return n
}

// TestUnreadIsCounted compares the stored count of unread notifications with the rows after every
// action on an inbox.
func TestUnreadIsCounted(t *testing.T) {
	w := webtest.New(t)
	for i, step := range []struct {
		who, action string
		in          param.Input
		want        int
	}{
		{"alice", "mark_all_read", nil, 0}, {"dave", "", nil, 1}, {"dave", "", nil, 2},
		{"alice", "mark_all_read", nil, 0}, {"dave", "", nil, 1}, {"alice", "dismiss_all", nil, 0},
		{"dave", "", nil, 1}, {"alice", "comment", param.Input{"text": "I have seen it."}, 0}, {"dave", "", nil, 1},
		{"scribe", "comment", param.Input{"text": "An agent has not."}, 1},
	} {
		switch step.action {
		case "":
			comment(t, w, "dave", "talk", fmt.Sprintf("@alice %d", i))
		case "comment":
			comment(t, w, step.who, "talk", step.in["text"].(string))
		default:
			if r := w.As(step.who).JSON("/inbox", step.action, webtest.Call{Params: step.in}); r.Status != 200 {
				t.Fatal(i, r.Status, r.Body)
			}
		}
		list, unread := told(t, w, "alice", "?show=unread")
		if len(list) != step.want || unread != step.want {
			t.Fatalf("step %d: %d listed, %d counted, want %d", i, len(list), unread, step.want)
		}
	}
	if r := w.As("alice").JSON("/inbox", "dismiss_notification",
		webtest.Call{Params: param.Input{"notification": "acme-1"}}); r.Status != 422 {
		t.Errorf("somebody else's notification is answered %d", r.Status)
	}
	if r := w.As("alice").Get("/inbox?show=nothing", "text/markdown"); r.Status != 400 {
		t.Errorf("an unknown state is answered %d", r.Status)
	}
}

// TestInboxNamesPagesAsTheyAre changes the title of a note between two comments. The inbox has one group for the note,
// with its present title.
func TestInboxNamesPagesAsTheyAre(t *testing.T) {
	w := webtest.New(t)
	comment(t, w, "dave", "note post", "One, @alice.")
	does(t, w.As("bob"), w.URL("note post"), "update_note", param.Input{"title": "Another name"}, http.StatusOK, "")
	comment(t, w, "dave", "note post", "Two, @alice.")
	html := w.As("alice").Get("/inbox", "text/html").Body
	if n := strings.Count(html, `<a href="`+w.URL("note post")+`">`); n != 1 || strings.Contains(html, "How we write things down") {
		t.Errorf("the note has %d headings: %s", n, html)
	}
}

// TestInboxIsPaged follows the pages of a long inbox to the end. Every notification occurs once.
func TestInboxIsPaged(t *testing.T) {
	w := webtest.New(t)
	seen, next := map[string]bool{}, ""
	for pages := 0; ; pages++ {
		var page struct {
			Data struct{ Notifications []struct{ Key string } }
		}
		if err := json.Unmarshal([]byte(w.As("alice").Get("/inbox"+next, "application/json").Body),
			&page); err != nil || pages > 10 {
			t.Fatal(pages, err)
		}
		list := page.Data.Notifications
		for _, n := range list {
			if seen[n.Key] {
				t.Fatalf("%s is listed twice", n.Key)
			}
			seen[n.Key] = true
		}
		if len(list) < 30 {
			break
		}
		n := list[len(list)-1].Key
		var at int64
		w.Query(&at,
			`SELECT at FROM notifications n JOIN members m ON m.id = n.member_id
				WHERE m.handle = 'alice' AND 'acme-' || seq = ?`, n)
		next = fmt.Sprintf("?after=%d-%s", at, n)
	}
	var rows int
	w.Query(&rows,
		`SELECT count(*) FROM notifications n JOIN members m ON m.id = n.member_id
			WHERE m.handle = 'alice' AND dismissed_at IS NULL`)
	if len(seen) != rows || rows < 31 {
		t.Errorf("%d listed of %d", len(seen), rows)
	}
}

// TestReminders checks that members who have not voted on a decision are reminded once, a day before the deadline.
// After the deadline was changed, the same members are reminded again.
func TestReminders(t *testing.T) {
	w := webtest.New(t)
	due := func() (n int) {
		w.Site.CloseDue(t.Context())
		w.Query(&n, `SELECT count(*) FROM notifications n JOIN members m ON m.id = n.member_id
			WHERE m.handle = 'erin' AND reason = 'due' AND url = ?`, w.URL("standups"))
		return n
	}
	if n := due(); n != 0 {
		t.Fatalf("reminded %d times three days before", n)
	}
	w.Clock.Advance(60 * time.Hour)
	if n := due() + due(); n != 2 {
		t.Fatalf("reminded %d times, and again", n)
	}
	var bob int
	w.Query(&bob,
		`SELECT count(*) FROM notifications n JOIN members m ON m.id = n.member_id
			WHERE m.handle = 'bob' AND reason = 'due' AND url = ?`, w.URL("standups"))
	if bob != 0 {
		t.Error("who has voted is reminded")
	}
	if r := w.As("bob").JSON(w.URL("standups"), "extend_decision",
		webtest.Call{Params: param.Input{"closes_at": "7d"}}); r.Status != 200 {
		t.Fatal(r.Body)
	}
	w.Clock.Advance(6*24*time.Hour + time.Hour)
	if n := due(); n != 2 {
		t.Errorf("reminded %d times in all", n)
	}
}

// TestInboxIsWaitedOn lets an agent wait for a change of its member's inbox. The wait ends as soon as somebody
// mentions the member.
func TestInboxIsWaitedOn(t *testing.T) {
	inBubble(t, func(t *testing.T, w *webtest.World) {
		var page struct{ Version string }
		if err := json.Unmarshal([]byte(w.As("scribe").Get("/inbox", "application/json").Body), &page); err != nil {
			t.Fatal(err)
		}
		x := wait(w, "scribe", "/inbox?wait=30&since="+page.Version, "text/markdown")
		comment(t, w, "erin", "open irv", "Nothing for her.")
		if x.over() {
			t.Fatal("what she is not told of wakes it")
		}
		comment(t, w, "bob", "talk", "@alice, now?")
		if !x.over() {
			t.Fatal("a mention does not wake it")
		}
		if x.took() > time.Second {
			t.Errorf("woken after %v", x.took())
		}
		if r := <-x.answer; r.Status != 200 {
			t.Error(r.Status)
		}
	})
}

// TestDismissedCanBeActedOn takes an action on a row that only the inbox's view of dismissed notifications lists,
// at the URL of that view. The answer leads back to the view.
func TestDismissedCanBeActedOn(t *testing.T) {
	w := webtest.New(t)
	var page struct {
		Data struct{ Notifications []struct{ Key string } }
	}
	if err := json.Unmarshal([]byte(w.As("alice").Get("/inbox?show=dismissed", "application/json").Body),
		&page); err != nil {
		t.Fatal(err)
	}
	key := page.Data.Notifications[0].Key
	r := w.As("alice").Post("/inbox?show=dismissed", "mark_unread", param.Input{"notification": key})
	if r.Status != 303 || r.Location() != "/inbox?show=dismissed" {
		t.Errorf("answered %d, %s", r.Status, r.Location())
	}
	if list, _ := told(t, w, "alice", "?show=dismissed"); len(list) != 0 {
		t.Errorf("still dismissed: %v", list)
	}
}

// TestOutcomesAreTold closes a vote. The inbox and the home page of a member state the outcome, until the decision is
// redacted.
func TestOutcomesAreTold(t *testing.T) {
	w := webtest.New(t)
	page, erin := w.URL("open single"), w.As("erin")
	if r := w.As("alice").PostJSON(page, "close_decision", nil); r.Status != 200 {
		t.Fatal(r.Body)
	}
	var headline string
	w.Query(&headline, `SELECT headline FROM items WHERE title = ?`, "Who writes the next newsletter?")
	says := func(url string) bool { return strings.Contains(erin.Get(url, "text/markdown").Body, ": "+headline) }
	if headline == "" || !says("/inbox") || !says("/") {
		t.Errorf("%q is not told:\n%s\n%s", headline, erin.Get("/inbox", "text/markdown").Body, erin.Get("/",
			"text/markdown").Body)
	}
	if r := w.As("alice").PostJSON(page, "redact", nil); r.Status != 200 {
		t.Fatal(r.Body)
	}
	if says("/inbox") || says("/") {
		t.Error("it is told of a removed page")
	}
}

// TestInboxKeepsStudiosSecret removes a member from a studio that only its members see, and renames the studio. The
// member's inbox has a notification about the studio, but not its new name.
func TestInboxKeepsStudiosSecret(t *testing.T) {
	w := webtest.New(t)
	alice, bob := w.As("alice"), w.As("bob")
	does(t, alice, "/orgs/acme/studios", "create_studio", param.Input{"handle": "plans", "name": "Plans",
		"visibility": "members"}, 200, "")
	does(t, alice, "/studios/plans", "add_member", param.Input{"member": "bob"}, 200, "")
	if body := bob.Get("/inbox", "text/markdown").Body; !strings.Contains(body, "Plans") {
		t.Fatalf("the inbox does not say that Bob is in the studio:\n%s", body)
	}
	does(t, alice, "/studios/plans/members", "remove_from_studio", param.Input{"member": "bob"}, 200, "")
	does(t, alice, "/studios/plans", "update_studio", param.Input{"name": "Layoffs"}, 200, "")
	for _, page := range []string{"/inbox", "/"} {
		for _, form := range []string{"text/html", "text/markdown", "application/json"} {
			if body := bob.Get(page, form).Body; strings.Contains(body, "Layoffs") {
				t.Errorf("%s as %s has the new name of a secret studio", page, form)
			}
		}
	}
}
