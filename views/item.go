package views

import (
	"samepage/store"
	"samepage/views/page"
)

// itemPage begins the page of an item, or a page under it.
func itemPage(i *store.Item, kind, title string) page.Page {
	seen := audience(i.Studio)
	if i.Draft() {
		seen = "you alone"
	}
	return page.Page{
		Title:    title,
		Kind:     kind,
		Trail:    page.Line(page.Link(i.Studio.Name, i.Studio.URL())),
		Audience: seen,
		Zone:     zone(i.Studio),
		Public:   i.Studio.Visibility == "public" && !i.Draft(),
	}
}

// itemLead is the byline of an item's own text.
func itemLead(i *store.Item) []page.Inline {
	return page.Line(page.T("By "+i.Author()+", "), page.When(i.CreatedAt.Time))
}

// hand is the kind of an author; an agent has an id.
func hand(a store.Agent) page.Hand {
	if a.ID != "" {
		return page.ByAgent
	}
	return page.ByPerson
}

// itemBody is an item's own text under its byline, or the byline alone.
func itemBody(i *store.Item) page.Block {
	if i.Body == "" {
		return page.Para(append(itemLead(i), page.T(".")))
	}
	return page.Prose{Lead: itemLead(i), By: hand(i.Agent), Text: i.Body}
}

// noun has the words of pages for one kind of item: its names, and short texts on the state of an
// item.
type noun struct {
	kind      *store.Kind
	one, many string
	list      string // the last part of a list's URL, below the studio's page
	// closed are the words for the states of a closed item.
	closed map[string]string
	// progress describes the progress of an open item in a few words; may be empty.
	progress func(i *store.Item) string
}

var nouns = []noun{decisionNoun, commitmentNoun, noteNoun}

func nounOf(kind string) noun {
	for _, n := range nouns {
		if n.kind.Name == kind {
			return n
		}
	}
	return noun{one: kind, many: kind}
}

func kindTitle(kind string) string { return nounOf(kind).one }

// itemLists links to the lists of all kinds in a studio.
func itemLists(s *store.Studio) []page.Inline {
	line := page.Line(page.T("All: "))
	for i, k := range nouns {
		if i > 0 {
			line = append(line, page.T(", "))
		}
		line = append(line, page.Link(k.many, s.URL()+k.list))
	}
	return append(line, page.T("."))
}

// Items is the list of a studio's items of one kind, newest first.
func Items(_ store.Actor, v *store.ItemsPage) page.Page {
	s := v.Studio
	p := page.Page{
		Trail:    page.Line(page.Link(s.Name, s.URL())),
		Audience: audience(s),
		Zone:     zone(s),
		Public:   s.Visibility == "public",
	}
	n := nounOf(v.Kind)
	p.Title, p.Kind = n.many, n.many
	if len(v.List) == 0 {
		p.Blocks = []page.Block{page.Para(page.Line(page.T("None here.")))}
		return p
	}
	p.Blocks = []page.Block{itemTable(p.Title, v.List)}
	if len(v.List) == v.Limit {
		p.Next = s.URL() + n.list + "?after=" + v.List[len(v.List)-1].Cursor().String()
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

// itemState describes the state of an item of any kind in a few words, with its outcome.
func itemState(i *store.Item) []page.Inline {
	switch {
	case i.Removed():
		return page.Line(page.T("removed "), page.When(i.RemovedAt.Time))
	case i.Draft():
		return page.Line(page.T("draft"))
	case !i.ClosedAt.IsZero() && i.ClosedAt == i.OpenedAt:
		return page.Line(page.T("posted "), page.When(i.OpenedAt.Time))
	case !i.ClosedAt.IsZero():
		word := nounOf(i.Kind).closed[i.Summary.State]
		if word == "" {
			word = "closed"
		}
		line := page.Line(page.T(word+" "), page.When(i.ClosedAt.Time))
		if i.Headline != "" {
			line = append(line, page.T(": "+i.Headline))
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
	if p := nounOf(i.Kind).progress; p != nil {
		line = append(line, page.T(", "+p(i)))
	}
	return line
}

// Removed is the page of an item of which only a tombstone is left, with the discussion under it.
func Removed(i *store.Item, d store.Discussion) page.Page {
	p := itemPage(i, kindTitle(i.Kind), i.Title)
	p.State = tombstone(i)
	p.Data = func() any {
		return &removedPublic{Kind: i.Kind, State: i.Removal(), Removed: i.RemovedAt, By: i.RemovedBy}
	}
	p.Blocks = append([]page.Block{page.Para(append(itemLead(i), page.T(".")))}, discussion(i, d)...)
	return p
}

type removedPublic struct {
	Kind    string     `json:"kind"`
	State   string     `json:"state"`
	Removed store.Time `json:"removed"`
	By      string     `json:"by"`
}

var removalWords = map[string]string{store.Deleted: "Deleted", store.Redacted: "Removed"}

func tombstone(i *store.Item) []page.Inline {
	return page.Line(page.T(removalWords[i.Removal()]+" by @"+i.RemovedBy+", "),
		page.When(i.RemovedAt.Time), page.T(". What it said is gone, here and in the journal."))
}

// Templates is the page of a studio's templates.
func Templates(_ store.Actor, v *store.TemplatesPage) page.Page {
	s := v.Studio
	p := page.Page{
		Title:    "Templates",
		Kind:     "Templates",
		Trail:    page.Line(page.Link(s.Name, s.URL())),
		Audience: audience(s),
		Zone:     zone(s),
		Public:   s.Visibility == "public",
	}
	if len(v.List) == 0 {
		p.Blocks = []page.Block{page.Para(page.Line(page.T(
			"No templates yet. Open a page that is worth starting from and offer it as a template.",
		)))}
		return p
	}
	p.State = page.Line(page.T("Open one and duplicate it as a draft of yours."))
	p.Blocks = []page.Block{itemTable("Templates", v.List)}
	return p
}
