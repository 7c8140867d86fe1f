// Package help holds the pages that have no data of members: the help texts, which are markdown
// files, the catalogue of actions, and the list of error codes.
package help

import (
	"embed"
	"fmt"
	"strings"

	"samepage/actions/param"
	"samepage/views/page"
)

//go:embed *.md
var files embed.FS

// Text returns the help page in the file of that name. It panics if the file is missing or has no
// title, because the program must not start without its help.
func Text(name string) page.Page {
	data, err := files.ReadFile(name + ".md")
	if err != nil {
		panic(err)
	}
	title, body, ok := strings.Cut(string(data), "\n")
	if !ok || !strings.HasPrefix(title, "# ") {
		panic(name + ".md must begin with a title")
	}
	p := page.Page{
		Title:  title[2:],
		Kind:   "Help",
		Public: true,
		Blocks: []page.Block{page.Doc(strings.TrimSpace(body))},
	}
	if name != "help" {
		p.Trail = page.Line(page.Link("Help", "/help"))
	}
	return p
}

// Verb is one action in the catalogue, with the pages that may offer it.
type Verb struct {
	Name, Title, Doc, Scope string
	Who                     string // the relations that are allowed in any state
	HumanOnly, Destructive  bool
	Aliases, Pages          []string
	Effects                 []string // the names by which a rule asks for it, other than its own
	Fields                  []param.Field
}

// Catalogue lists all actions.
func Catalogue(verbs []Verb) page.Page {
	p := page.Page{Title: "Every action", Kind: "Catalogue", Trail: page.Line(page.Link("Help", "/help")), Public: true,
		State: page.Line(page.Sentence(fmt.Sprintf(
			"%d actions. Which of them you may take is listed on each page, and only there.",
			len(verbs),
		)))}
	for i := range verbs {
		v := &verbs[i]
		agents := "; agents with the scope " + v.Scope
		if v.HumanOnly {
			agents = "; no agents"
		}
		f := page.Facts{{Label: "On", Value: page.Line(page.Mono(strings.Join(v.Pages, ", ")))},
			{Label: "For", Value: page.Line(page.Sentence(v.Who + agents))}}
		if len(v.Aliases) > 0 {
			f = append(f, page.Fact{
				Label: "Elsewhere called",
				Value: page.Line(page.Mono(strings.Join(v.Aliases, ", "))),
			})
		}
		if len(v.Effects) > 0 {
			f = append(f, page.Fact{Label: "Effects", Value: page.Line(page.Mono(strings.Join(v.Effects, ", ")))})
		}
		if v.Destructive {
			f = append(f, page.Fact{Label: "Careful", Value: page.Line(page.T("cannot be undone"))})
		}
		blocks := []page.Block{page.Para(page.Line(page.Sentence(v.Doc))), f}
		if len(v.Fields) > 0 {
			t := page.Table{
				Caption: "Parameters of " + v.Name,
				Columns: []page.Column{{Title: "Parameter"}, {Title: "Kind"}, {Title: "What"}},
			}
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
		if i > 0 && verbs[i-1].Name == id {
			id = "" // the anchor leads to the first of this name
		}
		p.Blocks = append(p.Blocks, page.Section{ID: id, Title: v.Name, Blocks: blocks})
	}
	return p
}

// Code is one error code.
type Code struct {
	Code, Meaning string
	Status        int
}

// Errors lists the codes of errors, which are stable.
func Errors(codes []Code) page.Page {
	t := page.Table{
		Caption: "Errors",
		Columns: []page.Column{{Title: "Code"}, {Title: "Status", Number: true}, {Title: "Meaning"}},
	}
	for _, c := range codes {
		t.Rows = append(t.Rows, page.Row{Cells: [][]page.Inline{
			page.Line(page.Mono(c.Code)),
			page.Line(page.T(fmt.Sprint(c.Status))),
			page.Line(page.Sentence(c.Meaning)),
		}})
	}
	return page.Page{Title: "What the errors mean", Kind: "Errors", Trail: page.Line(page.Link("Help", "/help")), Public: true,
		State: page.Line(page.Sentence(
			"Every error says what happened, why, and what to do now. Its code never changes.",
		)),
		Blocks: []page.Block{t, page.Para(page.Line(page.Sentence(
			"Whatever the error, nothing was half done: an action happens whole or not at all.",
		)))}}
}
