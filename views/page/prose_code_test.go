package page

import (
	"strings"
	"testing"
)

// TestColouredCode colours the words of code whose language is known, and no others. The text stays
// the same. A difference has its added and removed lines marked.
func TestColouredCode(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"```go\nreturn \"a<b\" // why\n```", `<span class="tk-k">return</span> <span class="tk-s">&#34;a&lt;b&#34;</span> ` +
			`<span class="tk-c">// why</span>` + "\n"},
		{"```SQL\nSELECT f(12) -- all\n```", `<span class="tk-k">SELECT</span> <span class="tk-f">f</span>(<span class="tk-n">12</span>) ` +
			`<span class="tk-c">-- all</span>` + "\n"},
		{"```sh\necho 'open\n# é\n```", `echo <span class="tk-s">&#39;open</span>` + "\n" + `<span class="tk-c"># é</span>` + "\n"},
		{"```sh\nget http://127.0.0.1:8080/a#b 12\n```", `get http://127.0.0.1:8080/a#b <span class="tk-n">12</span>` + "\n"},
		{"```unknown\nreturn 1\n```", "return 1\n"},
		{"```\nreturn 1\n```", "return 1\n"},
		{"```diff\n--- a\n+++ b\n same\n-was\n+is\n```", "--- a\n+++ b\n same\n<del>-was</del>\n<ins>+is</ins>\n"},
	} {
		if got := string(convert(c.text, 3).html); !strings.Contains(got, ">"+c.want+"</code>") {
			t.Errorf("%.40q becomes\n%s\nwant\n%s", c.text, got, c.want)
		}
	}
}

// TestLongCodeIsPlain colours code up to 500 lines and 50 KiB, and none that is longer.
func TestLongCodeIsPlain(t *testing.T) {
	for _, c := range []struct {
		text     string
		coloured bool
	}{
		{strings.Repeat("return 1\n", 500), true},
		{strings.Repeat("return 1\n", 501), false},
		{"return " + strings.Repeat("x", 50<<10-8) + "\n", true},
		{"return " + strings.Repeat("x", 50<<10-7) + "\n", false},
	} {
		for _, language := range []string{"go", "diff"} {
			text := c.text
			if language == "diff" {
				text = "+" + text[1:]
			}
			html := string(colouredCode(text, language))
			if got := strings.Contains(html, "<span") || strings.Contains(html, "<ins>"); got != c.coloured {
				t.Errorf("%d bytes of %s, %d lines: coloured is %t", len(text), language, strings.Count(text,
					"\n"), got)
			}
		}
	}
}

// TestContents checks that the rail of a page links to each heading of a text with three headings. A text with two
// headings has no such list.
func TestContents(t *testing.T) {
	text := "# A *big* plan\n\none\n\n## Why & how\n\ntwo\n\n# When\n\nthree"
	p := Page{URL: "/n", Title: "Plan", Blocks: []Block{Prose{Text: text}, Rail{Para{T("By Bob")}}}}
	html := string(p.AppendHTML(nil, &Context{}))
	for _, want := range []string{`<a href="#q1-fnh-1">A big plan</a>`, `<h2 id="q1-fnh-1">`, `<a href="#q1-fnh-2">Why &amp; how</a>`,
		`<h3 id="q1-fnh-2">`, `<a href="#q1-fnh-3">When</a>`, `<h2 id="q1-fnh-3">`} {
		if !strings.Contains(html, want) {
			t.Errorf("%s is missing in\n%s", want, html)
		}
	}
	p.Blocks[0] = Prose{Text: "# One\n\n# Two"}
	if html := string(p.AppendHTML(nil, &Context{})); strings.Contains(html, "toc") || strings.Contains(html, "fnh") {
		t.Error("a text with two headings has a list of contents")
	}
}
