package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"samepage/store"
	"samepage/store/effort"
	"samepage/store/governance"
)

// noteModel is the expected state of a reminder by Bob, in a studio of Alice, who owns the organization.
type noteModel struct {
	state    string
	due      time.Time
	versions int
	readers  map[string]bool // by handle; false for a confirmation by an agent
}

// TestNoteModel calls random actions by random actors on a note. After each action it compares the answers of the
// guards, the state of the note and the remaining texts with the model.
func TestNoteModel(t *testing.T) {
	effort.Slow(t)
	w := newWorld(t)
	carol := w.member(w.acme, "carol")
	w.write(func(tx *store.Tx) error { return tx.JoinStudio(carol.Member, w.team) })
	actors := []store.Actor{w.alice, w.bob, w.scribe, carol}
	steps := 0
	checkModel(t, &steps, func(t *rapid.T) {
		w.undone(t, func(tx *store.Tx) error {
			r := &noteRun{t: t, tx: tx, actors: actors,
				noteModel: noteModel{state: governance.NoteDraft, due: tx.Now.Add(time.Hour),
					readers: map[string]bool{}}}
			n, err := governance.CreateNote(tx, w.bob, w.team,
				governance.NewNote{Type: governance.Reminder, Title: "Secret 0", Body: "Secret 0", DueAt: r.due})
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
				"publish": r.step((*governance.Note).MustBeDraftBy, r.mayDraft,
					func(by store.Actor, n *governance.Note) error {
						r.state = governance.NotePosted
						return governance.PublishNote(tx, n)
					}),
				"discard": r.step((*governance.Note).MustBeDraftBy, r.mayDraft,
					func(by store.Actor, n *governance.Note) error { r.state = "gone"; return tx.DiscardItem(&n.Item) }),
				"edit": r.step((*governance.Note).MustBeEditableBy, r.mayEdit, func(by store.Actor, n *governance.Note) error {
					r.edits++
					if r.state != governance.NoteDraft {
						r.versions = max(r.versions, 1) + 1
					}
					text := fmt.Sprintf("Secret %d", r.edits)
					return governance.EditNote(tx, by, n,
						governance.NewNote{Type: governance.Reminder, Title: text, Body: text, DueAt: r.due})
				}),
				"read": r.step((*governance.Note).MustBeConfirmableBy, r.mayRead, func(by store.Actor, n *governance.Note) error {
					r.readers[by.Member.Handle] = !by.IsAgent()
					return governance.ConfirmRead(tx, by, n)
				}),
				"done": r.step(func(n *governance.Note, _ store.Actor) error { return n.MustBeUndone() },
					func(by store.Actor) bool { return r.state == governance.NotePosted },
					func(by store.Actor, n *governance.Note) error {
						r.state = governance.NoteDone
						return governance.MarkNoteDone(tx, by, n)
					}),
				"delete": r.step((*governance.Note).MustBeDeletableBy,
					func(by store.Actor) bool { return r.state != governance.NoteDraft && by.Member.Handle == "bob" },
					func(by store.Actor, n *governance.Note) error {
						r.state, r.versions = store.Deleted, 0
						return tx.RemoveItem(by, &n.Item, "Deleted note")
					}),
				"redact": r.step((*governance.Note).MustBeRedactableBy,
					func(by store.Actor) bool { return r.state != governance.NoteDraft && by.Member.Owner },
					func(by store.Actor, n *governance.Note) error {
						r.state, r.versions = store.Redacted, 0
						return tx.RemoveItem(by, &n.Item, "Removed note")
					}),
			})
			steps += r.steps
			r.whole(w.acme)
			return nil
		})
	})
}

// noteRun is one note and the actions on it so far.
type noteRun struct {
	noteModel
	t            *rapid.T
	tx           *store.Tx
	id           string
	actors       []store.Actor
	edits, steps int
}

func (r *noteRun) mayDraft(by store.Actor) bool {
	return r.state == governance.NoteDraft && by.Member.Handle == "bob"
}

func (r *noteRun) mayEdit(by store.Actor) bool {
	return r.state != governance.NoteDone && (by.Member.Handle == "bob" || by.Member.Handle == "alice")
}

func (r *noteRun) mayRead(by store.Actor) bool {
	said, known := r.readers[by.Member.Handle]
	return r.state != governance.NoteDraft && by.Member.Handle != "bob" && (!known || !said && !by.IsAgent())
}

// step returns a function that runs an action by a random actor if the guard permits it. The guard must agree with the
// model. For a removed note the function does nothing.
func (r *noteRun) step(guard func(*governance.Note, store.Actor) error, may func(store.Actor) bool,
	do func(store.Actor, *governance.Note) error) func(*rapid.T) {
	return func(t *rapid.T) {
		by := rapid.SampledFrom(r.actors).Draw(t, "by")
		r.steps++
		n, err := governance.FindNote(r.tx, by, "team", r.id)
		if visible := r.state != "gone" &&
			(r.state != governance.NoteDraft || by.Member.Handle == "bob"); (err == nil) != visible {
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
		if r.state == store.Deleted || r.state == store.Redacted {
			before = nil
		}
		if n, err = governance.FindNote(r.tx, by, "team", r.id); err == nil {
			r.journal(by, n, before)
		}
	}
}

func (r *noteRun) journal(by store.Actor, n *governance.Note, before any) {
	if _, err := r.tx.Journal(by,
		store.Change{Action: "step", Target: n.Ref(), Before: before, After: n.Record()}); err != nil {
		r.t.Fatal(err)
	}
}

func (r *noteRun) check() {
	n, err := governance.FindNote(r.tx, r.actors[1], "team", r.id)
	if r.state == "gone" {
		if store.CodeOf(err) != store.NotFound {
			r.t.Fatalf("a discarded draft is found: %v", err)
		}
		return
	}
	if err != nil {
		r.t.Fatal(err)
	}
	want := r.state
	if want == governance.NotePosted && !r.tx.Now.Before(r.due) {
		want = governance.NoteDue
	}
	if n.State() != want || n.Versions != r.versions || n.Readers != len(r.readers) {
		r.t.Fatalf("%s with %d versions and %d readers, want %s, %d, %d", n.State(), n.Versions, n.Readers, want,
			r.versions, len(r.readers))
	}
	if said := fmt.Sprintf("Secret %d", r.edits); !n.Removed() && (n.Title != said || n.Body != said) {
		r.t.Fatalf("it says %q, want %q", n.Title, said)
	}
}

// whole expects a valid journal, and no text of the note anywhere if the note was removed.
func (r *noteRun) whole(o *store.Organization) {
	if _, err := r.tx.VerifyJournal(o); err != nil {
		r.t.Fatal(err)
	}
	if r.state != store.Deleted && r.state != store.Redacted {
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
