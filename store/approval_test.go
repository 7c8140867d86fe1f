package store_test

import (
	"errors"
	"slices"
	"strconv"
	"testing"
	"time"

	"samepage/store"
	"samepage/store/keyfile"
)

// asks is the part of [world.everything] about agents and approvals.
func (w *world) asks() {
	w.t.Helper()
	w.Store.UseKeys(keyfile.New())
	must := func(err error) {
		w.t.Helper()
		if err != nil {
			w.t.Error(err)
		}
	}
	ask := func(tx *store.Tx, digest string) *store.Approval {
		a, err := tx.HoldCall(w.scribe,
			store.Approval{OrgID: w.acme.ID, StudioID: w.team.ID, URL: w.standups.URL(), Action: "comment",
				Title: "Comment", Target: "When?",
				Params: "{}", Digest: []byte(digest), Preview: "{}", Rule: "grant", Discreet: true})
		must(err)
		return a
	}
	w.write(func(tx *store.Tx) error {
		first := ask(tx, "1")
		if again := ask(tx, "1"); again.ID != first.ID {
			w.t.Error("the same waits twice")
		}
		for _, by := range []store.Actor{w.alice, w.scribe, store.System()} {
			_, err := tx.FindApproval(by, first.ID)
			must(err)
			if by.System {
				continue
			}
			_, err = tx.ShowApprovals(by, true, "")
			must(err)
			p, err := tx.ShowApprovals(by, false, "")
			must(err)
			if len(p.List) != 1 {
				w.t.Errorf("%s sees %d", by.Name(), len(p.List))
			}
		}
		if _, err := tx.FindApproval(w.bob, first.ID); store.CodeOf(err) != store.NotFound {
			w.t.Error("Bob sees it:", err)
		}
		_, err := tx.DueApprovals(10)
		must(err)
		answer := *first
		answer.Verdict = "rejected"
		must(tx.SettleApproval(w.alice, &answer))
		if err := tx.SettleApproval(w.alice, &answer); store.CodeOf(err) != store.Conflict {
			w.t.Error("answered twice:", err)
		}
		if now, err := tx.FindApproval(w.alice, first.ID); err != nil || now.Params != "" || now.Preview != "" ||
			now.State() != store.ApprovalRejected {
			w.t.Errorf("it is %+v, %v", now, err)
		}
		_, err = tx.ShowAgents(w.alice, w.acme, "")
		must(err)
		agent, err := tx.FindAgent(w.alice, "acme", w.scribe.Agent.ID)
		must(err)
		_, err = tx.ShowAgent(w.alice, agent)
		must(err)
		must(tx.PauseAgent(w.alice, agent))
		if _, err := tx.ActorByToken(w.secret); store.CodeOf(err) != store.NotFound {
			w.t.Error("paused:", err)
		}
		must(tx.ResumeAgent(agent))
		_, err = tx.ActorByToken(w.secret)
		must(err)
		undone := store.Errorf(store.Conflict, "never mind")
		if err := tx.Nested(func() error {
			must(tx.RevokeAgent(w.alice, agent))
			return undone
		}); err != undone {
			return err
		}
		return nil
	})
}

func TestAsks(t *testing.T) { newWorld(t).asks() }

// TestGuardsOfApprovals asks each guard of an approval for each kind of actor. Only the agent's member and the owner
// may answer, and only the agent may withdraw. Only the scheduler may let the approval expire, and not before its time.
func TestGuardsOfApprovals(t *testing.T) {
	w := newWorld(t)
	var a *store.Approval
	w.write(func(tx *store.Tx) (err error) {
		a, err = tx.HoldCall(w.scribe, store.Approval{OrgID: w.acme.ID, StudioID: w.team.ID, URL: w.standups.URL(),
			Action: "comment", Title: "Comment", Target: "When?", Params: "{}", Digest: []byte("1"), Preview: "{}", Rule: "grant"})
		return err
	})
	guards := []func(store.Actor) error{a.MustBeAnswerableBy, a.MustBeWithdrawableBy, a.MustBeDueFor}
	check := func(when string, want map[string][3]store.Code) {
		t.Helper()
		for name, by := range map[string]store.Actor{"Alice": w.alice, "Bob": w.bob, "Scribe": w.scribe, "the scheduler": store.System()} {
			for i, guard := range guards {
				err := guard(by)
				if got := store.CodeOf(err); err == nil && want[name][i] != "" || err != nil && got != want[name][i] {
					t.Errorf("%s, %s, guard %d: %v, want %q", when, name, i, err, want[name][i])
				}
			}
		}
	}
	no, late := store.Forbidden, store.Conflict
	check("pending", map[string][3]store.Code{"Alice": {"", no, no}, "Bob": {no, no, no}, "Scribe": {no, "", no},
		"the scheduler": {no, no, late}})
	a.Now = a.Now.AddDate(1, 0, 0)
	check("expired", map[string][3]store.Code{"Alice": {late, late, no}, "Bob": {late, late, no}, "Scribe": {late, late, no},
		"the scheduler": {late, late, ""}})
}

