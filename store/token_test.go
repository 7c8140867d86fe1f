package store_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"samepage/store"
)

func TestTokens(t *testing.T) {
	w := newWorld(t)
	use := func(secret string) error {
		return w.Read(context.Background(), func(tx *store.Tx) error {
			by, err := tx.ActorByToken(secret)
			if err == nil && (by.Name() != "Scribe, agent of @alice" || by.MemberID() != w.alice.MemberID() ||
				len(by.Members) != 1) {
				t.Errorf("token acts as %q", by.Name())
			}
			if key, kerr := tx.KeyByToken(secret); store.CodeOf(kerr) != store.CodeOf(err) || err == nil && key != by.Key() {
				t.Errorf("its key is %q, %v", key, kerr)
			}
			return err
		})
	}
	if err := use(w.secret); err != nil {
		t.Fatal(err)
	}
	// A changed character, another case, a shorter or a longer token: none has the right checksum.
	last := w.secret[len(w.secret)-1:]
	for _, s := range []string{"", "sp_", store.TokenPrefix + checksum(store.TokenPrefix), strings.ToUpper(w.secret),
		w.secret[:len(w.secret)-1], w.secret + last, "x" + w.secret,
		strings.Replace(w.secret, w.secret[5:6], map[bool]string{true: "b", false: "a"}[w.secret[5] == 'a'], 1)} {
		if store.WellFormedToken(s) && len(s) > len(store.TokenPrefix)+store.ChecksumLength {
			t.Errorf("%q looks like a token", s)
		}
		if err := use(s); store.CodeOf(err) != store.NotFound {
			t.Errorf("%q: %v", s, err)
		}
	}
	unknown := store.TokenPrefix + store.RandomText(32)
	if unknown += checksum(unknown); !store.WellFormedToken(unknown) || store.CodeOf(use(unknown)) != store.NotFound {
		t.Error("an unknown token works")
	}

	var token *store.Token
	var secret string
	w.write(func(tx *store.Tx) (err error) {
		token, secret, err = tx.CreateToken(w.alice.Member,
			store.Grant{Label: "Scribe", Scopes: []store.Scope{store.ScopeRead},
				Expires: store.At(friday.Add(time.Hour))})
		return err
	})
	var by store.Actor
	w.read(func(tx *store.Tx) (err error) { by, err = tx.ActorByToken(secret); return err })
	if by.Has(store.ScopeWrite) || !by.Has(store.ScopeRead) || by.Agent.ID != w.scribe.Agent.ID {
		t.Errorf("scopes %s of agent %s", by.Grant.Scopes, by.Agent.ID)
	}
	w.clock.advance(time.Hour - time.Millisecond)
	if err := use(secret); err != nil {
		t.Error("before it expires:", err)
	}
	w.clock.advance(time.Millisecond)
	if err := use(secret); store.CodeOf(err) != store.NotFound {
		t.Error("expired:", err)
	}
	w.write(func(tx *store.Tx) error {
		revoked, err := tx.RevokeToken(w.alice, w.scribe.Token)
		if err == nil && revoked.State() != "revoked" {
			t.Error("state", revoked.State())
		}
		return err
	})
	if err := use(w.secret); store.CodeOf(err) != store.NotFound {
		t.Error("revoked:", err)
	}
	if token.State() != "active" {
		t.Error("a token's state is that of the moment it was loaded")
	}
	var stored int
	w.read(func(tx *store.Tx) error {
		return tx.Get(&stored, `SELECT count(*) FROM tokens WHERE hash = ?`, []byte(secret))
	})
	if stored != 0 {
		t.Error("the secret itself is stored")
	}
}

func TestStudiosCountTheirPeopleAndAgents(t *testing.T) {
	w := newWorld(t)
	check := func(when string, people, agents int) {
		t.Helper()
		w.read(func(tx *store.Tx) error {
			s, err := tx.FindStudio(w.alice, "team")
			var p, a int
			if err == nil {
				err = tx.Get(&p, `SELECT count(*) FROM studio_members WHERE studio_id = ?`, s.ID)
			}
			if err == nil {
				err = tx.Get(&a, `SELECT count(*) FROM agents a JOIN studio_members x ON x.member_id = a.member_id
					WHERE x.studio_id = ?`, s.ID)
			}
			if s.People != people || s.Agents != agents || p != people || a != agents {
				t.Errorf("%s: %d people, %d agents (counted %d, %d), want %d, %d", when, s.People, s.Agents, p, a,
					people, agents)
			}
			return err
		})
	}
	check("at first", 2, 1)
	carol := w.member(w.acme, "carol")
	agent := func(by store.Actor, label string) {
		w.write(func(tx *store.Tx) error {
			_, _, err := tx.CreateToken(by.Member, store.Grant{Label: label, Scopes: store.Scopes()})
			return err
		})
	}
	agent(carol, "One")
	agent(carol, "Two")
	check("agents of an outsider", 2, 1)
	for range 2 {
		w.write(func(tx *store.Tx) error { return tx.JoinStudio(carol.Member, w.team) })
		check("joined", 3, 3)
	}
	agent(carol, "Three")
	agent(carol, "Three") // the same agent, another token
	check("a new agent", 3, 4)
	for range 2 {
		w.write(func(tx *store.Tx) error { _, err := tx.LeaveStudio(carol.Member, w.team); return err })
		check("left", 2, 1)
	}
	err := w.Write(context.Background(), func(tx *store.Tx) error {
		return tx.Nested(func() error {
			if err := tx.JoinStudio(carol.Member, w.team); err != nil {
				return err
			}
			return store.Errorf(store.Conflict, "never mind")
		})
	})
	if store.CodeOf(err) != store.Conflict {
		t.Error(err)
	}
	check("joined and undone", 2, 1)
}

func checksum(s string) string { return string(store.AppendChecksum(nil, s)) }
