package page

import (
	"strings"
	"testing"
	"time"

	"samepage/actions/param"
)

// shown is a page with the texts that its HTML and its markdown must have, and the texts that they must not have.
type shown struct {
	name     string
	page     Page
	c        Context
	html, md []string
	no       []string // texts that neither form may have
	noHTML   []string
	noMD     []string
}

func (s *shown) check(t *testing.T) {
	t.Helper()
	s.page.URL, s.c.Now = "/x", now
	if s.page.Title == "" {
		s.page.Title = "X"
	}
	htm, md := string(s.page.AppendHTML(nil, &s.c)), string(s.page.AppendMarkdown(nil, &s.c))
	_, htm, _ = strings.Cut(htm, "<body")
	for _, want := range s.html {
		if !strings.Contains(htm, want) {
			t.Errorf("%s: no %q in the HTML\n%s", s.name, want, htm)
		}
	}
	for _, want := range s.md {
		if !strings.Contains(md, want) {
			t.Errorf("%s: no %q in the markdown\n%s", s.name, want, md)
		}
	}
	for _, never := range append(s.no, s.noHTML...) {
		if strings.Contains(htm, never) {
			t.Errorf("%s: %q in the HTML\n%s", s.name, never, htm)
		}
	}
	for _, never := range append(s.no, s.noMD...) {
		if strings.Contains(md, never) {
			t.Errorf("%s: %q in the markdown\n%s", s.name, never, md)
		}
	}
}

func of(blocks ...Block) Page { return Page{Blocks: blocks} }

// TestEmptyBlocks checks that a block without content writes nothing, in both forms.
func TestEmptyBlocks(t *testing.T) {
	p := Page{URL: "/x", Title: "X"}
	c := &Context{Now: now}
	htm, md := string(p.AppendHTML(nil, c)), string(p.AppendMarkdown(nil, c))
	for _, b := range []Block{Para{}, Under{}, Banner{}, Warning{}, Facts{}, List{}, Tree{}, Table{}, Stack{},
		News{}, Tiles{}, Log{},
		Faces{}, Rail{}, Slot{}, Gauge{}, Board{}, Flow{}, Flow{Names: []string{"a"},
			Rounds: []FlowRound{{Votes: []int{0}},
				{Votes: []int{0}}}}} {
		p.Blocks = []Block{Para{}, b}
		if got := string(p.AppendHTML(nil, c)); got != htm {
			t.Errorf("an empty %T is written as HTML:\n%s", b, got)
		}
		if got := string(p.AppendMarkdown(nil, c)); got != md {
			t.Errorf("an empty %T is written as markdown:\n%s", b, got)
		}
	}
}

