package store_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"samepage/store"
	"samepage/store/credential"
	"samepage/store/governance"
)

// end removes a member on behalf of Acme's owner.
func (w *world) end(by store.Actor) {
	w.t.Helper()
	w.write(func(tx *store.Tx) error {
		m, err := tx.FindMember(w.alice, "acme", by.Member.Handle)
		if err != nil {
			return err
		}
		if _, err := tx.EndMembership(w.alice, m); err != nil {
			return err
		}
		m, err = tx.FindMember(w.alice, "acme", by.Member.Handle)
		if err != nil {
			return err
		}
		_, err = tx.Journal(w.alice, store.Change{Action: "remove", Target: m.Ref(), After: m.Record()})
		return err
	})
}

// TestEndedMembership removes a member. The member's browser and token must then find nothing of the organization. The
// row of the member must stay, and a new membership must use it again.
func TestEndedMembership(t *testing.T) {
	w := newWorld(t)
	hidden := w.studio("hidden", "members", w.bob)
	var login, token string
	w.write(func(tx *store.Tx) (err error) {
		if login, err = credential.CreateLogin(tx, w.bob.UserID, credential.Browser{}, tx.Now); err != nil {
			return err
		}
		_, token, err = tx.CreateToken(w.bob.Member, store.Grant{Label: "Scout", Scopes: store.Scopes()})
		return err
	})
	people, agents := w.counts("acme")
	w.end(w.bob)
	if p, a := w.counts("acme"); p != people-1 || a != agents-1 {
		t.Errorf("%d people and %d agents are left of %d and %d", p, a, people, agents)
	}
	w.read(func(tx *store.Tx) error {
		if _, err := tx.ActorByToken(token); store.CodeOf(err) != store.NotFound {
			t.Errorf("the token still acts: %v", err)
		}
		if _, err := tx.KeyByToken(token); store.CodeOf(err) != store.NotFound {
			t.Errorf("the token still has a key: %v", err)
		}
		by, err := credential.ActorByLogin(tx, login)
		if err != nil || len(by.Members) != 0 || by.UserID != w.bob.UserID {
			t.Errorf("the login is %+v, %v", by, err)
		}
		for _, by := range []store.Actor{by, {UserID: w.bob.UserID, Members: w.bob.Members, Member: w.bob.Member}} {
			if _, err := tx.FindStudio(by, "team"); store.CodeOf(err) != store.NotFound {
				t.Errorf("the studio is still there: %v", err)
			}
		}
		if _, err := tx.FindStudio(w.alice, hidden.Handle); err != nil {
			t.Errorf("nobody sees the studio whose last member left: %v", err)
		}
		list, err := tx.Members(w.acme.ID, "", 10)
		if err != nil || slices.ContainsFunc(list, func(m store.Member) bool { return m.Handle == "bob" }) {
			t.Errorf("the members are %v, %v", list, err)
		}
		_, err = tx.VerifyJournal(w.acme)
		return err
	})
	w.write(func(tx *store.Tx) error {
		if _, err := tx.CreateMember(w.acme.ID, "bob", "Another", "other@acme.example",
			"-"); store.CodeOf(err) != store.Conflict {
			t.Errorf("somebody else is called bob: %v", err)
		}
		m, err := tx.EnterOrganization(w.acme.ID, w.bob.UserID, "robert", "Robert")
		if err != nil || m.ID != w.bob.Member.ID || m.Ended() {
			t.Errorf("who came back is %+v, %v", m, err)
		}
		if m, err := tx.FindMember(w.alice, "acme", "bob"); err != nil || m.Handle != "robert" {
			t.Errorf("the old handle leads to %+v, %v", m, err)
		}
		if _, err := tx.ActorByToken(token); store.CodeOf(err) != store.NotFound {
			t.Errorf("the token came back: %v", err)
		}
		_, err = tx.EnterOrganization(w.acme.ID, w.bob.UserID, "robert", "Robert")
		if store.CodeOf(err) != store.Conflict {
			t.Errorf("a member joins: %v", err)
		}
		_, err = tx.Journal(w.alice, store.Change{Action: "join", Target: m.Ref(), After: m.Record()})
		return err
	})
	if p, a := w.counts("acme"); p != people || a != agents {
		t.Errorf("%d people and %d agents are there again of %d and %d", p, a, people, agents)
	}
	w.read(func(tx *store.Tx) error { _, err := tx.VerifyJournal(w.acme); return err })
}

func (w *world) counts(studio string) (people, agents int) {
	w.t.Helper()
	w.read(func(tx *store.Tx) error {
		s, err := tx.FindStudio(store.System(), studio)
		people, agents = s.People, s.Agents
		return err
	})
	return people, agents
}

