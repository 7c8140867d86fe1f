package help

import (
	"slices"
	"strings"

	"samepage/views/page"
)

const nounsURL = "/help/nouns"

// nounTexts has a definition of each noun of the catalogue. They are the lines of nouns.md.
var nounTexts = func() map[string]string {
	data, err := files.ReadFile("nouns.md")
	if err != nil {
		panic(err)
	}
	list := map[string]string{}
	for line := range strings.Lines(string(data)) {
		if noun, text, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
			list[noun] = text
		}
	}
	return list
}()

// Nouns returns the page that defines each noun and links to the page of each.
func Nouns(verbs []Verb) page.Page {
	p := nounPage("What there is", "Nouns")
	f := page.Facts{}
	for _, n := range nounsOf(verbs) {
		f = append(f, page.Fact{Label: upper(n),
			Value: page.Line(page.Sentence(nounTexts[n]+" "), page.Link("More on "+n, nounsURL+"/"+slug(n)))})
	}
	p.Blocks = []page.Block{f}
	return p
}

// OneNoun returns the page of the noun in an address, with its definition, its states and the actions on it. The result is
// false if there is no such noun.
func OneNoun(verbs []Verb, address string, states []string) (page.Page, bool) {
	list := nounsOf(verbs)
	i := slices.IndexFunc(list, func(n string) bool { return slug(n) == address })
	if i < 0 {
		return page.Page{}, false
	}
	noun := list[i]
	p := nounPage(upper(noun), "Noun")
	p.Trail = append(p.Trail, page.Link("What there is", nounsURL))
	p.State = page.Line(page.Sentence(nounTexts[noun]))
	if len(states) > 0 {
		p.Blocks = append(p.Blocks, page.Section{ID: "states", Title: "States", Blocks: []page.Block{
			page.Para(monos(states))}})
	}
	t := page.Table{Caption: "Actions", Lines: true, Columns: []page.Column{{Title: "Action"}, {Title: "Name"}, {Title: "What"}}}
	for j := range verbs {
		if v := &verbs[j]; v.Noun == noun {
			t.Rows = append(t.Rows, page.Row{Cells: [][]page.Inline{page.Line(page.T(v.Title)), page.Line(page.Mono(v.Name)),
				page.Line(page.Sentence(v.Doc))}})
		}
	}
	p.Blocks = append(p.Blocks, page.Section{ID: "actions", Title: "What can be done", Blocks: []page.Block{t, page.Para(page.Line(
		page.Link("Their parameters, rights and effects", nounURL(noun, ""))))}})
	if i+1 < len(list) {
		p.Next = nounsURL + "/" + slug(list[i+1])
		p.Blocks = append(p.Blocks, page.Para(page.Line(page.Link(upper(list[i+1]), p.Next))))
	}
	return p, true
}

func nounPage(title, kind string) page.Page {
	return page.Page{Title: title, Kind: kind, Trail: page.Line(page.Link("Help", "/help")), Public: true}
}

// nounsOf returns the nouns of actions in alphabetical order.
func nounsOf(verbs []Verb) (list []string) {
	for i := range verbs {
		list = append(list, verbs[i].Noun)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func slug(noun string) string { return strings.ReplaceAll(noun, " ", "-") }

func upper(noun string) string { return strings.ToUpper(noun[:1]) + noun[1:] }
