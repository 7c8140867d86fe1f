package page

import (
	"strings"
	"testing"
	"time"

	"samepage/actions/param"
)

// TestShortTimes writes times on both sides of each bound at which their words change.
func TestShortTimes(t *testing.T) {
	const day = 24 * time.Hour
	c := &Context{Now: now} // Friday, 20 November 2026, 12:00 UTC
	for d, want := range map[time.Duration]string{
		0: "now", -time.Minute: "1 min ago", -(day - time.Minute): "23 h ago", -day: "Thu 12:00",
		day - time.Minute: "in 23 h", day: "in 1 day", 2*day - time.Minute: "in 1 day", 2 * day: "in 2 days",
		14*day - time.Minute: "in 13 days", 14 * day: "4 Dec", 60 * day: "19 Jan 2027",
		-(6*day - time.Minute): "Sat 12:01", -6 * day: "14 Nov", -330 * day: "25 Dec 2025",
	} {
		if got := string(appendShort(nil, now.Add(d), c)); got != want {
			t.Errorf("%s from now is %q, want %q", d, got, want)
		}
	}
	for d, want := range map[time.Duration]string{
		6*day - time.Minute: "Thu 11:59", 6 * day: "26 Nov", time.Minute: "Fri 12:01", 42 * day: "1 Jan 2027",
	} {
		if got := string(appendDate(nil, now.Add(d), c)); got != want {
			t.Errorf("the date %s from now is %q, want %q", d, got, want)
		}
	}
	for d, want := range map[time.Duration]string{
		time.Hour - time.Second: "in 59 minutes", time.Hour: "in 1 hour", 48 * time.Hour: "in 2 days",
		60*day - time.Hour: "in 59 days", 60 * day: "in 2 months", 730*day - time.Hour: "in 24 months",
		730 * day:    "in 2 years",
		-time.Second: "now", -2 * time.Hour: "2 hours ago",
	} {
		if got := string(appendDistance(nil, now.Add(d), now)); got != want {
			t.Errorf("%s from now is %q, want %q", d, got, want)
		}
	}
	for at, want := range map[time.Time]string{
		time.Date(2026, 3, 4, 5, 6, 7, 8, time.FixedZone("", 3600)): "2026-03-04T04:06:07Z",
		time.Date(1000, 12, 31, 23, 59, 59, 0, time.UTC):            "1000-12-31T23:59:59Z",
		time.Date(999, 1, 2, 3, 4, 5, 0, time.UTC):                  "0999-01-02T03:04:05Z",
	} {
		if got := string(appendStamp(nil, at)); got != want {
			t.Errorf("%s is stamped %q, want %q", at, got, want)
		}
	}
}

// TestHiddenRunes checks the first and the last rune of each range of invisible runes, and the visible runes next to
// the range. Some runes are visible only after certain other runes.
func TestHiddenRunes(t *testing.T) {
	for _, c := range []struct {
		prev            rune
		hidden, visible string
	}{
		{'a',
			"\x01\x1f\x7f\u0080\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200c\u200d\u200e\u202e\u2060\u2064" +
				"\u2065\u2069\u206f\u2800\u3164\ufeff\uffa0\ufff0\ufff8\ufff9\ufffb\ufffe\uffff\ufdd0\ufdef" +
				"\U0001fffe\U000e0000\U000e0001\U000e0fff\u180b\u180d\u180f\U000e0100\U000e01ef",
			"~\u00a1\u00ac\u00ae\u034e\u0350\u0600\u115e\u1161\u17b3\u17b6\u180a\u1810\u2010\u2070\u27ff\u2801\u3163\u3165\ufdcf\ufdf0" +
				"\ufe00\ufe0f\ufe10\uff9f\uffa1\uffef\ufffc\ufffd\U000dfffd\U000e1000"},
		{0, "\u200c\u200d\ufe00\ufe0f", ""},
		{' ', "\u200c\u200d\ufe00\ufe0f", ""},
		{0x7f, "\u200d\u180b", ""},
		{'é', "\U000e0100", "\u200c\u200d\ufe00\ufe0f\u180b\u180f"},
		{'葛', "\U000e01f0", "\U000e0100\U000e01ef"},
		{0x200c, "\u200c\u200d", "\ufe0f"},
		{0x200d, "\u200c\u200d", "\ufe0f"},
		{0xfe00, "\ufe00\u180b", "\u200d"},
		{0xfe0f, "\ufe00\ufe0f\u180b\u180f", "\u200d"},
		{0xfe10, "", "\ufe00\u180b"},
		{0xfdff, "", "\ufe00"},
		{0x180b, "\ufe00\u180b", ""},
		{0x180f, "\ufe00\u180f", ""},
		{0x180a, "", "\ufe00\u180b"},
		{0x1810, "", "\ufe00\u180b"},
		{0xe0100, "\ufe00", ""},
		{0xe01ef, "\ufe00", ""},
		{0xe01f0, "", "\ufe00"},
		{0xe00ff, "", "\ufe00"},
		{0x80, "", "\u200c\u200d\u180b"},
	} {
		for _, r := range c.hidden {
			if !hidden(r, c.prev) {
				t.Errorf("%U after %U is shown", r, c.prev)
			}
		}
		for _, r := range c.visible {
			if hidden(r, c.prev) {
				t.Errorf("%U after %U is hidden", r, c.prev)
			}
		}
	}
}

