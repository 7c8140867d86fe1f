package web_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"samepage/actions/param"
	"samepage/web/webtest"
)

// TestArchivedStudioRefusesEveryWrite collects the actions that the pages of a studio offer to some people and
// agents, archives the studio, and then takes these actions. All are refused, nothing changes, and the pages stay
// readable.
func TestArchivedStudioRefusesEveryWrite(t *testing.T) {
	aboutContent(t)
	w := webtest.New(t)
	type call struct {
		actor, url, action string
		in                 param.Input
	}
	var calls []call
	for _, actor := range []string{"alice", "bob", "erin", "scribe"} {
		c := w.As(actor)
		for _, name := range w.Fixtures() {
			u := w.URL(name)
			if u != w.URL("team") && !strings.HasPrefix(u, w.URL("team")+"/") {
				continue
			}
			v := &visit{url: u, receipt: w.Receipt(u)}
			r := c.Get(u, "application/json")
			if r.Status != 200 || json.Unmarshal([]byte(r.Body), &v.page) != nil {
				continue
			}
			place, _ := w.Site.PlaceOf(u)
			for _, decl := range place.Actions {
				if listed, ok := v.page.action(decl.Name); ok {
					calls = append(calls, call{actor, u, decl.Name, required(t, decl, listed, v)})
				}
			}
		}
	}
	r := w.As("alice").PostJSON(w.URL("team"), "archive_studio", nil)
	if r.Status != 200 {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	// People still choose their notifications and discard their drafts, and a running agent can still be stopped.
	stays := map[string]bool{"follow": true, "unfollow": true, "mute": true, "mark_channel_read": true, "stop_session": true,
		"discard": true}
	tried, before := 0, w.Digests()
	for _, c := range calls {
		if stays[c.action] {
			continue
		}
		tried++
		r := w.As(c.actor).PostJSON(c.url, c.action, c.in)
		switch {
		case r.Status == 200:
			t.Errorf("%s: %s on %s is done", c.actor, c.action, c.url)
		case r.Status >= 500:
			t.Errorf("%s: %s on %s: %d %s", c.actor, c.action, c.url, r.Status, r.Body)
		}
		if r := w.As(c.actor).Get(c.url, "text/markdown"); r.Status != 200 {
			t.Errorf("%s cannot read %s any more: %d", c.actor, c.url, r.Status)
		}
	}
	t.Logf("%d writes refused", tried)
	for _, table := range webtest.Changed(before, w.Digests()) {
		if table != "calls" && table != "members" && table != "notifications" { // reading changes these tables
			t.Errorf("the table %s has changed", table)
		}
	}
}

// TestDeadlinesStopInAnArchivedStudio archives a studio with open items, and lets their deadlines pass. Nothing ends
// them, so no page may say that they have ended, or that anything waits.
func TestDeadlinesStopInAnArchivedStudio(t *testing.T) {
	w := webtest.New(t)
	states := func() map[string]string {
		found := map[string]string{}
		for _, name := range []string{"standups", "open single", "topic consent", "commitment open", "commitment bound",
			"election consent", "note reminder"} {
			var p struct {
				Data struct{ State string }
			}
			r := w.As("bob").Get(w.URL(name), "application/json")
			if err := json.Unmarshal([]byte(r.Body), &p); err != nil || p.Data.State == "" {
				t.Fatal(name, err, r.Body)
			}
			found[name] = p.Data.State
		}
		return found
	}
	does(t, w.As("alice"), w.URL("team"), "archive_studio", nil, 200, "")
	before := states()
	w.Clock.Advance(400 * 24 * time.Hour)
	for name, state := range states() {
		if state != before[name] {
			t.Errorf("%s was %s, and is %s although nothing has ended it", name, before[name], state)
		}
		page := w.As("bob").Get(w.URL(name), "text/markdown").Body
		for _, says := range []string{"Overdue", "Decided:", "Closed", "The time is over", "marks it as done"} {
			if strings.Contains(page, says) {
				t.Errorf("%s says %q:\n%s", name, says, page)
			}
		}
	}
	list := w.As("bob").Get(w.URL("team")+"/decisions", "text/markdown").Body
	if !strings.Contains(list, "left open when the studio was archived") || strings.Contains(list, "was due") {
		t.Errorf("the list does not say that decisions were left open:\n%s", list)
	}
}

// TestDraftInArchivedStudio reads and discards a draft in an archived studio. Its page says that it cannot be published.
func TestDraftInArchivedStudio(t *testing.T) {
	w := webtest.New(t)
	bob := w.As("bob")
	made := bob.PostJSON(w.URL("team"), "create_note", param.Input{"title": "Half a thought", "draft": true})
	draft := strings.TrimPrefix(urlIn(t, made.Body), webtest.Origin)
	if !strings.Contains(made.Body, "Take back: discard.") {
		t.Errorf("a draft is answered: %s", made.Body)
	}
	if r := bob.PostJSON(w.URL("team"), "create_note", param.Input{"title": "A whole one"}); strings.Contains(r.Body, "discard") {
		t.Errorf("a published note is answered: %s", r.Body)
	}
	does(t, w.As("alice"), w.URL("team"), "archive_studio", nil, 200, "")
	body := bob.Get(draft, "text/markdown").Body
	if !strings.Contains(body, "is archived, so the draft can be discarded, and not published.") ||
		strings.Contains(body, "When published") {
		t.Errorf("the page of the draft:\n%s", body)
	}
	does(t, bob, draft, "publish_note", nil, 409, "is archived")
	does(t, bob, draft, "discard", nil, 200, "The draft is discarded.")
	for _, name := range w.Fixtures() {
		if r := w.As("bob").Get(w.URL(name), "text/markdown"); strings.Count(r.Body, "Team is archived. It can be read") > 1 {
			t.Errorf("%s says it twice:\n%s", name, r.Body)
		}
	}
}
