package hook_test

import (
	"strings"
	"testing"

	"samepage/actions/param"
)

// TestWebhookTellsNothingHidden checks that a webhook sends no events about drafts, direct messages, a studio that its
// maker does not see, other organizations, or pages that its filters leave out.
func TestWebhookTellsNothingHidden(t *testing.T) {
	w := newWorld(t)
	r, notes := listen(t), listen(t)
	add(t, w, param.Input{"address": r.URL})
	add(t, w, param.Input{"address": notes.URL, "kinds": []string{"note"}, "studio": "team"})
	send := sender(t, w, "127.0.0.1/32")
	must := func(who, at, name string, in param.Input) {
		t.Helper()
		if a := w.As(who).PostJSON(at, name, in); a.Status/100 != 2 {
			t.Fatalf("%s: %d %s", name, a.Status, a.Body)
		}
	}
	must("alice", "/studios/team", "create_note", param.Input{"title": "DRAFTED", "text": "x", "draft": true})
	must("bob", "/orgs/acme", "create_studio", param.Input{"name": "Den", "handle": "den", "tempo": "weekly"})
	must("bob", "/studios/den", "change_visibility", param.Input{"visibility": "members"})
	must("bob", "/studios/den", "create_note", param.Input{"title": "HIDDEN", "text": "x"})
	must("bob", "/orgs/acme/dm/alice", "send_direct_message", param.Input{"text": "WHISPERED"})
	must("alice", "/orgs/acme/dm/bob", "send_direct_message", param.Input{"text": "WHISPERED too"})
	must("oscar", "/studios/globex", "create_note", param.Input{"title": "FOREIGN", "text": "x"})
	must("bob", "/studios/team", "create_note", param.Input{"title": "SHOWN", "text": "x"})
	must("bob", w.URL("standups"), "comment", param.Input{"text": "x"})
	send()
	var all []string
	for _, g := range r.all() {
		all = append(all, string(g.body))
	}
	text := strings.Join(all, "\n")
	for _, word := range []string{"DRAFTED", "HIDDEN", "FOREIGN", "WHISPERED", "direct_message", "/dm/"} {
		if strings.Contains(text, word) {
			t.Errorf("a webhook tells of %s:\n%s", word, text)
		}
	}
	if !strings.Contains(text, "SHOWN") || !strings.Contains(text, "decision.comment") {
		t.Errorf("a webhook does not tell of what its maker sees:\n%s", text)
	}
	if list := notes.all(); len(list) != 1 || list[0].event(t).Data.Title != "SHOWN" {
		t.Errorf("a webhook of notes has told of %d events", len(list))
	}
}