// TestCleanAtItsLimit cleans texts that just fit, texts one rune longer, and texts without a limit.
func TestCleanAtItsLimit(t *testing.T) {
	for s, want := range map[string]string{
		"abcde": "abcde", "abcdef": "abcd…", "éèêëē": "éèêëē", "éèêëēe": "éèêë…", "a  b  c": "a b c",
		"a  b  cd": "a b …",
		"a b c ":   "a b …", "~~~~~": "~~~~~", "\x7f": "\ufffd", "\x1f": "\ufffd", "a\u202e\u202eb": "a\ufffdb",
		"a\ufffd\u202eb": "a\ufffdb",
		"a\xffb":         "a\ufffdb", "a\ufffd\ufffd": "a\ufffd\ufffd", " a": " a", "a ": "a ", "a  ": "a ", "": "",
	} {
		if got := clean(s, 5); got != want {
			t.Errorf("%q is cut to %q, want %q", s, got, want)
		}
	}
	long := strings.Repeat("x ", 1000)
	if Visible(long) != long {
		t.Error("a text without a limit is cut")
	}
	for s, want := range map[string]string{
		"a\r\nb\rc\vd\fe\u0085f\u2028g\u2029h": "a\nb\nc\nd\ne\nf\ng\nh", "a\tb": "a\tb", "a\r": "a\n",
		"a\x1fb": "a\ufffdb",
		"a\x7fb": "a\ufffdb", "\x7f": "\ufffd", "\x1f": "\ufffd", "a~b": "a~b",
		"&#x202e;": "\ufffd", "&amp; &#10; &#x9;": "&amp; &#10; &#x9;",
		"a\u202e\u202eb": "a\ufffdb",
		"a\xff\xffb":     "a\ufffdb", "~\x80": "~\ufffd",
	} {
		if got := lines(s); got != want {
			t.Errorf("the lines of %q are %q, want %q", s, got, want)
		}
	}
}

// inHTML returns the HTML of a page with one block.
func inHTML(b Block, forms ...Form) string {
	p := Page{URL: "/x", Title: "X", Blocks: []Block{b}, Forms: forms}
	return string(p.AppendHTML(nil, &Context{Now: now}))
}

