package hook_test

import (
	"testing"

	"samepage/store"
	"samepage/web/hook"
)

// TestConcerns checks which changes make the sender look for events. While there is no webhook, only the creation of
// one does.
func TestConcerns(t *testing.T) {
	entry, other := store.EventsTopic("acme"), store.EventsTopic("globex")
	if !hook.Concerns(nil, []store.Topic{entry}) {
		t.Error("no look for events at a journal entry before the first look")
	}
	for _, hooked := range []map[store.Topic]bool{{}, {entry: true}} {
		ask := func(when string, want bool, topics ...store.Topic) {
			t.Helper()
			if got := hook.Concerns(hooked, topics); got != want {
				t.Errorf("%s, %v, with the webhooks of %v: %t", when, topics, hooked, got)
			}
		}
		ask("at a journal entry", hooked[entry], entry, "item:1")
		ask("in another organization", false, other, "item:1")
		ask("at what has no entry", false, "own:1")
		ask("at a new webhook", true, "own:1", "webhook:globex")
		ask("if anything may have changed", true)
	}
}
