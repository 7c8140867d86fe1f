package actions

import (
	"cmp"
	"time"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/governance"
)

var _ = action.Describe[*governance.Note](
	"A post, a reminder of what is to be done by a time, or a table. Every change keeps the version "+
		"before.", governance.NoteKind.States...)

// CommonNote has the actions that a note shares with other items (see [Common]).
var CommonNote = Common(governance.NoteKind.Name,
	func(tx *store.Tx, by store.Actor, n *governance.Note) (*governance.Note, error) {
		return governance.CopyNote(tx, by, n)
	})

// CreateNote adds a note to a studio: a post, a reminder or a table.
var CreateNote = action.New(action.Action[*store.Studio, CreateNoteParams]{
	Name: "create_note",
	Effects: []action.Effect{action.Makes(governance.NoteKind.Name),
		action.Opens(governance.NoteKind.Name)},
	Undo:       "Change: update_note. A draft: discard. A person can delete_note.",
	Title:      "Write a note",
	Doc:        "Write a post, a reminder with a time, or a table.",
	Past:       "wrote",
	Scope:      store.ScopeWrite,
	AllowedFor: store.InStudio,
	Aliases:    []string{"post_note", "create_post", "create_reminder"},
	Guard:      func(_ store.Actor, s *store.Studio) error { return s.MustBeJoined() },
	Offers: func(store.Actor, *store.Studio) param.Offers {
		return param.Offers{"kind": {Value: governance.Post}}
	},
	Check: func(tx *store.Tx, _ store.Actor, _ *store.Studio, p CreateNoteParams, bad param.Errors) param.Errors {
		if bad.Has("kind") {
			return nil
		}
		return p.check(tx, &governance.Note{Type: p.kind()}, bad)
	},
	Run: func(tx *store.Tx, by store.Actor, s *store.Studio, p CreateNoteParams) (action.Done, error) {
		n, err := governance.CreateNote(tx, by, s, p.note(&governance.Note{Type: p.kind()}))
		if err != nil {
			return action.Done{}, err
		}
		done, err := DraftOrOpen(tx, by, n, p.Draft, governance.PublishNote, governance.FindNote,
			"The note is published.")
		done.Undo = "Change: update_note. A person can delete_note."
		if p.Draft {
			done.Undo = "Change: update_note. Take back: discard."
		}
		return done, err
	},
})

// NoteParams has the contents of a note.
type NoteParams struct {
	Title   string    `param:"title,text" doc:"What it is about, in a line."`
	Text    string    `param:"text,markdown,optional" max:"20000" doc:"What there is to say."`
	DueAt   time.Time `param:"due_at,time,optional" doc:"Of a reminder: by when it is to be done."`
	Columns []string  `param:"columns,lines,optional" max:"20"`
	_       struct{}  `doc:"Of a table: its columns, one per line, each a title or a title and what it holds: Price: number,"`
	_       struct{}  `doc:"Due: date, Paid: flag, State: choice(open, done)."`
}

// CreateNoteParams has the fields of a new note.
type CreateNoteParams struct {
	NoteParams
	Kind  string   `param:"kind,choice,optional" options:"post=Post,reminder=Reminder,table=Table"`
	_     struct{} `doc:"What it is: a post unless set."`
	Draft bool     `param:"draft,flag,optional" doc:"Keep it as a draft of yours: its page is the preview."`
}

func (p CreateNoteParams) kind() string {
	return cmp.Or(p.Kind, governance.Post)
}

// note converts checked params into a new note. [NoteParams.check] has parsed the columns, so ParseColumns cannot fail.
func (p NoteParams) note(n *governance.Note) governance.NewNote {
	columns, _ := governance.ParseColumns(p.Columns, n.Columns)
	return governance.NewNote{Type: n.Type, Title: p.Title, Body: p.Text, DueAt: p.DueAt, Columns: columns}
}

// check returns the errors in decoded params. A due time in the past is accepted if the note has it already.
func (p NoteParams) check(tx *store.Tx, n *governance.Note, bad param.Errors) (errs param.Errors) {
	kind, due, now := n.Type, n.DueAt.Time, tx.Now
	if !bad.Has("columns") {
		if err := p.checkColumns(tx, n); err != nil {
			errs = append(errs, param.Error{Field: "columns", Message: err.Error()})
		}
	}
	switch {
	case bad.Has("due_at"):
	case kind == governance.Reminder && p.DueAt.IsZero():
		errs = append(errs, param.Error{Field: "due_at", Message: "A reminder says by when: name a time, such as 3d."})
	case kind != governance.Reminder && !p.DueAt.IsZero():
		errs = append(errs, param.Error{
			Field:   "due_at",
			Message: "Only a reminder is due. Leave this out, or make it a reminder.",
		})
	case !p.DueAt.IsZero() && !p.DueAt.Equal(due) && !p.DueAt.After(now):
		errs = append(errs, param.Error{
			Field:   "due_at",
			Message: "That has passed already. Name a time in the future, such as 3d.",
		})
	}
	return errs
}

func (p NoteParams) checkColumns(tx *store.Tx, n *governance.Note) error {
	switch {
	case n.Type == governance.Table && len(p.Columns) == 0:
		return store.Errorf(store.Invalid, "A table has columns. Name them, one per line.")
	case n.Type != governance.Table && len(p.Columns) > 0:
		return store.Errorf(store.Invalid, "Only a table has columns. Leave this out, or make it a table.")
	}
	columns, err := governance.ParseColumns(p.Columns, n.Columns)
	if err == nil && n.Rows > 0 {
		_, err = governance.FitRows(tx, n, columns)
	}
	return err
}

