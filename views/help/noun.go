package help

import (
	"slices"
	"strings"

	"samepage/views/page"
)

const nounsURL = "/help/nouns"

// Nouns returns the page that defines each noun (see [Noun]) and links to its page.
func Nouns(verbs []Verb) page.Page {
	p := nounPage("What there is", "Nouns")
	f := page.Facts{}
	for _, n := range nounsOf(verbs) {
		f = append(f, page.Fact{Label: upper(n.Name),
			Value: page.Line(page.Sentence(n.Text+" "), page.Link("More on "+n.Name, n.url()))})
	}
	p.Blocks = []page.Block{f}
	return p
}

// OneNoun returns the page of a noun. The argument address is the last part of the page's path. The result is false if
// there is no such noun.
func OneNoun(verbs []Verb, address string) (page.Page, bool) {
	list := nounsOf(verbs)
	i := slices.IndexFunc(list, func(n Noun) bool { return n.url() == nounsURL+"/"+address })
	if i < 0 {
		return page.Page{}, false
	}
	noun := list[i]
	p := nounPage(upper(noun.Name), "Noun")
	p.Trail = append(p.Trail, page.Link("What there is", nounsURL))
	p.State = page.Line(page.Sentence(noun.Text))
	if len(noun.States) > 0 {
		p.Blocks = append(p.Blocks, page.Section{ID: "states", Title: "States", Blocks: []page.Block{
			page.Para(monos(noun.States))}})
	}
	t := page.Table{Caption: "Actions", Lines: true, Columns: page.Columns("Action", "Name", "What")}
	for j := range verbs {
		if v := &verbs[j]; v.Noun.Name == noun.Name {
			t.Rows = append(t.Rows, page.Row{Cells: [][]page.Inline{page.Line(page.T(v.Title)), page.Line(page.Mono(v.Name)),
				page.Line(page.Sentence(v.Doc))}})
		}
	}
	p.Blocks = append(p.Blocks, page.Section{ID: "actions", Title: "What can be done", Blocks: []page.Block{t, page.Para(page.Line(
		page.Link("Their parameters, rights and effects", nounURL(noun.Name, ""))))}})
	if i+1 < len(list) {
		p.Continue(upper(list[i+1].Name), list[i+1].url())
	}
	return p, true
}

func nounPage(title, kind string) page.Page {
	return page.Page{Title: title, Kind: kind, Trail: page.Line(page.Link("Help", "/help")), Public: true}
}

func nounsOf(verbs []Verb) (list []Noun) {
	for i := range verbs {
		list = append(list, verbs[i].Noun)
	}
	slices.SortFunc(list, func(a, b Noun) int { return strings.Compare(a.Name, b.Name) })
	return slices.CompactFunc(list, func(a, b Noun) bool { return a.Name == b.Name })
}

func (n Noun) url() string { return nounsURL + "/" + strings.ReplaceAll(n.Name, " ", "-") }

func upper(noun string) string { return strings.ToUpper(noun[:1]) + noun[1:] }
