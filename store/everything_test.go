package store_test

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"time"

	"samepage/store"
	"samepage/store/archive"
	"samepage/store/blob"
	"samepage/store/credential"
	"samepage/store/governance"
)

// everything calls every method of Tx that runs a statement, so that a test can look at all statements, or at rows of
// all tables.
func (w *world) everything() {
	carol := w.member(w.acme, "carol")
	child := w.studio("child", "members", w.alice)
	draft := w.draft(w.alice, w.team, "Draft?", "One", "Two", "Three")
	login := w.everyToken(carol, child)
	w.everyChange(draft)
	w.everyFile()
	w.commit()
	w.membership()
	w.reset()
	w.address()
	w.read(func(tx *store.Tx) error {
		return failure(tx.StudioHandleFree("nowhere"), tx.MemberHandleFree(w.acme.ID, "", "nobody"))
	})
	w.invite()
	w.cycle()
	w.everyRole(failure)
	w.write(func(tx *store.Tx) error {
		_, peter, err := tx.CreateOrganization("initech", "Initech", "UTC",
			store.NewMember{Handle: "peter", Name: "Peter", Email: "peter@initech.example", PasswordHash: "-"})
		_, herr := tx.ShowHome(store.Actor{UserID: peter.UserID, Members: []store.Member{*peter}, Member: peter})
		return failure(err, herr, governance.OpenDecision(tx, draft), tx.RenameMember(w.bob.Member, "bobby", "Bob", ""),
			tx.RenameMember(w.bob.Member, "bob", "Bob", ""))
	})
	w.everySealed()
	w.everyMail()
	w.everyActor()
	w.everyHome()
	w.everyNumber()
	w.share()
	w.everyNote(failure)
	w.everyTalk(failure)
	w.everyOAuth(failure)
	w.write(func(tx *store.Tx) error {
		d := w.standing(tx, w.standups.ID)
		_, err := tx.ShowTemplates(w.alice, w.team)
		return failure(err, tx.SetTemplate(&d.Item, true), tx.DetachAll(&store.Item{ID: d.ID, OrgID: d.OrgID, Files: 1}),
			tx.CountFiles(&d.Item, 1, 0))
	})
	w.everyBlob()
	nested := func(tx *store.Tx) error { return tx.Nested(func() error { return store.Missing() }) }
	w.write(func(tx *store.Tx) error { return failure(nested(tx)) })
	w.everyRead(login)
	w.everyJournal()
	w.asks()
	w.searches()
	w.accounts()
	if _, err := w.verify("acme"); err != nil {
		w.t.Log("verify:", err)
	}
	w.write(func(tx *store.Tx) error {
		return failure(governance.CloseDecision(tx, w.alice, w.standing(tx, w.standups.ID), "", "tie", "", ""),
			governance.DecideTie(tx, w.alice, w.standups, 1, ""), tx.PinItem(w.alice, &w.standups.Item, false))
	})
}

// failure returns the first error that is not [store.Missing].
func failure(errs ...error) error {
	for _, err := range errs {
		if err != nil && store.CodeOf(err) != store.NotFound {
			return err
		}
	}
	return nil
}

// standing returns a decision of Team in its present state.
func (w *world) standing(tx *store.Tx, id string) *governance.Decision {
	d, err := governance.FindDecision(tx, w.alice, "team", id)
	if err != nil {
		w.t.Error(err)
	}
	return d
}

// everyToken calls methods about tokens, logins and settings, and returns the secret of a login that has ended.
func (w *world) everyToken(carol store.Actor, child *store.Studio) (login string) {
	var token *store.Token
	w.write(func(tx *store.Tx) (err error) {
		if login, err = credential.CreateLogin(tx, carol.UserID, credential.Browser{}, tx.Now); err != nil {
			return err
		}
		if _, err = tx.ShareUse("somebody", tx.Now, 1); err != nil {
			return err
		}
		if _, err = tx.Exposure(); err != nil {
			return err
		}
		if token, _, err = tx.CreateToken(carol.Member, store.Grant{Label: "Helper", Scopes: store.Scopes()}); err != nil {
			return err
		}
		_, gerr := tx.ActorByGrant(token.ID)
		_, perr := tx.PauseToken(carol, token.ID)
		_, rerr := tx.ResumeToken(token.ID)
		_, err = tx.RevokeToken(carol, token.ID)
		_, ierr := tx.Instance("key", func() []byte { return []byte("value") })
		return failure(err, gerr, perr, rerr, ierr, tx.TouchToken(token.ID, "", ""), tx.DeleteInstance("key"),
			credential.TouchLogin(tx, login, credential.Browser{}), credential.DeleteLogin(tx, login), tx.JoinStudio(carol.Member, w.team),
			tx.UpdateSettings(w.acme,
				store.Settings{Name: "Acme", Zone: "Europe/Berlin", Inviters: "owner",
					Rules: store.Rules{Ballots: store.BallotsAllowed}}, []string{"acme.example"}), tx.SetLimits(w.acme,
				store.DefaultLimits()), tx.ForgetUse(tx.Now),
			tx.SetVisibility(child, "members"), tx.ArchiveStudio(w.alice, child),
			tx.LogRefusal(w.scribe, store.Refusal{URL: "/", Action: "a", Code: "forbidden"}),
			tx.KeepAnswer(w.bob, "k", store.Answer{Call: []byte("c"), Text: "{}"}))
	})
	return login
}

