package page

import (
	"fmt"
	"strings"
	"testing"

	"samepage/actions/param"
)

// TestFew checks that a list in a section is cut at the limit of the section, with a link to the rest. A single line
// is never left out.
func TestFew(t *testing.T) {
	lines := func(n int) (l List) {
		for i := range n {
			l = append(l, Line(T(fmt.Sprintf("line %d", i+1))))
		}
		return l
	}
	tree := Tree{{Line: Line(T("line 1")), Below: Tree{{Line: Line(T("line 2"))}, {Line: Line(T("line 3"))},
		{Line: Line(T("line 4"))}}}, {Line: Line(T("line 5"))}}
	table := Table{Columns: []Column{{Title: "Line"}}}
	for _, l := range lines(5) {
		table.Rows = append(table.Rows, Row{Cells: [][]Inline{l}})
	}
	for _, c := range []struct {
		name  string
		block Block
		few   Few
		full  bool
		lines int
		says  string
	}{
		{"no limit", lines(5), Few{}, false, 5, ""},
		{"list", lines(5), Few{Most: 3}, false, 3, "\n[2 more](/x?full=1)\n"},
		{"own page", lines(5), Few{Most: 3, More: "/all"}, false, 3, "\n[2 more](/all)\n"},
		{"one more", lines(4), Few{Most: 3}, false, 4, ""},
		{"in full", lines(5), Few{Most: 3}, true, 5, ""},
		{"tree", tree, Few{Most: 3}, false, 3, "\n[2 more](/x?full=1)\n"},
		{"table", table, Few{Most: 3}, false, 3, "\n[2 more](/x?full=1)\n"},
	} {
		p := &Page{URL: "/x", Title: "X", Blocks: []Block{Section{Title: "S", Blocks: []Block{c.block}, Few: c.few}, lines(5)}}
		text := string(p.AppendMarkdown(nil, &Context{Now: now, Full: c.full}))
		if n := strings.Count(text, "line ") - 5; n != c.lines {
			t.Errorf("%s: %d lines, not %d, in\n%s", c.name, n, c.lines, text)
		}
		if strings.Contains(text, " more](") != (c.says != "") || !strings.Contains(text, c.says) {
			t.Errorf("%s does not say %q:\n%s", c.name, c.says, text)
		}
	}
}

// TestSeenParts checks that a page leaves out the parts that its reader has read, and nothing else.
func TestSeenParts(t *testing.T) {
	p := &Page{URL: "/x", Title: "X", People: []Handover{{Title: "Close", URL: "/x/actions/close", Who: "bob"}},
		Blocks: []Block{Para{T("first")}, Section{Title: "One", Blocks: []Block{Para{T("second")}}},
			Section{Title: "Two", Blocks: []Block{Para{T("third")}}}},
		Forms: []Form{{Name: "comment", URL: "/x/actions/comment", Known: true}, {Name: "join", URL: "/x/actions/join"}}}
	var seen []Part
	c := &Context{Now: now, Shown: func(parts []Part) { seen = append([]Part{}, parts...) }}
	whole := string(p.AppendMarkdown(nil, c))
	if strings.Contains(whole, "as you read it") || !strings.Contains(whole, "- also: `comment`") {
		t.Errorf("the first reading is not whole:\n%s", whole)
	}
	p.Blocks[2] = Section{Title: "Two", Blocks: []Block{Para{T("changed")}}}
	c.Seen = seen
	text := string(p.AppendMarkdown(nil, c))
	for _, s := range []string{"changed", "The rest is as you read it: One, For people, the other actions. [The whole page](/x).",
		"- **join**", `actions: ["comment","join"]`} {
		if !strings.Contains(text, s) {
			t.Errorf("no %q in\n%s", s, text)
		}
	}
	for _, s := range []string{"first", "second", "**For people**", "`comment`"} {
		if strings.Contains(text, s) {
			t.Errorf("%q again in\n%s", s, text)
		}
	}
	c.Full = true
	if text = string(p.AppendMarkdown(nil, c)); strings.Contains(text, "as you read it") || !strings.Contains(text, "second") {
		t.Errorf("the full page is not whole:\n%s", text)
	}
}

// TestOptionalFields checks that optional fields share a line, and that the page of the action describes them.
func TestOptionalFields(t *testing.T) {
	p := &Page{URL: "/x", Title: "X", Forms: []Form{{Name: "ask", URL: "/x/actions/ask", Fields: []param.Field{
		{Name: "question", Kind: param.Text, Doc: "What to ask."},
		{Name: "kind", Kind: param.Choice, Optional: true, Options: []param.Option{{Value: "a"}, {Value: "b"}}, Doc: "Which kind."},
		{Name: "until", Kind: param.Time, Optional: true, Doc: "The end."},
		{Name: "rare", Kind: param.Flag, Optional: true, More: true, Doc: "Rare."}}}}}
	want := "  - `question` (text): What to ask.\n  - optional: `kind` (`a` `b`), `until` time such as 3d, and 1 more\n" +
		"- every parameter: see `/x/actions`\n"
	if text := string(p.AppendMarkdown(nil, &Context{Now: now})); !strings.HasSuffix(text, want) {
		t.Errorf("want %q at the end of\n%s", want, text)
	}
	p.Only = true
	text := string(p.AppendMarkdown(nil, &Context{Now: now}))
	for _, s := range []string{"Which kind.", "The end.", "Rare."} {
		if !strings.Contains(text, s) {
			t.Errorf("the page of the action does not say %q:\n%s", s, text)
		}
	}
}
