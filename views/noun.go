package views

import (
	"cmp"
	"slices"
	"strings"

	"samepage/store"
	"samepage/views/page"
)

// Noun has the words for one kind of item.
type Noun struct {
	Kind      *store.Kind
	One, Many string
	Holds     string // word for one of the things in an item, such as a card on a board; empty for most kinds
	Icon      string // name of a symbol in icons.svg; empty for a sheet of paper
	Path      string // path of the list of these items, below the studio's page
	// Under is the path, below the studio's page, of the page that links to the list; empty for the studio's page
	// itself.
	Under string
	None  string // sentence for an empty list; may be empty
	// Closed maps the state of a closed item to the word before the time of closing, by default "closed".
	Closed map[string]string
	// Outcome returns a short text that follows the time of closing, for items without a headline. The text may be "".
	// Outcome is nil for kinds without an outcome.
	Outcome func(i *store.Item) string
	// Progress returns a few words on the progress of an open item. It is nil for kinds without progress.
	Progress func(i *store.Item) string
	// Begin returns a sentence on the reason to create the first item in the studio. It is nil if the home page does
	// not suggest this kind.
	Begin func(studio string) string
}

// nouns has one noun for each kind of item, in the order of the links on a studio's page.
var nouns = func() (list []*Noun) {
	for _, n := range []*Noun{&decisionNoun, &commitmentNoun, &noteNoun} {
		list = withNoun(list, n)
	}
	return list
}()

// DeclareNoun adds the noun of another package's kind of item. It panics if the kind, a name or the path is missing, or
// if another noun has the same kind or path.
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

// madeInStudio returns the nouns of the items that can be created on the page of a studio.
func madeInStudio() (list []*Noun) {
	for _, n := range nouns {
		if !n.Kind.Spoken && n.Kind.Numbered == "" {
			list = append(list, n)
		}
	}
	return list
}

// NounOf returns the noun of a kind of item, or a noun with only the kind's name, and false, if there is none.
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

// KindAt returns words for the kind of item with the URL letter, such as "a decision", or "" if there is none.
func KindAt(letter string) string {
	for _, n := range nouns {
		if letter != "" && n.Kind.Letter == letter {
			return withArticle(strings.ToLower(n.One))
		}
	}
	return ""
}

// Counted returns a number with the noun in the singular or the plural, such as "3 people".
func Counted(n int, one, many string) string { return count(n, one, many) }

func withArticle(word string) string {
	if strings.ContainsAny(word[:1], "aeiou") {
		return "an " + word
	}
	return "a " + word
}

// Author returns the byline of a member, or of the member's agent, with a link to the member.
func Author(s *store.Studio, handle string, agent store.Agent) page.Inline {
	return page.Who(store.Byline(handle, agent.Label), memberURL(s, handle))
}

// Ring returns the icon in front of an item, with the item's progress.
func Ring(i *store.Item) *page.Ring { return ring(i) }

// ItemState returns a few words on the state of an item, with the outcome of a closed one.
func ItemState(i *store.Item) []page.Inline { return itemState(i) }

func kindTitle(kind string) string { return nounOf(kind).One }

// itemLists returns links to the studio's lists with this [Noun.Under], each followed by a comma.
func itemLists(s *store.Studio, under string) []page.Inline {
	var line []page.Inline
	for _, k := range nouns {
		if k.Under != under {
			continue
		}
		line = append(line, page.Link(k.Many, s.URL()+k.Path))
		if fresh := s.Unheard(); k.Kind.Spoken && fresh > 0 {
			line = append(line, page.T(" ("+number(fresh)+" new)"))
		}
		line = append(line, page.T(", "))
	}
	return line
}

// List is a list in every studio, with entries that are not items. Only members of the organization see it.
type List struct {
	Title, Path string // the path is below the studio's page
	// Live is set if the entries are pieces of work that run or wait. One and Many are the words for the pieces, such
	// as "session" and "sessions".
	Live      *store.Live
	One, Many string
}

var lists []*List

// DeclareList adds a list to every studio.
func DeclareList(l List) *List {
	lists = append(lists, &l)
	return &l
}

// live returns the numbers of entries that run and that wait, such as "1 session runs, 2 wait", or "". If named is
// false, the text leaves out the noun.
func (l *List) live(counts []store.LiveCount, named bool) string {
	i := slices.IndexFunc(counts, func(c store.LiveCount) bool { return l.Live != nil && c.Name == l.Live.Name })
	if i < 0 {
		return ""
	}
	var parts []string
	for _, part := range []struct {
		n         int
		one, many string
	}{{counts[i].Runs, "runs", "run"}, {counts[i].Waits, "waits", "wait"}} {
		switch {
		case part.n == 0:
		case named && len(parts) == 0:
			parts = append(parts, count(part.n, l.One+" "+part.one, l.Many+" "+part.many))
		default:
			parts = append(parts, count(part.n, part.one, part.many))
		}
	}
	return strings.Join(parts, ", ")
}

// liveWork returns words for all work that runs or waits, such as "1 session runs, 2 wait", or "".
func liveWork(counts []store.LiveCount) string {
	var parts []string
	for _, l := range lists {
		if said := l.live(counts, true); said != "" {
			parts = append(parts, said)
		}
	}
	return strings.Join(parts, ", ")
}

// otherLists appends links to [lists], for members of the organization only.
func otherLists(by store.Actor, v *store.StudioPage, line []page.Inline) []page.Inline {
	if by.Member == nil {
		return line
	}
	for _, l := range lists {
		line = append(line, page.Link(l.Title, v.URL()+l.Path))
		if said := l.live(v.Live[v.ID], false); said != "" {
			line = append(line, page.Sentence(" ("+said+")"))
		}
		line = append(line, page.T(", "))
	}
	return line
}

