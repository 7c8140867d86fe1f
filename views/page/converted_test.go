package page

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// TestIndentation replaces each tab of an indentation by spaces up to the next multiple of four columns. Other tabs
// stay.
func TestIndentation(t *testing.T) {
	for text, want := range map[string]string{
		"a\tb": "a\tb", "\ta": "    a", " \ta": "    a", "   \ta": "    a", "    \ta": "        a",
		"-\ta": "-   a", "1.\ta": "1.  a",
		">\t\ta\tb": ">       a\tb", "a\n\tb": "a\n    b", "```\n\ta\n```\n\tb": "```\n\ta\n```\n    b",
		"~~~\n\ta":   "~~~\n\ta",
		"\t```\n\ta": "    ```\n\ta", "no tab": "no tab",
	} {
		if got := string(expandTabs(text)); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// TestTagsAreText shows the tags of HTML as text, and images from other sites as links.
func TestTagsAreText(t *testing.T) {
	for text, want := range map[string]string{
		"<b>": "> \\<b>\n", "a <b>c</b>": "> a \\<b>c\\</b>\n",
		"<div>\n<i>a</i>\n</div>":             "> \\<div>\n> \\<i>a\\</i>\n> \\</div>\n",
		"<script>\na\n</script>":              "> \\<script>\n> a\n> \\</script>\n",
		"<!-- a\n<b> -->\nc":                  "> \\<!-- a\n> \\<b> -->\n> c\n",
		"![a](https://b.example/c.png)":       "> [a](https://b.example/c.png)\n",
		"![](https://b.example/c.png)":        "> [image](https://b.example/c.png)\n",
		"![a](/files/c.png)":                  "> ![a](/files/c.png)\n",
		"a ![b](//c.example/d.png)":           "> a [b](//c.example/d.png)\n",
		"[![a](https://b.example/c.png)](/d)": "",
		"[a]: /b":                             "> ```text\n> [a]: /b\n> ```\n",
		"`<b>` and 1 < 2":                     "> `<b>` and 1 < 2\n",
		"    <b>":                             "> ```text\n",
		strings.Repeat("![", 6) + "a" + strings.Repeat("](//b)", 6): "> " + strings.Repeat("[", 6) + "a" +
			strings.Repeat("](//b)", 6) + "\n",
		"<script>\n\n</script><a@b.example>":    "> \\<script>\n>\n> \\</script>\\<a@b.example>\n",
		"![a](https://b.example/c.png)![d](/e)": "> [a](https://b.example/c.png)![d](/e)\n",
	} {
		got := string(convert(text, 0).quote)
		if text == "[![a](https://b.example/c.png)](/d)" || text == "    <b>" {
			if strings.Contains(got, "![a](https") {
				t.Errorf("%q is quoted as %q", text, got)
			}
			continue
		}
		if got != want {
			t.Errorf("%q is quoted as %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]bool{"> a": true, "> a\n\nb": false, "a": false, "> [a]: /b": false,
		"> a <b>":      false,
		"> <div>\n> a": false, "> ![a](https://b.example/c.png)": false, "> ![a](/c.png)": true,
		"> ![a](/c.png) ![a](//c.png)": false, "> ![a](//c.png) ![a](/c.png)": false, "> a\n\n> b": false,
		"> a[^1]\n>\n> [^1]: b": false} {
		if got := sealed(parseQuote(proseParser, []byte(text))); got != want {
			t.Errorf("%q is one quotation and nothing else: %v", text, got)
		}
	}
	for text, want := range map[string]string{"![a\\\\](javascript:b)": "<p>a\\</p>",
		"![a](/b.png)":  `<p><img src="/b.png" alt="a" loading="lazy"></p>`,
		"```\na\n```":   "<pre tabindex=\"0\"><code>a\n</code></pre>",
		"```x\na\n```":  "<pre tabindex=\"0\"><code class=\"language-x\">a\n</code></pre>",
		"a\n\n    b":    "<p>a</p>\n<pre tabindex=\"0\"><code>b\n</code></pre>",
		"<a@b.example>": `<p><a href="mailto:a@b.example" rel="nofollow noopener noreferrer">a@b.example</a></p>`,
	} {
		if got := string(convert(text, 2).html); got != want {
			t.Errorf("%q is shown as %s", text, got)
		}
	}
}

// TestLongTexts cuts a text at 32 KiB, at the end of a character.
func TestLongTexts(t *testing.T) {
	for _, letter := range []string{"m", "é", "世", "🌍"} {
		for at := range len(letter) {
			start := strings.Repeat("a", at)
			got := string(newSource(start + strings.Repeat(letter, proseLimit+1)).text)
			if n := len(got); n > proseLimit || n < proseLimit-len(letter)-2 || !strings.HasSuffix(got, letter+"…") {
				t.Errorf("%d bytes, and the last are %q", n, got[len(got)-8:])
			}
		}
	}
	whole := strings.Repeat("m", proseLimit)
	if got := string(newSource(whole).text); got != whole {
		t.Errorf("a text of exactly the limit is cut to %d bytes", len(got))
	}
	if !sentences(whole) || sentences(whole+"m") {
		t.Error("a plain text is cut at another length")
	}
}

// TestLargeHTML checks that a text has no HTML of more than 1 MiB, neither before it is sanitized nor after that.
func TestLargeHTML(t *testing.T) {
	for begin, around := range map[string]int{"": len("<p></p>\n"), "'": len("<p>&#39;</p>")} {
		fits := begin + strings.Repeat("a", htmlLimit-around)
		if html, _ := toHTML([]byte(fits), proseParser, 2); len(html) < htmlLimit-1 {
			t.Errorf("of a text that fits, %d bytes are shown", len(html))
		}
		if html, _ := toHTML([]byte(fits+"a"), proseParser, 2); html != nil {
			t.Errorf("a text that does not fit has %d bytes of HTML", len(html))
		}
	}
}

// TestPlainSentences distinguishes plain texts, which need no markdown parser, from texts that may have markup.
func TestPlainSentences(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "a": true, "Zz": true, "a.": true, "a:": true, "a ": false, "a\n": false, "a9": true,
		"a0": true, "9": false, "a\nb": true,
		"a\n\nb": true, "a\n\n\nb": false, "\na": false, "\n\na": false, "a  b": false, "a \nb": false,
		"a\n b": false, "a\n9": false,
		"www.": false, "see WWW.a": false, "www": true, "wwwb": true, "a www": true, "a: b": true,
		"a:\nb": true, "a:b": false, "a:/": false,
		"http://a": false, "a*": false, "{": false, "a`": false, "a@": false, "a[": false, "a\n\nwww.a": false,
		"a\n\nwe": true, "a\n:b": false,
		"a/": false, "a,;?!-()%": true, "é": false,
	} {
		if got := sentences(text); got != want {
			t.Errorf("%q is plain: %v", text, got)
		}
	}
}

// TestCostlyTexts checks the limits beyond which a text is shown without tables, or without any markup, because a
// parser would take too long.
func TestCostlyTexts(t *testing.T) {
	quotes := func(n int) string { return strings.Repeat(">", n) }
	for _, c := range []struct {
		name, text      string
		noTables, plain bool
	}{
		{"quotations", quotes(nestLimit) + "a>", false, false}, {"quotations and a dash",
			quotes(nestLimit) + "-a", false, false}, {"too many quotations",
			quotes(nestLimit+1) + "a", false, true},
		{"lists", strings.Repeat("- ", nestLimit) + "a", false, false}, {"too many lists", strings.Repeat("- ",
			nestLimit+1) + "a", false, true},
		{"a rule", strings.Repeat("-", 100), false, false}, {"a rule after a quotation",
			">" + strings.Repeat("-", 100), false, false},
		{"a spaced rule", strings.Repeat("- ", 10) + strings.Repeat("-", nestLimit), false, false},
		{"quotations later", "a" + quotes(100), false, false},
		{"a rule with some spaces", strings.Repeat("-", 50) + strings.Repeat(" ", nestLimit) + "a", false, false},
		{"a rule with too many spaces", strings.Repeat("-", 50) + strings.Repeat(" ", nestLimit+1) + "a", false, true},
		{"signs", strings.Repeat("a*", delimLimit), false, false}, {"too many signs", strings.Repeat("a*",
			delimLimit+1), false, true},
		{"a deep list", strings.Repeat(" ", indentLimit-1) + "- a", false, false},
		{"a list that is too deep", strings.Repeat(" ", indentLimit) + "- a", false, true},
		{"deep code", strings.Repeat(" ", indentLimit+1) + "a", false, false},
		{"cells", strings.Repeat("|", 99) + strings.Repeat("\n", cellLimit/100), false, false},
		{"too many cells", strings.Repeat("|", 99) + strings.Repeat("\n", cellLimit/100+1), true, false},
		{"too many columns", strings.Repeat("|", 100) + strings.Repeat("\n", cellLimit/100), true, false},
	} {
		if noTables, plain := guard([]byte(c.text)); noTables != c.noTables || plain != c.plain {
			t.Errorf("%s: without tables %v, without markup %v", c.name, noTables, plain)
		}
	}
}

// TestCostlyTextsArePlain converts a text that would take too long to parse. It becomes a code block in markdown and
// preformatted text in HTML. The test also checks the size of a converted text, and upTo.
func TestCostlyTextsArePlain(t *testing.T) {
	costly := strings.Repeat(">", nestLimit+1) + "a"
	if got := string(convert(costly, 0).quote); got != "> ```text\n> "+costly+"\n> ```\n" {
		t.Errorf("a costly text is quoted as %q", got)
	}
	if got := string(convert(costly, 2).html); !strings.HasPrefix(got, `<pre class="plain">`) {
		t.Errorf("a costly text is shown as %q", got)
	}
	p := prose{quote: make([]byte, 0, 10), html: make([]byte, 0, 20), marks: make([]mark, 0, 2)}
	if p.Size() != 10+20+2*48 {
		t.Errorf("a converted text has %d bytes", p.Size())
	}
	if lineLength("\na") != 0 || lineLength("a\n") != 1 || lineLength("a") != 1 {
		t.Error("a comment ends elsewhere")
	}
}

// TestNamesInTexts finds the names of members, such as @bob, and the addresses of pages in the HTML of a text.
func TestNamesInTexts(t *testing.T) {
	for html, want := range map[string][]string{
		"<p>@bob</p>": {"@bob"}, "@bob": {"@bob"}, "a @b-c_9, @d": {"@b-c_9", "@d"}, "a@b": nil,
		"À@b 1@b Z@b z@b A@b 0@b 9@b _@b é@b /@b .@b @@b": {"@"},
		"`@b {@b [@b :@b": {"@b", "@b", "@b", "@b"}, "@é": {"@é"}, "@b{": {"@b"}, "@b~@c": {"@b", "@c"},
		"/studios/a/d/b#c.": {"/studios/a/d/b#c"}, "/orgs/a.": {"/orgs/a"}, "/other/a": nil, "a /orgs": nil,
		"x/orgs/a":               nil,
		"<code>@bob</code> @eve": {"@eve"}, `<code class="a">@bob</code> @eve`: {"@eve"},
		"<pre>@bob</pre>@eve":                {"@eve"},
		`<a href="/orgs/a">/orgs/a</a> @eve`: {"/orgs/a", "@eve"}, `<a href="/orgs/a">@bob</a> @eve`: {"@eve"},
		`<a href="/studios/a">/studios/a</a>`: {"/studios/a"}, `<a href="/b">/b</a>@a`: {"@a"},
		"</a>@bob": {"@bob"}, "@bob<": {"@bob"},
		`<a href="https://h/orgs/a">https://h/orgs/a</a>`: {"https://h/orgs/a"}, "": nil, "a": nil,
	} {
		var got []string
		for _, m := range findNames([]byte(html)) {
			got = append(got, m.name)
			if m.name != "" && !strings.Contains(html[m.at:m.end], m.name) {
				t.Errorf("in %q, %s is at %q", html, m.name, html[m.at:m.end])
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("the names in %q are %q, want %q", html, got, want)
		}
	}
	for s, want := range map[string]bool{"/": true, "/a": true, "//a": false, "#": false, "#a": true,
		"a": false, "https://a": true, "": false} {
		if got := linkable([]byte(s)) != nil; got != want {
			t.Errorf("%q may be a link: %v", s, got)
		}
	}
	for text, want := range map[string]string{"<a@b.example>": `href="mailto:a@b.example"`,
		"<mailto:a@b.example>": `href="mailto:a@b.example"`,
		"a@b.example":          `href="mailto:a@b.example"`} {
		if got := string(convert(text, 2).html); !strings.Contains(got, want) || strings.Count(got,
			"<a ") != 1 || strings.Count(got, "</a>") != 1 {
			t.Errorf("%q is shown as %s", text, got)
		}
	}
}

// TestSizesOfDifferences counts the added and the removed lines, and finds the first line that is not blank. An added
// line is preferred.
func TestSizesOfDifferences(t *testing.T) {
	for _, c := range []struct {
		before, after  string
		added, removed int
		first          string
	}{
		{"a", "a", 0, 0, ""}, {"", "a\nb", 2, 0, "a"}, {"a\nb", "", 0, 2, "a"}, {"a", "b", 1, 1, "b"}, {"",
			"\n \n  c \nd", 4, 0, "c"},
		{"a\n\nb\nc", "a", 0, 3, "b"}, {"x\na\ny", "a\nb\nc", 2, 2, "b"},
	} {
		added, removed, first := Diff{Before: c.before, After: c.after}.Size()
		if added != c.added || removed != c.removed || first != c.first {
			t.Errorf("from %q to %q: +%d -%d %q", c.before, c.after, added, removed, first)
		}
	}
	// A change belongs to the hunk before it if at most six unchanged lines, twice the context, are between them.
	near := "a\n1\n2\n3\n4\n5\n6\nb"
	if got := (Diff{Before: near, After: strings.NewReplacer("a", "A", "b",
		"B").Replace(near)}).text(); strings.Count(got, "@@ ") != 1 {
		t.Errorf("two changes that are near:\n%s", got)
	}
	far := strings.Replace(near, "6", "6\n7", 1)
	if got := (Diff{Before: far, After: strings.NewReplacer("a", "A", "b",
		"B").Replace(far)}).text(); strings.Count(got, "@@ ") != 2 {
		t.Errorf("two changes that are far apart:\n%s", got)
	}
	for _, c := range [][2]string{{"", "a"}, {"a", ""}, {"a\nb", "b\na"}, {"x\nx\na\nx", "x\na\nx\nx"},
		{"a\nb\nc\nd\ne", "e\nb\nd\na"},
		{"p\np\nq\nr", "p\nq\nq\nr"}, {"a\na", "a"}, {"a", "a\na"}, {"b\na\nb", "b\nb"}} {
		before, after := splitLines(c[0]), splitLines(c[1])
		var x, y []string
		for _, e := range compare(before, after) {
			if e.op != '+' {
				x = append(x, e.line)
			}
			if e.op != '-' {
				y = append(y, e.line)
			}
		}
		if !slices.Equal(x, before) || !slices.Equal(y, after) {
			t.Errorf("the difference of %q and %q has %q and %q", before, after, x, y)
		}
	}
	if got := matches([]string{"s", "p", "p", "a"}, []string{"t", "p", "p", "a"}); !slices.Equal(got,
		[]match{{1, 1}, {2, 2}, {3, 3}}) {
		t.Errorf("the lines before a common one match at %v", got)
	}
	if got := matches([]string{"x", "a", "y", "b", "z"}, []string{"b", "y", "a"}); !slices.Equal(got, []match{{3, 0}}) {
		t.Errorf("lines in another order match at %v", got)
	}
}

// TestCards checks the title and the description of a page's preview card. Both are empty for a page without a card.
func TestCards(t *testing.T) {
	c := &Context{Now: now}
	for _, x := range []struct {
		page        Page
		title, says string
	}{
		{Page{Title: "A", Preview: &Preview{Title: "B", State: "Open", Kind: "Decision", Place: "Team"}}, "B",
			"Open decision · Team"},
		{Page{Preview: &Preview{Title: "B", Kind: "Decision"}}, "B", "Decision"},
		{Page{Preview: &Preview{Title: "B", State: "Open"}}, "B", ""},
		{Page{Preview: &Preview{Title: "B", Head: "H", State: "Open", Kind: "Decision"}}, "B", "H"},
		{Page{Preview: &Preview{Kind: "Decision"}}, "", ""}, {Page{Title: "A"}, "", ""},
		{Page{Title: "A", Public: true, Kind: "Note"}, "A", "Note"}, {Page{Title: "A", Public: true,
			Kind: "Note", State: Line(T("Open."))}, "A", "Open."},
		{Page{Public: true}, "(empty)", ""},
	} {
		if title, says := x.page.Card(c); title != x.title || says != x.says {
			t.Errorf("%+v has the card %q, %q", x.page, title, says)
		}
	}
	v := &Preview{Until: "closes", At: now}
	if got := v.Due(time.FixedZone("CET", 3600)); got != "closes Fri 20 Nov 2026 13:00 CET" {
		t.Errorf("it %s", got)
	}
	if got := (&Preview{Until: "closes"}).Due(nil); got != "" {
		t.Errorf("without a time, it %s", got)
	}
}

// TestTextsOfAPage checks that Page.Texts finds the texts in all blocks, and that it stops when the loop over them
// ends.
func TestTextsOfAPage(t *testing.T) {
	prose, said := Prose{Text: "a"}, Said{Text: "b"}
	for _, blocks := range [][]Block{{prose, said}, {said, prose}, {Section{Blocks: []Block{prose}}, Rail{said},
		Talk{Blocks: []Block{prose}}}} {
		p := Page{Blocks: blocks}
		n := 0
		for range p.Texts {
			n++
			break
		}
		all := slices.Collect(p.Texts)
		if n != 1 || len(all) != max(2, len(blocks)) {
			t.Errorf("the texts are %q", all)
		}
	}
}