// everyChange calls methods that change decisions, comments and notifications.
func (w *world) everyChange(draft *governance.Decision) {
	w.write(func(tx *store.Tx) error {
		err := failure(governance.UpdateDecision(tx, draft,
			governance.NewDecision{Question: "Draft!", Method: "acceptance", Results: "shown", Reasons: "off"}),
			governance.RemoveOption(tx, draft, 1, "{}"),
			governance.AddOption(tx, w.alice, w.standing(tx, draft.ID), governance.NewOption{Title: "Four"}, "{}", ""),
			governance.CastBallot(tx, w.alice, w.standing(tx, w.standups.ID), "[1]", "", ""),
			governance.RetractBallot(tx, w.alice, w.standing(tx, w.standups.ID), ""),
			governance.ImportBallots(tx, w.standing(tx, w.standups.ID), "file", []governance.Ballot{{Marks: "[1]", Weight: 2}}, ""),
			tx.UpdateItem(&w.standups.Item, w.standups.Title, w.standups.Body, friday.Add(time.Hour)),
			governance.ChangeResults(tx, w.standups, "shown"),
			tx.PinItem(w.alice, &w.standups.Item, true))
		_, cerr := tx.AddComment(w.bob, &w.standups.Item, "Hello @alice, see "+draft.URL())
		_, nerr := tx.Notify(w.bob, store.Event{Seq: 1, Did: "commented on", Target: w.standups.Ref(),
			Item: w.standups.ID},
			store.Notice{Reason: store.ReasonReply, Text: "@alice", To: []string{w.alice.MemberID()}, Studio: true})
		_, uerr := tx.Unreached(w.standups.Ref(), &store.Notice{Text: "@nobody"})
		alice, ferr := tx.FindMember(w.alice, "acme", "alice")
		box, berr := tx.FindInbox(w.alice, "unread", "")
		if err := failure(err, cerr, nerr, uerr, ferr, berr); err != nil {
			return err
		}
		reader := w.alice
		reader.Member = alice
		return failure(tx.MarkNotifications(box, []string{box.List[0].Key()}, "read"),
			tx.MarkNotifications(box, nil, "unread"), tx.SettleNotifications(reader, w.standups.ID),
			tx.Follow(w.bob, w.team.ID, store.Muted), tx.Follow(w.bob, w.team.ID, ""), tx.TouchOwn(w.bob),
			tx.RecordReminder(&w.standups.Item))
	})
}

func (w *world) everyFile() {
	w.write(func(tx *store.Tx) error {
		aerr := tx.AttachFile(w.bob, &w.standups.Item, store.File{Name: "a.txt", Size: 1, Hash: make([]byte, 32)})
		files, lerr := tx.AttachedFiles(&w.standups.Item)
		if err := failure(aerr, lerr); err != nil {
			return err
		}
		_, nerr := tx.FindFile(w.bob, files[0].ID)
		return failure(nerr, tx.DetachFile(&store.FilePage{Item: &w.standups.Item, File: &files[0]}))
	})
}

// everySealed calls methods about anonymous votes and lots.
func (w *world) everySealed() {
	secret := w.draft(w.alice, w.team, "Secret?", "One", "Two")
	w.write(func(tx *store.Tx) error {
		err := failure(governance.UpdateDecision(tx, secret,
			governance.NewDecision{Question: "Secret!", Method: "single", Results: "after_closing", Reasons: "off",
				Anonymous: true, Tie: "lot", Caster: governance.Caster{MemberID: w.bob.MemberID()}}),
			governance.OpenDecision(tx, secret), governance.SealLot(tx, secret, "s", "c"))
		d := w.standing(tx, secret.ID)
		first, err1 := governance.CastSealed(tx, w.alice, d, "1,-", "")
		second, err2 := governance.CastSealed(tx, w.bob, d, "1,-", "")
		_, err3 := governance.HoldsReceipt(tx, d, first)
		_, err4 := tx.StudioMemberID(w.team, "bob")
		_, err5 := governance.Profiles(tx, d)
		_, err6 := governance.Ballots(tx, d, "", 10)
		err = failure(err, err1, err2, err3, err4, err5, err6, governance.ReplaceSealed(tx, w.alice, d, first, "-,1", ""),
			governance.RetractSealed(tx, w.bob, d, second),
			governance.CloseDecision(tx, w.alice, d, "", "tie", "", ""), governance.DecideByLot(tx, d, 1))
		_, oerr := governance.OpenLot(tx, d)
		return failure(err, oerr)
	})
}

