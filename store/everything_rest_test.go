package store_test

import (
	"context"
	"errors"
	"time"

	"samepage/store"
	"samepage/store/credential"
	"samepage/store/governance"
)

// everyMail is the part of [world.everything] about the queue of mails.
func (w *world) everyMail() {
	w.write(func(tx *store.Tx) error {
		if _, err := tx.EnsureMail(credential.MailedReset, "subject", "bob@acme.example"); err != nil {
			return err
		}
		id, err1 := tx.EnsureMail(credential.MailedReset, "subject", "bob@acme.example")
		herr := tx.HastenMails(credential.MailedReset, "subject")
		m, err2 := tx.LeaseMail(id, "test")
		if err := errors.Join(err1, herr, err2); err != nil {
			return err
		}
		return errors.Join(tx.PostponeMail(m, tx.Now), tx.ReleaseMail(m), tx.MarkMailed(m, ""))
	})
}

// everyActor calls methods that look for actors and their rights.
func (w *world) everyActor() {
	w.write(func(tx *store.Tx) error {
		leader, err := tx.LeaderOf(w.team)
		if err != nil {
			return err
		}
		_, err1 := tx.PersonOf(w.alice.UserID)
		_, err2 := tx.MemberIn(w.team.ID, w.alice.MemberID())
		_, err3 := tx.LikelyMembers(w.team.Ref(), w.bob.MemberID())
		_, err4 := tx.KeeperIDs(w.team)
		_, err5 := tx.NameRole(store.Authority{As: store.AsRole, RoleID: leader.ID})
		_, err6 := tx.IsAgentPaused(w.alice.Member, "Scribe")
		_, err7 := tx.FindAround(w.alice)
		_, err8 := tx.HasLapsed(w.scribe.Token)
		return errors.Join(err1, err2, err3, err4, err5, err6, err7, err8, tx.TellTermEnds(leader),
			tx.ExtendToken(w.scribe.Token, store.At(tx.Now.Add(time.Hour))), tx.AddCost(w.scribe.Token, 1, "EUR"))
	})
}

// everyHome calls methods that load the navigation, the briefing, and lists beside them. Bob has an unread
// notification from an agent.
func (w *world) everyHome() {
	w.write(func(tx *store.Tx) error {
		_, err := tx.Notify(w.scribe, store.Event{Seq: 1, Did: "commented on", Target: w.standups.Ref(),
			Item: w.standups.ID},
			store.Notice{Reason: store.ReasonMention, To: []string{w.bob.MemberID()}})
		return err
	})
	w.read(func(tx *store.Tx) error {
		bob, err := tx.PersonOf(w.bob.UserID)
		if err != nil {
			return err
		}
		_, err1 := tx.ShowSurroundings(bob)
		_, err2 := tx.ShowBriefing(bob, w.acme)
		_, err3 := tx.ShowItems(bob, w.team, governance.DecisionKind.Name, true, "/", "")
		_, err4 := tx.UnreadOn(bob, w.standups.ID, "")
		_, err5 := tx.VerifyItems(w.acme)
		return errors.Join(err1, err2, err3, err4, err5)
	})
}

// everyNumber creates a policy, which is of a numbered kind, and reads an entry of the journal that names a role.
func (w *world) everyNumber() {
	w.write(func(tx *store.Tx) error {
		leader, err := tx.LeaderOf(w.team)
		if err != nil {
			return err
		}
		_, perr := governance.CreatePolicy(tx, w.alice, leader, governance.NewPolicy{Title: "Money", Body: "We save."})
		_, jerr := tx.Journal(w.alice, store.Change{Action: "test", Target: w.team.Ref(),
			After: map[string]string{"role": store.RoleReference(leader.ID)}})
		_, eerr := tx.EntriesAfter(w.acme.ID, w.alice.MemberID(), 0, 1000)
		return errors.Join(perr, jerr, eerr)
	})
	if _, err := w.Prune(context.Background()); err != nil {
		w.t.Error(err)
	}
}
