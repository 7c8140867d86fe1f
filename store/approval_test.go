package store_test

import (
	"testing"

	"samepage/store"
)

// asks calls every method of Tx about agents and approvals.
func (w *world) asks() {
	w.t.Helper()
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
		_, err = tx.PruneCalls(10)
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

// TestPruneCalls deletes a refused call after CallLife, and not before.
func TestPruneCalls(t *testing.T) {
	w := newWorld(t)
	for range 3 {
		w.write(func(tx *store.Tx) error {
			return tx.LogRefusal(w.scribe,
				store.Refusal{URL: "/", Action: "a", Code: "forbidden"})
		})
		w.clock.advance(store.CallLife / 2)
	}
	prune := func(limit int) (some bool) {
		w.write(func(tx *store.Tx) (err error) { some, err = tx.PruneCalls(limit); return err })
		return some
	}
	left := func() (n int) {
		w.read(func(tx *store.Tx) error {
			p, err := tx.ShowActivity(w.scribe, w.acme, "")
			n = len(p.Refusals)
			return err
		})
		return n
	}
	if !prune(1) || left() != 2 || !prune(1) || left() != 1 || prune(1) || left() != 1 {
		t.Errorf("%d are left", left())
	}
}
