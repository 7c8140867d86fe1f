package page

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"samepage/actions/param"
)

// TestLogsByDay checks that the events of each day have a heading of their own. It also checks that a reader with
// several studios can filter a list by studio.
func TestLogsByDay(t *testing.T) {
	event := func(ago time.Duration, no int64) Event {
		return Event{By: Who("@bob", "/b"), Did: "wrote", On: Link("It", "/i"), At: now.Add(-ago), No: no, URL: fmt.Sprint("/j/", no)}
	}
	got := inHTML(Log{event(0, 4), event(time.Hour, 3), event(30*time.Hour, 2), event(80*time.Hour, 1)})
	if days := strings.Count(got, `<div class="day"`); days != 3 {
		t.Errorf("%d days, want 3\n%s", days, got)
	}
	last := -1
	for _, no := range []string{"/j/4", "/j/3", "/j/2", "/j/1"} {
		at := strings.Index(got, `"`+no+`"`)
		if at <= last || strings.Count(got, `"`+no+`"`) != 1 {
			t.Errorf("%s stands at %d after %d, %d times", no, at, last, strings.Count(got, `"`+no+`"`))
		}
		last = at
	}
	everybody := Filter{Text: "Everybody", URL: "/all", Chosen: true}
	filters := Filters{Groups: []FilterGroup{{Links: []Filter{everybody}}}, Studios: "/all?studio=", All: "/all"}
	for n, want := range map[int]bool{0: false, 1: false, 2: true, 3: true} {
		side := &Sidebar{Name: "Acme"}
		for i := range n {
			side.Studios = append(side.Studios, Place{Name: fmt.Sprint("S", i), URL: fmt.Sprint("/studios/s", i)})
		}
		p := Page{URL: "/x", Title: "X", Blocks: []Block{filters}}
		html := string(p.AppendHTML(nil, &Context{Side: side}))
		if strings.Contains(html, `href="/all?studio=s0"`) != want || strings.Contains(html, "<h2>Studios</h2>") != (n > 0) {
			t.Errorf("with %d studios the lists are offered: %t\n%s", n, !want, html)
		}
	}
	p := Page{URL: "/x", Title: "X", Blocks: []Block{filters}}
	if html := string(p.AppendHTML(nil, &Context{})); strings.Contains(html, "All studios") {
		t.Error("a reader without a sidebar is offered studios")
	}
}

// TestBallotsOnRows checks that the controls of a form are on the rows of the table above it, if each option of the
// form has a row.
func TestBallotsOnRows(t *testing.T) {
	table := Table{Columns: []Column{{Title: "#", Number: true}, {Title: "Option"}}, Rows: []Row{
		{Key: "1", Cells: [][]Inline{Line(T("1")), Line(T("Cargo"))}}, {Key: "2", Cells: [][]Inline{Line(T("2")), Line(T("Wagon"))}},
		{Key: "3", Cells: [][]Inline{Line(T("3")), Line(T("Cart"))}}}}
	ballot := func(f param.Field) string {
		p := Page{URL: "/x", Title: "X", Blocks: []Block{Section{ID: "options", Title: "Options", Blocks: []Block{table}}},
			Forms: []Form{{Name: "cast_vote", Title: "Vote", URL: "/x/actions/cast_vote", Slot: "options", Fields: []param.Field{f}}}}
		return string(p.AppendHTML(nil, &Context{Now: now}))
	}
	for _, c := range []struct {
		name  string
		field param.Field
		want  []string
		marks int
	}{
		{"two of three", param.Field{Name: "accept", Kind: param.Choices, Options: choices(2), Values: []string{"2"}, Doc: "All you like."},
			[]string{`<p class="hint" data-extra>All you like.</p>` + "\n" + `<div class="scroll"`, `<table class="ballot">`,
				`aria-label="Accept: Cargo">`, `aria-label="Accept: Wagon" checked>`,
				`-accept-1"`, `-accept-2"`}, 2},
		{"one", param.Field{Name: "pick", Kind: param.Choice, Options: choices(3), Doc: "Pick one."},
			[]string{`type="radio" value="3" required name="pick"`}, 3},
		{"points", param.Field{Name: "points", Kind: param.Grid, Max: 5, Options: choices(3), Values: []string{"3=4"}},
			[]string{`name="points.3"`, `value="4"`}, 3},
		{"ranks", param.Field{Name: "rank", Kind: param.Grid, Options: choices(3)}, []string{`min="1" name="rank.1"`}, 3},
		{"one without a row", param.Field{Name: "pick", Kind: param.Choice, Options: choices(4)}, nil, 0},
		{"none", param.Field{Name: "pick", Kind: param.Choice}, nil, 0},
		{"text", param.Field{Name: "text", Kind: param.Text}, nil, 0},
	} {
		got := ballot(c.field)
		_, body, _ := strings.Cut(got, "<tbody>")
		body, _, _ = strings.Cut(body, "</tbody>")
		if n := strings.Count(body, `<td class="mark" data-extra><input`); n != c.marks {
			t.Errorf("%s: %d marks, want %d\n%s", c.name, n, c.marks, body)
		}
		if c.marks > 0 && (strings.Count(got, "<button") != 1 || strings.Contains(got, "Pick one.")) {
			t.Errorf("%s: the marks have other buttons, or one of several options has words\n%s", c.name, got)
		}
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %s in\n%s", c.name, want, got)
			}
		}
	}
	got := ballot(param.Field{Name: "accept", Kind: param.Choices, Options: choices(2)})
	if strings.Contains(got, `<p class="hint"`) {
		t.Error("a choice without help has an empty one")
	}
}

