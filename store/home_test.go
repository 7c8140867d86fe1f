package store_test

import (
	"errors"
	"maps"
	"testing"
	"time"

	"samepage/store"
	"samepage/store/governance"
)

// TestBeginnings checks the first steps that home suggests in a new organization. They depend on the rows of the
// organization, and only its owner sees them.
func TestBeginnings(t *testing.T) {
	w := newWorld(t)
	var owner store.Actor
	var org *store.Organization
	w.write(func(tx *store.Tx) error {
		o, m, err := tx.CreateOrganization("initech", "initech", "UTC",
			store.NewMember{Handle: "peter", Name: "Peter", Email: "peter@initech.example", PasswordHash: "-"})
		if err != nil {
			return err
		}
		org, owner = o, store.Actor{UserID: m.UserID, Members: []store.Member{*m}, Member: m}
		return nil
	})
	left := func(what string, by store.Actor, want ...store.Beginning) {
		t.Helper()
		w.write(func(tx *store.Tx) error {
			p, err := tx.ShowHome(by)
			if err == nil && (len(p.First) != len(want) || len(want) == 1 && p.First[0] != want[0]) {
				t.Errorf("%s: %+v, want %+v", what, p.First, want)
			}
			return err
		})
	}
	all := store.Beginning{Org: "initech", OrgName: "initech", Unnamed: true, Alone: true}
	left("nothing done", owner, all)
	w.write(func(tx *store.Tx) error {
		_, err := tx.CreateInvitation(owner, org, "", store.InvitationLife)
		return err
	})
	invited := all
	invited.Alone = false
	left("an invitation is open", owner, invited)
	w.write(func(tx *store.Tx) error {
		return tx.Exec(`UPDATE invitations SET expires_at = ? WHERE org_id = ?`, store.At(tx.Now.Add(-time.Minute)), org.ID)
	})
	left("it ended", owner, all)
	var samir store.Actor
	w.write(func(tx *store.Tx) error {
		m, err := tx.CreateMember(org.ID, "samir", "Samir", "samir@initech.example", "-")
		samir = store.Actor{UserID: m.UserID, Members: []store.Member{*m}, Member: m}
		return err
	})
	left("somebody else came", owner, invited)
	left("a plain member", samir)
	agent := owner
	agent.Token = "t"
	left("an agent", agent)
	token := func(label string, scopes store.Set[store.Scope]) {
		w.write(func(tx *store.Tx) error {
			_, _, err := tx.CreateToken(samir.Member, store.Grant{Label: label, Scopes: scopes})
			return err
		})
	}
	token("Mill", store.Set[store.Scope]{store.ScopeRunner})
	left("a runner is no agent", owner, invited)
	token("Helper", store.Scopes())
	granted := invited
	granted.Agents = true
	left("an agent acts", owner, granted)
	left("in an organization where much was done", w.alice, store.Beginning{Org: "acme", OrgName: "Acme", Agents: true})
}

// TestItemsWait lets time pass with an open decision, a reminder and an event. Home must list each item when it waits
// for Bob, and say whether the item's deadline is also the deadline of Bob's action. The navigation must count the same
// items.
func TestItemsWait(t *testing.T) {
	w := newWorld(t)
	c := w.commitment(governance.NewCommitment{Title: "Run", CriticalMass: 1, ClosesAt: friday.Add(time.Hour),
		StartsAt: friday.Add(3 * time.Hour)})
	w.write(func(tx *store.Tx) error {
		n, err := governance.CreateNote(tx, w.alice, w.team,
			governance.NewNote{Type: governance.Reminder, Title: "Water the plants",
				DueAt: friday.Add(store.DueSoon + time.Hour)})
		return errors.Join(err, governance.PublishNote(tx, n), governance.JoinCommitment(tx, w.bob, c))
	})
	waits := func(when string, want map[string]bool) {
		t.Helper()
		w.read(func(tx *store.Tx) error {
			list, err := tx.WaitingItems(w.bob, 10)
			got := map[string]bool{}
			for _, x := range list {
				got[x.For] = x.ByDue
			}
			if !maps.Equal(got, want) || len(list) != len(want) {
				t.Errorf("%s: what waits, with its deadline, is %v, want %v", when, got, want)
			}
			around, serr := tx.ShowSurroundings(w.bob)
			if serr == nil && around.Waiting != len(want) {
				t.Errorf("%s: the navigation counts %d that wait, want %d", when, around.Waiting, len(want))
			}
			return errors.Join(err, serr)
		})
	}
	waits("at first", map[string]bool{store.WaitsForVote: true})
	w.clock.advance(time.Hour)
	waits("a day before the reminder", map[string]bool{store.WaitsForVote: true, store.WaitsForReminder: true})
	w.clock.advance(2 * time.Hour)
	waits("at the start of the event", map[string]bool{store.WaitsForVote: true, store.WaitsForReminder: true,
		store.WaitsForMark: false})
}