// TestBlocks checks the HTML and the markdown of single blocks.
func TestBlocks(t *testing.T) {
	bob, note := Who("@bob", "/@bob"), "A note.[^1]\n\n[^1]: Below."
	deep := Tree{{Line: Line(T("bottom"))}}
	for range deepest + 2 {
		deep = Tree{{Line: Line(T("level")), Below: deep}}
	}
	for _, c := range []shown{
		{name: "an outcome", page: of(Banner{Strong("Accepted"), T(". By all.")}),
			html: []string{`<p class="notice outcome"><strong>Accepted</strong><span class="vh">.</span> <span>By all.</span></p>`},
			md:   []string{"**Accepted. By all.**"}},
		{name: "an outcome with a colon", page: of(Banner{Strong("Accepted"), T(": by all.")}),
			html: []string{`<span class="vh">:</span> <span>`}},
		{name: "an outcome without a stop", page: of(Banner{Strong("Accepted"), T(" by all")}),
			html: []string{`</strong> <span>by all</span>`}, noHTML: []string{`<span class="vh">`}},
		{name: "an outcome with a link", page: of(Banner{Strong("Accepted"), Link(".", "/a")}),
			html: []string{`<span><a href="/a">.</a>`}},
		{name: "an outcome with a pill", page: of(Banner{Strong("Accepted"), Pill(".b", Live)}),
			noHTML: []string{`<span class="vh">`}},
		{name: "an outcome with a time", page: of(Banner{Strong("Accepted"), When(now)}),
			html: []string{"<span><time"}},
		{name: "one strong word", page: of(Banner{Strong("Accepted")}),
			html:   []string{`<p class="notice good banner">`},
			noHTML: []string{"outcome"}},
		{name: "one strong word of a warning", page: of(Warning{Strong("Closed")}), md: []string{"\n**Closed**\n"},
			html: []string{`<p class="notice bad banner"><strong>Closed</strong></p>`}},
		{name: "a warning with a title", page: of(Warning{Strong("Closed"), T(". By all.")}),
			html: []string{`<p class="notice bad outcome"><svg`,
				`<strong>Closed</strong><span class="vh">.</span> <span>By all.`}},
		{name: "one strong word of a notice", page: of(Notice{Line: Line(Strong("Undo"))}),
			md: []string{"\n**Undo**\n"}, html: []string{`<p class="notice"><strong>Undo</strong></p>`}},
		{name: "a notice with a title", page: of(Notice{Icon: "undo", Line: Line(Strong("Undo"), T(": wait."))}),
			html: []string{`<p class="notice outcome"><svg`,
				`<strong>Undo</strong><span class="vh">:</span> <span>wait.`}},
		{name: "a section with a state", page: of(Section{Title: "A", State: Line(T("open")), Blocks: []Block{Para{T("a")}}}),
			md: []string{"\n## A\n\nopen\n\na\n"}, html: []string{`<h2>A</h2> <p>open<span class="vh">, </span></p></div>`}},
		{name: "a section with a state and a note", md: []string{"\n## A\n\nopen, 3\n\na\n"},
			page: of(Section{Title: "A", State: Line(T("open")), Note: Line(T("3")), Blocks: []Block{Para{T("a")}}})},
		{name: "two plain words", page: of(Banner{T("Accepted"), T(".")}),
			html: []string{`<p class="notice good banner">`}},
		{name: "a list of people", page: of(List{Line(bob), Line(Who("Scribe, agent of @bob", ""))}),
			html: []string{`<ul class="faces">`}},
		{name: "a list of one person and more", page: of(List{Line(bob), Line(Who("@eve", ""), T(" left"))}),
			noHTML: []string{`class="faces"`}},
		{name: "a list of texts", page: of(List{Line(T("@bob"))}), noHTML: []string{`class="faces"`}},
		{name: "a deep tree", page: of(deep), md: []string{"\n" + strings.Repeat("  ", deepest) + "- bottom\n"}},
		{name: "a text without a lead", page: of(Para{}, Prose{Text: "Hello."}), md: []string{"\n> Hello.\n"},
			no: []string{`under by`, ":\n\n> Hello"}},
		{name: "a text with a lead", page: of(Para{}, Prose{Lead: Line(T("By bob")), Text: "Hello."}),
			html: []string{`under by`},
			md:   []string{"By bob:\n\n> Hello.\n"}},
		{name: "the second text", page: of(Prose{Text: note}, Prose{Text: note}),
			html: []string{` id="q1-fn-1"`, ` id="q2-fn-1"`, ` href="#q2-fn-1"`}},
		{name: "a text after help", page: of(Doc(note), Prose{Text: note}), html: []string{` id="q1-fn-1"`,
			` id="q2-fn-1"`}},
		{name: "a text after a message", page: of(Talk{Title: "M", Blocks: []Block{Said{Lead: Line(bob),
			Text: note}}}, Prose{Text: note}),
			html: []string{` id="q1-fn-1"`, ` id="q2-fn-1"`}},
		{name: "help elsewhere", page: of(Doc("At " + ExampleOrigin + "/a.\n")), c: Context{Origin: "https://h",
			Address: "https://h"},
			html: []string{"https://h/a"}, md: []string{"At https://h/a."}, no: []string{ExampleOrigin}},
		{name: "help of no origin", page: of(Doc("At " + ExampleOrigin + "/a.\n")),
			html: []string{ExampleOrigin + "/a"},
			md:   []string{"At " + ExampleOrigin + "/a."}},
		{name: "a part for HTML", page: of(Section{Title: "Only here", Extra: true, Note: Line(T("beside"))}),
			html: []string{"Only here", "beside"}, noMD: []string{"Only here", "beside"}},
		{name: "a part in a part", page: of(Section{Title: "A", Blocks: []Block{Section{Title: "B",
			Note: Line(T("beside"))}}}),
			html: []string{"<h2>A</h2>", "<h3>B</h3>", `<p class="when">beside</p>`}, md: []string{"\n## A\n",
				"\n### B\n\nbeside\n"}},
		{name: "a part without a note", page: of(Section{Title: "A"}), noHTML: []string{"title-row"}},
		{name: "an entry with a note", page: of(Stack{{Name: Line(T("A ")), Note: Line(T("n "))}}),
			md:   []string{"\n- A: n\n"},
			html: []string{`<p class="did">n</p>`}, noHTML: []string{`class="when"`}},
		{name: "an entry with a time", page: of(Stack{{Name: Line(T("A")), At: When(now)}}),
			md:   []string{"\n- A: Fri 20 Nov"},
			html: []string{`<p class="when"><time`}, noHTML: []string{`class="did"`}},
		{name: "an entry with a name of blanks", page: of(Stack{{Name: Line(T("  ")), Note: Line(T("\n"))},
			{}}), md: []string{"\n- (empty)\n"}},
		{name: "no date", page: of(Para{When(time.Time{})}), html: []string{"<p>no date</p>"},
			md: []string{"\nno date\n"}},
		{name: "a state with a full stop", page: of(Para{Pill("Open", Live), T(". Wait: now"), Pill("Late",
			Late), T(": a"), T(".")}),
			html: []string{`Open</span><span class="vh">.</span> Wait: now`,
				`Late</span><span class="vh">:</span> a.</p>`}},
		{name: "a state with a comma", page: of(Para{Pill("Open", Live), T(", ends soon")}), md: []string{"\nOpen, ends soon\n"},
			html: []string{`Open</span><span class="vh">,</span> ends soon</p>`}},
		{name: "a long line", page: of(Para{T(strings.Repeat("m", lineLimit+1))}),
			html: []string{strings.Repeat("m", lineLimit-1) + "…"},
			md:   []string{strings.Repeat("m", lineLimit-1) + "…"}, no: []string{strings.Repeat("m", lineLimit)}},
		{name: "a log without changes", page: of(Log{{By: bob, Did: "left", On: Link("A", "/a"), At: now, No: 1,
			URL:     "/j/1",
			Changes: func() ([]Changed, Inline) { return nil, Inline{} }}}), noHTML: []string{"<details"}},
		{name: "marks in a title", page: Page{Title: `a "b" \c`}, md: []string{`title: "a \"b\" \\c"`}},
		{name: "no title", page: Page{Title: " "}, html: []string{"<h1>(empty)</h1>"},
			md: []string{"\n# (empty)\n", `title: "(empty)"`}},
		{name: "a long message", page: Page{}, c: Context{Message: strings.Repeat("m", messageLimit+1)},
			md: []string{strings.Repeat("m", messageLimit-1) + "…"}, no: []string{strings.Repeat("m", messageLimit)}},
		{name: "a long message in full", page: Page{}, c: Context{Message: strings.Repeat("m", messageLimit+1),
			Full: true},
			html: []string{strings.Repeat("m", messageLimit+1)}, md: []string{strings.Repeat("m", messageLimit+1)}},
		{name: "a failure with a link", page: Page{}, c: Context{Failure: "See /a for it.",
			Leads: []string{"/gone", "/a"}},
			html: []string{`See <a href="/a">/a</a> for it.`}, md: []string{"See [/a](/a) for it."},
			no: []string{"/gone"}},
		{name: "a gap", page: of(Strip{Things: []string{"due"}, Days: []StripDay{{Name: "Mon 16",
			Numbers: []int{0}}}}), no: []string{"Mon 16"}},
	} {
		c.check(t)
	}
	if got := inHTML(deep); strings.Count(got, "<ul>\n") != deepest || strings.Count(got, "bottom") != 1 ||
		strings.Count(got, "level") != deepest+2 {
		t.Errorf("a deep tree:\n%s", got)
	}
	assets := &Context{Assets: map[string]string{"/a": "/b"}}
	if assets.Asset("/a") != "/b" || assets.Asset("/c") != "/c" {
		t.Error("the address of a file is another one")
	}
	long := Who(strings.Repeat("a", lineLimit)+", agent of @bob", "")
	if want := strings.Repeat("a", lineLimit/2-1) + "…, agent of @bob"; long.text != want {
		t.Errorf("an agent with a long label is %q", long.text)
	}
	if got := closed(nil); got != nil {
		t.Errorf("an empty line is closed as %v", got)
	}
	if name, of := parted(&Inline{look: lookAgent}, ", agent of @bob"); name != "" || of != ", agent of @bob" {
		t.Errorf("an agent without a label is %q of %q", name, of)
	}
	for _, in := range []Inline{T(","), T("a, b"), T(""), Link(", a", "/a"), Strong(", a"), Pill(", a", Live)} {
		if rest, ok := cutComma(in); ok {
			t.Errorf("a comma is cut off %+v: %q", in, rest)
		}
	}
	if rest, ok := cutComma(T(", ")); !ok || rest != "" {
		t.Errorf("a comma alone leaves %q, %v", rest, ok)
	}
}

