package views

import (
	"slices"
	"strconv"

	"samepage/store"
	"samepage/store/governance"
	"samepage/views/page"
)

// Versions returns the page that lists an item's versions, newest first.
func Versions(_ store.Actor, v *governance.VersionsPage) page.Page {
	i := v.Item
	p := ItemPage(i, "Versions", "Versions")
	p.Trail = append(p.Trail, page.Link(i.Title, i.URL()))
	if len(v.List) == 0 {
		p.Blocks = []page.Block{page.Para(page.Line(page.T("There are no other versions.")))}
		return p
	}
	p.State = page.Line(page.Sentence(number(i.Versions) + " versions in all."))
	t := page.Table{Caption: "Versions", Lines: true, Columns: page.Columns("Version", "By", "Since")}
	reasons := slices.ContainsFunc(v.List, func(x governance.Version) bool { return x.Reason != "" })
	if reasons {
		t.Columns = append(t.Columns, page.Column{Title: "Why", Whole: true})
	}
	for j := range v.List {
		x := &v.List[j]
		row := page.Row{Cells: [][]page.Inline{
			page.Line(page.Link(strconv.Itoa(x.N), versionURL(i, x.N))),
			page.Line(page.T(x.Author())),
			page.Line(page.When(x.At.Time)),
		}}
		if reasons {
			row.Cells = append(row.Cells, page.Line(page.T(x.Reason)))
		}
		t.Rows = append(t.Rows, row)
	}
	p.Blocks = []page.Block{t}
	if last := v.List[len(v.List)-1].N; last > 1 {
		p.Continue("Older versions", i.URL()+"/versions?before="+strconv.Itoa(last))
	}
	return p
}

// LastVersions returns a section with the last versions of an item, or nil for an agent or for an empty list. See
// [VersionFacts] for agents.
func LastVersions(by store.Actor, i *store.Item, list []governance.Version) []page.Block {
	if by.IsAgent() || len(list) == 0 {
		return nil
	}
	s := page.Section{ID: "versions", Title: count(i.Versions, "version", "versions")}
	stack := make(page.Stack, min(len(list), governance.ShownVersions))
	if i.Versions > len(stack) {
		s.Note = page.Line(page.Link("All", i.URL()+"/versions"))
	}
	for k := range stack {
		x := &list[k]
		stack[k] = page.Entry{Name: page.Line(page.Link("Version "+number(x.N), versionURL(i, x.N))),
			Note: page.Line(Author(i.Studio, x.Member, x.Agent)), At: page.When(x.At.Time)}
		switch {
		case x.Reason != "":
			stack[k].Note = append(stack[k].Note, page.T(" "+x.Reason))
		case k+1 < len(list):
			added, removed, _ := page.Diff{Before: list[k+1].Source(), After: x.Source()}.Size()
			stack[k].Note = append(stack[k].Note, page.T(" "), page.Plus(added), page.T(" "), page.Less(removed))
		}
	}
	s.Blocks = []page.Block{stack}
	return []page.Block{s}
}

// VersionFacts returns a fact on the versions of an item, or nil for a person or for an empty list.
func VersionFacts(by store.Actor, i *store.Item, list []governance.Version) page.Facts {
	if !by.IsAgent() || len(list) == 0 {
		return nil
	}
	return page.Facts{{Label: "Versions", Value: page.Line(page.Link(number(i.Versions), i.URL()+"/versions"),
		page.T(", the last by "), Author(i.Studio, list[0].Member, list[0].Agent), page.T(", "), page.When(list[0].At.Time))}}
}

func versionURL(i *store.Item, n int) string { return i.URL() + "/versions/" + strconv.Itoa(n) }

// Version returns the page of one version of an item, with its differences from the version before.
func Version(_ store.Actor, v *governance.VersionPage) page.Page {
	i, x := v.Item, &v.This
	p := ItemPage(i, "Version "+number(x.N), x.Title)
	p.Trail = append(p.Trail, page.Link(i.Title, i.URL()), page.Link("Versions", i.URL()+"/versions"))
	p.State = page.Line(page.Sentence("Version "+number(x.N)+" of "+number(i.Versions)+", by "+
		x.Author()+", since "), page.When(x.At.Time).Dated(), page.T("."))
	if x.N == i.Versions {
		p.State = append(p.State, page.T(" It is what the page says now."))
	}
	if x.Reason != "" {
		p.State = append(p.State, page.T(" Why: "+x.Reason))
	}
	change := page.Section{ID: "changed", Title: "What changed"}
	if v.Before == nil {
		change.Blocks = []page.Block{page.Para(page.Line(page.T("This is the first version.")))}
	} else {
		change.Blocks = []page.Block{page.Para(page.Line(page.T("Against "),
			page.Link("version "+number(x.N-1), versionURL(i, x.N-1)), page.T(", line by line:"))),
			page.Diff{Before: v.Before.Source(), After: x.Source()}}
	}
	text := page.Section{
		ID:     "text",
		Title:  "Text",
		Blocks: []page.Block{page.Prose{Lead: page.Line(page.T("By " + x.Author())), Text: x.Body}},
	}
	if x.Details != "" {
		text.Blocks = append([]page.Block{page.Code{Language: "text", Text: x.Details}}, text.Blocks...)
	}
	p.Blocks = []page.Block{change, text}
	return p
}
