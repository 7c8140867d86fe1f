package store_test

import (
	"testing"
	"time"

	"samepage/store"
	"samepage/store/governance"
)

// TestBeginnings lists the first steps of a new organization, which follow from its rows, to its owner alone.
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
	w.write(func(tx *store.Tx) error {
		_, _, err := tx.CreateToken(samir.Member, store.Grant{Label: "Helper", Scopes: store.Scopes()})
		return err
	})
	granted := invited
	granted.Agents = true
	left("an agent acts", owner, granted)
	left("in an organization where much was done", w.alice, store.Beginning{Org: "acme", OrgName: "Acme", Agents: true})
}

// TestAReminderWaitsADayAhead waits for everyone in its studio from [DueSoon] before it is due.
func TestAReminderWaitsADayAhead(t *testing.T) {
	w := newWorld(t)
	due := friday.Add(store.DueSoon + time.Hour)
	w.write(func(tx *store.Tx) error {
		n, err := governance.CreateNote(tx, w.alice, w.team,
			governance.NewNote{Type: governance.Reminder, Title: "Water the plants", DueAt: due})
		if err != nil {
			return err
		}
		return governance.PublishNote(tx, n)
	})
	waits := func() (n int) {
		w.read(func(tx *store.Tx) error {
			list, err := tx.WaitingItems(w.bob, 10)
			for _, x := range list {
				if x.For == store.WaitsForReminder {
					n++
				}
			}
			return err
		})
		return n
	}
	if n := waits(); n != 0 {
		t.Errorf("%d reminders wait more than a day ahead", n)
	}
	w.clock.advance(time.Hour)
	if n := waits(); n != 1 {
		t.Errorf("%d reminders wait a day ahead, want 1", n)
	}
}
