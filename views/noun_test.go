package views

import (
	"os"
	"strings"
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

// TestEveryNounHasItsIcon checks that each noun of this package has a symbol of its own in the file of icons.
// Lists of items of that kind must show that symbol.
func TestEveryNounHasItsIcon(t *testing.T) {
	icons, err := os.ReadFile("../web/static/icons.svg")
	if err != nil {
		t.Fatal(err)
	}
	taken := map[string]string{}
	for _, n := range nouns {
		if !strings.Contains(string(icons), `<symbol id="`+n.Icon+`"`) || taken[n.Icon] != "" {
			t.Errorf("the icon of %s is %q, which is missing or that of %s", n.Many, n.Icon, taken[n.Icon])
		}
		taken[n.Icon] = n.Many
		if got := ring(&store.Item{Kind: n.Kind.Name}).Icon; got != n.Icon {
			t.Errorf("lists show %s with the icon %q", n.Many, got)
		}
	}
}

// TestLiveWork checks the words for work that runs or waits, of two kinds. They leave out numbers that are zero.
func TestLiveWork(t *testing.T) {
	before := lists
	defer func() { lists = before }()
	lists = []*List{{Title: "Trees", Path: "/trees"},
		{Live: &store.Live{Name: "session"}, One: "session", Many: "sessions"},
		{Live: &store.Live{Name: "flow"}, One: "flow", Many: "flows"}}
	for _, c := range []struct {
		counts      []store.LiveCount
		want, short string // short has the words of the sessions alone
	}{
		{nil, "", ""},
		{[]store.LiveCount{{Name: "other", Runs: 3}}, "", ""},
		{[]store.LiveCount{{Name: "session", Runs: 1}}, "1 session runs", "1 runs"},
		{[]store.LiveCount{{Name: "session", Waits: 2}}, "2 sessions wait", "2 wait"},
		{[]store.LiveCount{{Name: "flow", Runs: 2}, {Name: "session", Runs: 3, Waits: 1}},
			"3 sessions run, 1 waits, 2 flows run", "3 run, 1 waits"},
	} {
		if got := liveWork(c.counts); got != c.want {
			t.Errorf("%v: %q, want %q", c.counts, got, c.want)
		}
		if got := lists[1].live(c.counts, false); got != c.short {
			t.Errorf("%v: %q, want %q", c.counts, got, c.short)
		}
	}
}