// TestFrameOfThePage checks the parts of a page around its blocks: the trail, the author, the audience, the width,
// and the navigation.
func TestFrameOfThePage(t *testing.T) {
	bob := Who("@bob", "/@bob")
	side := &Sidebar{Name: "Acme", Studios: []Place{{Name: "Team", URL: "/x", Below: []Place{{Name: "Den",
		URL: "/den"}}},
		{Name: "All", URL: "/all"}}}
	wide := func(n int) Table { return Table{Columns: make([]Column, n)} }
	vote := Form{Name: "vote", URL: "/x/actions/vote"}
	for _, c := range []shown{
		{name: "no trail", page: Page{Title: "A page"}, html: []string{`<p class="trail" data-extra>A page</p>`}},
		{name: "one action of somebody who is not signed in", page: Page{Title: "A page", Only: true, Forms: []Form{vote}},
			noHTML: []string{`class="trail"`, "<h2>"}},
		{name: "two actions of somebody who is not signed in", page: Page{Title: "A page", Only: true,
			Forms: []Form{{Name: "join", Fields: []param.Field{textField("a")}}, {Name: "stay", Fields: []param.Field{textField("a")}}}},
			html: []string{"<h2>Join</h2>", "<h2>Stay</h2>"}, noHTML: []string{`class="trail"`}},
		{name: "one action of a member", page: Page{Title: "A page", Only: true, Forms: []Form{vote}}, c: Context{Side: side},
			html: []string{`class="trail"`, "<h2>Vote</h2>"}},
		{name: "only a kind", page: Page{Kind: "Note"}, html: []string{"<ol><li>Note</li></ol></nav>"},
			md:     []string{"\nNote\n"},
			noHTML: []string{"›", `<p class="trail"`}},
		{name: "only a trail", page: Page{Trail: Line(Link("Team", "/t"))},
			html: []string{`<a href="/t">Team</a></li> </ol></nav>`},
			md:   []string{"\n[Team](/t)\n"}, noHTML: []string{"›", `<p class="trail"`}},
		{name: "no author and no audience", page: of(Prose{Text: "a"}), noHTML: []string{`<p class="under">`}},
		{name: "an audience", page: Page{Audience: "the members"}, html: []string{"Visible to </span>The members"}},
		{name: "an author", page: of(Prose{Lead: Line(T("By "), bob), Text: "a"}),
			html:   []string{`<p class="under"><span>By `},
			noHTML: []string{"under by", "Visible to"}},
		{name: "a text with an anchor", page: of(Prose{ID: "a", Lead: Line(T("By "), bob), Text: "a"}),
			noHTML: []string{`<p class="under">`}},
		{name: "no author in the lead", page: of(Prose{Lead: Line(T("Then:")), Text: "a"}), html: []string{"under by"},
			noHTML: []string{`<p class="under">`}},
		{name: "plain", page: of(Para{}), c: Context{Side: side}, html: []string{`class="page plain"`}},
		{name: "for strangers", page: of(wide(6)), html: []string{`class="page narrow"`}},
		{name: "with a rail", page: of(Rail{Para{T("a")}}), c: Context{Side: side},
			html: []string{`<main class="page" `}},
		{name: "with a rail on an action's page", page: Page{Only: true, Blocks: []Block{Rail{Para{T("a")}}}},
			c:    Context{Side: side},
			html: []string{`<main class="page plain" `}},
		{name: "wide", page: of(wide(6)), c: Context{Side: side}, html: []string{`class="page wide"`}},
		{name: "wide inside", page: of(Section{Blocks: []Block{wide(6)}}), c: Context{Side: side},
			html: []string{`class="page wide"`}},
		{name: "not wide", page: of(Section{Blocks: []Block{wide(5)}}), c: Context{Side: side},
			html: []string{`class="page plain"`}},
		{name: "a version", page: Page{Version: "7"},
			html: []string{` data-version="7" data-now="2026-11-20T12:00:00Z"`}},
		{name: "a version with news", page: Page{Version: "7"}, c: Context{News: "n"},
			html: []string{` data-version="7~n"`}},
		{name: "a version on an action's page", page: Page{Version: "7", Only: true}, noHTML: []string{"data-version"}},
		{name: "without a version", page: Page{}, noHTML: []string{"data-version"}},
		{name: "no site", page: Page{}, html: []string{"<span>Samepage</span>", `<a class="org" href="/">`},
			noHTML: []string{"<nav aria-label"}},
		{name: "a site", page: Page{}, c: Context{Site: "Ours", Home: "/h", Nav: Line(Link("Sign in", "/in"))},
			html: []string{"<span>Ours</span>", `<a class="org" href="/h">`,
				`<nav aria-label="Workspace"><ul><li><a href="/in">`}},
		{name: "an entry of the sidebar", page: Page{Trail: Line(Link("All", "/all"))}, c: Context{Side: side},
			html: []string{`href="/x" aria-current="page"`}, noHTML: []string{`aria-current="true"`}},
		{name: "an entry above the page", page: Page{Trail: Line(Link("All", "/all"), Link("Deep", "/deep"))},
			c:    Context{Side: &Sidebar{Name: "Acme", Studios: []Place{{Name: "All", URL: "/all"}}}},
			html: []string{`href="/all" aria-current="true"`}, noHTML: []string{`aria-current="page"`}},
		{name: "an empty offer", page: Page{Blocks: []Block{Empty(Line(T("None.")))}, Forms: []Form{vote}},
			noHTML: []string{`class="buttons"`}},
	} {
		c.check(t)
	}
	p := Page{URL: "/", Title: "X"}
	if got := string(p.AppendHTML(nil, &Context{Now: now})); !strings.Contains(got,
		`<p class="trail" data-extra>Home</p>`) {
		t.Errorf("the first page is not called Home:\n%s", got)
	}
	for s, want := range map[string]string{"a&b&c": "a&b&amp;c", "a&&": "a&&amp;", "a&b": "a&b", "": ""} {
		if got := string(escapeTail([]byte(s), min(2, len(s)))); got != want {
			t.Errorf("%s is escaped as %s, want %s", s, got, want)
		}
	}
	for url, want := range map[string]string{"/": "/index.md", "/?a=/": "/index.md?a=/", "/a": "/a.md",
		"/a?b": "/a.md?b"} {
		if got := markdownURL(url); got != want {
			t.Errorf("the markdown of %s is at %s, want %s", url, got, want)
		}
	}
	for s, want := range map[string]string{"&&&&": "&&&&", "&&&&a": "…", "0123456789": "0123456789",
		"0123456789a": "0123456…"} {
		if got := headBytes(s, 10); got != want {
			t.Errorf("in the head, %q is %q, want %q", s, got, want)
		}
	}
}

