package store

import "time"

// note creates a published note.
func (w *world) note(by Actor, s *Studio, n NewNote) *Note {
	w.t.Helper()
	var made *Note
	w.write(func(tx *Tx) (err error) {
		if made, err = tx.CreateNote(by, s, n); err != nil {
			return err
		}
		if err = tx.PublishNote(made); err != nil {
			return err
		}
		if made, err = tx.FindNote(by, s.Handle, made.ID); err != nil {
			return err
		}
		_, err = tx.Journal(by, Change{Action: "create_note", Target: made.Ref(), After: made.Record()})
		return err
	})
	return made
}

// everyNote calls every method that runs statements about notes.
func (w *world) everyNote(must func(...error) error) {
	n := w.note(w.alice, w.team,
		NewNote{Type: Reminder, Title: "Water", Body: "All of them.", DueAt: friday.Add(time.Hour)})
	w.write(func(tx *Tx) error {
		return must(tx.EditNote(w.bob, n, NewNote{Title: "Water!", DueAt: friday.Add(2 * time.Hour)}),
			tx.ConfirmRead(w.bob, n), tx.MarkNoteDone(w.bob, n), tx.PinItem(w.bob, &n.Item, true))
	})
	w.read(func(tx *Tx) error {
		n, err := tx.FindNote(w.bob, "team", n.ID)
		if err != nil {
			return err
		}
		_, err1 := tx.ShowNote(w.bob, n, TableQuery{})
		_, err2 := tx.ShowReaders(w.bob, n, "")
		_, err3 := tx.ShowVersions(&n.Item, "")
		_, err4 := tx.ShowVersion(&n.Item, "2")
		return must(err1, err2, err3, err4)
	})
	columns, err := ParseColumns([]string{"Name", "Price: number"}, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	table := w.note(w.alice, w.team, NewNote{Type: Table, Title: "Prices", Columns: columns})
	w.write(func(tx *Tx) error {
		r, err := tx.AddRow(w.bob, table, map[int]string{1: "Oak", 2: "12"})
		_, ferr := tx.FindRow(table, r.N)
		_, serr := tx.ShowNote(w.bob, table, TableQuery{})
		return must(err, ferr, serr, tx.UpdateRow(w.bob, table, r),
			tx.EditNote(w.alice, table, NewNote{Title: "Prices!", Columns: columns[:1]}), tx.DeleteRow(table, r))
	})
	removed := w.decision(w.alice, w.team, "Removed?", "Yes")
	var commitment *Commitment
	w.write(func(tx *Tx) (err error) {
		commitment, err = tx.CreateCommitment(w.alice, w.team, NewCommitment{Title: "Discarded", CriticalMass: 2})
		return err
	})
	w.write(func(tx *Tx) error {
		if err := tx.AttachFile(w.alice, &removed.Item,
			File{Name: "note.txt", Size: 6, Hash: make([]byte, 32)}); err != nil {
			return err
		}
		d, err := tx.FindDecision(w.alice, "team", removed.ID)
		removed = d
		return err
	})
	draft := w.draft(w.alice, w.team, "Discarded?", "Yes")
	w.write(func(tx *Tx) error {
		n, err := tx.FindNote(w.alice, "team", n.ID)
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
