package web_test

import (
	"encoding/json"
	"strings"
	"testing"

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
	// People still choose their notifications, and a running agent can still be stopped.
	stays := map[string]bool{"follow": true, "unfollow": true, "mute": true, "mark_channel_read": true, "stop_session": true}
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