// TestBars draws bars relative to the largest number of a column, or to the maximum that the column sets. It also
// draws gauges.
func TestBars(t *testing.T) {
	rows := func(cells ...string) (list []Row) {
		for _, c := range cells {
			list = append(list, Row{Cells: [][]Inline{Line(T("A")), Line(T(c))}})
		}
		return list
	}
	bar := func(width string) string { return `/><rect width="` + width + `%" height="6" rx="3"/>` }
	for _, c := range []struct {
		of    int
		cells []string
		want  []string
		bars  int
	}{
		{0, []string{"8", "4", "1"}, []string{bar("100"), bar("50"), bar("12.5")}, 3},
		{0, []string{"3", "1 of 3", "2.5 points"}, []string{bar("100"), bar("33.3"), bar("83.3")}, 3},
		{4, []string{"1", "6"}, []string{bar("25"), bar("100")}, 2},
		{0, []string{"0", "0"}, nil, 0},
		{0, []string{"9", "–"}, []string{bar("100"), bar("0")}, 2},
	} {
		columns := []Column{{Title: "Name"}, {Title: "Votes", Number: true, Bar: true, Of: c.of}}
		got := inHTML(Table{Columns: columns, Rows: rows(c.cells...)})
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("of %d, %q: no %s in\n%s", c.of, c.cells, want, got)
			}
		}
		if n := strings.Count(got, `<svg class="bar"`); n != c.bars {
			t.Errorf("of %d, %q: %d bars, want %d", c.of, c.cells, n, c.bars)
		}
	}
	for _, c := range []struct {
		gauge Gauge
		want  string
	}{
		{Gauge{Value: 1, Of: 4, At: 3},
			`<rect y="4" width="25%" height="8" rx="4"/><line y1="0" y2="16" x1="75%" x2="75%"/>`},
		{Gauge{Value: 9, Of: 4, At: 4},
			`<rect y="4" width="100%" height="8" rx="4"/><line y1="0" y2="16" x1="100%" x2="100%"/>`},
		{Gauge{Value: 0, Of: 1, At: 0},
			`<rect y="4" width="0%" height="8" rx="4"/></svg>`},
	} {
		if got := inHTML(c.gauge); !strings.Contains(got, c.want) {
			t.Errorf("%+v: no %s in\n%s", c.gauge, c.want, got)
		}
	}
	if got := inHTML(Gauge{Value: 1}); strings.Contains(got, `class="gauge"`) {
		t.Error("a gauge of nothing is drawn")
	}
}

// TestRowsOfTables checks the classes for rows that repeat a link, for new rows and for marked rows, and the class
// for numbers.
func TestRowsOfTables(t *testing.T) {
	row := func(name string, change func(*Row)) Row {
		r := Row{Cells: [][]Inline{Line(Link(name, "/"+name)), Line(T("1"))}}
		if change != nil {
			change(&r)
		}
		return r
	}
	fresh := func(r *Row) { r.New = true }
	rows := []Row{row("a", nil), row("a", fresh), row("a", nil), row("b", fresh), row("c",
		func(r *Row) { r.Mark = true })}
	columns := []Column{{Title: "Name"}, {Title: "N", Number: true}}
	for _, c := range []struct {
		groups bool
		want   []string
	}{
		{true, []string{"<tr>", `<tr class="more new">`, `<tr class="more">`, `<tr class="new">`,
			`<tr class="marked">`}},
		{false, []string{"<tr>", `<tr class="new">`, "<tr>", `<tr class="new">`, `<tr class="marked">`}},
	} {
		got := inHTML(Table{Columns: columns, Rows: rows, Lines: true, Groups: c.groups})
		_, body, _ := strings.Cut(got, "<tbody>")
		var tags []string
		for line := range strings.Lines(body) {
			if i := strings.Index(line, "<tr"); i >= 0 {
				tags = append(tags, line[i:i+strings.IndexByte(line[i:], '>')+1])
			}
		}
		if strings.Join(tags, "") != strings.Join(c.want, "") {
			t.Errorf("groups %t: the rows are %q, want %q", c.groups, tags, c.want)
		}
		if links := strings.Count(body, `href="/a"`); links != map[bool]int{true: 1, false: 3}[c.groups] {
			t.Errorf("groups %t: %d links to the same page", c.groups, links)
		}
		if n := strings.Count(body, `<td class="r">`); n != len(rows) {
			t.Errorf("%d numbers are aligned, want %d", n, len(rows))
		}
	}
}

