package store_test

import (
	"testing"

	"samepage/store"
)

// TestLabels makes agents whose names could be taken for a member, a role, the product or a byline.
func TestLabels(t *testing.T) {
	w := newWorld(t)
	for label, ok := range map[string]bool{
		"Night-Scribe 2": true, "Écrivain": true, "書記": true, "Bobby": true,
		"@bob": false, "@bob, agent of @carol": false, "a,b": false, "a\u202eb": false, " - ": false, "": false,
		"bob": false, "BOB": false, "b0b": false, "bо\u0062": false, "Bob-": false, "Alice": false, "A l i c e": false,
		"Samepage": false, "same page": false, "Leader": false, "a/b": false,
	} {
		w.write(func(tx *store.Tx) error {
			_, _, err := tx.CreateToken(w.alice.Member, store.Grant{Label: label, Scopes: store.Scopes()})
			if (err == nil) != ok || err != nil && store.CodeOf(err) != store.Invalid {
				t.Errorf("the label %q: %v", label, err)
			}
			return nil
		})
	}
	if got := store.PlainLabel("Claude Code (acme/x)"); got != "Claude Code acme x" {
		t.Errorf("a program's name becomes %q", got)
	}
}
