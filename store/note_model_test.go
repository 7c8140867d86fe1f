package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// noteModel is the expected state of a note: a reminder of Bob's, in a studio of Alice's, the organization's owner.
type noteModel struct {
	state    string
	due      time.Time
	versions int
	readers  map[string]bool // by handle; false for a confirmation by an agent
}

// TestNoteModel calls random actions by random actors on a note, and compares with the model the decisions
// of the guards, the state of the note, and the texts that remain.
func TestNoteModel(t *testing.T) {
	w := newWorld(t)
	carol := w.member(w.acme, "carol")
	w.write(func(tx *Tx) error { return tx.JoinStudio(carol.Member, w.team) })
	actors := []Actor{w.alice, w.bob, w.scribe, carol}
	steps := 0
	undo := errors.New("undo")
	checkModel(t, &steps, func(t *rapid.T) {
		err := w.Write(context.Background(), func(tx *Tx) error {
			r := &noteRun{t: t, tx: tx, actors: actors,
				noteModel: noteModel{state: NoteDraft, due: tx.Now.Add(time.Hour), readers: map[string]bool{}}}
			n, err := tx.CreateNote(w.bob, w.team,
				NewNote{Type: Reminder, Title: "Secret 0", Body: "Secret 0", DueAt: r.due})
			if err != nil {
				return err
			}
			r.id = n.ID
			r.journal(w.bob, n, nil)
			t.Repeat(map[string]func(*rapid.T){
				"": func(t *rapid.T) { r.t = t; r.check() },
				"wait": func(t *rapid.T) {
					tx.Now = tx.Now.Add(time.Duration(rapid.IntRange(1, 90).Draw(t, "minutes")) * time.Minute)
				},
				"publish": r.step((*Note).MustBeDraftBy, r.mayDraft,
					func(by Actor, n *Note) error { r.state = NotePosted; return tx.PublishNote(n) }),
				"discard": r.step((*Note).MustBeDraftBy, r.mayDraft,
					func(by Actor, n *Note) error { r.state = "gone"; return tx.DiscardItem(&n.Item) }),
				"edit": r.step((*Note).MustBeEditableBy, r.mayEdit, func(by Actor, n *Note) error {
					r.edits++
					if r.state != NoteDraft {
						r.versions = max(r.versions, 1) + 1
					}
					text := fmt.Sprintf("Secret %d", r.edits)
					return tx.EditNote(by, n, NewNote{Type: Reminder, Title: text, Body: text, DueAt: r.due})
				}),
				"read": r.step((*Note).MustBeReadableBy, r.mayRead, func(by Actor, n *Note) error {
					r.readers[by.Member.Handle] = !by.IsAgent()
					return tx.ConfirmRead(by, n)
				}),
				"done": r.step(func(n *Note, _ Actor) error { return n.MustBeUndone() },
					func(by Actor) bool { return r.state == NotePosted },
					func(by Actor, n *Note) error { r.state = NoteDone; return tx.MarkNoteDone(by, n) }),
				"delete": r.step((*Note).MustBeDeletableBy,
					func(by Actor) bool { return r.state != NoteDraft && by.Member.Handle == "bob" },
					func(by Actor, n *Note) error {
						r.state, r.versions = Deleted, 0
						return tx.RemoveItem(by, &n.Item, "Deleted note")
					}),
				"redact": r.step((*Note).MustBeRedactableBy,
					func(by Actor) bool { return r.state != NoteDraft && by.Member.Owner },
					func(by Actor, n *Note) error {
						r.state, r.versions = Redacted, 0
						return tx.RemoveItem(by, &n.Item, "Removed note")
					}),
			})
			steps += r.steps
			r.whole(w.acme)
			return undo
		})
		if !errors.Is(err, undo) {
			t.Fatal(err)
		}
	})
}

// noteRun is one note and the actions on it so far.
type noteRun struct {
	noteModel
	t            *rapid.T
	tx           *Tx
	id           string
	actors       []Actor
	edits, steps int
}

func (r *noteRun) mayDraft(by Actor) bool { return r.state == NoteDraft && by.Member.Handle == "bob" }

func (r *noteRun) mayEdit(by Actor) bool {
	return r.state != NoteDone && (by.Member.Handle == "bob" || by.Member.Handle == "alice")
}

func (r *noteRun) mayRead(by Actor) bool {
	said, known := r.readers[by.Member.Handle]
	return r.state != NoteDraft && by.Member.Handle != "bob" && (!known || !said && !by.IsAgent())
}

// step runs an action by an actor if the guard permits it, which must agree with the model. A removed note
// has no more actions.
func (r *noteRun) step(guard func(*Note, Actor) error, may func(Actor) bool,
	do func(Actor, *Note) error) func(*rapid.T) {
	return func(t *rapid.T) {
		by := rapid.SampledFrom(r.actors).Draw(t, "by")
		r.steps++
		n, err := r.tx.FindNote(by, "team", r.id)
		if visible := r.state != "gone" &&
			(r.state != NoteDraft || by.Member.Handle == "bob"); (err == nil) != visible {
			t.Fatalf("%s finds %s: %v", by.Name(), r.state, err)
		}
		if err != nil || n.Removed() {
			return
		}
		if err := guard(n, by); (err == nil) != may(by) {
			t.Fatalf("%s, %s: %v", by.Name(), r.state, err)
		} else if err != nil {
			return
		}
		before := n.Record()
		if err := do(by, n); err != nil {
			t.Fatal(err)
		}
		if r.state == Deleted || r.state == Redacted {
			before = nil
		}
		if n, err = r.tx.FindNote(by, "team", r.id); err == nil {
			r.journal(by, n, before)
		}
	}
}

func (r *noteRun) journal(by Actor, n *Note, before any) {
	if _, err := r.tx.Journal(by,
		Change{Action: "step", Target: n.Ref(), Before: before, After: n.Record()}); err != nil {
		r.t.Fatal(err)
	}
}

func (r *noteRun) check() {
	n, err := r.tx.FindNote(r.actors[1], "team", r.id)
	if r.state == "gone" {
		if CodeOf(err) != NotFound {
			r.t.Fatalf("a discarded draft is found: %v", err)
		}
		return
	}
	if err != nil {
		r.t.Fatal(err)
	}
	want := r.state
	if want == NotePosted && !r.tx.Now.Before(r.due) {
		want = NoteDue
	}
	if n.State() != want || n.Versions != r.versions || n.Readers != len(r.readers) {
		r.t.Fatalf("%s with %d versions and %d readers, want %s, %d, %d", n.State(), n.Versions, n.Readers, want,
			r.versions, len(r.readers))
	}
	if said := fmt.Sprintf("Secret %d", r.edits); !n.Removed() && (n.Title != said || n.Body != said) {
		r.t.Fatalf("it says %q, want %q", n.Title, said)
	}
}

// whole finds a valid journal without texts of removed notes.
func (r *noteRun) whole(o *Organization) {
	if _, err := r.tx.VerifyJournal(o); err != nil {
		r.t.Fatal(err)
	}
	if r.state != Deleted && r.state != Redacted {
		return
	}
	var left []string
	for _, query := range []string{`SELECT title || body FROM items WHERE id = ?`,
		`SELECT title || body || details FROM versions WHERE item_id = ?`,
		`SELECT title || coalesce(before, '') || coalesce(after, '') FROM journal WHERE target_id = ?`} {
		if err := r.tx.Select(&left, query, r.id); err != nil {
			r.t.Fatal(err)
		}
		if said := strings.Join(left, " "); strings.Contains(said, "Secret") {
			r.t.Fatalf("%s is still there: %s", said, query)
		}
	}
}
