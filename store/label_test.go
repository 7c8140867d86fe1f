package store_test

import (
	"strings"
	"testing"

	"samepage/store"
)

// TestLabels expects labels of agents to be refused if they could be taken for a member, a role, the product or a
// byline.
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

// TestNamesLikeLabels expects names of members and roles to be refused if an agent has a similar name.
func TestNamesLikeLabels(t *testing.T) {
	w := newWorld(t)
	w.write(func(tx *store.Tx) error {
		_, _, err := tx.CreateToken(w.alice.Member, store.Grant{Label: "Night Scribe", Scopes: store.Scopes()})
		return err
	})
	refused := func(what string, do func(tx *store.Tx) error) {
		t.Helper()
		if err := w.Store.Write(t.Context(), do); store.CodeOf(err) != store.Conflict || !strings.Contains(err.Error(), "An agent here") {
			t.Errorf("%s: %v", what, err)
		}
	}
	refused("a new member", func(tx *store.Tx) error {
		_, err := tx.CreateMember(w.alice.Member.OrgID, "night-scribe", "Nora", "nora@acme.example", "hash")
		return err
	})
	refused("a new member's name", func(tx *store.Tx) error {
		_, err := tx.CreateMember(w.alice.Member.OrgID, "nora", "Night-Scribe", "nora@acme.example", "hash")
		return err
	})
	refused("another handle", func(tx *store.Tx) error {
		return tx.RenameMember(w.bob.Member, "n1ght-scribe", "Bob", "")
	})
	refused("a new role", func(tx *store.Tx) error {
		_, err := tx.CreateRole(w.alice, w.team, store.NewRole{Kind: "none", Title: "night scribe"}, store.Seat{})
		return err
	})
	refused("another title", func(tx *store.Tx) error {
		r, err := tx.CreateRole(w.alice, w.team, store.NewRole{Kind: "none", Title: "Cook"}, store.Seat{})
		if err == nil {
			_, err = tx.UpdateRole(r, store.NewRole{Kind: "none", Title: "NIGHT-SCRIBE"})
		}
		return err
	})
	w.write(func(tx *store.Tx) error {
		_, err := tx.CreateRole(w.alice, w.team, store.NewRole{Kind: "none", Title: "Day scribe"}, store.Seat{})
		return err
	})
}

// TestNamesLikeBylines expects names of people to be refused if they read like the byline of an agent.
func TestNamesLikeBylines(t *testing.T) {
	w := newWorld(t)
	for name, ok := range map[string]bool{
		"Mary-Ann Agent": true, "Agent Smith": true, "Margent Oftedal": true, "Ann (Annie) Reagent": true, "Agenta O'Fee": true,
		"James Bond": true, "J.-P. Agentson": true, "": true,
		"Scribe, agent of @alice": false, "Scribe, agent of Alice": false, "Scribe agent of Alice": false, "AGENT OF ALICE": false,
		"Scribe (agent)": false, "Scribe (AI agent)": false, "Scribe [Agent]": false, "Scribe - agent": false, "Scribe – an agent": false,
		"Scribe, agents of us": false, "Scribe, аgеnt оf alice": false, "Scribe, agent 0f alice": false, "Scribe, agent of x": false,
		"@alice": false, "Alice ＠ Acme": false, "Scribe （agent）": false, "Scribe·agent": false, "agent-of-alice": false,
	} {
		if err := store.MustBePersonal(name); (err == nil) != ok || err != nil && store.CodeOf(err) != store.Invalid {
			t.Errorf("%q: %v", name, err)
		}
	}
	const name = "Scribe, agent of @alice"
	for what, do := range map[string]func(tx *store.Tx) error{
		"a new member": func(tx *store.Tx) error {
			_, err := tx.CreateMember(w.alice.Member.OrgID, "nora", name, "nora@acme.example", "hash")
			return err
		},
		"an owner": func(tx *store.Tx) error {
			_, _, err := tx.CreateOrganization("other", "Other", "UTC",
				store.NewMember{Handle: "nora", Name: name, Email: "nora@x.example"})
			return err
		},
	} {
		if err := w.Store.Write(t.Context(), do); store.CodeOf(err) != store.Invalid || !strings.Contains(err.Error(), "agent's") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