// Items returns the page that lists a studio's items of one kind, or only the open ones, newest first.
func Items(_ store.Actor, v *store.ItemsPage) page.Page {
	s, n := v.Studio, nounOf(v.Kind)
	all := s.URL() + n.Path
	p := StudioPage(s, n.Many, n.Many)
	if v.Open || len(v.List) > 0 {
		p.Blocks = []page.Block{page.Filters{Groups: []page.FilterGroup{{Links: []page.Filter{
			{Text: "All", URL: all, Chosen: !v.Open}, {Text: "Open", URL: all + "?" + openOnly, Chosen: v.Open}}}}}}
	}
	switch {
	case len(v.List) > 0:
	case v.Open:
		none := page.Line(page.T(s.Name), page.T(" has no open "+strings.ToLower(n.Many)+"."))
		p.Blocks = append(p.Blocks, page.Empty(none))
		return p
	default:
		none := page.Line(page.T(s.Name), page.T(" has no "+strings.ToLower(n.Many)+"."), page.Sentence(n.None))
		if s.State() != "archived" {
			none = append(none, page.T(" They are made at "), page.Link(s.Name, s.URL()), page.T("."))
		}
		p.Blocks = []page.Block{page.Empty(none)}
		return p
	}
	p.Blocks = append(p.Blocks, itemTable(p.Title, v.List))
	if last := v.Last(); last != nil {
		after := "?after="
		if v.Open {
			after = "?" + openOnly + "&after="
		}
		p.Continue("Older ones", all+after+last.Cursor().String())
	}
	return p
}

// openOnly is the query that selects the open items.
const openOnly = "show=open"

// openKinds returns links to the open items of a studio by kind, or none if all are of one kind.
func openKinds(s *store.Studio, counts map[string]int) page.Filters {
	all := page.Filter{URL: "#open", Chosen: true}
	var links []page.Filter
	sum := 0
	for _, n := range nouns {
		if k := counts[n.Kind.Name]; k > 0 {
			sum += k
			links = append(links, page.Filter{Text: n.Many + " " + number(k), URL: s.URL() + n.Path + "?" + openOnly})
		}
	}
	if len(links) < 2 {
		return page.Filters{}
	}
	all.Text = "All " + number(sum)
	return page.Filters{Groups: []page.FilterGroup{{Extra: true, Links: append([]page.Filter{all}, links...)}}}
}

func itemTable(caption string, list []store.Item) page.Table {
	t := page.Table{Caption: caption, Lines: true, Columns: page.Columns("Page", "Kind", "State", "By")}
	for i := range list {
		it := &list[i]
		t.Rows = append(t.Rows, page.Row{Cells: [][]page.Inline{
			page.Line(page.Link(it.Title, it.URL())),
			page.Line(page.T(kindTitle(it.Kind))),
			itemState(it),
			page.Line(page.Who(it.Author(), "")),
		}, Ring: ring(it)})
	}
	return t
}

// Closing returns the word for the outcome of a closed item, capitalized.
func Closing(i *store.Item) string {
	word := cmp.Or(nounOf(i.Kind).Closed[i.Summary.State], "closed")
	return strings.ToUpper(word[:1]) + word[1:]
}

func ring(i *store.Item) *page.Ring {
	n := nounOf(i.Kind)
	r := &page.Ring{Icon: n.Icon, Closed: !i.ClosedAt.IsZero() && !posted(i)}
	r.Icon = cmp.Or(r.Icon, "file")
	if n.Progress != nil && !i.Draft() {
		r.Done, r.Of = i.Answered, i.Asked
	}
	return r
}

// posted reports whether an item never asked for an answer: it was closed when it was opened, and its kind has no word
// for the outcome.
func posted(i *store.Item) bool {
	return !i.ClosedAt.IsZero() && i.ClosedAt == i.OpenedAt && nounOf(i.Kind).Closed[i.Summary.State] == ""
}

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
		word = cmp.Or(word, "closed")
		if outcome == "" && n.Outcome != nil {
			outcome = n.Outcome(i)
		}
		line := page.Line(page.T(word+" "), page.When(i.ClosedAt.Time))
		if outcome != "" {
			line = append(line, page.T(": "+outcome))
		}
		return line
	}
	if i.Stopped() {
		return page.Line(page.T("left open when the studio was archived"))
	}
	line := page.Line(page.T("open"))
	switch {
	case i.Due(): // nobody can take part any more, although the end is not recorded yet
		return page.Line(page.T("was due "), page.When(i.DueAt.Time))
	case !i.DueAt.IsZero():
		line = page.Line(page.T("due "), page.When(i.DueAt.Time))
	}
	if n.Progress != nil {
		line = append(line, page.T(", "+n.Progress(i)))
	}
	return append(line, contested(i, ", ")...)
}

// BeforeDeadline returns one of two texts for use before the deadline of an item: the text stopped, such as ", was to
// close ", if the item is [store.Item.Stopped], and otherwise the text open, such as ", closes ".
func BeforeDeadline(i *store.Item, open, stopped string) page.Inline {
	if i.Stopped() {
		return page.T(stopped)
	}
	return page.T(open)
}

// contested returns words that an objection is open, after the text sep and for HTML only, or nil if none is open.
func contested(i *store.Item, sep string) []page.Inline {
	if i.Awaits != store.AwaitsObjection {
		return nil
	}
	return page.Line(page.Extra(sep + "an objection is open"))
}
