package store_test

import (
	"time"

	"samepage/store"
	"samepage/store/governance"
)

// note creates a published note.
func (w *world) note(by store.Actor, s *store.Studio, n governance.NewNote) *governance.Note {
	w.t.Helper()
	var made *governance.Note
	w.write(func(tx *store.Tx) (err error) {
		if made, err = governance.CreateNote(tx, by, s, n); err != nil {
			return err
		}
		if err = governance.PublishNote(tx, made); err != nil {
			return err
		}
		if made, err = governance.FindNote(tx, by, s.Handle, made.ID); err != nil {
			return err
		}
		_, err = tx.Journal(by, store.Change{Action: "create_note", Target: made.Ref(), After: made.Record()})
		return err
	})
	return made
}

// everyNote is the part of [world.everything] about notes and removed items.
func (w *world) everyNote(must func(...error) error) {
	n := w.note(w.alice, w.team,
		governance.NewNote{Type: governance.Reminder, Title: "Water", Body: "All of them.",
			DueAt: friday.Add(time.Hour)})
	w.write(func(tx *store.Tx) error {
		return must(governance.EditNote(tx, w.bob, n, governance.NewNote{Title: "Water!", DueAt: friday.Add(2 * time.Hour)}),
			governance.ConfirmRead(tx, w.bob, n), governance.MarkNoteDone(tx, w.bob, n), tx.PinItem(w.bob, &n.Item,
				true))
	})
	w.read(func(tx *store.Tx) error {
		n, err := governance.FindNote(tx, w.bob, "team", n.ID)
		if err != nil {
			return err
		}
		_, err1 := governance.ShowNote(tx, w.bob, n, governance.TableQuery{})
		_, err2 := governance.ShowReaders(tx, w.bob, n, "")
		_, err3 := governance.ShowVersions(tx, &n.Item, "")
		_, err4 := governance.ShowVersion(tx, &n.Item, "2")
		return must(err1, err2, err3, err4)
	})
	columns, err := governance.ParseColumns([]string{"Name", "Price: number"}, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	table := w.note(w.alice, w.team, governance.NewNote{Type: governance.Table, Title: "Prices", Columns: columns})
	w.write(func(tx *store.Tx) error {
		r, err := governance.AddRow(tx, w.bob, table, map[int]string{1: "Oak", 2: "12"})
		_, ferr := governance.FindRow(tx, table, r.N)
		_, serr := governance.ShowNote(tx, w.bob, table, governance.TableQuery{})
		return must(err, ferr, serr, governance.UpdateRow(tx, w.bob, table, r),
			governance.EditNote(tx, w.alice, table, governance.NewNote{Title: "Prices!", Columns: columns}),
			governance.DeleteRow(tx, table, r))
	})
	removed := w.decision(w.alice, w.team, "Removed?", "Yes")
	var commitment *governance.Commitment
	w.write(func(tx *store.Tx) (err error) {
		commitment, err = governance.CreateCommitment(tx, w.alice, w.team,
			governance.NewCommitment{Title: "Discarded", CriticalMass: 2})
		return err
	})
	w.write(func(tx *store.Tx) error {
		if err := tx.AttachFile(w.alice, &removed.Item,
			store.File{Name: "note.txt", Size: 6, Hash: make([]byte, 32)}); err != nil {
			return err
		}
		d, err := governance.FindDecision(tx, w.alice, "team", removed.ID)
		removed = d
		return err
	})
	draft := w.draft(w.alice, w.team, "Discarded?", "Yes")
	w.write(func(tx *store.Tx) error {
		n, err := governance.FindNote(tx, w.alice, "team", n.ID)
		if err != nil {
			return err
		}
		_, err = tx.FindComment(&n.Item, 1)
		return must(err, tx.RemoveComment(w.alice, &n.Item, 1),
			tx.RemoveItem(w.alice, &removed.Item, "Removed decision"),
			tx.RemoveItem(w.alice, &n.Item, "Deleted note"), tx.DiscardItem(&draft.Item),
			tx.DiscardItem(&commitment.Item))
	})
}
