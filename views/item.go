package views

import (
	"samepage/store"
	"samepage/views/page"
)

// itemPage begins the page of an item, or a page under it.
func itemPage(i *store.Item, kind, title string) page.Page {
	return page.Page{Title: title, Kind: kind, Trail: page.Line(page.Link(i.Studio.Name, i.Studio.URL())), Audience: audience(i.Studio), Zone: zone(i.Studio),
		Public: i.Studio.Visibility == "public" && !i.Draft()}
}

// itemLead is the byline of an item's own words.
func itemLead(i *store.Item) []page.Inline {
	return page.Line(page.T("By "+i.Author()+", "), page.When(i.CreatedAt.Time))
}

// itemBody is an item's own words under their byline, or the byline alone.
func itemBody(i *store.Item) page.Block {
	if i.Body == "" {
		return page.Para(append(itemLead(i), page.T(".")))
	}
	return page.Prose{Lead: itemLead(i), Text: i.Body}
}

// itemKinds are what the kinds are called.
var itemKinds = map[string]string{"decision": "Decision", "note": "Note", "commitment": "Commitment"}

// itemTable lists items of any kind, one a row.
func itemTable(caption string, list []store.Item) page.Table {
	t := page.Table{Caption: caption, Columns: []page.Column{{Title: "Page"}, {Title: "Kind"}, {Title: "State"}, {Title: "By"}}}
	for i := range list {
		it := &list[i]
		t.Rows = append(t.Rows, page.Row{Cells: [][]page.Inline{page.Line(page.Link(it.Title, it.URL())), page.Line(page.T(itemKinds[it.Kind])), itemState(it),
			page.Line(page.T(it.Author()))}})
	}
	return t
}

// itemState says where an item of any kind stands in a few words.
func itemState(i *store.Item) []page.Inline {
	switch {
	case i.Draft():
		return page.Line(page.T("draft"))
	case !i.ClosedAt.IsZero():
		return page.Line(page.T("closed "), page.When(i.ClosedAt.Time))
	case i.DueAt.IsZero():
		return page.Line(page.T("open"))
	case i.Due():
		return page.Line(page.T("was due "), page.When(i.DueAt.Time))
	}
	return page.Line(page.T("due "), page.When(i.DueAt.Time))
}
