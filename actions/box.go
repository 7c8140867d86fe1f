package actions

import (
	"strconv"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/governance"
)

// TickBox and UntickBox change one box in the text of a note, such as "- [ ] Order seeds".
var (
	TickBox = tick(action.Action[*governance.Note, BoxParams]{
		Name:  "tick_box",
		Undo:  "Undo: untick_box with the same box.",
		Title: "Tick a box",
		Doc:   "Mark one line of the text as done.",
		Past:  "ticked a box in",
	}, true)
	UntickBox = tick(action.Action[*governance.Note, BoxParams]{
		Name:  "untick_box",
		Undo:  "Undo: tick_box with the same box.",
		Title: "Take a tick back",
		Doc:   "Mark one line of the text as not done.",
		Past:  "took back a tick in",
	}, false)
)

// BoxParams has the number of a box, counted from 1.
type BoxParams struct {
	Box string `param:"box,choice" doc:"Which one, counted from the top."`
}

func tick(a action.Action[*governance.Note, BoxParams], done bool) *action.Spec[*governance.Note] {
	a.Scope, a.AllowedFor, a.Versioned = store.ScopeWrite, store.Chair, true
	a.Effects = []action.Effect{action.Edits(governance.NoteKind.Name)}
	a.Guard = func(by store.Actor, n *governance.Note) error {
		if err := n.MustBeEditableBy(by); err != nil {
			return err
		}
		if len(boxes(n, !done)) == 0 {
			return store.Errorf(store.Conflict, "The text has no such box.")
		}
		return nil
	}
	a.Offers = func(_ store.Actor, n *governance.Note) param.Offers {
		return param.Offers{"box": {Options: boxes(n, !done)}}
	}
	a.Run = func(tx *store.Tx, by store.Actor, n *governance.Note, p BoxParams) (action.Done, error) {
		box, err := strconv.Atoi(p.Box)
		if err != nil {
			return action.Done{}, err
		}
		body, err := governance.Tick(n.Body, box, done)
		if err != nil {
			return action.Done{}, err
		}
		message := "The box is ticked."
		if !done {
			message = "The tick is taken back."
		}
		to := governance.NewNote{Title: n.Title, Body: body, DueAt: n.DueAt.Time, Columns: n.Columns}
		return action.Done{Message: message}, governance.EditNote(tx, by, n, to)
	}
	return action.New(a)
}

// boxes returns options for the note's ticked boxes if done is true, and else for its other boxes.
func boxes(n *governance.Note, done bool) (list []param.Option) {
	for i, b := range governance.Boxes(n.Body) {
		if b.Done == done {
			list = append(list, param.Option{Value: strconv.Itoa(i + 1), Label: strconv.Itoa(i+1) + ": " + b.Text})
		}
	}
	return list
}
