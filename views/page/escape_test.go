package page

import (
	"strings"
	"testing"
)

// TestEscapesByPosition writes texts as a paragraph, as the title of a page, in the cell of a table, and as the text
// of a link. A character gets a backslash only where it would mean something. An empty string in the table stands for
// the text of the paragraph.
func TestEscapesByPosition(t *testing.T) {
	inside := func(b Block, before, after string) string {
		p := Page{URL: "/", Title: "x", Blocks: []Block{b}}
		_, s, _ := strings.Cut(string(p.AppendMarkdown(nil, &Context{})), "# x\n\n")
		return strings.TrimSuffix(strings.TrimPrefix(s, before), after)
	}
	for _, c := range []struct{ text, line, heading, cell, label string }{
		{"a_b", "a_b", "", "", ""},
		{"_a", "\\_a", "", "", ""},
		{"a_", "a\\_", "", "", ""},
		{"a _b", "a \\_b", "", "", ""},
		{"é_a", "é\\_a", "", "", ""},
		{"a_é", "a\\_é", "", "", ""},
		{"\\a", "\\a", "", "", ""},
		{"\\*", "\\\\\\*", "", "", ""},
		{"a\\", "a\\\\", "", "", ""},
		{"[x](y)", "\\[x](y)", "", "", "\\[x\\](y)"},
		{"<", "\\<", "", "", ""},
		{"<a", "\\<a", "", "", ""},
		{"</a", "\\</a", "", "", ""},
		{"<!a", "\\<!a", "", "", ""},
		{"<?a", "\\<?a", "", "", ""},
		{"< a", "< a", "", "", ""},
		{"&", "\\&", "", "", ""},
		{"&amp;", "\\&amp;", "", "", ""},
		{"&#1;", "\\&#1;", "", "", ""},
		{"&#x1;", "\\&#x1;", "", "", ""},
		{"&;", "&;", "", "", ""},
		{"&a b;", "&a b;", "", "", ""},
		{">a", "\\>a", ">a", ">a", ">a"},
		{"a>b", "a>b", "", "", ""},
		{"#", "\\#", "\\#", "#", "#"},
		{"# a", "\\# a", "\\# a", "# a", "# a"},
		{"## a", "\\## a", "\\#\\# a", "## a", "## a"},
		{"#a", "#a", "", "", ""},
		{"a #", "a #", "a \\#", "", ""},
		{"a # b", "a # b", "a \\# b", "", ""},
		{"a#", "a#", "", "", ""},
		{"-", "\\-", "-", "-", "-"},
		{"- a", "\\- a", "- a", "- a", "- a"},
		{"--", "\\--", "--", "--", "--"},
		{"-a", "-a", "", "", ""},
		{"+ a", "\\+ a", "+ a", "+ a", "+ a"},
		{"==", "\\==", "==", "==", "=="},
		{"=a", "=a", "", "", ""},
		{": a", "\\: a", ": a", ": a", ": a"},
		{"a: b", "a: b", "", "", ""},
		{"http:", "http\\:", "", "", ""},
		{"http:a", "http:a", "", "", ""},
		{"HTTPS://a", "HTTPS\\://a", "", "", ""},
		{"ftp://a", "ftp\\://a", "", "", ""},
		{"tp://a", "tp://a", "", "", ""},
		{"www.a", "www\\.a", "", "", ""},
		{"ww.a", "ww.a", "", "", ""},
		{"0. a", "0\\. a", "0. a", "0. a", "0. a"},
		{"9) a", "9\\) a", "9) a", "9) a", "9) a"},
		{"1.", "1\\.", "1.", "1.", "1."},
		{"1.5", "1.5", "", "", ""},
		{"123456789. a", "123456789\\. a", "123456789. a", "123456789. a", "123456789. a"},
		{"1234567890. a", "1234567890. a", "", "", ""},
		{"12a. b", "12a. b", "", "", ""},
		{"@a", "@a", "", "", ""},
		{"a@ b", "a@ b", "", "", ""},
		{"a@b", "a\\@b", "", "", ""},
		{"!@b", "!\\@b", "", "", ""},
		{"(@b", "(@b", "", "", ""},
		{"a|b", "a|b", "", "a\\|b", ""},
		{"~~a", "\\~\\~a", "", "", ""},
		{"`a`", "\\`a\\`", "", "", ""},
	} {
		p := Page{URL: "/", Title: c.text}
		_, heading, _ := strings.Cut(string(p.AppendMarkdown(nil, &Context{})), "\n# ")
		for _, x := range []struct{ where, got, want string }{
			{"a paragraph", inside(Para(Line(T(c.text))), "", "\n"), c.line},
			{"a heading", strings.TrimSuffix(heading, "\n"), c.heading},
			{"a cell", inside(Table{Columns: []Column{{Title: "C"}}, Rows: []Row{{Cells: [][]Inline{Line(T(c.text))}}}},
				"| C |\n| --- |\n| ", " |\n"), c.cell},
			{"a link", inside(Para(Line(Link(c.text, "/y"))), "[", "](/y)\n"), c.label},
		} {
			if x.want == "" {
				x.want = c.line
			}
			if x.got != x.want {
				t.Errorf("%q in %s is %q, want %q", c.text, x.where, x.got, x.want)
			}
		}
	}
}

// TestAddressesCanBeCopied writes refusals that lead to an address with characters that markdown escapes. The source of
// the page must have each address as it is, in the text of the link, too.
func TestAddressesCanBeCopied(t *testing.T) {
	for _, address := range []string{"/studios/x/open", "/studios/x/_a", "/studios/x/files/b_/c*", "/studios/x/worktrees/~d",
		"/search?q=`e`", "/f[1]&"} {
		sentence := "It is gone. Go on at " + address + "."
		p := Page{URL: "/", Title: "x", State: Linked(sentence, []string{address})}
		got := string(p.AppendMarkdown(nil, &Context{Failure: sentence, Leads: []string{address}}))
		if n := strings.Count(got, address); n < 2 || strings.Contains(got, "\\") {
			t.Errorf("%q is %d times in\n%s", address, n, got)
		}
	}
}
