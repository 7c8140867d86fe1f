package page

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// TestNamesInProse checks which texts become links and which stay as written, on a page that knows
// @anna and the address of one note.
func TestNamesInProse(t *testing.T) {
	const note, title = "/studios/team/n/n1", "A <title>"
	anna := `<a href="/orgs/acme/members/anna">@anna</a>`
	named := func(as, anchor string) string {
		return `<a href="` + note + anchor + `"><span hidden>` + as +
			`</span><span data-extra>A &lt;title&gt;</span></a>`
	}
	for _, c := range [][2]string{
		{"@anna", anna},
		{"(@Anna), *@anna* and @anna-", "(" + strings.Replace(anna, "@a", "@A", 1) + "), <em>" + anna + "</em> and @anna-"},
		{"@bob", "@bob"},
		{"x@anna @@anna /@anna .@anna é@anna", "x@anna @@anna /@anna .@anna é@anna"},
		{"@annas @anna_b", "@annas @anna_b"},
		{"`@anna` @anna", "<code>@anna</code> " + anna},
		{"[the @anna](/x) @anna", `<a href="/x">the @anna</a> ` + anna},
		{"See " + note + ".", "See " + named(note, "") + "."},
		{"https://here.example" + note, named("https://here.example"+note, "")},
		{"<https://here.example" + note + ">", named("https://here.example"+note, "")},
		{"https://here.example" + note + "#c3", named("https://here.example"+note+"#c3", "#c3")},
		{"[words](" + note + ")", `<a href="` + note + `">words</a>`},
		{"`" + note + "`", "<code>" + note + "</code>"},
		{"https://there.example" + note, `<a href="https://there.example` + note +
			`" rel="nofollow noopener noreferrer">https://there.example` + note + `</a>`},
		{note + "/history", note + "/history"},
		{"/studios/team/n/n2", "/studios/team/n/n2"},
	} {
		p := &Page{URL: "/x", Title: "X", Blocks: []Block{Prose{Text: c[0]}},
			Names: map[string]Name{"@anna": {URL: "/orgs/acme/members/anna"}, note: {note, title}}}
		html := string(p.AppendHTML(nil, &Context{Origin: "https://here.example", Now: time.Now()}))
		_, html, _ = strings.Cut(html, "<blockquote class=\"prose\">\n<p>")
		if html, _, _ = strings.Cut(html, "</p>\n</blockquote>"); html != c[1] {
			t.Errorf("%s\n is %s\nnot %s", c[0], html, c[1])
		}
	}
	p := &Page{Blocks: []Block{Prose{Text: "a"}, Section{
		Blocks: []Block{Para(nil), Details{Blocks: []Block{Prose{Text: "b"}}}, Prose{Text: "c"}},
	}}}
	if got := strings.Join(slices.Collect(p.Texts), " "); got != "a b c" {
		t.Errorf("the texts are %s", got)
	}
}
