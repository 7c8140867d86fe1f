package store_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"samepage/store"
	"samepage/store/governance"
)

// findsStudio returns a function that finds the page of a studio and returns the error. It fails the test if the actor
// finds the page, but the actor's list of studios lacks the studio, or the other way round.
func (w *world) findsStudio(handle string) func(*store.Tx, store.Actor) error {
	return func(tx *store.Tx, by store.Actor) error {
		_, err := tx.FindStudio(by, handle)
		list, lerr := tx.Studios(by, "", 100)
		if lerr != nil {
			return lerr
		}
		listed := false
		for _, s := range list {
			listed = listed || s.Handle == handle
		}
		if listed != (err == nil) {
			w.t.Errorf("%s %s: listed is %v, found is %v", by.Name(), handle, listed, err)
		}
		return err
	}
}

// findsDecision is like [world.findsStudio], but for a decision.
func (w *world) findsDecision(s *store.Studio, d *governance.Decision) func(*store.Tx, store.Actor) error {
	return func(tx *store.Tx, by store.Actor) error {
		_, err := governance.FindDecision(tx, by, s.Handle, d.ID)
		found, ferr := tx.FindStudio(by, s.Handle)
		if ferr != nil {
			if err == nil {
				w.t.Errorf("%s sees a decision of a studio they may not see", by.Name())
			}
			return err
		}
		list, lerr := tx.Items(by, found, d.Kind, store.Cursor{}, 10)
		prefixed, perr := tx.ItemsByPrefix(by, found, "decision", d.ID[:6])
		listed := 0
		for _, x := range append(list, prefixed...) {
			if x.ID == d.ID {
				listed++
			}
		}
		if lerr != nil || perr != nil || (listed == 2) != (err == nil) || listed == 1 {
			w.t.Errorf("%s %s: listed %d times, found is %v (%v, %v)", by.Name(), d.Title, listed, err, lerr, perr)
		}
		return err
	}
}

// findsEntry is like [world.findsStudio], but for the last journal entry about a target. If private is true, entries
// that are not private do not count.
func (w *world) findsEntry(target string, private bool) func(*store.Tx, store.Actor) error {
	var entries []store.Entry
	w.read(func(tx *store.Tx) (err error) {
		entries, err = tx.ListJournal(w.alice, store.JournalQuery{OrgID: w.acme.ID, Limit: 100})
		return err
	})
	var seq int64
	for _, e := range entries {
		if e.TargetID == target && (!private || e.PrivateTo != "") {
			seq = e.Seq
		}
	}
	return func(tx *store.Tx, by store.Actor) error {
		_, err := tx.FindEntry(by, "acme", seq)
		for _, q := range []store.JournalQuery{{}, {Target: target}, {Studio: ""}, {MemberID: w.alice.MemberID()}} {
			q.OrgID, q.Limit = w.acme.ID, 100
			list, lerr := tx.ListJournal(by, q)
			listed := false
			for _, e := range list {
				listed = listed || e.Seq == seq
			}
			if in := by.In(w.acme.ID).Member != nil; lerr != nil || in && listed != (err == nil) {
				w.t.Errorf("%s entry %d: listed by %+v is %v, found is %v (%v)", by.Name(), seq, q, listed, err, lerr)
			}
		}
		return err
	}
}

