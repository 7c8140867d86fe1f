package page

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"samepage/actions/param"
)

// TestLimitsInWords describes the types of parameters and their limits.
func TestLimitsInWords(t *testing.T) {
	for want, f := range map[string]param.Field{
		"text": {Kind: param.Text}, "text, at most 5 characters": {Kind: param.Text, Max: 5},
		"markdown, at least 1 character":               {Kind: param.Markdown, Min: 1},
		"text, 2 to 5 characters":                      {Kind: param.Text, Min: 2, Max: 5},
		"one text per line, or a list, at most 1 item": {Kind: param.Lines, Max: 1}, "number": {Kind: param.Number},
		"number 0 to 5": {Kind: param.Number, Max: 5}, "number at least 2": {Kind: param.Number, Min: 2},
		"number 2 to 5": {Kind: param.Number, Min: 2, Max: 5}, "any of": {Kind: param.Choices},
		"any of, [] for none": {Kind: param.Choices,
			Explicit: true, Max: 3}, "at most 3 of": {Kind: param.Choices, Max: 3},
		"at least 2 of": {Kind: param.Choices, Min: 2},
		"2 to 3 of":     {Kind: param.Choices, Min: 2, Max: 3}, "rank for each, 1 is best": {Kind: param.Grid,
			Min: 1, Max: 3},
		"points 0 to 3 for each": {Kind: param.Grid, Max: 3},
	} {
		if got := string(appendTakes(nil, &f)); got != want {
			t.Errorf("%+v takes %q, want %q", f, got, want)
		}
	}
	if got := string(appendTakes(nil, &param.Field{Kind: param.Grid})); got != "rank for each, 1 is best" {
		t.Errorf("ranks without a limit are %q", got)
	}
}

// TestFormsInMarkdown checks the lines about the actions of a page and about their parameters.
func TestFormsInMarkdown(t *testing.T) {
	keyed := func(keys ...string) param.Field {
		f := param.Field{Name: "row", Kind: param.Choice}
		for _, k := range keys {
			f.Options = append(f.Options, param.Option{Value: k})
		}
		return f
	}
	rows := func(cells ...Inline) Table {
		table := Table{Columns: []Column{{Title: "Key"}}}
		for i, c := range cells {
			table.Rows = append(table.Rows, Row{Key: fmt.Sprint(i + 1), Cells: [][]Inline{{c}}})
		}
		return table
	}
	page := func(b Block, f ...param.Field) Page {
		return Page{Blocks: []Block{b}, Forms: []Form{form("take", f...)}}
	}
	some := keyed("1", "2")
	some.Kind = param.Choices
	refused := func(errs param.Errors) Form {
		f := form("take", textField("why"))
		f.Errors = errs
		return f
	}
	const above = "(one of the keys above)"
	for _, c := range []shown{
		{name: "keys in a table", page: page(rows(T("1"), T("2")), keyed("1", "2")), md: []string{above}},
		{name: "keys in a section", page: page(Section{Blocks: []Block{rows(T("1"), T("2"))}}, keyed("1", "2")),
			md: []string{above}},
		{name: "keys in details", page: page(Details{Blocks: []Block{rows(T("1"), T("2"))}}, keyed("1", "2")),
			md: []string{above}},
		{name: "one key of two", page: page(rows(T("1")), keyed("1", "2")), md: []string{"(one of): `1` · `2`"}},
		{name: "another key", page: page(rows(T("1")), keyed("9")), md: []string{"(one of): `9`"}},
		{name: "keys that are not shown", page: page(rows(T("one"), T("two")), keyed("1", "2")),
			md: []string{"(one of): `1` · `2`"}},
		{name: "keys in code", page: page(rows(Mono("1"), T("2")), keyed("1", "2")),
			md: []string{"(one of): `1` · `2`"}},
		{name: "rows without keys", page: page(Table{Columns: []Column{{Title: "A"}},
			Rows: []Row{{Cells: [][]Inline{{T("")}}},
				{Cells: [][]Inline{{T("")}}}}}, keyed("", "")), no: []string{above}},
		{name: "several keys", page: page(rows(T("1"), T("2")), some), no: []string{"keys above"}},
		{name: "keys with labels", page: page(rows(T("1"), T("2")), one("row", "1", "2")),
			md: []string{"(one of): `1` way 1 · `2` way 2"}},
		{name: "no keys", page: page(rows(T("1")), keyed()), md: []string{"`row` (one of)\n"}},
		{name: "a label like the value", page: page(Para{}, param.Field{Name: "a", Kind: param.Choice,
			Options: []param.Option{
				{Value: "yes", Label: "yes"}, {Value: "no", Label: " "}}}), md: []string{"(one of): `yes` · `no`\n"}},
		{name: "an error of the whole", page: Page{Forms: []Form{refused(param.Errors{{Message: "Not now."}})}},
			md: []string{"- **take** **Not accepted:** Not now.\n"}},
		{name: "an error of another field", page: Page{Forms: []Form{refused(param.Errors{{Field: "what",
			Message: "is unknown"}})}},
			md: []string{"- **take** **Not accepted:** `what` is unknown\n"}},
		{name: "an error of a field", page: Page{Forms: []Form{refused(param.Errors{{Field: "why",
			Message: "is missing"}})}},
			md: []string{"- **take**\n", "  - `why` (text, at most 60 characters) **Not accepted:** is missing\n"}},
	} {
		c.check(t)
	}
	if !param.Has([]param.Field{{Name: "a"}, {Name: "b"}}, "b") || param.Has([]param.Field{{Name: "a"}}, "b") {
		t.Error("the names of fields are not found")
	}
	again := mdWriter{p: &Page{URL: "/x"}, c: &Context{Now: now}, limit: lineLimit, short: true}
	f := keyed("1")
	if n := again.keyed([]Block{rows(T("1"))}, &f); n != 0 {
		t.Errorf("%d options are keys of a table that is left out", n)
	}
}

