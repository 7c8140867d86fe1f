package store_test

import (
	"testing"

	"samepage/store"
	"samepage/store/governance"
)

// TestFutureCyclesLeadToWhatComes expects that the links of a future cycle lead to the nearest cycles in which an item is
// due or an event begins, and else to the present one.
func TestFutureCyclesLeadToWhatComes(t *testing.T) {
	w := newWorld(t)
	due := w.commitment(governance.NewCommitment{Title: "Due", CriticalMass: 1, ClosesAt: w.clock.Now().AddDate(0, 0, 35)}).ID
	event := w.commitment(governance.NewCommitment{Title: "Event", CriticalMass: 1}).ID
	w.raw(`UPDATE items SET starts_at = ? WHERE id = ?`, store.At(w.clock.Now().AddDate(0, 0, 21)), event)
	name := func(days int) (name string) {
		now := w.clock.now
		defer func() { w.clock.now = now }()
		w.clock.now = now.AddDate(0, 0, days)
		w.read(func(tx *store.Tx) error {
			c, err := tx.FindCycle(w.bob, "team", "current")
			name = c.Name
			return err
		})
		return name
	}
	beside := func(of string) (previous, next string) {
		w.read(func(tx *store.Tx) error {
			c, err := tx.FindCycle(w.bob, "team", of)
			if err != nil {
				return err
			}
			p, err := tx.ShowCycle(w.bob, c, "")
			if err == nil && p.Previous != nil {
				previous = p.Previous.Name
			}
			if err == nil && p.Next != nil {
				next = p.Next.Name
			}
			return err
		})
		return previous, next
	}
	previous, next := beside(name(28))
	if previous != name(21) || next != name(35) {
		t.Errorf("between the event and the deadline: %s and %s, want %s and %s", previous, next, name(21), name(35))
	}
	w.raw(`UPDATE items SET starts_at = ?, due_at = ? WHERE id = ?`, store.At(w.clock.Now().AddDate(0, 0, 42)), nil, due)
	w.raw(`UPDATE items SET starts_at = ? WHERE id = ?`, store.At(w.clock.Now().AddDate(0, 0, 49)), event)
	if previous, next = beside(name(28)); previous != name(0) || next != name(42) {
		t.Errorf("before two events: %s and %s, want %s and %s", previous, next, name(0), name(42))
	}
}
