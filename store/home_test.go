package store

import (
	"testing"
	"time"
)

// TestBeginnings lists the first steps of a new organization, which follow from its rows, to its owner alone.
func TestBeginnings(t *testing.T) {
	w := newWorld(t)
	var owner Actor
	var org *Organization
	w.write(func(tx *Tx) error {
		o, m, err := tx.CreateOrganization("initech", "initech", "UTC",
			NewMember{Handle: "peter", Name: "Peter", Email: "peter@initech.example", PasswordHash: "-"})
		if err != nil {
			return err
		}
		org, owner = o, Actor{UserID: m.UserID, Members: []Member{*m}, Member: m}
		return nil
	})
	left := func(what string, by Actor, want ...Beginning) {
		t.Helper()
		w.write(func(tx *Tx) error {
			p, err := tx.ShowHome(by)
			if err == nil && (len(p.First) != len(want) || len(want) == 1 && p.First[0] != want[0]) {
				t.Errorf("%s: %+v, want %+v", what, p.First, want)
			}
			return err
		})
	}
	all := Beginning{Org: "initech", OrgName: "initech", Unnamed: true, Alone: true}
	left("nothing done", owner, all)
	w.write(func(tx *Tx) error {
		_, err := tx.CreateInvitation(owner, org, "", InvitationLife)
		return err
	})
	invited := all
	invited.Alone = false
	left("an invitation is open", owner, invited)
	w.write(func(tx *Tx) error {
		return tx.Exec(`UPDATE invitations SET expires_at = ? WHERE org_id = ?`, At(tx.Now.Add(-time.Minute)), org.ID)
	})
	left("it ended", owner, all)
	var samir Actor
	w.write(func(tx *Tx) error {
		m, err := tx.CreateMember(org.ID, "samir", "Samir", "samir@initech.example", "-")
		samir = Actor{UserID: m.UserID, Members: []Member{*m}, Member: m}
		return err
	})
	left("somebody else came", owner, invited)
	left("a plain member", samir)
	agent := owner
	agent.Token = "t"
	left("an agent", agent)
	w.write(func(tx *Tx) error {
		_, _, err := tx.CreateToken(samir.Member, Grant{Label: "Helper", Scopes: Scopes()})
		return err
	})
	granted := invited
	granted.Agents = true
	left("an agent acts", owner, granted)
	left("in an organization where much was done", w.alice, Beginning{Org: "acme", OrgName: "Acme", Agents: true})
}

// TestAReminderWaitsADayAhead waits for everyone in its studio from [DueSoon] before it is due.
func TestAReminderWaitsADayAhead(t *testing.T) {
	w := newWorld(t)
	due := friday.Add(DueSoon + time.Hour)
	w.write(func(tx *Tx) error {
		n, err := tx.CreateNote(w.alice, w.team, NewNote{Type: Reminder, Title: "Water the plants", DueAt: due})
		if err != nil {
			return err
		}
		return tx.PublishNote(n)
	})
	waits := func() (n int) {
		w.read(func(tx *Tx) error {
			list, err := tx.WaitingItems(w.bob, 10)
			for _, x := range list {
				if x.For == WaitsForReminder {
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