// TestWordsAsFilter checks that a search field has the present words, and sends the other parameters of the list.
func TestWordsAsFilter(t *testing.T) {
	find := FilterText{Label: "Words", URL: "/x", Kept: []Kept{{"open", "1"}}}
	tools := find
	tools.Text = "tools"
	for _, c := range []shown{
		{name: "no words", page: of(Filters{Find: &find}), noMD: []string{"Words"},
			html: []string{`action="/x"><input type="hidden" name="open" value="1">`, ` placeholder="Words"><button`}},
		{name: "words", page: of(Filters{Find: &tools}), html: []string{` placeholder="Words" value="tools"><button`}},
	} {
		c.check(t)
	}
}

// TestListsOfPeople checks that a list whose lines begin with a person or an agent has pictures in place of bullets.
func TestListsOfPeople(t *testing.T) {
	bob, scribe, face := Who("@bob", "/b"), Who("Scribe, agent of @bob", ""), PersonLink("@eve", "/e")
	for _, c := range []shown{
		{name: "names", page: of(List{{bob}, {scribe}}), html: []string{"<ul class=\"faces\">"}},
		{name: "lines", page: of(List{{bob, T(" asks")}, {scribe, T(" answers")}, {face}}),
			html: []string{"<ul class=\"people\">"}},
		{name: "one without a name", page: of(List{{bob, T(" asks")}, {T("Nobody")}}), html: []string{"<ul>\n"}},
		{name: "an empty line", page: of(List{{bob, T(" asks")}, {}}), html: []string{"<ul>\n"}},
	} {
		c.check(t)
	}
}