// TestPrune expects refused calls, notifications and stored answers to be deleted after their time, and not before.
// There are more answers than one step deletes.
func TestPrune(t *testing.T) {
	w := newWorld(t)
	w.Store.Close()
	day := 24 * time.Hour
	var err error
	w.Store, err = store.Open(t.Context(), w.dir, store.Options{Clock: w.clock.Now,
		Retention: store.Retention{Notifications: 10 * day}})
	if err != nil {
		t.Fatal(err)
	}
	const many = store.PruneStep + 1
	for range 3 {
		w.write(func(tx *store.Tx) error {
			for _, by := range []store.Actor{w.alice, w.oscar} {
				if err := tx.Exec(`INSERT INTO notifications (member_id, seq, org_id, reason, actor, did, url, title, at)
					VALUES (?, ?, ?, 'mention', '@bob', 'named you', '/', 'Title', ?)`, by.MemberID(), w.clock.Now().Unix(),
					by.Member.OrgID, store.At(tx.Now)); err != nil {
					return err
				}
			}
			if err := tx.KeepAnswer(w.scribe, w.clock.Now().String(), store.Answer{Call: []byte{1}, Text: "{}"}); err != nil {
				return err
			}
			return tx.LogRefusal(w.scribe, store.Refusal{URL: "/", Action: "a", Code: "forbidden"})
		})
		w.clock.advance(5 * day)
	}
	w.write(func(tx *store.Tx) error {
		for i := range many {
			if err := tx.Exec(`INSERT INTO answers (actor, key, call, answer, at) VALUES ('x', ?, ?, '', 1)`,
				strconv.Itoa(i), []byte{1}); err != nil {
				return err
			}
		}
		return nil
	})
	counts := func() (n [3]int) {
		w.read(func(tx *store.Tx) error {
			return errors.Join(tx.Get(&n[0], `SELECT count(*) FROM notifications`), tx.Get(&n[1], `SELECT count(*) FROM calls`),
				tx.Get(&n[2], `SELECT count(*) FROM answers`))
		})
		return n
	}
	before := counts()
	gone, err := w.Prune(t.Context())
	if want := (store.Pruned{Notifications: 4, Answers: before[2]}); err != nil || gone != want {
		t.Errorf("%+v, %v, want %+v", gone, err, want)
	}
	if left := counts(); left != [3]int{before[0] - 4, 3, 0} {
		t.Errorf("%v are left of %v", left, before)
	}
	w.clock.advance(81 * day)
	gone, err = w.Prune(t.Context())
	if want := (store.Pruned{Notifications: before[0] - 4, Calls: 2}); err != nil || gone != want {
		t.Errorf("%+v, %v, want %+v", gone, err, want)
	}
}

// TestExpiredApprovalsAreCountedNowhere lets an approval expire that the scheduler has not settled yet. Before that
// moment it is pending everywhere, and afterwards nowhere.
func TestExpiredApprovalsAreCountedNowhere(t *testing.T) {
	w := newWorld(t)
	w.Store.UseKeys(keyfile.New())
	w.write(func(tx *store.Tx) error {
		a, err := tx.HoldCall(w.scribe, store.Approval{OrgID: w.acme.ID, StudioID: w.team.ID, URL: w.standups.URL(),
			Action: "comment", Title: "Comment", Target: "When?", Params: "{}", Digest: []byte("1"), Preview: "{}",
			Rule: "grant"})
		if err != nil {
			return err
		}
		until := a.ExpiresAt.Time
		for want, now := range map[int]time.Time{1: until.Add(-time.Millisecond), 0: until} {
			tx.Now = now
			side, err := tx.ShowSurroundings(w.alice)
			if err != nil {
				return err
			}
			home, herr := tx.ShowHome(w.alice)
			list, lerr := tx.ShowApprovals(w.alice, false, "")
			own, oerr := tx.ShowApprovals(w.scribe, false, "")
			open, perr := tx.ShowOpen(w.alice, w.acme, "", "")
			agent, aerr := tx.FindAgent(w.alice, "acme", w.scribe.Agent.ID)
			if err := errors.Join(herr, lerr, oerr, perr, aerr); err != nil {
				return err
			}
			shown, err := tx.ShowAgent(w.alice, agent)
			if err != nil {
				return err
			}
			waits := 0
			for _, c := range side.Agents {
				if c.Waits {
					waits++
				}
			}
			if got := []int{side.Asked, waits, len(home.Asked), len(list.List), len(own.List), len(open.Held),
				len(shown.Held)}; slices.ContainsFunc(got, func(n int) bool { return n != want }) {
				t.Errorf("at %s there are %v, and not %d each", now, got, want)
			}
		}
		return nil
	})
}
