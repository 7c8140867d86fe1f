package views

import (
	"samepage/store"
	"samepage/views/page"
)

// Open returns the page of an organization's open items that the actor may see.
func Open(by store.Actor, v *store.OpenPage) page.Page {
	o := v.Organization
	p := page.Page{
		Title:    "Open in " + o.Name,
		Kind:     "Open",
		Trail:    page.Line(page.Link(o.Name, o.URL())),
		Audience: orgAudience(o) + "; of what is open, what you can see",
		State:    page.Line(page.T("What is undecided: first what is due, then what has no time, newest first.")),
		Data:     func() any { return openData(v) },
	}
	if len(v.Held) > 0 {
		var list page.List
		for i := range v.Held {
			a := &v.Held[i]
			list = append(list, page.Line(page.Link(a.Ref().Title, a.PageURL()),
				page.T(", asked for by "+a.By()+", until "), page.When(a.ExpiresAt.Time).Dated()))
		}
		held := page.Section{ID: "held", Title: "Actions that wait for approval", Blocks: []page.Block{list}}
		if len(v.Held) == v.Few {
			held.Blocks = append(held.Blocks,
				page.Para(page.Line(page.Link("All that wait for approval", "/approvals"))))
		}
		p.Blocks = append(p.Blocks, held)
	}
	if len(v.Tied) > 0 {
		tied := page.Section{
			ID:     "tied",
			Title:  "Tied, and waiting for a casting vote",
			Blocks: []page.Block{openTable("Tied", v.Tied)},
		}
		if len(v.Tied) == v.Few {
			tied.Blocks = append(tied.Blocks,
				page.Para(page.Line(page.T("These are the latest. Each studio lists its earlier decisions."))))
		}
		p.Blocks = append(p.Blocks, tied)
	}
	switch {
	case len(v.List) > 0:
		p.Blocks = append(p.Blocks,
			page.Section{ID: "open", Title: "Open", Blocks: []page.Block{openTable("Open", v.List)}})
	case v.First && len(p.Blocks) == 0:
		p.State = page.Line(page.T("Nothing is undecided here."))
		p.Blocks = []page.Block{page.Empty(page.Line(page.T(
			"Ask something, or propose what to do together, in a studio: ",
		), page.Link("all studios", o.URL()+"/studios"), page.T(".")))}
	}
	if len(v.List) == v.Limit {
		p.Next = o.URL() + "/open?after=" + v.List[len(v.List)-1].OpenCursor()
		p.Blocks = append(p.Blocks, page.Para(page.Line(page.Link("More that is open", p.Next))))
	}
	return p
}

// openTable lists open items, one in each row.
func openTable(caption string, list []store.Item) page.Table {
	t := page.Table{Caption: caption, Lines: true, Columns: []page.Column{{Title: "Page"},
		{Title: "Kind"}, {Title: "State"}, {Title: "Until"}, {Title: "Studio"}, {Title: "By"}}}
	for i := range list {
		it := &list[i]
		until := page.T("–")
		if it.ClosedAt.IsZero() && !it.DueAt.IsZero() {
			until = page.Distance(it.DueAt.Time)
		}
		t.Rows = append(t.Rows, page.Row{Cells: [][]page.Inline{
			page.Line(page.Link(it.Title, it.URL())),
			page.Line(page.T(kindTitle(it.Kind))),
			page.Line(page.T(openState(it))),
			page.Line(until),
			page.Line(page.Link(it.Studio.Name, it.Studio.URL())),
			page.Line(page.T(it.Author())),
		}})
	}
	return t
}

// openState describes the progress of an open item in a few words.
func openState(i *store.Item) string {
	if !i.ClosedAt.IsZero() {
		return "tied"
	}
	if p := nounOf(i.Kind).Progress; p != nil {
		return p(i)
	}
	return "to be done"
}

type openPublic struct {
	URL    string     `json:"url"`
	Title  string     `json:"title"`
	Kind   string     `json:"kind"`
	State  string     `json:"state"`
	Due    store.Time `json:"due,omitzero"`
	Studio string     `json:"studio"`
	By     string     `json:"by"`
}

func openData(v *store.OpenPage) any {
	public := func(items []store.Item) []openPublic {
		list := []openPublic{}
		for i := range items {
			it := &items[i]
			list = append(list, openPublic{it.URL(), it.Title, it.Kind, openState(it), it.DueAt,
				it.Studio.Handle, it.Author()})
		}
		return list
	}
	held := []approvalPublic{}
	for i := range v.Held {
		held = append(held, approvalData(&v.Held[i]))
	}
	return struct {
		Held []approvalPublic `json:"held"`
		Tied []openPublic     `json:"tied"`
		Open []openPublic     `json:"open"`
	}{held, public(v.Tied), public(v.List)}
}