// TestEmptyOffersAFew checks that an empty list has buttons for the first three actions that create or invite
// something, and for no others.
func TestEmptyOffersAFew(t *testing.T) {
	var forms []Form
	for _, name := range []string{"create_a", "update_b", "invite_c", "create_d", "create_e"} {
		forms = append(forms, Form{Name: name, Title: "Do " + name, URL: "/x/actions/" + name})
	}
	for n, want := range map[int]int{0: 0, 1: 1, 2: 1, 3: 2, 4: 3, 5: 3} {
		_, body, _ := strings.Cut(inHTML(Empty(Line(T("Nothing yet."))), forms[:n]...), `<div class="empty">`)
		body, _, _ = strings.Cut(body, "</div>")
		if got := strings.Count(body, `class="button"`); got != want {
			t.Errorf("of %d actions %d have a button, want %d\n%s", n, got, want, body)
		}
		if opened := strings.Count(body, `<p class="buttons"`); opened != min(want, 1) ||
			strings.Count(body, "<p") != strings.Count(body, "</p>") {
			t.Errorf("of %d actions the buttons stand in %d paragraphs\n%s", n, opened, body)
		}
	}
}

// TestFieldsInBrief describes the fields of an action in one line, with as many choices as the line shows and with
// more. It also checks the line about optional fields in the markdown of a page.
func TestFieldsInBrief(t *testing.T) {
	c := &Context{}
	options := func(n int) (list []param.Option) {
		for i := range n {
			list = append(list, param.Option{Value: string(rune('a' + i)), Label: "L" + string(rune('a'+i))})
		}
		return list
	}
	needed := param.Field{Name: "pick", Kind: param.Choice, Options: options(mostChoices)}
	if got := Plain(Describe([]param.Field{needed}), c); !strings.Contains(got,
		": a La · b Lb · ") || !strings.HasSuffix(got, "f Lf") {
		t.Errorf("with all choices: %q", got)
	}
	needed.Options = options(mostChoices + 2)
	if got := Plain(Describe([]param.Field{needed}), c); !strings.HasSuffix(got, "f Lf and 2 more") {
		t.Errorf("with more choices: %q", got)
	}
	grid := param.Field{Name: "a", Kind: param.Grid, Max: 3, Options: []param.Option{{Value: "x"}}}
	if got := Plain(Describe([]param.Field{grid}), c); !strings.Contains(got, `such as {"x": 1})`) {
		t.Errorf("no example: %s", got)
	}
	if got := Plain(Describe([]param.Field{{Name: "a", Kind: param.Text}}), c); strings.Contains(got, "such as") {
		t.Errorf("an example: %s", got)
	}
	two := Plain(Describe([]param.Field{{Name: "a", Kind: param.Text}, {Name: "b", Kind: param.Text}}), c)
	if !strings.HasPrefix(two, "a (") || strings.Count(two, "); b (") != 1 {
		t.Errorf("two that are needed: %q", two)
	}
	other := param.Field{Name: "why", Kind: param.Text, Optional: true}
	more := param.Field{Name: "rare", Kind: param.Text, Optional: true, More: true}
	if got := Plain(Describe([]param.Field{other, more, other}), c); got != "; optional: why, why" {
		t.Errorf("optional ones: %q", got)
	}
	for _, x := range []struct {
		fields []param.Field
		want   string
	}{
		{[]param.Field{other}, "  - optional: `why` text\n"},
		{[]param.Field{other, other}, "  - optional: `why` text, `why` text\n"},
		{[]param.Field{more, more}, "  - optional: 2 more\n"},
		{[]param.Field{other, more}, "  - optional: `why` text, and 1 more\n"},
		{[]param.Field{{Name: "pick", Kind: param.Choice, Optional: true, Options: options(2)}},
			"  - optional: `pick` (`a` `b`)\n"},
		{[]param.Field{{Name: "pick", Kind: param.Choice, Optional: true, Options: options(mostChoices)}},
			"  - optional: `pick` (`a` `b` `c` `d` `e` `f`)\n"},
		{[]param.Field{{Name: "pick", Kind: param.Choice, Optional: true, Options: options(mostChoices + 1)}},
			"  - optional: `pick` one of several\n"},
	} {
		form := Form{Name: "do_it", Title: "Do it", URL: "/x/actions/do_it", Fields: x.fields}
		p := Page{URL: "/x", Title: "X", Version: "1", Forms: []Form{form}}
		if got := string(p.AppendMarkdown(nil, c)); !strings.Contains(got, "\n"+x.want) {
			t.Errorf("%+v: no %q in\n%s", x.fields, x.want, got)
		}
	}
}

