package views

import (
	"testing"

	"samepage/store"
	"samepage/store/governance"
)

// TestANounNeedsItsParts checks that a noun is refused if it lacks any required part.
func TestANounNeedsItsParts(t *testing.T) {
	whole := Noun{Kind: &store.Kind{Name: "toy"}, One: "Toy", Many: "Toys", Path: "/toys"}
	for part, without := range map[string]func(n *Noun){
		"kind":            func(n *Noun) { n.Kind = nil },
		"kind of its own": func(n *Noun) { n.Kind = governance.NoteKind },
		"name":            func(n *Noun) { n.One = "" },
		"name of several": func(n *Noun) { n.Many = "" },
		"path":            func(n *Noun) { n.Path = "" },
		"path of its own": func(n *Noun) { n.Path = noteNoun.Path },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a noun without its %s was declared", part)
				}
			}()
			n := whole
			without(&n)
			withNoun(nouns, &n)
		}()
	}
	if got := withNoun(nouns, &whole); len(got) != len(nouns)+1 {
		t.Error("a whole noun was not declared")
	}
}
