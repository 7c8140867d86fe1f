package help

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"samepage/actions/param"
	"samepage/views/page"
)

// Verb describes one action of the catalogue.
type Verb struct {
	Name, Title, Doc, Scope string
	Noun                    Noun   // kind of subject, or [Several]
	Who                     string // words for the members that may take the action in some state of the subject
	HumanOnly, Destructive  bool
	Aliases, Pages          []string
	Effects                 []string // effects for which a rule can require approval, without the action's own name
	Fields                  []param.Field
}

// Noun is a kind of subject of actions.
type Noun struct {
	Name, Text string
	States     []string
}

// Several is the noun of an action on several kinds of subjects.
var Several = Noun{Name: "several nouns", Text: "Actions that are the same on several kinds of pages."}

const catalogueURL = "/help/catalogue"

// partSize is the approximate number of characters of the actions on one page. In markdown, a page has at most 10,000
// characters.
const partSize = 8_500

// Catalogue returns a page with actions on a noun, from the action that follows the one in the argument after. For an
// empty or unknown noun, it returns the first page, which lists the names of all actions.
func Catalogue(verbs []Verb, noun, after string) page.Page {
	byNoun := map[string][]*Verb{}
	for i := range verbs {
		byNoun[verbs[i].Noun.Name] = append(byNoun[verbs[i].Noun.Name], &verbs[i])
	}
	nouns := slices.Sorted(maps.Keys(byNoun))
	p := page.Page{Title: "Every action", Kind: "Catalogue", Trail: page.Line(page.Link("Help", "/help")), Public: true}
	list := byNoun[noun]
	if list == nil {
		p.State = page.Line(page.Sentence(strconv.Itoa(len(verbs)) + " actions, by the noun that each is taken on; the page of a " +
			"noun tells parameters, rights and effects. Which of them you may take is listed on each page, and only there."))
		if noun != "" {
			p.Blocks = append(p.Blocks, page.Para(page.Line(page.T("There is no noun "+noun+" here. These are all."))))
		}
		l := page.List{}
		for _, n := range nouns {
			l = append(l, append(page.Line(page.Link(n, nounURL(n, "")), page.T(", "+strconv.Itoa(len(byNoun[n]))+": ")),
				monos(names(byNoun[n]))...))
		}
		p.Blocks = append(p.Blocks, l)
		p.Continue("The first of them", nounURL(nouns[0], ""))
		return p
	}
	p.Title, p.Trail = "Actions on "+noun, append(p.Trail, page.Link("Every action", catalogueURL))
	from := 0
	for i, v := range list {
		if v.Name == after {
			from = i + 1
		}
	}
	to, size := from, 0
	for to < len(list) && (to == from || size+list[to].size() <= partSize || list[to].Name == list[to-1].Name) {
		size += list[to].size()
		p.Blocks = append(p.Blocks, list[to].section(to > from && list[to].Name == list[to-1].Name))
		to++
	}
	p.State = page.Line(page.Sentence(strconv.Itoa(len(list)) + " actions, " + strconv.Itoa(from+1) + " to " + strconv.Itoa(to) +
		" here. Which of them you may take is listed on each page, and only there."))
	more, at := "The others on "+noun, slices.Index(nouns, noun)
	switch {
	case to < len(list):
		p.Next = nounURL(noun, list[to-1].Name)
	case at+1 < len(nouns):
		more, p.Next = "Actions on "+nouns[at+1], nounURL(nouns[at+1], "")
	default:
		return p
	}
	p.Blocks = append(p.Blocks, page.Para(page.Line(page.Link(more, p.Next))))
	return p
}

func nounURL(noun, after string) string {
	u := catalogueURL + "?noun=" + strings.ReplaceAll(noun, " ", "+")
	if after != "" {
		u = catalogueURL + "?after=" + after + "&noun=" + strings.ReplaceAll(noun, " ", "+")
	}
	return u
}

func names(list []*Verb) (names []string) {
	for _, v := range list {
		if !slices.Contains(names, v.Name) {
			names = append(names, v.Name)
		}
	}
	return names
}

// monos returns names as separate inlines, because a long inline may be cut.
func monos(names []string) (line []page.Inline) {
	for i, name := range names {
		if i > 0 {
			line = append(line, page.T(", "))
		}
		line = append(line, page.Mono(name))
	}
	return line
}

func (v *Verb) size() int {
	n := 300 + utf8.RuneCountInString(v.Doc)
	for _, list := range [][]string{v.Pages, v.Aliases, v.Effects} {
		for _, s := range list {
			n += len(s) + 2
		}
	}
	for i := range v.Fields {
		n += 30 + len(v.Fields[i].Name) + utf8.RuneCountInString(v.Fields[i].Doc)
	}
	return n
}

// section returns the section on the action. If again is true, an earlier section has the same anchor, and this section
// gets none.
func (v *Verb) section(again bool) page.Section {
	agents := "; agents with the scope " + v.Scope
	if v.HumanOnly {
		agents = "; no agents"
	}
	f := page.Facts{{Label: "On", Value: monos(v.Pages)},
		{Label: "For", Value: page.Line(page.Sentence(v.Who + agents))}}
	if len(v.Aliases) > 0 {
		f = append(f, page.Fact{Label: "Elsewhere called", Value: monos(v.Aliases)})
	}
	if len(v.Effects) > 0 {
		f = append(f, page.Fact{Label: "Effects", Value: monos(v.Effects)})
	}
	if v.Destructive {
		f = append(f, page.Fact{Label: "Careful", Value: page.Line(page.T("cannot be undone"))})
	}
	blocks := []page.Block{page.Para(page.Line(page.Sentence(v.Doc))), f}
	if len(v.Fields) > 0 {
		t := page.Table{Caption: "Parameters of " + v.Name, Columns: page.Columns("Parameter", "Kind", "What")}
		for _, x := range v.Fields {
			kind := string(x.Kind)
			if x.Optional {
				kind += ", optional"
			}
			t.Rows = append(t.Rows, page.Row{Cells: [][]page.Inline{
				page.Line(page.Mono(x.Name)),
				page.Line(page.T(kind)),
				page.Line(page.Sentence(x.Doc)),
			}})
		}
		blocks = append(blocks, t)
	}
	id := v.Name
	if again {
		id = ""
	}
	return page.Section{ID: id, Title: v.Name, Blocks: blocks}
}
