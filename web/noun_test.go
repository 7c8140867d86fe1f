package web_test

import (
	"fmt"
	"strings"
	"testing"

	"samepage/actions"
	"samepage/store"
	"samepage/store/governance"
	"samepage/views"
	"samepage/web"
)

// TestANounNeedsItsParts declares nouns that lack their kind, their routes or their action. It also declares a noun
// whose action creates another kind, and a noun whose kind already has a noun. Each declaration panics and says why.
func TestANounNeedsItsParts(t *testing.T) {
	note := governance.NoteKind
	answer := map[string]views.Verb{note.Waits[0].For: web.VerbOf(actions.MarkNoteDone)}
	none := func() []*web.BoundRoute { return nil }
	for _, c := range []struct {
		noun web.Noun
		want string
	}{
		{web.Noun{Routes: none, Create: actions.CreateNote, Answer: answer}, "lacks its kind"},
		{web.Noun{Kind: note, Create: actions.CreateNote, Answer: answer}, "lacks its kind, its routes"},
		{web.Noun{Kind: note, Routes: none, Answer: answer}, "or the action that makes one"},
		{web.Noun{Kind: note, Routes: none, Create: actions.CreateDecision, Answer: answer},
			"create_decision does not make"},
		{web.Noun{Kind: &store.Kind{Name: note.Name, Waits: note.Waits}, Routes: none, Create: actions.CreateNote,
			Answer: answer}, "has two nouns"},
	} {
		func() {
			defer func() {
				if said := fmt.Sprint(recover()); !strings.Contains(said, c.want) {
					t.Errorf("it says %q, not %q", said, c.want)
				}
			}()
			web.DeclareNoun(c.noun)
		}()
	}
}
