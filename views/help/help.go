// Package help builds the pages that have no data of members, such as the help texts and the catalogue of actions.
package help

import (
	"embed"
	"fmt"
	"strings"

	"samepage/views/page"
)

//go:embed *.md
var files embed.FS

// Text returns the help page of the markdown file with this name. It panics if the file is missing or has no title,
// because the program must not start without its help.
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
		Kind:   "Guide",
		Public: true,
		Blocks: []page.Block{page.Doc(strings.TrimSpace(body))},
	}
	if name == "help" {
		p.Kind = "Help"
	} else {
		p.Trail = page.Line(page.Link("Help", "/help"))
	}
	return p
}

// Code is an error code with its HTTP status.
type Code struct {
	Code, Meaning string
	Status        int
}

// Errors returns the page that lists all error codes. A code never changes its meaning.
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
