package views

import (
	"samepage/store"
	"samepage/views/page"
)

// awaited has words for each value of [store.Awaited].
var awaited = map[string]struct{ title, short string }{
	store.AwaitsApproval:  {"Actions of agents that wait for a person", "approval"},
	store.AwaitsCasting:   {"Tied, and waiting for a casting vote", "casting vote"},
	store.AwaitsObjection: {"Waiting until an objection is settled", "objection"},
	store.AwaitsAnswers:   {"Waiting for answers of people", "answers"},
	store.AwaitsChair:     {"Waiting for the proposer, or for who keeps the studio", "proposer"},
	store.AwaitsDoing:     {"Waiting until somebody does it", "doing"},
	store.AwaitsClock:     {"Waiting until its time is over", "time"},
}

// Open returns the page of an organization's undecided matters (see [store.OpenPage]) that the actor may see, grouped
// by [store.Awaited].
func Open(_ store.Actor, v *store.OpenPage) page.Page {
	o := v.Organization
	p := OrganizationPage(o, "Open", "Open in "+o.Name)
	p.Audience += "; of what is open, what you can see"
	p.Data = func() any { return openData(v) }
	all, least, orMore := 0, "", ""
	filter := page.FilterGroup{Links: []page.Filter{{URL: openURL(o, ""), Chosen: v.For == ""}}}
	for i := range v.Groups {
		g := &v.Groups[i]
		if all += g.Count; g.Count == 0 && v.For != g.For {
			continue
		}
		n := number(g.Count)
		if g.AtLeast() {
			least, orMore = "At least ", " or more"
			n += orMore
		}
		filter.Links = append(filter.Links, page.Filter{Text: awaited[g.For].short + " (" + n + ")",
			URL: openURL(o, g.For), Chosen: v.For == g.For})
	}
	filter.Links[0].Text = "All (" + number(all) + orMore + ")"
	if all == 0 && v.For == "" {
		p.State = page.Line(page.T("Nothing is undecided here."))
		p.Blocks = []page.Block{page.Empty(page.Line(page.T(
			"Ask something, or propose what to do together, in a studio: ",
		), page.Link("all studios", o.URL()+"/studios"), page.T(".")))}
		return p
	}
	p.State = page.Line(page.Sentence(least + count(all, "thing is", "things are") + " undecided, by what each waits for: " +
		"first what is due, then what has no time, newest first."))
	p.Blocks = []page.Block{page.Filters{Groups: []page.FilterGroup{filter}}}
	for i := range v.Groups {
		g := &v.Groups[i]
		if v.For != "" && v.For != g.For || v.For == "" && g.Count == 0 {
			continue
		}
		s := page.Section{ID: g.For, Title: awaited[g.For].title}
		switch {
		case g.Count == 0:
			s.Blocks = []page.Block{page.Empty(page.Line(page.T("Nothing waits for this.")))}
		case g.For == store.AwaitsApproval:
			s.Blocks = heldBlocks(v, g)
		default:
			s.Blocks = openBlocks(&p, v, g)
		}
		p.Blocks = append(p.Blocks, s)
	}
	return p
}

func openURL(o *store.Organization, what string) string {
	if what == "" {
		return o.URL() + "/open"
	}
	return o.URL() + "/open?for=" + what
}

func heldBlocks(v *store.OpenPage, g *store.OpenGroup) []page.Block {
	var list page.List
	for i := range v.Held {
		a := &v.Held[i]
		list = append(list, page.Line(page.Link(a.Ref().Title, a.PageURL()),
			page.T(", asked for by "+a.By()+", until "), page.When(a.ExpiresAt.Time).Dated()))
	}
	if len(list) == g.Count {
		return []page.Block{list}
	}
	return []page.Block{list, page.Para(page.Line(page.Link("All that wait for approval", "/approvals")))}
}

func openBlocks(p *page.Page, v *store.OpenPage, g *store.OpenGroup) []page.Block {
	blocks := []page.Block{openTable(awaited[g.For].title, g.List)}
	if len(g.List) == 0 {
		blocks = []page.Block{page.Empty(page.Line(page.T("No more wait for this.")))}
	}
	switch {
	case v.For == "" && len(g.List) < g.Count:
		blocks = append(blocks, page.Para(page.Line(page.Link("All "+number(g.Count), openURL(v.Organization, g.For)))))
	case v.For != "" && len(g.List) == v.Limit:
		p.Next = openURL(v.Organization, g.For) + "&after=" + g.List[len(g.List)-1].OpenCursor()
		blocks = append(blocks, page.Para(page.Line(page.Link("More that wait for this", p.Next))))
	}
	return blocks
}

func openTable(caption string, list []store.Item) page.Table {
	t := page.Table{Caption: caption, Lines: true, Columns: page.Columns("Page", "Kind", "State", "Until", "Studio", "By")}
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

type openGroup struct {
	For   string           `json:"for"`
	Count int              `json:"count"`
	Items []openPublic     `json:"items,omitempty"`
	Held  []approvalPublic `json:"approvals,omitempty"`
}

func openData(v *store.OpenPage) any {
	groups := []openGroup{}
	for i := range v.Groups {
		g := &v.Groups[i]
		d := openGroup{For: g.For, Count: g.Count}
		for k := range g.List {
			it := &g.List[k]
			d.Items = append(d.Items, openPublic{it.URL(), it.Title, it.Kind, openState(it), it.DueAt, it.Studio.Handle, it.Author()})
		}
		if g.For == store.AwaitsApproval {
			for k := range v.Held {
				d.Held = append(d.Held, approvalData(&v.Held[k]))
			}
		}
		groups = append(groups, d)
	}
	return struct {
		Groups []openGroup `json:"groups"`
	}{groups}
}