// TestCodeAtItsEnds colours tokens of the minimum length, tokens at the end of the text, and tokens that are not
// terminated.
func TestCodeAtItsEnds(t *testing.T) {
	comment := func(s string) string { return `<span class="tk-c">` + s + `</span>` }
	text := func(s string) string { return `<span class="tk-s">` + s + `</span>` }
	number := func(s string) string { return `<span class="tk-n">` + s + `</span>` }
	called := func(s string) string { return `<span class="tk-f">` + s + `</span>` }
	for _, c := range []struct{ language, code, want string }{
		{"go", "a /**/ b", "a " + comment("/**/") + " b"},
		{"go", "a /* b\nc */d", "a " + comment("/* b\nc */") + "d"},
		{"go", "a /* b", "a " + comment("/* b")},
		{"go", "a // b\nc", "a " + comment("// b") + "\nc"},
		{"go", "//", comment("//")},
		{"go", "''x", text("&#39;&#39;") + "x"},
		{"go", "\"a\\\"b\"c", text("&#34;a\\&#34;b&#34;") + "c"},
		{"go", "\"a\\", text("&#34;a\\")},
		{"go", "\"a\\\nb", text("&#34;a\\") + "\nb"},
		{"go", "\"a\nb\"", text("&#34;a") + "\nb" + text("&#34;")},
		{"go", "`a\nb`c", text("`a\nb`") + "c"},
		{"go", "`a", text("`a")},
		{"go", "0 9 a9 _ z Z(", number("0") + " " + number("9") + " a9 _ z " + called("Z") + "("},
		{"go", "f()", called("f") + "()"},
		{"go", "f", "f"},
		{"go", "/:@[`", "/:@[" + text("`")},
		{"sh", "http://a>b", "http://a&gt;b"},
		{"sh", "https://a'b'", "https://a" + text("&#39;b&#39;")},
		{"sh", "http://é/\"b\" 1", "http://é/" + text("&#34;b&#34;") + " " + number("1")},
		{"patch", "+\n-\n\n+++ b\n--- a\n+++\n+",
			"<ins>+</ins>\n<del>-</del>\n\n+++ b\n--- a\n<ins>+++</ins>\n<ins>+</ins>"},
	} {
		if got := string(colouredCode(c.code, c.language)); got != c.want {
			t.Errorf("%q becomes\n%s\nwant\n%s", c.code, got, c.want)
		}
	}
}

// TestDocumentTitles checks that the title of an HTML document is cut at its maximum length. The title has the
// kind of the page if there is room.
func TestDocumentTitles(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	for _, c := range []struct{ title, kind, site, want string }{
		{"Plan", "Note", "S", "Plan · Note · S"},
		{"Note", "Note", "S", "Note · S"},
		{"Plan", "", "S", "Plan · S"},
		{x(59), "Note", "S", x(59) + " · Note · S"},
		{x(60), "Note", "S", x(60) + " · S"},
		{x(66), "", "S", x(66) + " · S"},
		{x(67), "", "S", x(65) + "… · S"},
		{x(36), "", x(60), x(34) + "… · " + x(60)},
		{x(35), "", x(60), x(35) + " · " + x(60)},
		{strings.Repeat("é", 67), "", "S", strings.Repeat("é", 65) + "… · S"},
	} {
		p := Page{URL: "/x", Title: c.title, Kind: c.kind}
		_, got, _ := strings.Cut(string(p.AppendHTML(nil, &Context{Site: c.site})), "<title>")
		if got, _, _ = strings.Cut(got, "</title>"); got != c.want {
			t.Errorf("%q is titled %q, want %q", c.title, got, c.want)
		}
	}
}
