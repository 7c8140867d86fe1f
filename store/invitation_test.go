package store_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"samepage/store"
)

// invite is the part of [world.everything] about invitations and mails.
func (w *world) invite() {
	w.write(func(tx *store.Tx) error {
		if err := tx.UpdateSettings(w.acme,
			store.Settings{Name: "Acme", Zone: "Europe/Berlin", Inviters: "members", Rules: store.Rules{Ballots: store.BallotsAllowed}},
			[]string{"acme.example"}); err != nil {
			return err
		}
		i, err := tx.CreateInvitation(w.alice, w.acme, "hal@acme.example", store.InvitationLife)
		if err != nil {
			return err
		}
		secret, err := tx.OpenInvitation(i)
		if err != nil {
			return err
		}
		if i, err = tx.InvitationBySecret(secret); err != nil {
			return err
		}
		if err := tx.QueueMail(store.MailedInvitation, i.ID, i.Email); err != nil {
			return err
		}
		due, err := tx.DueMails(10)
		if err != nil {
			return err
		}
		for _, problem := range []string{"no", ""} {
			if _, err := tx.MailedInvitation(&due[0]); err != nil {
				return err
			}
			if err := tx.MarkMailed(&due[0], problem); err != nil {
				return err
			}
		}
		given := due[0]
		given.Attempts = store.MailAttempts
		if err := tx.MarkMailed(&given, "no"); err != nil {
			return err
		}
		if _, _, err := tx.WaitingMails(); err != nil {
			return err
		}
		if _, err := tx.FindInvitations(w.alice, "acme", ""); err != nil {
			return err
		}
		if _, err := tx.PendingFor(w.acme, i.Email, time.Hour); err != nil {
			return err
		}
		if _, err := tx.OrganizationsOfDomain(i.Email); err != nil {
			return err
		}
		if in, err := tx.IsMember(w.acme, i.Email); err != nil || in {
			return err
		}
		hal, err := tx.CreateUser(i.Email, "-")
		if err != nil {
			return err
		}
		m, err := tx.AcceptInvitation(i, hal, "hal", "Hal")
		if err != nil {
			return err
		}
		if _, err := tx.Journal(store.Actor{UserID: hal},
			store.Change{Action: "join", Target: m.Ref(), After: m.Record()}); err != nil {
			return err
		}
		return tx.DropMail(&due[0])
	})
}

// TestInvitationSettlesOnce ends an invitation by accepting, declining, revoking or expiry. Later attempts must change
// nothing.
func TestInvitationSettlesOnce(t *testing.T) {
	fewerHistories(t, 20)
	w := newWorld(t)
	members := 2
	rapid.Check(t, func(rt *rapid.T) {
		var i *store.Invitation
		var secret string
		w.write(func(tx *store.Tx) (err error) {
			if i, err = tx.CreateInvitation(w.alice, w.acme, "", store.InvitationLife); err != nil {
				return err
			}
			secret, err = tx.OpenInvitation(i)
			return err
		})
		want := "pending"
		for _, what := range rapid.SliceOfN(rapid.SampledFrom([]string{"accept", "decline", "revoke", "wait",
			"leave"}), 1, 6).Draw(rt, "what") {
			err := w.Write(t.Context(), func(tx *store.Tx) error {
				x := *i
				switch what {
				case "accept":
					user, err := tx.CreateUser(store.NewID()+"@acme.example", "-")
					if err != nil {
						return err
					}
					_, err = tx.AcceptInvitation(&x, user, "new"+store.NewID(), "New")
					return err
				case "decline":
					return tx.DeclineInvitation(&x)
				case "revoke":
					return tx.RevokeInvitation(w.alice, &x)
				case "leave":
					return tx.RevokeInvitationsOf(w.alice, w.alice.Member)
				}
				return nil
			})
			switch {
			case what == "wait":
				w.clock.advance(20 * 24 * time.Hour)
				if want == "pending" && !w.clock.Now().Before(i.ExpiresAt.Time) {
					want = "expired"
				}
			case what == "leave":
				if want == "pending" {
					want = "revoked"
				}
			case want == "pending":
				if err != nil {
					rt.Fatalf("%s: %v", what, err)
				}
				want = map[string]string{"accept": "accepted", "decline": "declined", "revoke": "revoked"}[what]
				if what == "accept" {
					members++
				}
			case store.CodeOf(err) != store.NotFound:
				rt.Fatalf("%s of what is %s: %v", what, want, err)
			}
			w.read(func(tx *store.Tx) error {
				x, err := tx.Invitation(`WHERE i.id = ?`, i.ID)
				if err != nil {
					return err
				}
				if x.State() != want {
					rt.Errorf("after %s it is %s, want %s", what, x.State(), want)
				}
				if _, err := tx.InvitationBySecret(secret); (err == nil) != (want == "pending") {
					rt.Errorf("the secret of what is %s: %v", want, err)
				}
				list, err := tx.Members(w.acme.ID, "", 1000)
				if len(list) != members {
					rt.Errorf("%d members, want %d", len(list), members)
				}
				return err
			})
		}
	})
}

// TestALeasedMail lets several senders lease a mail. Only one may have the lease at a time, and the lease of a sender
// that was killed must end by itself.
func TestALeasedMail(t *testing.T) {
	w := newWorld(t)
	due := func() (list []store.Mail) {
		w.read(func(tx *store.Tx) (err error) { list, err = tx.DueMails(50); return err })
		return list
	}
	lease := func(id, sender string) (m *store.Mail, err error) {
		err = w.Write(t.Context(), func(tx *store.Tx) (err error) { m, err = tx.LeaseMail(id, sender); return err })
		return m, err
	}
	w.write(func(tx *store.Tx) error { return tx.QueueMail("any", "thing", "lena@acme.example") })
	id := due()[0].ID
	first, err := lease(id, "first")
	if err != nil || len(due()) != 0 {
		t.Fatal(err, due())
	}
	if _, err := lease(id, "second"); store.CodeOf(err) != store.NotFound {
		t.Error("leased twice:", err)
	}
	w.clock.advance(2 * time.Minute)
	second, err := lease(id, "second")
	if err != nil {
		t.Fatal("after the lease:", err)
	}
	w.write(func(tx *store.Tx) error { return tx.MarkMailed(first, "the first sender woke up and failed") })
	if _, err := lease(id, "third"); store.CodeOf(err) != store.NotFound {
		t.Error("leased while it is sent:", err)
	}
	w.write(func(tx *store.Tx) error { return tx.ReleaseMail(second) })
	if list := due(); len(list) != 1 || list[0].Attempts != 0 || list[0].Problem != "" {
		t.Errorf("after the release: %+v", list)
	}
	w.write(func(tx *store.Tx) error { return tx.MarkMailed(first, "") }) // the first sender has sent the mail after all
	w.write(func(tx *store.Tx) error { return tx.MarkMailed(second, "refused") })
	w.clock.advance(24 * time.Hour)
	if list := due(); len(list) != 0 {
		t.Errorf("a mail that was sent is due again: %+v", list)
	}
}