// TestControls checks the extras of the control of a field: the focus, a calendar, a list of time zones, and buttons
// that send an answer with one click.
func TestControls(t *testing.T) {
	as := func(as string, value string) param.Field {
		return param.Field{Name: "a", Kind: param.Text, As: as, Value: value}
	}
	multi := param.Field{Name: "a", Kind: param.Lines, Values: []string{"b", "c"}}
	given := multi
	given.Value = "d"
	options := func(kind param.Kind, n int) param.Field {
		return param.Field{Name: "a", Kind: kind, Options: choices(n)}
	}
	ballot := func(f *Form) { f.Ballot = true }
	flag := param.Field{Name: "a", Kind: param.Flag, Kept: true}
	alone := param.Field{Name: "a", Kind: param.Flag}
	const only, beside, now, none = `name="a" value="1" required checked`, `class="beside"`,
		`class="small soft now"`, `name="_none" value="a"`
	for _, c := range []struct {
		name      string
		field     param.Field
		change    func(*Form)
		has, lack []string
	}{
		{"zone", as("zone", ""), nil, []string{`list="f-do_it-a-list"`, `<datalist id="f-do_it-a-list">`,
			`<option value="Europe/Rome">`}, nil},
		{"colour", as("colour", "#ABCDEF"), nil,
			[]string{`type="color" name="_pick.a" aria-label="A: pick" value="#abcdef"`,
				`name="_was.a" value="#abcdef"`}, []string{"<datalist"}},
		{"no colour", as("colour", ""), nil, []string{`value="#000000"`}, nil},
		{"time", param.Field{Name: "a", Kind: param.Time}, nil,
			[]string{`type="datetime-local" name="_pick.a" aria-label="A: pick">`},
			[]string{" required"}},
		{"suggestions", param.Field{Name: "a", Kind: param.Text,
			Options: []param.Option{{Value: "main"}, {Value: "b", Label: "<B>"}}}, nil, []string{`list="f-do_it-a-list"`,
			`<datalist id="f-do_it-a-list"><option value="main"></option><option value="b">&lt;B&gt;</option>`}, nil},
		{"suggested pages", param.Field{Name: "a", Kind: param.Ref, Options: choices(2)}, nil,
			[]string{`list="f-do_it-a-list"`, "<datalist"}, nil},
		{"text", as("", ""), nil, []string{" autofocus"}, []string{`class="pick"`, "<datalist", ` list=`}},
		{"several lines", multi, nil, []string{">\nb\nc</textarea>"}, nil},
		{"lines that were sent", given, nil, []string{">\nd</textarea>"}, nil},
		{"markdown with values", param.Field{Name: "a", Kind: param.Markdown, Values: []string{"b"}}, nil,
			[]string{">\n</textarea>"}, nil},
		{"one option", options(param.Choice, 1), nil, []string{only}, []string{beside}},
		{"one option to leave out", leftOut(options(param.Choice, 1)), nil, nil, []string{" checked"}},
		{"one option of several", options(param.Choices, 1), nil, nil, []string{" checked"}},
		{"one option of a vote", options(param.Choice, 1), ballot, []string{now}, []string{" checked"}},
		{"two options", options(param.Choice, 2), nil, []string{beside}, []string{" checked", now}},
		{"four options", options(param.Choice, 4), nil, []string{beside}, nil},
		{"five options", options(param.Choice, 5), nil, nil, []string{beside}},
		{"two of several", options(param.Choices, 2), nil, nil, []string{beside}},
		{"a vote", options(param.Choice, 2), ballot, []string{now, `<span class="vh">Do it: </span>Way 1</button>`}, []string{beside}},
		{"a vote for several", options(param.Choices, 2), ballot, []string{now,
			`>Only this<span class="vh">: Way 1`}, nil},
		{"a vote with points", options(param.Grid, 2), ballot, nil, []string{now}},
		{"a vote with a text", options(param.Choice, 2), func(f *Form) {
			ballot(f)
			f.Fields = append(f.Fields,
				textField("b"))
		}, nil, []string{now}},
		{"a vote with more", options(param.Choice, 2), func(f *Form) {
			ballot(f)
			f.Fields = append(f.Fields,
				leftOut(textField("b")))
		},
			[]string{now}, nil},
		{"a second choice of a vote", textField("b"), func(f *Form) {
			ballot(f)
			f.Fields = append(f.Fields,
				options(param.Choice, 2))
		},
			nil, []string{now}},
		{"points", param.Field{Name: "a", Kind: param.Grid, Max: 5, Options: choices(2), Values: []string{"2",
			"1=4"}}, nil,
			[]string{`name="a.1" min="0" max="5" value="4"`, `name="a.2" min="0" max="5">`}, nil},
		{"a kept flag", flag, nil, []string{none}, nil},
		{"a kept flag of a version", flag, func(f *Form) { f.Version = "3" }, nil, []string{none}},
		{"a flag", alone, nil, nil, []string{none}},
		{"a kept text", param.Field{Name: "a", Kind: param.Text, Kept: true}, nil, nil, []string{none}},
		{"a file", param.Field{Name: "a", Kind: param.File}, nil, []string{`enctype="multipart/form-data"`}, nil},
		{"no limit", param.Field{Name: "a", Kind: param.Lines}, nil, nil, []string{"maxlength"}},
		{"without a name", param.Field{Kind: param.Text}, nil, []string{">(empty)</label>"}, nil},
		{"another title", textField("a"), func(f *Form) { f.Title = "Do that" }, []string{">Do that</button>"}, []string{"<h2>"}},
		{"the same title", textField("a"), nil, nil, []string{"<h2>", "<h3>"}},
		{"an error of a folded field", textField("b"), func(f *Form) {
			f.Fields = append(f.Fields, param.Field{Name: "a", Kind: param.Text, More: true},
				param.Field{Name: "c", Kind: param.Text, More: true})
			f.Errors = param.Errors{{Field: "a", Message: "No."}}
		}, []string{`<details class="more" open>`}, nil},
		{"no error of a folded field", textField("b"), func(f *Form) {
			f.Fields = append(f.Fields, param.Field{Name: "a", Kind: param.Text, More: true})
			f.Errors = param.Errors{{Field: "b", Message: "No."}}
		}, []string{`<details class="more">`}, nil},
		{"two fields", textField("b"), func(f *Form) { f.Fields = append(f.Fields, textField("a")) },
			[]string{`name="b" required autofocus`},
			[]string{`name="a" required autofocus`}},
	} {
		_, got, _ := strings.Cut(formOf(c.field, c.change), "<main")
		for _, s := range c.has {
			if !strings.Contains(got, s) {
				t.Errorf("%s: no %s in\n%s", c.name, s, got)
			}
		}
		for _, s := range c.lack {
			if strings.Contains(got, s) {
				t.Errorf("%s: %s in\n%s", c.name, s, got)
			}
		}
	}
	p := Page{URL: "/x/actions", Title: "X", Only: true, Forms: []Form{form("a", textField("a")), form("b",
		textField("b"))}}
	if got := string(p.AppendHTML(nil, &Context{})); strings.Contains(got,
		"autofocus") || !strings.Contains(got, "<h2>A</h2>") {
		t.Errorf("a page of two actions:\n%s", got)
	}
	erase := form("c")
	erase.Destructive = true
	p.Forms = []Form{form("a", textField("a")), form("b"), erase}
	if got := string(p.AppendHTML(nil, &Context{})); strings.Count(got, ` form="f-`) != 1 ||
		strings.Count(got, `class="only"`) != 2 || !strings.Contains(got, `<button type="submit" form="f-b">B</button>`) ||
		!strings.Contains(got, `id="f-b"`) || strings.Index(got, ` form="f-b"`) > strings.Index(got, "</form>") {
		t.Errorf("not only the second action is a single button, beside that of the first one:\n%s", got)
	}
}

