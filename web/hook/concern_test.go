package hook

import (
	"testing"

	"samepage/store"
)

// TestConcerns checks which changes make the sender look for events. While there is no webhook, only the creation of
// one does.
func TestConcerns(t *testing.T) {
	s := New(Config{})
	entry, other := store.EventsTopic("acme"), store.EventsTopic("globex")
	ask := func(when string, want bool, topics ...store.Topic) {
		t.Helper()
		if got := s.concerns(topics); got != want {
			t.Errorf("%s, %v: %t", when, topics, got)
		}
	}
	ask("before the first look", true, entry)
	for _, hooked := range []map[store.Topic]bool{{}, {entry: true}} {
		s.hooked.Store(&hooked)
		ask("at a journal entry", hooked[entry], entry, "item:1")
		ask("in another organization", false, other, "item:1")
		ask("at what has no entry", false, "own:1")
		ask("at a new webhook", true, "own:1", "webhook:globex")
		ask("if anything may have changed", true)
	}
}