// EditNote changes the contents of a note.
var EditNote = action.New(action.Action[*governance.Note, NoteParams]{
	Name:       "update_note",
	Effects:    []action.Effect{action.Edits(governance.NoteKind.Name)},
	Undo:       "Change again: update_note. Earlier versions are kept.",
	Title:      "Edit the note",
	Doc:        "Change what this note says. What you leave out stays; every version is kept.",
	Past:       "changed",
	Scope:      store.ScopeWrite,
	AllowedFor: store.Chair,
	Aliases:    []string{"edit_note"},
	Versioned:  true,
	Guard:      func(by store.Actor, n *governance.Note) error { return n.MustBeEditableBy(by) },
	Offers: func(_ store.Actor, n *governance.Note) param.Offers {
		o := param.Offers{
			"title": {Value: n.Title}, "text": {Value: n.Body}, "due_at": {Omit: true},
			"columns": {Omit: true},
		}
		if n.Type == governance.Reminder {
			o["due_at"] = &param.Offered{Value: n.DueAt.Format("2006-01-02 15:04 UTC"), Required: true}
		}
		if n.Type == governance.Table {
			lines := make([]string, len(n.Columns))
			for i, c := range n.Columns {
				lines[i] = c.String()
			}
			o["columns"] = &param.Offered{Values: lines, Required: true}
		}
		return o
	},
	Check: func(tx *store.Tx, _ store.Actor, n *governance.Note, p NoteParams, bad param.Errors) param.Errors {
		return p.check(tx, n, bad)
	},
	Run: func(tx *store.Tx, by store.Actor, n *governance.Note, p NoteParams) (action.Done, error) {
		to := p.note(n)
		if n.Says(to) {
			return action.Done{Message: "The note says that already. It has no new version.", Unchanged: true}, nil
		}
		return action.Done{
			Message: "The note is changed.",
			Notice:  &store.Notice{Reason: store.ReasonChange, Text: p.Text, Was: n.Body},
		}, governance.EditNote(tx, by, n, to)
	},
})

// PublishNote shows a draft to the studio.
var PublishNote = action.New(action.Action[*governance.Note, struct{}]{
	Name:       "publish_note",
	Effects:    []action.Effect{action.Opens(governance.NoteKind.Name)},
	Undo:       "Change: update_note. A person can take it back: delete_note.",
	Title:      "Publish",
	Doc:        "Show this draft to the studio, as it looks here.",
	Past:       "wrote",
	Scope:      store.ScopeWrite,
	AllowedFor: store.Author,
	Guard: func(by store.Actor, n *governance.Note) error {
		if err := n.MustBeDraftBy(by); err != nil {
			return err
		}
		if n.Due() {
			return store.Errorf(store.Conflict, "The time of this reminder has passed. Change it first.")
		}
		return nil
	},
	Run: func(tx *store.Tx, _ store.Actor, n *governance.Note, _ struct{}) (action.Done, error) {
		return action.Done{Message: "The note is published.", Notice: n.OpeningNotice()}, governance.PublishNote(tx, n)
	},
})

// ConfirmRead records that the acting member has read a note.
var ConfirmRead = action.New(action.Action[*governance.Note, struct{}]{
	Name:       "confirm_read",
	Past:       "confirmed having read",
	Slot:       "answer",
	Undo:       "It cannot be taken back.",
	Title:      "Confirm that you have read this",
	Button:     "I have read it",
	Doc:        "Let the studio know that you have read this. An agent says so for its member, and is named.",
	Scope:      store.ScopeWrite,
	AllowedFor: store.InStudio,
	Aliases:    []string{"acknowledge"},
	Guard:      func(by store.Actor, n *governance.Note) error { return n.MustBeConfirmableBy(by) },
	Run: func(tx *store.Tx, by store.Actor, n *governance.Note, _ struct{}) (action.Done, error) {
		return action.Done{Message: "It is noted that you have read this."}, governance.ConfirmRead(tx, by, n)
	},
})

// MarkNoteDone marks a reminder as done.
var MarkNoteDone = action.New(action.Action[*governance.Note, struct{}]{
	Name:       markDone,
	Slot:       "answer",
	Undo:       "It stays done.",
	Title:      "Mark as done",
	Doc:        "Say that what this reminder asks for is done. Anybody in the studio may.",
	Past:       "has done",
	Scope:      store.ScopeWrite,
	AllowedFor: store.InStudio,
	Guard:      func(_ store.Actor, n *governance.Note) error { return n.MustBeUndone() },
	Run: func(tx *store.Tx, by store.Actor, n *governance.Note, _ struct{}) (action.Done, error) {
		return action.Done{
			Message: "The reminder is done.",
			Notice:  &store.Notice{Reason: store.ReasonOutcome},
		}, governance.MarkNoteDone(tx, by, n)
	},
})

// DeleteNote deletes the text of a note. The page remains and says that there was a note.
var DeleteNote = action.New(action.Action[*governance.Note, struct{}]{
	Name:    "delete_note",
	Past:    "deleted",
	Effects: []action.Effect{action.Deletes(governance.NoteKind.Name)},
	Title:   "Delete the note",
	Doc: "Delete this note, its versions, and what the journal keeps of its text. That it was " +
		"there stays visible, and so do its comments.",
	Scope:       store.ScopeWrite,
	AllowedFor:  store.Author,
	HumanOnly:   true,
	Destructive: true,
	Guard:       func(by store.Actor, n *governance.Note) error { return n.MustBeDeletableBy(by) },
	Run: func(tx *store.Tx, by store.Actor, n *governance.Note, _ struct{}) (action.Done, error) {
		return action.Done{
			Message: "The note is deleted.",
			Before:  removed{n.State()},
		}, tx.RemoveItem(by, &n.Item, "Deleted note")
	},
})