// TestStudiosAsFilters checks that a group of filters with the reader's studios follows the first group.
func TestStudiosAsFilters(t *testing.T) {
	side := &Sidebar{Studios: []Place{{Name: "Team", URL: "/s/team", Below: []Place{{Name: "Den",
		URL: "/s/den"}}}, {Name: "All of us", URL: "/s/all"}}}
	group := FilterGroup{Links: []Filter{{Text: "Open", URL: "/f?open", Chosen: true}}}
	f := Filters{Groups: []FilterGroup{group, group}, Studios: "/f?studio=", All: "/f"}
	var few Sidebar
	few.Studios = side.Studios[:1]
	for _, c := range []shown{
		{name: "all", page: of(f), c: Context{Side: side},
			html: []string{`<a href="/f" aria-current="true">All studios</a>`,
				`<a href="/f?studio=team">Team</a>`, `<a href="/f?studio=den">Den</a>`}},
		{name: "one studio", page: of(f), c: Context{Side: &few}, noHTML: []string{"All studios"}},
		{name: "for strangers", page: of(f), noHTML: []string{"All studios"}},
		{name: "no studios", page: of(Filters{Groups: f.Groups}), c: Context{Side: side},
			noHTML: []string{"All studios"}},
		{name: "one chosen", page: of(Filters{Groups: f.Groups, Studios: f.Studios, All: f.All, Studio: "den"}),
			c: Context{Side: side},
			html: []string{`<a href="/f">All studios</a>`, `<a href="/f?studio=den" aria-current="true">`,
				`<a href="/f?studio=team">`}},
	} {
		c.check(t)
	}
	p := of(f)
	if n := strings.Count(string(p.AppendHTML(nil, &Context{Now: now, Side: side})), "All studios"); n != 1 {
		t.Errorf("the studios are listed %d times", n)
	}
}