// TestCallingSlots checks that optional choices are folded, and options have a button each, only in a slot that calls
// for an answer.
func TestCallingSlots(t *testing.T) {
	answer := func(n int, change func(*param.Field)) Form {
		f := param.Field{Name: "a", Kind: param.Choice, Options: choices(n)}
		if change != nil {
			change(&f)
		}
		return in("s", form("answer", f))
	}
	many := func(f ...param.Field) Form {
		return in("s", form("answer", append([]param.Field{textField("b"), textField("c")}, f...)...))
	}
	const now, folded = `class="small soft now"`, `<details class="more"`
	page := func(calls bool, f Form) Page {
		return Page{Blocks: []Block{Slot{ID: "s", Calls: calls}}, Forms: []Form{f}}
	}
	choice := leftOut(one("a", "1", "2"))
	always := choice
	always.Shown = true
	lines := param.Field{Name: "a", Kind: param.Lines, Optional: true}
	for _, c := range []shown{
		{name: "asked", page: page(true, answer(2, nil)), html: []string{now}},
		{name: "not asked", page: page(false, answer(2, nil)), noHTML: []string{now}},
		{name: "one option", page: page(true, answer(1, nil)), noHTML: []string{now}},
		{name: "to leave out", page: page(true, answer(2, func(f *param.Field) { f.Optional = true })),
			noHTML: []string{now}},
		{name: "filled in", page: page(true, answer(2, func(f *param.Field) { f.Value = "1" })), noHTML: []string{now}},
		{name: "several", page: page(true, answer(2, func(f *param.Field) { f.Kind = param.Choices })),
			noHTML: []string{now}},
		{name: "a choice among many", page: page(true, many(choice)), html: []string{folded}},
		{name: "a choice that is shown", page: page(true, many(always)), noHTML: []string{folded}},
		{name: "a list among many", page: page(true, many(lines)), html: []string{folded}},
		{name: "a text among many", page: page(true, many(leftOut(textField("a")))), noHTML: []string{folded}},
		{name: "a required choice", page: page(true, many(one("a", "1", "2"))), noHTML: []string{folded}},
		{name: "a choice of two", page: page(true, in("s", form("answer", textField("b"), choice))),
			noHTML: []string{folded}},
		{name: "a choice that is not asked for", page: page(false, many(choice)), noHTML: []string{folded}},
	} {
		c.check(t)
	}
}

