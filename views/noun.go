package views

import (
	"slices"

	"samepage/store"
	"samepage/views/page"
)

// Noun has the words of pages for one kind of item: its names, and short texts on the state of an
// item.
type Noun struct {
	Kind      *store.Kind
	One, Many string
	Path      string // of the list, below the studio's page
	// None is a sentence for an empty list; may be empty.
	None string
	// Closed are the words for the states of a closed item, before the time; of any other it is
	// "closed".
	Closed map[string]string
	// Outcome describes the outcome of a closed item whose row keeps no headline, behind the time;
	// may be empty. Nil if there is none.
	Outcome func(i *store.Item) string
	// Progress describes the progress of an open item in a few words; nil if there is none.
	Progress func(i *store.Item) string
	// Begin tells the reader of an otherwise empty home why to make the first one in a studio with
	// this name; nil if home does not suggest one.
	Begin func(studio string) string
}

// nouns are in the order in which a studio's page links to their lists: those of this package, and
// those that [DeclareNoun] adds.
var nouns = func() (list []*Noun) {
	for _, n := range []*Noun{&decisionNoun, &commitmentNoun, &noteNoun} {
		list = withNoun(list, n)
	}
	return list
}()

// DeclareNoun adds the noun of a kind that another package declares. It panics if the noun lacks a
// part, or if its kind or its path belongs to another noun.
func DeclareNoun(n Noun) *Noun {
	nouns = withNoun(nouns, &n)
	return &n
}

func withNoun(list []*Noun, n *Noun) []*Noun {
	if n.Kind == nil || n.One == "" || n.Many == "" || n.Path == "" {
		panic("noun " + n.One + ": its kind, a name or the path of its list is missing")
	}
	for _, other := range list {
		if other.Kind == n.Kind || other.Path == n.Path {
			panic("noun " + n.One + ": its kind or path is that of " + other.One)
		}
	}
	return append(list, n)
}

// NounOf returns the noun of a kind of item, or false if none is declared.
func NounOf(kind string) (*Noun, bool) {
	i := slices.IndexFunc(nouns, func(n *Noun) bool { return n.Kind.Name == kind })
	if i < 0 {
		return &Noun{One: kind, Many: kind}, false
	}
	return nouns[i], true
}

func nounOf(kind string) *Noun {
	n, _ := NounOf(kind)
	return n
}

func kindTitle(kind string) string { return nounOf(kind).One }

// itemLists links to the lists of all kinds in a studio.
func itemLists(s *store.Studio) []page.Inline {
	line := page.Line(page.T("All: "))
	for i, k := range nouns {
		if i > 0 {
			line = append(line, page.T(", "))
		}
		line = append(line, page.Link(k.Many, s.URL()+k.Path))
	}
	return append(line, page.T("."))
}

// Items is the list of a studio's items of one kind, newest first.
func Items(_ store.Actor, v *store.ItemsPage) page.Page {
	s, n := v.Studio, nounOf(v.Kind)
	p := page.Page{
		Title:    n.Many,
		Kind:     n.Many,
		Trail:    page.Line(page.Link(s.Name, s.URL())),
		Audience: audience(s),
		Zone:     zone(s),
		Public:   s.Visibility == "public",
	}
	if len(v.List) == 0 {
		p.Blocks = []page.Block{page.Para(page.Line(page.T("None here."), page.Sentence(n.None)))}
		return p
	}
	p.Blocks = []page.Block{itemTable(p.Title, v.List)}
	if len(v.List) == v.Limit {
		p.Next = s.URL() + n.Path + "?after=" + v.List[len(v.List)-1].Cursor().String()
		p.Blocks = append(p.Blocks, page.Para(page.Line(page.Link("Older ones", p.Next))))
	}
	return p
}

// itemTable lists items of any kind, one a row.
func itemTable(caption string, list []store.Item) page.Table {
	t := page.Table{
		Caption: caption,
		Lines:   true,
		Columns: []page.Column{{Title: "Page"}, {Title: "Kind"}, {Title: "State"}, {Title: "By"}},
	}
	for i := range list {
		it := &list[i]
		t.Rows = append(t.Rows, page.Row{Cells: [][]page.Inline{
			page.Line(page.Link(it.Title, it.URL())),
			page.Line(page.T(kindTitle(it.Kind))),
			itemState(it),
			page.Line(page.T(it.Author())),
		}})
	}
	return t
}

// posted reports that an item asks for nothing: it was closed when it was opened, and has no
// outcome.
func posted(i *store.Item) bool {
	return !i.ClosedAt.IsZero() && i.ClosedAt == i.OpenedAt && nounOf(i.Kind).Closed[i.Summary.State] == ""
}

// itemState describes the state of an item of any kind in a few words, with its outcome.
func itemState(i *store.Item) []page.Inline {
	n := nounOf(i.Kind)
	switch {
	case i.Removed():
		return page.Line(page.T("removed "), page.When(i.RemovedAt.Time))
	case i.Draft():
		return page.Line(page.T("draft"))
	case posted(i):
		return page.Line(page.T("posted "), page.When(i.OpenedAt.Time))
	case !i.ClosedAt.IsZero():
		word, outcome := n.Closed[i.Summary.State], i.Headline
		if word == "" {
			word = "closed"
		}
		if outcome == "" && n.Outcome != nil {
			outcome = n.Outcome(i)
		}
		line := page.Line(page.T(word+" "), page.When(i.ClosedAt.Time))
		if outcome != "" {
			line = append(line, page.T(": "+outcome))
		}
		return line
	}
	line := page.Line(page.T("open"))
	switch {
	case i.Due(): // nobody can take part any more, whether or not the end is recorded
		return page.Line(page.T("was due "), page.When(i.DueAt.Time))
	case !i.DueAt.IsZero():
		line = page.Line(page.T("due "), page.When(i.DueAt.Time))
	}
	if n.Progress != nil {
		line = append(line, page.T(", "+n.Progress(i)))
	}
	return line
}