// TestOutcomes checks that only a success is green and has a check mark, and that a list of people has pictures in
// place of bullets.
func TestOutcomes(t *testing.T) {
	for want, b := range map[string]Block{
		`<p class="notice good outcome"><svg class="i"`:         Banner{Success("Elected"), T(": Bob.")},
		`<p class="notice outcome"><strong>No result:</strong>`: Banner{Strong("No result:"), T(" nobody has voted.")},
		`<ul class="people">`:                                   List{Line(PersonLink("@bob", "/bob"), T(" Bob Baker"))},
		"<ul>\n<li>":                                            List{Line(Who("@bob", "")), Line(T("nobody"))},
		`<ul class="faces">`:                                    List{Line(Who("@bob", ""))},
	} {
		if got := inHTML(b); !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

// TestNamesOfRows puts the picture of a row before its name, which is the first cell that is not a button.
func TestNamesOfRows(t *testing.T) {
	ring := &Ring{Icon: "vote"}
	for _, c := range []struct {
		cells [][]Inline
		want  string
	}{
		{[][]Inline{Line(Link("A", "/a")), Line(T("B"))}, `<td><svg class="ring"`},
		{[][]Inline{Line(Button("Vote", "/v")), Line(Link("A", "/a"))}, `</td> <td><svg class="ring"`},
		{[][]Inline{Line(Button("Vote", "/v"))}, `<td><svg class="ring"`},
	} {
		columns := make([]Column, len(c.cells))
		for i := range columns {
			columns[i].Title = "C"
		}
		got := inHTML(Table{Columns: columns, Rows: []Row{{Cells: c.cells, Ring: ring}}, Lines: true})
		if !strings.Contains(got, c.want) || !strings.Contains(got, `<table class="lines rings">`) {
			t.Errorf("no %s in\n%s", c.want, got)
		}
		got = inHTML(Table{Columns: columns, Rows: []Row{{Cells: c.cells}}, Lines: true})
		if !strings.Contains(got, `<table class="lines">`) {
			t.Errorf("rows without pictures have room for them\n%s", got)
		}
	}
	none := func(text string) string {
		return inHTML(Table{Columns: []Column{{Title: "N"}, {Title: "W", Whole: true}},
			Rows: []Row{{Cells: [][]Inline{Line(T("a")), Line(T(text))}}}})
	}
	if got := none("–"); !strings.Contains(got, `<td class="vh">–</td>`) {
		t.Errorf("a dash has a line of its own\n%s", got)
	}
	if got := none("all"); !strings.Contains(got, `<td class="whole">all</td>`) {
		t.Errorf("a text has no line of its own\n%s", got)
	}
}

// TestSmallThings checks details that have no test of their own: anchors, deep trees, zones, code spans and
// footnotes.
func TestSmallThings(t *testing.T) {
	said := func(id string) string {
		return inHTML(Prose{ID: id, Lead: Line(Who("@bob", "/b"), T(", now")), Text: "Hello."})
	}
	if !strings.Contains(said("c1"), `<div class="said" id="c1">`) || strings.Contains(said(""), `class="said"`) {
		t.Error("a contribution without an address looks like one with an address, or the other way round")
	}
	deep := Tree{{Line: Line(T("leaf"))}}
	for range 6 {
		deep = Tree{{Line: Line(T("branch")), Below: deep}}
	}
	if got := inHTML(deep); strings.Count(got, "<ul") != strings.Count(got, "</ul>") || strings.Count(got, "leaf") != 1 ||
		strings.Contains(got, "<ul>\n</ul>") {
		t.Errorf("a deep tree is\n%s", got)
	}
	for _, c := range []struct {
		zone *time.Location
		want string
	}{{nil, "UTC"}, {time.FixedZone("Elsewhere", 3600), "Elsewhere"}} {
		p := Page{URL: "/x", Title: "X"}
		if got := string(p.AppendMarkdown(nil, &Context{Zone: c.zone})); !strings.Contains(got, `zone: "`+c.want+`"`) {
			t.Errorf("the zone is not %s in\n%s", c.want, got)
		}
	}
	for code, want := range map[string]string{"a": "`a`", "`": "`` ` ``", "`a": "`` `a ``", "a`": "`` a` ``",
		"a`b": "``a`b``", "a``b": "```a``b```"} {
		p := Page{URL: "/x", Title: "X", State: Line(Mono(code))}
		if got := string(p.AppendMarkdown(nil, &Context{})); !strings.HasSuffix(got, "\n\n"+want+"\n") {
			t.Errorf("%q is written\n%s", code, got)
		}
	}
	notes := inHTML(Prose{Text: "a[^1] b[^1]\n\n[^1]: Note."})
	for _, want := range []string{"fnref-1", "fnref1-1"} {
		if strings.Count(notes, want) < 2 {
			t.Errorf("no %s with its way back in\n%s", want, notes)
		}
	}
}

// TestGuardOfProse checks that a text with too many nested quotations or lists, or with too many characters of
// markup, is shown without markup. Any other text has its markup.
func TestGuardOfProse(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		plain bool
	}{
		"as many quotations as may be": {strings.Repeat(">", nestLimit) + " a", false},
		"one more":                     {strings.Repeat(">", nestLimit+1) + " a", true},
		"many signs in one word":       {strings.Repeat("-", nestLimit+9) + "a", false},
		"many lists":                   {strings.Repeat("- ", nestLimit+1) + "a", true},
		"indented as far as may be":    {strings.Repeat(" ", indentLimit) + "-a", false},
		"indented further":             {strings.Repeat(" ", indentLimit+1) + "-a", true},
		"indented without a list":      {strings.Repeat(" ", indentLimit+1) + "a", false},
		"many characters of markup":    {strings.Repeat("*", delimLimit+1), true},
		"as many as may be":            {strings.Repeat("*", delimLimit), false},
	} {
		if _, plain := guard([]byte(c.text)); plain != c.plain {
			t.Errorf("%s: shown without markup: %t", name, plain)
		}
	}
}

// TestTurns checks that words about the reader's turn are marked if there is something to press: a form in a slot, or
// buttons in a section that asks for one.
func TestTurns(t *testing.T) {
	ask := Section{ID: "ask", Title: "Ask", Calls: true,
		Blocks: []Block{Presses{URL: "/p", List: []Press{{Value: "a", Text: "Allow"}}}}}
	mute := ask
	mute.Blocks = []Block{Presses{URL: "/p"}}
	calm := ask
	calm.Calls = false
	state := Line(Turn("Your turn.", "#ask"))
	const mark = `<mark><a href="#ask">Your turn.</a></mark>`
	const jump = `<nav class="jump" aria-label="This page" data-extra><a href="#ask">Your turn</a></nav>`
	for _, c := range []shown{
		{name: "buttons", page: Page{State: state, Blocks: []Block{ask}}, html: []string{mark, jump}},
		{name: "no button", page: Page{State: state, Blocks: []Block{mute}}, noHTML: []string{"<mark>", "<nav class=\"jump\""}},
		{name: "a section that does not ask", page: Page{State: state, Blocks: []Block{calm}},
			noHTML: []string{"<mark>"}},
		{name: "another page", page: Page{State: Line(TurnAt("Your turn.", "/there"))},
			html: []string{`<mark><a href="/there">Your turn.</a></mark>`}},
	} {
		c.check(t)
	}
}

// TestTitledPages checks that a page asks for the titles of the pages for which cards of a board stand.
func TestTitledPages(t *testing.T) {
	p := sampleOfWork()
	var urls []string
	for text := range p.Texts {
		if strings.HasPrefix(text, "/") {
			urls = append(urls, text)
		}
	}
	if want := []string{"/studios/team/d/x", "/studios/team/n/secret"}; !slices.Equal(urls, want) {
		t.Errorf("the page asks for the titles of %q, not %q", urls, want)
	}
}