// TestLongPages cuts a page that is too long: it keeps as much as fits, all names of actions, and the address of the
// whole page.
func TestLongPages(t *testing.T) {
	lines := func(n int, size int) (list []Block) {
		for i := range n {
			list = append(list, Para{T(fmt.Sprintf("%4d", i) + strings.Repeat("é", size))})
		}
		return list
	}
	actions := func(n, doc int) (list []Form) {
		for i := range n {
			f := form(fmt.Sprint("do_", i), textField("why"))
			if i == 0 {
				f.Fields = nil
			}
			f.Doc = strings.Repeat("d", doc)
			list = append(list, f)
		}
		return list
	}
	write := func(p Page) (string, int) {
		p.URL, p.Title = "/x", "X"
		text := string(p.AppendMarkdown(nil, &Context{Now: now}))
		return text, utf8.RuneCountInString(text)
	}
	const longer, brief = "This page is longer than shown here: [the whole page](", "Its parameters: [form]("
	// Each audience is one character longer than the one before, so the page passes the limit one character at a
	// time.
	exact := false
	for title := range 25 {
		p := Page{Audience: strings.Repeat("a", title), Blocks: lines(520, 15), Forms: actions(3, 60)}
		text, n := write(p)
		if n > pageLimit || n < pageLimit-25 || !strings.Contains(text,
			longer+"/x?full=1)") || strings.Contains(text, brief) ||
			strings.Count(text, "`why`") != 2 {
			t.Fatalf("%d characters of the page are shown:\n%s", n, text)
		}
		exact = exact || n == pageLimit
	}
	if !exact {
		t.Error("no page has as many characters as it may have")
	}
	text, n := write(Page{Blocks: lines(100, 94), Forms: actions(40, 150), Rest: "/whole"})
	if n > pageLimit || strings.Count(text, brief) != 39 || strings.Contains(text,
		"`why`") || !strings.Contains(text, longer+"/whole)") ||
		!strings.Contains(text, "- **do_39**") || strings.Count(text, "\n- **do_0**: "+strings.Repeat("d",
		150)+"\n") != 1 {
		t.Errorf("a page with long actions has %d characters:\n%s", n, text)
	}
	if text, _ = write(Page{Forms: actions(30, 150)}); strings.Contains(text, brief) || strings.Contains(text, longer) {
		t.Errorf("a page that fits is cut:\n%s", text)
	}
	for s, most := range map[string]int{"éé": 2, "ab": 2, "": 0} {
		if !fits([]byte(s), most) || most > 0 && fits([]byte(s), most-1) {
			t.Errorf("%q has not %d characters", s, most)
		}
	}
	for url, want := range map[string]string{"/x": "/x?full=1", "/x?of=a": "/x?of=a&full=1"} {
		if got := (&mdWriter{p: &Page{URL: url}}).fullURL(); got != want {
			t.Errorf("the whole page of %s is at %s, want %s", url, got, want)
		}
	}
	// Help is cut between two paragraphs, and never inside code.
	help := strings.Repeat("one\ntwo\n\n```\nb\n\nb\n```\n\n", 1000)
	for at := range 20 {
		text, n = write(Page{Audience: strings.Repeat("a", at), Blocks: []Block{Doc(help)}})
		if strings.Count(text, "```")%2 != 0 || strings.Count(text, "one\n") != strings.Count(text,
			"two\n") || n < pageLimit-40 {
			t.Fatalf("help of %d characters ends inside of code or of a paragraph:\n%s", n, text[len(text)-300:])
		}
	}
}

