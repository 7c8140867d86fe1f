package page

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"samepage/actions/param"
	"samepage/views/page/pagetest"
)

func TestMarkdownForm(t *testing.T) {
	p, c := sample(), sampleContext()
	md := string(p.AppendMarkdown([]byte("kept"), c))
	for _, want := range []string{
		"kept---\nurl: \"/studios/team/d/k3v9x0a2mq\"\ntitle: \"Should we adopt weekly standups?\"\n" +
			"zone: \"UTC\"\nas: \"Scribe, agent of @alice\"\naudience: \"studio Team: 8 people, 3 agents\"\n" +
			"version: \"7\"\n" +
			"actions: [\"cast_vote\",\"add_option\",\"comment\",\"pin\",\"withdraw\"]\n---\n\n" +
			"[Team](/studios/team) › Decision\n\n# Should we adopt weekly standups?\n\n" +
			"Open, closes Mon 23 Nov 2026 12:00 UTC (in 3 days). 5 of 8 have voted. You have not.\n",
		"\nBy [@bob](/u/bob), Wed 18 Nov 2026 12:00 UTC:\n\n> We meet too rarely",
		"\n## Options\n\n| # | Option | Accept | Prefer |\n| ---: | --- | ---: | ---: |\n| 1 | Yes, " +
			"every Monday | 3 | 1 |\n| **2** | **Yes, async \\| updates** |",
		"\n- **cast_vote**: Accept every option",
		"\n  - `accept` (any of): `1` Yes, every Monday · `2` Yes, async updates · `3` No change needed. " +
			"The options you can live with. In the form: `2`.\n",
		"\n  - `reason` (optional markdown, at most 2000 characters): Why, in a sentence or two.\n",
		"\n- **withdraw** (cannot be undone): Ends it without an outcome.\n",
	} {
		if !strings.Contains(md, want) {
			t.Errorf("the page lacks %q:\n%s", want, md)
		}
	}
	if strings.Contains(md, "\n\n\n") || !strings.HasSuffix(md, "outcome.\n") {
		t.Errorf("blank lines or the end are wrong:\n%q", md)
	}
}

func TestNothingOffered(t *testing.T) {
	md := string((&Page{URL: "/", Title: "Home"}).AppendMarkdown(nil, &Context{}))
	if want := "---\nurl: \"/\"\ntitle: \"Home\"\nzone: \"UTC\"\nactions: []\n---\n\n# Home\n"; md != want {
		t.Errorf("got %q, want %q", md, want)
	}
}

func TestAbsoluteLinks(t *testing.T) {
	p, c := sample(), sampleContext()
	c.Origin, c.Message, c.Failure = "https://example.org", "Vote cast.", "Voting closed yesterday."
	p.Next = p.URL + "?after=c2"
	md := string(p.AppendMarkdown(nil, c))
	for _, want := range []string{
		"url: \"https://example.org/studios/team/d/k3v9x0a2mq\"\n",
		"next: \"https://example.org/studios/team/d/k3v9x0a2mq?after=c2\"\n",
		"[Team](https://example.org/studios/team)", "[how voting works](https://example.org/help/voting)",
		"---\n\nVote cast.\n\n**Not done.** Voting closed yesterday.\n\n[Team]",
	} {
		if !strings.Contains(md, want) {
			t.Errorf("the page lacks %q:\n%s", want, md)
		}
	}
}