func (w *world) everyBlob() {
	old := time.Now().Add(-2 * blob.OrphanAge)
	if hash, err := w.KeepBlob([]byte("orphan")); err != nil || !w.onServer() && os.Chtimes(blob.Path(w.dir, hash),
		old, old) != nil {
		w.t.Fatal(err)
	}
	if _, err := w.SweepBlobs(context.Background()); err != nil {
		w.t.Error(err)
	}
	_, eerr := archive.Export(context.Background(), w.Store, "acme", io.Discard)
	_, ferr := w.CheckFiles(context.Background())
	if err := errors.Join(eerr, ferr, w.TidySearch(context.Background())); err != nil {
		w.t.Error(err)
	}
}

// everyRead calls methods that load pages and lists, for actors of every kind.
func (w *world) everyRead(login string) {
	w.read(func(tx *store.Tx) error {
		for _, by := range []store.Actor{w.alice, w.scribe, w.nobody, store.System()} {
			_, err1 := tx.Studios(by, "", 10)
			_, err2 := tx.ShowStudio(by, w.team)
			_, err3 := tx.ShowOrganization(by, w.acme)
			_, err4 := tx.WaitingItems(by, 10)
			_, err5 := tx.MyStudios(by, 10)
			_, err6 := tx.FindEntry(by, "acme", 2)
			_, err7 := tx.MyRoles(by)
			_, err8 := tx.ShowTree(by, w.acme, "")
			_, err9 := tx.ShowOpen(by, w.acme, "", "")
			_, err12 := tx.ShowOpen(by, w.acme, store.AwaitsAnswers, "")
			_, err10 := tx.ShowTokens(by, w.acme, "")
			_, err11 := tx.ShowActivity(by, w.acme, "")
			if err := failure(err1, err2, err3, err4, err5, err6, err7, err8, err9, err10, err11, err12); err != nil {
				return err
			}
		}
		return nil
	})
	w.read(func(tx *store.Tx) error {
		big := *w.team
		big.People = 1 << 20
		_, err1 := tx.StudioMembers(&big, "", 10)
		d := w.standing(tx, w.standups.ID)
		_, err2 := governance.ShowDecision(tx, w.alice, d)
		_, err3 := governance.Ballots(tx, d, "", 10)
		_, err4 := governance.Profiles(tx, d)
		_, err19 := tx.ShowItems(w.alice, w.team, "decision", false, "/", "")
		_, err20 := tx.Linking(w.alice, &d.Item, 10)
		_, err23 := tx.FindNamed(w.alice, w.acme.ID, slices.Values([]string{"@bob, see " + d.URL()}))
		_, err21 := d.Awaited(tx)
		_, err22 := tx.SoonItems("decision", 10)
		_, err5 := tx.DueItems("decision", 10)
		_, err6 := tx.ItemsByPrefix(w.alice, w.team, "decision", d.ID[:4])
		_, err7 := tx.ShowTokens(w.bob, w.acme, "")
		_, err24 := tx.UserTokens(w.bob.UserID)
		_, err8 := tx.AllTokens()
		_, err9 := tx.Organizations()
		_, err10 := tx.FindAnswer(w.bob, "k")
		_, err11 := tx.FindTokens(w.alice, "")
		_, err12 := tx.HasUsers()
		_, err13 := credential.ActorByLogin(tx, login)
		_, err14 := tx.ActorByToken(w.secret)
		_, err17 := tx.KeyByToken(w.secret)
		m, err15 := tx.FindMember(w.alice, "acme", "bob")
		_, err16 := tx.ShowMember(w.alice, m)
		return failure(err1, err2, err3, err4, err5, err6, err7, err8, err9, err10, err11, err12, err13, err14, err15,
			err16, err17, err19, err20, err23, err21, err22, err24)
	})
}

// countsEntries checks the number of entries that a short page of the journal shows.
func (w *world) countsEntries(tx *store.Tx, q store.JournalQuery) {
	q.Limit = 1000
	all, err := tx.ShowJournal(w.alice, w.acme, q, "")
	q.Limit = 1
	short, err1 := tx.ShowJournal(w.alice, w.acme, q, "")
	q.Before = 1 << 40
	later, err2 := tx.ShowJournal(w.alice, w.acme, q, "")
	if err := failure(err, err1, err2); err != nil {
		w.t.Error(err)
		return
	}
	want := len(all.Entries)
	if q == (store.JournalQuery{Limit: 1, Before: 1 << 40}) {
		want = -1
	}
	if all.Count != want || short.Count != want || later.Count != -1 {
		w.t.Errorf("%+v: a page counts %d and %d of %d, and a later page %d", q, all.Count, short.Count, want,
			later.Count)
	}
}

func (w *world) everyJournal() {
	w.read(func(tx *store.Tx) error {
		_, err := tx.Tables()
		_, verr := archive.SchemaVersion(tx)
		if err := failure(err, verr); err != nil {
			return err
		}
		for _, q := range []store.JournalQuery{{Studio: "team"}, {Target: w.standups.ID}, {Action: "join"},
			{AgentID: w.scribe.Agent.ID}, {Agents: true}, {People: true}, {}} {
			q.Limit = 20
			_, err1 := tx.ShowJournal(w.alice, w.acme, q, "")
			_, err2 := tx.ShowJournal(w.alice, w.acme, q, "bob")
			if err := failure(err1, err2); err != nil {
				return err
			}
			w.countsEntries(tx, q)
		}
		return nil
	})
}
