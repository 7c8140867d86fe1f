package views

import (
	"testing"

	"samepage/store"
)

// TestWordsOfAGrant checks that the words on a grant name each restriction, and no other.
func TestWordsOfAGrant(t *testing.T) {
	const private = "; writes nothing that everybody can read"
	scopes := store.Set[store.Scope]{store.ScopeRead, store.ScopeWrite}
	for _, c := range []struct {
		g     store.Grant
		named []string
		want  string
	}{
		{store.Grant{Scopes: scopes, Public: true}, nil, "read, write"},
		{store.Grant{Scopes: scopes}, nil, "read, write" + private},
		{store.Grant{Scopes: scopes, Public: true, Kinds: store.Set[string]{"note", "topic"}}, nil,
			"read, write; acts only on note, topic"},
		{store.Grant{Scopes: scopes, Public: true, Roles: store.Set[string]{}}, nil, "read, write; uses 0 roles of its member's"},
		{store.Grant{Scopes: scopes, Public: true, Roles: store.Set[string]{"r", "s"}}, []string{"Cook"},
			"read, write; uses 2 roles of its member's: Cook"},
		{store.Grant{Scopes: scopes, Public: true, Asks: store.Set[string]{"close_decision"}}, nil,
			"read, write; asks before close_decision"},
	} {
		if got := may(&c.g, c.named); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
