package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"samepage/store"
	"samepage/store/governance"
)

func TestDecisionsArePagedAtTiesOfTime(t *testing.T) {
	w := newWorld(t)
	want := []string{w.standups.ID}
	for moment := range 3 {
		w.clock.advance(time.Second)
		var tied []string
		for i := range 5 {
			tied = append(tied, w.decision(w.bob, w.team, fmt.Sprintf("%d.%d?", moment, i), "Yes").ID)
		}
		w.draft(w.bob, w.team, "Hidden?", "Yes")
		slices.Sort(tied)
		want = append(tied, want...) // newest first, equal times by id
	}
	for _, limit := range []int{1, 2, 3, 5, 15, 16, 17} {
		var got []string
		w.read(func(tx *store.Tx) error {
			var after store.Cursor
			for {
				list, err := tx.Items(w.alice, w.team, governance.DecisionKind.Name, after, limit)
				if err != nil {
					return err
				}
				for _, d := range list {
					got = append(got, d.ID)
				}
				if len(list) < limit {
					return nil
				}
				last := list[len(list)-1]
				after = store.Cursor{At: last.CreatedAt.UnixMilli(), ID: last.ID}
			}
		})
		if !slices.Equal(got, want) {
			t.Errorf("pages of %d: %s, want %s", limit, got, want)
		}
	}
}

func TestIDsAndPrefixes(t *testing.T) {
	w := newWorld(t)
	for range 1000 {
		if id := store.NewID(); len(id) != store.IDLength || !store.IsIDPrefix(id) {
			t.Fatalf("id %q", id)
		}
	}
	for s, want := range map[string]bool{"abc": false, "abcd": true, "ABCD": false, "abcu": false, "abci": false,
		"ab d": false, "0123456789": true, "01234567890": false} {
		if store.IsIDPrefix(s) != want {
			t.Errorf("IsIDPrefix(%q) is %v", s, !want)
		}
	}
	// The ids of twelve decisions of Team begin with the same prefix.
	for i := range 12 {
		d := w.draft(w.alice, w.team, fmt.Sprint(i))
		w.raw(`DELETE FROM journal WHERE target_id = ?`, d.ID)
		w.raw(`DELETE FROM decisions WHERE id = ?`, d.ID)
		w.raw(`UPDATE items SET id = ?, opened_at = 1 WHERE id = ?`, fmt.Sprintf("zzzz%06d", i), d.ID)
	}
	other := w.studio("other", "public", w.alice)
	w.read(func(tx *store.Tx) error {
		for prefix, want := range map[string]int{"zzzz": 10, "zzzz00001": 2, "zzzz000003": 1, "zzzy": 0} {
			list, err := tx.ItemsByPrefix(w.bob, w.team, "decision", prefix)
			if err != nil || len(list) != want {
				t.Errorf("%s: %d decisions, want %d (%v)", prefix, len(list), want, err)
			}
		}
		list, err := tx.ItemsByPrefix(w.bob, other, "decision", "zzzz")
		if len(list) != 0 {
			t.Error("a prefix finds decisions of another studio")
		}
		return err
	})
}

func TestCommentsInTheirOrder(t *testing.T) {
	w := newWorld(t)
	for i := range 25 {
		w.write(func(tx *store.Tx) error {
			d, err := governance.FindDecision(tx, w.scribe, "team", w.standups.ID)
			if err != nil {
				return err
			}
			seq, err := tx.AddComment(w.scribe, &d.Item, fmt.Sprint("Comment ", i+1))
			if seq != i+1 {
				t.Errorf("comment %d has sequence %d", i+1, seq)
			}
			return err
		})
	}
	for before, want := range map[int][2]int{0: {16, 25}, 16: {6, 15}, 6: {1, 5}} {
		w.read(func(tx *store.Tx) error {
			list, err := tx.Comments(w.standups.ID, before, 10)
			if err != nil {
				return err
			}
			if list[0].Seq != want[0] || list[len(list)-1].Seq != want[1] || list[0].Agent.Label != "Scribe" {
				t.Errorf("before %d: %d to %d", before, list[0].Seq, list[len(list)-1].Seq)
			}
			return nil
		})
	}
}

func TestBallotsAreCountedOnce(t *testing.T) {
	w := newWorld(t)
	ballots := func() (n int) {
		w.read(func(tx *store.Tx) error {
			d, err := governance.FindDecision(tx, w.bob, "team", w.standups.ID)
			n = d.Ballots
			return err
		})
		return n
	}
	for i, by := range []store.Actor{w.bob, w.bob, w.scribe, w.alice} { // Alice replaces the ballot of her agent
		if err := w.vote(by, w.standups, fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	if ballots() != 2 {
		t.Errorf("%d ballots, want 2", ballots())
	}
	for range 2 { // the second call finds no ballot
		w.write(func(tx *store.Tx) error {
			d, err := governance.FindDecision(tx, w.bob, "team", w.standups.ID)
			if err != nil {
				return err
			}
			return governance.RetractBallot(tx, w.bob, d, "")
		})
	}
	if ballots() != 1 {
		t.Errorf("%d ballots, want 1", ballots())
	}
}

func TestStudiosArePaged(t *testing.T) {
	w := newWorld(t)
	want := []string{"acme", "globex", "team"}
	for i := range 9 {
		visibility := []string{"public", "organization", "members"}[i%3]
		w.studio(fmt.Sprintf("s%d", i), visibility, w.oscar)
		want = append(want, fmt.Sprintf("s%d", i))
	}
	slices.Sort(want)
	seen := func(by store.Actor, limit int) (handles []string) {
		w.read(func(tx *store.Tx) error {
			after := ""
			for {
				list, err := tx.Studios(by, after, limit)
				if err != nil {
					return err
				}
				for _, s := range list {
					handles, after = append(handles, s.Handle), s.Handle
				}
				if len(list) < limit {
					return nil
				}
			}
		})
		return handles
	}
	for _, limit := range []int{1, 2, 5, 100} {
		for _, c := range []struct {
			by   store.Actor
			want []string
		}{
			{store.System(), want},
			{w.oscar, []string{"globex", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8"}},
			{w.bob, []string{"acme", "s0", "s3", "s6", "team"}},
			{w.scribe, []string{"acme", "s0", "s3", "s6", "team"}},
			{w.nobody, []string{"s0", "s3", "s6"}},
		} {
			if got := seen(c.by, limit); !slices.Equal(got, c.want) {
				t.Errorf("%s, pages of %d: %s, want %s", c.by.Name(), limit, got, c.want)
			}
		}
	}
}
