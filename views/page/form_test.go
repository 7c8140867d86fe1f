package page

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"samepage/actions/param"
)

// formOf returns the HTML of the page of an action with one field.
func formOf(f param.Field, change func(*Form)) string {
	form := Form{Name: "do_it", Title: "Do it", URL: "/x/actions/do_it", Fields: []param.Field{f}}
	if change != nil {
		change(&form)
	}
	p := Page{URL: "/x/actions/do_it", Title: "Do it", Only: true, Forms: []Form{form}}
	return string(p.AppendHTML(nil, &Context{Now: now}))
}

func choices(n int) (list []param.Option) {
	for i := range n {
		list = append(list, param.Option{Value: fmt.Sprint(i + 1), Label: fmt.Sprint("Way ", i+1)})
	}
	return list
}

// TestControlsOfFields checks the control of each kind of field: its type, its limits, its value, its words and its
// errors.
func TestControlsOfFields(t *testing.T) {
	for _, c := range []struct {
		name      string
		field     param.Field
		has, lack []string
	}{
		{"text", param.Field{Name: "a", Kind: param.Text, Max: 9, Min: 2, Value: "v"},
			[]string{`type="text"`, `minlength="2"`, `value="v"`}, []string{"autocomplete", "maxlength",
				"(optional)"}},
		{"short text", param.Field{Name: "a", Kind: param.Text, Min: 1, Optional: true}, []string{"(optional)"},
			[]string{"minlength"}},
		{"name", param.Field{Name: "a", Kind: param.Text, Fill: "username"}, []string{`type="email"`,
			`autocomplete="username"`}, nil},
		{"address", param.Field{Name: "a", Kind: param.Text, As: "email"}, []string{`type="email"`},
			[]string{"autocomplete"}},
		{"other fill", param.Field{Name: "a", Kind: param.Text, Fill: "name"}, []string{`type="text"`,
			`autocomplete="name"`}, nil},
		{"secret", param.Field{Name: "a", Kind: param.Secret, Value: "v"},
			[]string{`autocomplete="new-password"`}, []string{`value="v"`}},
		{"known secret", param.Field{Name: "a", Kind: param.Secret, Fill: "current-password"},
			[]string{`autocomplete="current-password"`}, []string{"new-password"}},
		{"help as the label", param.Field{Name: "email", Kind: param.Text, Doc: "Your email address."}, []string{">Email<"},
			[]string{`class="hint"`, "aria-describedby"}},
		{"help as two words", param.Field{Name: "old_door", Kind: param.Text, Doc: "Which old door."}, nil, []string{`class="hint"`}},
		{"help with more", param.Field{Name: "email", Kind: param.Text, Doc: "Your email for letters."},
			[]string{`class="hint"`, "for letters"}, nil},
		{"help without a name", param.Field{Name: "one", Kind: param.Text, Doc: "The one."}, []string{"The one."}, nil},
		{"file", param.Field{Name: "a", Kind: param.File, Value: "v"}, []string{`type="file"`}, []string{`value="v"`}},
		{"number", param.Field{Name: "a", Kind: param.Number, Min: 1, Max: 5}, []string{`min="1"`, `max="5"`}, nil},
		{"number from 0", param.Field{Name: "a", Kind: param.Number, Max: 5}, []string{`min="0"`, `max="5"`}, nil},
		{"any number", param.Field{Name: "a", Kind: param.Number}, []string{`type="number"`}, []string{"min=", "max="}},
		{"number from 2", param.Field{Name: "a", Kind: param.Number, Min: 2}, []string{`min="2"`}, []string{"max="}},
		{"cells", param.Field{Name: "a", Kind: param.Lines, Doc: "One per line.", Values: []string{"it: <x>: y",
			"Up: yes"},
			Cells: []param.Cell{{Title: "It"}, {Title: "N", As: "number"}, {Title: "On", As: "date"},
				{Title: "Up", As: "flag"},
				{Title: "Where", As: "choice", Options: []string{"here"}}}},
			[]string{`<label for="f-do_it-a-1">It</label><input type="text" autocomplete="off" id="f-do_it-a-1" name="_cell.a.It"`,
				`value="&lt;x&gt;: y"`, `type="number" step="any"`, `type="date"`, "<option selected>yes",
				"<option>here"},
			[]string{"<textarea", "One per line"}},
		{"lines of no cell", param.Field{Name: "a", Kind: param.Lines, Values: []string{"Colour: red"},
			Cells: []param.Cell{{Title: "It"}}},
			[]string{"<textarea", "Colour: red"}, []string{"_cell"}},
		{"flag", param.Field{Name: "a", Kind: param.Flag, Value: "on"}, []string{`type="checkbox" value="true"`,
			" checked"}, nil},
		{"empty flag", param.Field{Name: "a", Kind: param.Flag, Value: "false"}, nil, []string{" checked"}},
		{"few choices", param.Field{Name: "a", Kind: param.Choice, Options: choices(manyOptions - 1), Value: "2"},
			[]string{`type="radio"`, `value="2" required checked`, `>Way 1</label>`}, []string{"<select",
				`value="1" required checked`}},
		{"many choices", param.Field{Name: "a", Kind: param.Choice, Options: choices(manyOptions), Value: "2"},
			[]string{"<select", "Choose…", `<option value="2" selected>Way 2`, `<option value="1">Way 1`},
			[]string{`type="radio"`}},
		{"many to leave out", param.Field{Name: "a", Kind: param.Choice, Options: choices(manyOptions), Optional: true},
			[]string{`<option value="">–`}, []string{"selected", "Choose…"}},
		{"some", param.Field{Name: "a", Kind: param.Choices, Options: choices(2), Values: []string{"1"}},
			[]string{`type="checkbox"`}, []string{"required"}},
		{"without a label", param.Field{Name: "a", Kind: param.Choice, Options: []param.Option{{Value: "7"}}},
			[]string{">7</label>"}, nil},
		{"points", param.Field{Name: "a", Kind: param.Grid, Max: 5, Options: choices(2), Values: []string{"2=3"}},
			[]string{`name="a.1"`, `min="0" max="5"`, `value="3"`}, []string{"1 is best"}},
		{"ranks", param.Field{Name: "a", Kind: param.Grid, Options: choices(2)}, []string{`min="1"`,
			"1 is best"}, []string{"max="}},
		{"ranks up to 3", param.Field{Name: "a", Kind: param.Grid, Min: 1, Max: 3, Options: choices(2)},
			[]string{`min="1" max="3"`, "1 is best"}, nil},
		{"documented", param.Field{Name: "a", Kind: param.Duration, Doc: "How long."},
			[]string{`aria-describedby="`, "How long. Such as 90m"}, nil},
		{"undocumented", param.Field{Name: "a", Kind: param.Text}, nil, []string{"aria-describedby", `class="hint"`}},
	} {
		_, got, _ := strings.Cut(formOf(c.field, nil), "<form")
		got, _, _ = strings.Cut(got, "</form>")
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
	field := param.Field{Name: "a", Kind: param.Text}
	for _, c := range []struct {
		errors param.Errors
		bad    bool
	}{{param.Errors{{Field: "a", Message: "No."}}, true}, {param.Errors{{Field: "b", Message: "No."}}, false}} {
		got := formOf(field, func(f *Form) { f.Errors = c.errors })
		if strings.Contains(got, `class="field bad"`) != c.bad || strings.Contains(got, `-error"`) != c.bad {
			t.Errorf("with the errors %v: %s", c.errors, got)
		}
	}
	cells := formOf(param.Field{Name: "a", Kind: param.Lines, Cells: []param.Cell{{Title: "It"}, {Title: "On"}}}, nil)
	if strings.Count(cells, " autofocus") != 1 || !strings.Contains(cells, `name="_cell.a.It" autofocus`) {
		t.Errorf("not the first of the cells has the focus:\n%s", cells)
	}
	for n, whole := range map[int]bool{mostWhole: true, mostWhole + 1: false} {
		p := Page{URL: "/x/actions", Title: "X", Only: true}
		for i := range n {
			p.Forms = append(p.Forms, Form{Name: fmt.Sprint("do_", i), Title: "Do",
				URL: fmt.Sprint("/x/actions/do_", i)})
		}
		if got := string(p.AppendHTML(nil, &Context{})); strings.Contains(got, "<form") != whole {
			t.Errorf("%d forms are shown whole: %t", n, !whole)
		}
	}
}

// TestFormsInSlots checks that a form with a slot is shown in its slot and nowhere else. The words "your turn" in the
// state of the page must link to the slot.
func TestFormsInSlots(t *testing.T) {
	vote := Form{Name: "cast_vote", Title: "Vote", URL: "/x/actions/cast_vote", Slot: "ballot",
		Fields: []param.Field{{Name: "pick", Kind: param.Choice, Options: choices(2)}}}
	say := Form{Name: "comment", Title: "Comment", URL: "/x/actions/comment", Slot: "talk",
		Fields: []param.Field{{Name: "text", Kind: param.Markdown, Max: 100}, {Name: "rare", Kind: param.Text,
			Optional: true, More: true}}}
	side := &Sidebar{Name: "Acme", Reader: "@bob", Studios: []Place{{Name: "Team", URL: "/x"}, {Name: "Den",
		URL: "/y"}}}
	page := func(c *Context, blocks ...Block) string {
		p := Page{URL: "/x", Title: "X", State: Line(T("It is "), Turn("your turn", "#ballot"), T(".")), Blocks: blocks,
			Forms: []Form{vote, say}}
		return string(p.AppendHTML(nil, c))
	}
	got := page(&Context{Side: side}, Slot{ID: "ballot"}, Section{ID: "talk", Title: "Talk"})
	for _, want := range []string{`<mark><a href="#ballot">your turn</a></mark>`, `<nav class="jump"`,
		`<div class="slot" data-extra id="ballot">`, `class="compose"`, `placeholder="Comment"`, "<body>",
		`<a href="/x" aria-current="page">`,
		`<h2>Studios</h2>`, "/avatars/person-b-"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	for _, never := range []string{"<h2>Your agents</h2>", `<a href="/y" aria-current`, `<body class="bare">`} {
		if strings.Contains(got, never) {
			t.Errorf("%s in\n%s", never, got)
		}
	}
	if n := strings.Count(got, `action="/x/actions/cast_vote"`); n != 1 {
		t.Errorf("the form is shown %d times", n)
	}
	got = page(&Context{}, Slot{ID: "other"}, Section{ID: "talk", Title: "Talk"})
	for _, never := range []string{"<mark>", `<nav class="jump"`, `class="slot"`, "/avatars/"} {
		if strings.Contains(got, never) {
			t.Errorf("without the slot: %s in\n%s", never, got)
		}
	}
	if !strings.Contains(got, `<body class="bare">`) {
		t.Error("a page without a sidebar does not say so")
	}
	file := param.Field{Name: "file", Kind: param.File, Optional: true, More: true}
	say.Fields = slices.Insert(say.Fields, 1, file)
	got = page(&Context{}, Section{ID: "talk", Title: "Talk"})
	if _, clip, ok := strings.Cut(got, `<details class="clip">`); !ok || strings.Count(got, `type="file"`) != 1 ||
		!strings.Contains(clip, `type="file"`) || strings.Count(got, `name="rare"`) != 1 {
		t.Errorf("the field for a file is not folded under its own button:\n%s", got)
	}
	say.Fields[0].Optional = true
	if got = page(&Context{}, Section{ID: "talk", Title: "Talk"}); strings.Contains(got, `class="compose"`) {
		t.Error("a text that may be left out is composed like a comment")
	}
	for _, c := range []struct {
		blocks []Block
		rail   bool
	}{{[]Block{Para{T("a")}, Rail{Para{T("b")}}}, true}, {[]Block{Para{T("a")}, Rail{}}, false},
		{[]Block{Para{T("a")}}, false}} {
		if got := page(&Context{}, c.blocks...); strings.Contains(got,
			`<div class="rail">`) != c.rail || hasRail(c.blocks) != c.rail {
			t.Errorf("a rail is shown: %t", !c.rail)
		}
	}
}

// TestRings draws an arc for each person, up to mostArcs people. It also checks the addresses of avatars.
func TestRings(t *testing.T) {
	for _, c := range []struct {
		ring Ring
		want []string
		arcs int
	}{
		{Ring{Icon: "vote", Done: 1, Of: 3}, []string{`class="done"`, `pathLength="300" stroke-dasharray="87 213"`,
			`class="track"`, `stroke-dasharray="87 13 87 13 87 13"`, `x="7"`}, 2},
		{Ring{Icon: "vote", Done: 3, Of: 2},
			[]string{`class="done" d="M13 1.6a11.4 11.4 0 0 1 0 22.8 11.4 11.4 0 0 1 0-22.8" ` +
				`pathLength="200" stroke-dasharray="87 13 87 13"`}, 2},
		{Ring{Icon: "vote", Of: mostArcs}, []string{`class="track"`}, 1},
		{Ring{Icon: "vote", Of: mostArcs + 1}, []string{`x="5" y="5" width="16"`}, 0},
		{Ring{Icon: "note"}, []string{`x="5" y="5" width="16"`}, 0},
		{Ring{Icon: "note", Closed: true, Done: 1, Of: 2}, []string{`class="ring closed"`, `class="full"`, `x="7"`}, 0},
	} {
		got := inHTML(Table{Columns: []Column{{Title: "N"}}, Rows: []Row{{Cells: [][]Inline{Line(T("a"))},
			Ring: &c.ring}}})
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%+v: no %s in\n%s", c.ring, want, got)
			}
		}
		if n := strings.Count(got, "<path"); n != c.arcs {
			t.Errorf("%+v: %d paths, want %d", c.ring, n, c.arcs)
		}
	}
	for name, want := range map[string]string{"@bob": "person-b-", "Bob": "person-b-", "é": "person---",
		"7up": "person-7-", "~": "person---"} {
		if got := AvatarURL(name, ""); !strings.HasPrefix(got,
			"/avatars/"+want) || len(got) != len("/avatars/"+want+"x.svg") {
			t.Errorf("%s has the picture %s", name, got)
		}
	}
	hue := map[string]bool{}
	for i := range 100 {
		hue[AvatarURL("Scribe", fmt.Sprint("@a", i))] = true
	}
	if len(hue) != hues {
		t.Errorf("%d colours are used, want %d", len(hue), hues)
	}
}