func TestFieldsInWords(t *testing.T) {
	p, c := kinds()
	md := string(p.AppendMarkdown(nil, c))
	for _, want := range []string{
		"`title` (text, 3 to 200 characters): What it is called. In the form: `x`. **Not accepted:** A title has " +
			"at least 3 characters.",
		"`body` (optional markdown, at most 2000 characters): Why.",
		"`options` (one text per line, or a list, at most 20 items): What can be chosen. In the form: `one`, `two`.",
		"`quorum` (number 1 to 8) In the form: `4`.",
		"`secret_ballot` (optional, true or false): Nobody sees who voted how. Filled in: `true`.",
		"`method` (one of): `a` Option a · `b`",
		"`likes` (optional, any of): `a`",
		"`ranks` (rank for each, 1 is best, such as `{\"b\": 1, \"a\": 2}`): `a` Option a",
		"In the form: `a=1`, `c=2`.", "`points` (points 0 to 5 for each, such as `{\"a\": 4, \"b\": 1}`): `a`",
		"`member` (a member, studio or page, by @handle or URL): Who.",
		"`due` (a time such as 2026-11-23 12:00 or 3d) In the form: `tomorow`.",
		"`lease` (optional, a duration such as 90m, 3d or 1w)", "`password` (secret)\n",
		"`data` (optional, a file: its text, or a data URL, such as `\"data:text/plain;base64,SGVsbG8=\"`)\n",
	} {
		if !strings.Contains(md, want) {
			t.Errorf("the page lacks %q:\n%s", want, md)
		}
	}
	html := string(p.AppendHTML(nil, c))
	for _, want := range []string{
		`enctype="multipart/form-data"`, `name="_idempotency_key" value="k"`,
		`name="_if_version" value="7"`, `minlength="3"`,
		`type="number" step="1" min="1" max="8"`,

		`aria-describedby="f-everything-title-hint f-everything-title-error" aria-invalid="true" required value="x">`,
		`<select id="f-everything-letter" name="letter">`,
		`name="ranks.a" min="1" value="1"`, `name="points.b" min="0" max="5"`,
		`name="secret_ballot" aria-describedby="f-everything-secret_ballot-hint" checked>`,
		`type="password" autocomplete="new-password"`, `type="file"`,
		`<a href="#f-everything-due">Due</a>: This is not a time`, "one\ntwo</textarea>",
		`<button type="submit" class="danger">`,
	} {
		if !strings.Contains(html, want) {
			t.Errorf("the form lacks %q:\n%s", want, html)
		}
	}
	if strings.Contains(html+md, "must not be shown") {
		t.Error("a secret is shown")
	}
}

func TestPageFits(t *testing.T) {
	long := strings.Repeat("Some sentence of a long text.\n", 400)
	many := make([]param.Option, 300)
	for i := range many {
		many[i] = param.Option{Value: fmt.Sprint("option", i), Label: strings.Repeat("label ", 10)}
	}
	var rows []Row
	for i := range 500 {
		rows = append(rows, Row{Cells: [][]Inline{{T(fmt.Sprint(i))}, {T("a cell with some text")}}})
	}
	table := Table{Columns: []Column{{Title: "#"}, {Title: "Text"}}, Rows: rows}
	form := Form{
		Name:   "choose",
		Doc:    "Choose.",
		URL:    "/x/actions/choose",
		Fields: []param.Field{{Name: "option", Kind: param.Choice, Options: many}},
	}
	pages := map[string]Page{
		"one prose":       {Blocks: []Block{Prose{Text: long}}},
		"wide characters": {Blocks: []Block{Prose{Text: strings.Repeat("漢字", 9000)}}},
		"table":           {Blocks: []Block{table}},
		"code": {Blocks: []Block{Code{Language: "json", Text: long}, Code{Text: long}, Code{Text: long},
			Code{Text: long}}},
		"help":    {Blocks: []Block{Doc(strings.Repeat("Some help.\n\n```\ncode\n\ncode\n```\n\n", 500))}},
		"options": {Forms: []Form{form}},
		"all": {Blocks: []Block{
			table, Prose{Text: long},
			Section{Title: "More", Blocks: []Block{table, Code{Text: long}}},
		}, Forms: []Form{form, form, form, form, form, form}},
	}
	var proses Page
	for i := range 20 {
		proses.Blocks = append(proses.Blocks,
			Prose{ID: fmt.Sprint(i), Lead: Line(T("By @bob")), Text: long, More: fmt.Sprint("/c/", i)})
	}
	pages["many proses"] = proses
	for name, p := range pages {
		p.URL, p.Title = "/x?y=1", name
		md := string(p.AppendMarkdown(nil, &Context{Now: now}))
		if n := utf8.RuneCountInString(md); n > pageLimit || n < 100 {
			t.Errorf("%s: %d characters", name, n)
		}
		if _, body := pagetest.Split(md); len(p.Forms) > 0 &&
			!strings.Contains(body, "\n## Actions\n\n- **choose**: Choose.") {
			t.Errorf("%s: the actions are gone:\n%s", name, md)
		}
		if !strings.Contains(md, "](/x?y=1&full=1)") && !strings.Contains(md, "](/c/") && name != "options" {
			t.Errorf("%s: no link to the rest:\n%s", name, md)
		}
		if strings.Count(md, "\n```")%2 != 0 {
			t.Errorf("%s: a block of code is left open:\n%s", name, md)
		}
		if full := string(p.AppendMarkdown(nil, &Context{Now: now, Full: true})); strings.Contains(full, "full=1") {
			t.Errorf("%s: cut though asked for in full", name)
		}
	}
}

