package hook_test

import (
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/web/webtest"
)

// TestWebhookOfAnotherOwner transfers an organization with a webhook and a studio that the new owner cannot see. Under
// the former owner's address, the webhook tells what the former owner sees. After the new owner has changed the
// address, it tells what the new owner sees, and nothing that waited before.
func TestWebhookOfAnotherOwner(t *testing.T) {
	w := newWorld(t)
	former, later := listen(t), listen(t)
	url, _ := add(t, w, param.Input{"address": former.URL})
	do := func(who, at, name string, in param.Input) *webtest.Response {
		t.Helper()
		r := w.As(who).PostJSON(at, name, in)
		if r.Status/100 != 2 {
			t.Fatalf("%s: %d %s", name, r.Status, r.Body)
		}
		return r
	}
	send := sender(t, w, "127.0.0.1/32")
	do("alice", "/orgs/acme", "create_studio", param.Input{"handle": "closed", "name": "Closed",
		"visibility": "members"})
	do("alice", "/orgs/acme/settings", "transfer_ownership", param.Input{"member": "bob"})
	do("alice", "/studios/closed", "create_note", param.Input{"title": "For Alice's eyes", "kind": "post"})
	do("bob", url, "update_webhook", param.Input{"kinds": []string{"note"}})
	send()
	if got := former.all(); len(got) == 0 || !strings.Contains(string(got[len(got)-1].body), "For Alice's eyes") {
		t.Error("the former owner's address is not told what the former owner may see")
	}
	do("alice", "/studios/closed", "create_note", param.Input{"title": "It waits for Alice", "kind": "post"})
	do("alice", w.URL("note post"), "comment", param.Input{"text": "before the change"})
	if r := do("bob", url, "update_webhook", param.Input{"address": later.URL}); !strings.Contains(r.Body,
		"what you may see") {
		t.Error("the answer does not say with whose eyes the webhook sees:", r.Body)
	}
	do("alice", "/studios/closed", "create_note", param.Input{"title": "Not for Bob", "kind": "post"})
	do("alice", w.URL("note post"), "comment", param.Input{"text": "after the change"})
	do("bob", url, "redeliver_event", param.Input{"delivery": "1"})
	send()
	for _, got := range later.all() {
		if strings.Contains(string(got.body), "closed") || strings.Contains(string(got.body), "Alice") {
			t.Errorf("the new owner is told: %s", got.body)
		}
	}
	if n := len(later.all()); n != 1 {
		t.Errorf("%d events are told after the change", n)
	}
}