// TestLeaveCommitments removes members from a studio. They must leave commitments that do not bind yet. Binding
// commitments must be settled when the remaining members have marked them.
func TestLeaveCommitments(t *testing.T) {
	fewerHistories(t, 20)
	w := newWorld(t)
	rapid.Check(t, func(rt *rapid.T) {
		all := []store.Actor{w.alice}
		for range rapid.IntRange(1, 4).Draw(rt, "more") {
			all = append(all, w.member(w.acme, "m"+store.NewID()))
		}
		w.team = w.studio("s"+store.NewID(), "organization", all...)
		mass := rapid.IntRange(1, len(all)+1).Draw(rt, "mass")
		c := w.commitment(governance.NewCommitment{Title: "Run", CriticalMass: mass})
		find := func(tx *store.Tx, by store.Actor) *governance.Commitment {
			c, err := governance.FindCommitment(tx, by, w.team.Handle, c.ID)
			if err != nil {
				rt.Fatal(err)
			}
			return c
		}
		for _, by := range all {
			w.write(func(tx *store.Tx) error { return governance.JoinCommitment(tx, by, find(tx, by)) })
		}
		bound := mass <= len(all)
		marks, gone := map[string]string{}, map[string]bool{}
		order := rapid.Permutation(all[1:]).Draw(rt, "order") // without Alice, the organization's owner
		for _, by := range order {
			switch rapid.SampledFrom([]string{"mark", "leave", "end", "stay"}).Draw(rt, "what") {
			case "mark":
				if bound {
					done := rapid.Bool().Draw(rt, "done")
					w.write(func(tx *store.Tx) error {
						return governance.MarkCommitment(tx, by, find(tx, by),
							done, "")
					})
					marks[by.MemberID()] = map[bool]string{true: "done", false: "missed"}[done]
				}
			case "leave":
				w.write(func(tx *store.Tx) error { _, err := tx.LeaveStudio(by.Member, w.team); return err })
				gone[by.MemberID()] = true
			case "end":
				w.end(by)
				gone[by.MemberID()] = true
			}
		}
		joined, silent := len(all), 1
		for _, by := range order {
			id := by.MemberID()
			if !bound && gone[id] {
				joined--
			}
			if marks[id] == "" && !gone[id] {
				silent++
			}
		}
		check := func(settled bool) {
			w.read(func(tx *store.Tx) error {
				c := find(tx, w.alice)
				if c.Joined != joined || c.Done+c.Missed+c.Gone > c.Joined || c.SettledAt.IsZero() == settled ||
					bound == c.BoundAt.IsZero() {
					rt.Errorf("%d joined (want %d), %d done, %d missed, %d gone, settled %v (want %v)", c.Joined,
						joined, c.Done, c.Missed, c.Gone, c.SettledAt, settled)
				}
				return nil
			})
		}
		check(false)
		if bound {
			w.write(func(tx *store.Tx) error {
				return governance.MarkCommitment(tx, w.alice, find(tx, w.alice),
					true, "")
			})
			check(silent == 1)
		}
	})
}

// membership is the part of [world.everything] about the beginning and the end of memberships.
func (w *world) membership() {
	gone := w.member(w.acme, "gone")
	c := w.commitment(governance.NewCommitment{Title: "Walk", CriticalMass: 1})
	unbound := w.commitment(governance.NewCommitment{Title: "Swim", CriticalMass: 9})
	w.write(func(tx *store.Tx) error {
		if err := tx.JoinStudio(gone.Member, w.team); err != nil {
			return err
		}
		if err := governance.JoinCommitment(tx, gone, c); err != nil {
			return err
		}
		return governance.JoinCommitment(tx, gone, unbound)
	})
	w.studio("lonely", "members", gone)
	w.end(gone)
	w.write(func(tx *store.Tx) error {
		if _, err := tx.FindSettings(w.alice, "acme"); err != nil {
			return err
		}
		email, err := tx.UserEmail(gone.UserID)
		if err != nil {
			return err
		}
		if err := credential.ResetPassword(tx, email, "-"); err != nil {
			return err
		}
		if _, err := tx.FindMember(w.alice, "acme", "goner"); store.CodeOf(err) != store.NotFound {
			return err
		}
		login, err := credential.CreateLogin(tx, gone.UserID, credential.Browser{}, tx.Now)
		if err != nil {
			return err
		}
		if _, err := credential.ActorByLogin(tx, login); err != nil {
			return err
		}
		m, err := tx.EnterOrganization(w.acme.ID, gone.UserID, "gone", "Gone")
		if err != nil {
			return err
		}
		if _, err := tx.Journal(w.alice, store.Change{Action: "join", Target: m.Ref(), After: m.Record()}); err != nil {
			return err
		}
		other := *m
		if err := tx.Nested(func() error {
			if err := tx.EraseMember(&other); err != nil {
				w.t.Error(err)
			}
			return store.Missing()
		}); store.CodeOf(err) != store.NotFound {
			return err
		}
		if err := tx.TransferOwnership(w.acme, m); err != nil {
			return err
		}
		return tx.TransferOwnership(w.acme, w.alice.Member)
	})
}