// TestWhoSeesWhat has a table of what each actor may see. The field sees lists the actors for whom the function in the
// field find must return no error. For all other actors, it must return [store.NotFound].
func TestWhoSeesWhat(t *testing.T) {
	w := newWorld(t)
	private := w.studio("private", "members", w.alice)
	public := w.studio("public", "public", w.alice)
	org := w.studio("inside", "organization", w.alice)
	draft := w.draft(w.alice, public, "Draft?", "One")
	inPrivate, inPublic, inOrg := w.decision(w.alice, private, "A?", "One"), w.decision(w.alice, public, "B?",
		"One"), w.decision(w.alice, org, "C?", "One")
	actors := []struct {
		name string
		by   store.Actor
	}{{"alice", w.alice}, {"scribe", w.scribe}, {"bob", w.bob}, {"oscar", w.oscar}, {"nobody", w.nobody},
		{"system", store.System()}}

	const all, none = "alice scribe bob oscar nobody system", ""
	for _, c := range []struct {
		what string
		sees string
		find func(*store.Tx, store.Actor) error
	}{
		{"private studio", "alice scribe system", w.findsStudio("private")},
		{"studio of the organization", "alice scribe bob system", w.findsStudio("inside")},
		{"public studio", all, w.findsStudio("public")},
		{"no studio", none, w.findsStudio("nothing")},
		{"decision in private", "alice scribe system", w.findsDecision(private, inPrivate)},
		{"decision inside", "alice scribe bob system", w.findsDecision(org, inOrg)},
		{"public decision", all, w.findsDecision(public, inPublic)},
		{"draft in public", "alice scribe", w.findsDecision(public, draft)},
		{"decision at another studio's address", none, func(tx *store.Tx, by store.Actor) error {
			_, err := governance.FindDecision(tx, by, "public", inOrg.ID)
			return err
		}},
		{"entry about the private studio", "alice scribe", w.findsEntry(private.ID, false)},
		{"entry about a studio inside", "alice scribe bob system", w.findsEntry(org.ID, false)},
		{"entry about the draft", "alice scribe", w.findsEntry(draft.ID, true)},
		{"organization", "alice scribe bob system", func(tx *store.Tx, by store.Actor) error {
			_, err := tx.FindOrganization(by, "acme")
			return err
		}},
		{"member", "alice scribe bob system", func(tx *store.Tx, by store.Actor) error {
			_, err := tx.FindMember(by, "acme", "bob")
			return err
		}},
	} {
		for _, a := range actors {
			want := slices.Contains(strings.Fields(c.sees), a.name)
			w.read(func(tx *store.Tx) error {
				err := c.find(tx, a.by)
				if want && err != nil || !want && store.CodeOf(err) != store.NotFound {
					t.Errorf("%s, %s: %v, want seen to be %v", c.what, a.name, err, want)
				}
				return nil
			})
		}
	}
}

func TestAnOrganizationsPageShowsItsOwnStudios(t *testing.T) {
	w := newWorld(t)
	w.studio("elsewhere", "public", w.oscar)
	w.read(func(tx *store.Tx) error {
		p, err := tx.ShowOrganization(w.alice, w.acme)
		if err != nil {
			return err
		}
		for _, s := range p.Studios {
			if s.OrgID != w.acme.ID {
				t.Errorf("%s is of another organization", s.Handle)
			}
		}
		if len(p.Studios) != 2 {
			t.Errorf("%d studios, want acme and team", len(p.Studios))
		}
		return nil
	})
}

func TestATokenStaysInItsOrganization(t *testing.T) {
	w := newWorld(t)
	inner := w.studio("inner", "organization", w.oscar)
	w.write(func(tx *store.Tx) error { // Alice is a member of Globex too; Scribe is not
		m, err := tx.CreateMember(w.globex.ID, "alice", "Alice", "alice@acme.example", "-")
		if err != nil {
			return err
		}
		w.alice = w.login(tx, m)
		return nil
	})
	if len(w.alice.Members) != 2 {
		t.Fatalf("Alice has %d memberships", len(w.alice.Members))
	}
	for by, want := range map[*store.Actor]store.Code{&w.alice: "", &w.scribe: store.NotFound} {
		err := w.Read(context.Background(), func(tx *store.Tx) error {
			_, err := tx.FindStudio(*by, inner.Handle)
			return err
		})
		if want == "" && err != nil || want != "" && store.CodeOf(err) != want {
			t.Errorf("%s: %v", by.Name(), err)
		}
	}
}