// TestRowsThatAreLeftOut checks that the smaller of the limits of a section and of a brief page holds, and that a
// single row is never left out.
func TestRowsThatAreLeftOut(t *testing.T) {
	for _, c := range []struct{ few, rows, n, want int }{{0, 0, 9, 9}, {3, 0, 9, 3}, {0, 5, 9, 5}, {3, 5, 9, 3},
		{5, 3, 9, 3}, {3, 3, 9, 3},
		{5, 3, 4, 4}, {3, 5, 4, 4}} {
		w := mdWriter{c: &Context{}, few: Few{Most: c.few}, allow: allowance{rows: c.rows}}
		if got := w.most(c.n); got != c.want {
			t.Errorf("of %d rows with the limits %d and %d, %d are shown, want %d", c.n, c.few, c.rows, got, c.want)
		}
	}
}

// TestCodeThatIsCut cuts code at twice the length at which a text is cut. The output of a program keeps its end.
func TestCodeThatIsCut(t *testing.T) {
	code := strings.Repeat("line\n", 700) // longer than twice the largest allowance
	for _, c := range []struct {
		b         Code
		says, not string
	}{
		{Code{Text: code[:2900]}, "line\n```\n", "here:"},
		{Code{Text: code[:2900], End: true}, "line\n```\n", "here:"},
	} {
		if got := inMarkdown(c.b); !strings.Contains(got, c.says) || strings.Contains(got, c.not) {
			t.Errorf("%d characters of code:\n%s", len(c.b.Text), got)
		}
	}
	p := Page{URL: "/x", Title: "X", Blocks: []Block{Code{Text: "begin\n" + code + "end"}, Para{T("after")},
		Code{Text: "begin\n" + code + "end", End: true},
		List(slices.Repeat([][]Inline{{T(strings.Repeat("m", 190))}}, 20))}}
	got := string(p.AppendMarkdown(nil, &Context{Now: now}))
	first, last, _ := strings.Cut(got, "after")
	if !strings.Contains(first, "begin\nline\n") || strings.Contains(first,
		"end\n```") || !strings.Contains(first, "\n```\n\nCut here: [the whole text](") {
		t.Errorf("code that is cut:\n%s", first)
	}
	if strings.Contains(last, "begin") || !strings.Contains(last,
		"Only the end is here: [the whole text](/x?full=1)\n\n```\nline\n") ||
		!strings.Contains(last, "line\nend\n```\n") {
		t.Errorf("output that is cut:\n%s", last)
	}
	for _, c := range []struct {
		text  string
		limit int
		want  string
	}{{"abc\ndef", 5, "def"}, {"abcdef", 3, "def"}, {"abc\n", 2, ""}, {"aé", 1, ""}, {"ab\ncd\nef", 5, "ef"}} {
		if got := lastLines(c.text, c.limit); got != c.want {
			t.Errorf("the last %d bytes of %q are %q", c.limit, c.text, got)
		}
	}
}