// TestHandovers checks the line for people. Each person's name comes before the first action of that person. Two
// actions have links, and all other actions share the link to the list.
func TestHandovers(t *testing.T) {
	h := func(name, who string, side bool) Handover {
		return Handover{Title: name, URL: "/x/actions/" + name, Who: who, Side: side}
	}
	for _, c := range []struct {
		list []Handover
		want string
	}{
		{[]Handover{h("a", "bob", false)}, "@bob may [a](https://h/x/actions/a).\n"},
		{[]Handover{h("a", "bob", false), h("b", "bob", false)},
			"@bob may [a](https://h/x/actions/a), [b](https://h/x/actions/b).\n"},
		{[]Handover{h("a", "bob", false), h("b", "eve", false)},
			"@bob may [a](https://h/x/actions/a); @eve may [b](https://h/x/actions/b).\n"},
		{[]Handover{h("a", "bob", false), h("b", "bob", false), h("c", "bob", false)},
			"@bob may [a](https://h/x/actions/a), [b](https://h/x/actions/b); in [the list](https://h/x/actions) @bob may c.\n"},
		{[]Handover{h("a", "bob", true), h("b", "bob", true), h("c", "eve", true)},
			"in [the list](https://h/x/actions) @bob may a, b; @eve may c.\n"},
	} {
		p := Page{URL: "/x", Title: "X", People: c.list}
		_, got, _ := strings.Cut(string(p.AppendMarkdown(nil, &Context{Address: "https://h"})), "**For people**: ")
		if got != c.want {
			t.Errorf("%+v: %q, want %q", c.list, got, c.want)
		}
	}
}

// TestIconsOfOptions checks that an option with an icon has it at its end, with the help on the option before it.
func TestIconsOfOptions(t *testing.T) {
	f := param.Field{Name: "a", Kind: param.Choices, Doc: "Way lets it in. Choose some.", Options: []param.Option{
		{Value: "way", Label: "The way", Icon: "edit"}, {Value: "b", Label: "Else"}}}
	got := formOf(f, nil)
	for _, want := range []string{`class="choices"`, `The way <small>Lets it in</small></label><svg class="i"`, "#edit",
		">Choose some.</p>", ">Else</label></div>"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	f.Options = choices(2)
	if got = formOf(f, nil); strings.Contains(got, "choices\"") || strings.Contains(got, "<svg") {
		t.Errorf("options without icons have some:\n%s", got)
	}
}