func TestDistance(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "now", 30 * time.Second: "now", time.Minute: "in 1 minute",
		-5 * time.Minute: "5 minutes ago", 90 * time.Minute: "in 1 hour",
		47 * time.Hour: "in 47 hours", 72 * time.Hour: "in 3 days",
		-10 * 24 * time.Hour: "10 days ago", 100 * 24 * time.Hour: "in 3 months",
		-800 * 24 * time.Hour: "2 years ago",
	} {
		if got := string(appendDistance(nil, now.Add(d), now)); got != want {
			t.Errorf("%s: %q, want %q", d, got, want)
		}
	}
	zone := time.FixedZone("CET", 3600)
	if got := string(appendWhen(nil, now, &Context{Zone: zone})); got != "Fri 20 Nov 2026 13:00 CET" {
		t.Errorf("in a zone: %q", got)
	}
}

func TestClean(t *testing.T) {
	for s, want := range map[string]string{
		"plain": "plain", "a\nb": "a b", "a \t\r\n b": "a b", "a\x00b": "a\uFFFDb",
		"a\u202e\u2066b": "a\uFFFDb", "pay\u200dpal": "pay\uFFFDpal",
		"👩‍💻": "👩‍💻", "می‌خواهم": "می‌خواهم", "1️⃣": "1️⃣", "x\ufe0f\ufe0f": "x\ufe0f\uFFFD",
		"\xff": "\uFFFD", "\U000E0041\U000E0042": "\uFFFD", "é": "é", "a\u2028b": "a b",
		"葛\U000E0100": "葛\U000E0100", "a\U000E0100": "a\uFFFD",
		strings.Repeat("é", 300): strings.Repeat("é", 199) + "…",
		strings.Repeat("x", 300): strings.Repeat("x", 199) + "…",
		strings.Repeat("é", 200): strings.Repeat("é", 200),
	} {
		if got := clean(s, lineLimit); got != want {
			t.Errorf("clean(%+q) = %+q, want %+q", s, got, want)
		}
	}
}

func TestReadableEscapes(t *testing.T) {
	for s, want := range map[string]string{
		"snake_case and 2 > 1, a < b & c!": "snake_case and 2 > 1, a < b & c!",
		"AT&T [x] C:\\dir #12":             "AT&T \\[x] C:\\dir #12", "- 1": "\\- 1", "-1": "-1",
		"1. x": "1\\. x", "1.5": "1.5",
		"see https://x.y": "see https\\://x.y", "Note: @bob (@carol)": "Note: @bob (@carol)",
		"a@b.c": "a\\@b.c", "*x*": "\\*x\\*", "<b>": "\\<b>", "&amp;": "\\&amp;",
	} {
		p := Page{URL: "/", Title: "x", State: Line(T(s))}
		_, got, _ := strings.Cut(string(p.AppendMarkdown(nil, &Context{})), "# x\n\n")
		if got != want+"\n" {
			t.Errorf("%q is written %q, want %q", s, got, want)
		}
	}
}
