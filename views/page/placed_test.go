package page

import (
	"strings"
	"testing"

	"samepage/actions/param"
)

// form returns a form without a title of its own.
func form(name string, fields ...param.Field) Form {
	return Form{Name: name, URL: "/x/actions/" + name, Key: "k-" + name, Fields: fields}
}

func one(name string, values ...string) param.Field {
	f := param.Field{Name: name, Kind: param.Choice}
	for _, v := range values {
		f.Options = append(f.Options, param.Option{Value: v, Label: "way " + v})
	}
	return f
}

func textField(name string) param.Field { return param.Field{Name: name, Kind: param.Text, Max: 60} }

func leftOut(f param.Field) param.Field {
	f.Optional = true
	return f
}

// in returns the form with the given slot.
func in(slot string, f Form) Form {
	f.Slot = slot
	return f
}

// rowsOf returns a table with a row for each key. The name of a row contains its key.
func rowsOf(keys ...string) Table {
	t := Table{Columns: []Column{{Title: "Name"}, {Title: "Note"}}}
	for _, k := range keys {
		t.Rows = append(t.Rows, Row{Key: k, Cells: [][]Inline{{T("row " + k)}, {T("a note")}}})
	}
	return t
}

// TestActionsOnRows checks that a row has a button or a link for each action that accepts the row, and that the menu
// has the other actions.
func TestActionsOnRows(t *testing.T) {
	const menu, action = `popovertarget="more"`, `class="do"`
	number := param.Field{Name: "row", Kind: param.Number, Min: 1, Max: 9}
	dated := rowsOf("1")
	dated.Rows[0].Cells[0] = Line(When(now))
	short := rowsOf("1")
	short.Rows[0].Cells = nil
	waits := rowsOf("1")
	waits.Rows[0].Act = Act{Title: "Vote", URL: "/d/actions/vote"}
	destructive := form("drop", one("a", "1"))
	destructive.Destructive = true
	page := func(b Block, forms ...Form) Page { return Page{Blocks: []Block{b}, Forms: forms} }
	for _, c := range []shown{
		{name: "a choice", page: page(rowsOf("1", "2"), form("take", one("a", "1", "2"))),
			html: []string{`value="k-take.1"`, `name="a" value="2"`,
				`Take<span class="vh">: row 1</span></button>`}, noHTML: []string{menu}},
		{name: "a choice of one row", page: page(rowsOf("1", "2"), form("take", one("a", "1"))),
			html:   []string{`name="a" value="1"`},
			noHTML: []string{menu, `value="k-take.2"`}},
		{name: "a choice beyond the rows", page: page(rowsOf("1"), form("take", one("a", "1", "2"))),
			html: []string{menu, `value="k-take.1"`}},
		{name: "a choice of no row", page: page(rowsOf("1"), form("take", one("a", "2"))), html: []string{menu},
			noHTML: []string{action}},
		{name: "a choice of nothing", page: page(rowsOf("1"), form("take", one("a"))), html: []string{menu},
			noHTML: []string{action}},
		{name: "with more to leave out", page: page(rowsOf("1"), form("take", one("a", "1"), leftOut(textField("b")),
			param.Field{Name: "c", Kind: param.Flag})), html: []string{`name="a" value="1"`}, noHTML: []string{menu}},
		{name: "with another text", page: page(rowsOf("1"), form("take", one("a", "1"), textField("b"))),
			html: []string{menu}, noHTML: []string{action}},
		{name: "two choices", page: page(rowsOf("1"), form("take", one("a", "1"), one("b", "1"))),
			html: []string{menu}, noHTML: []string{action}},
		{name: "not to be undone", page: page(rowsOf("1"), destructive), html: []string{menu},
			noHTML: []string{action}},
		{name: "a number of a row", page: page(rowsOf("1", "b"), form("take", number)),
			html:   []string{`value="k-take.1"`, `value="k-take.b"`},
			noHTML: []string{menu}},
		{name: "a number of a row and a text", page: page(rowsOf("1"), form("take", number, textField("b"))),
			html: []string{`<a class="button small" href="/x/actions/take?row=1">`}, noHTML: []string{menu}},
		{name: "a number of a row without keys", page: page(rowsOf(""), form("take", number)),
			html: []string{menu}, noHTML: []string{action}},
		{name: "another number", page: page(rowsOf("1"), form("take", param.Field{Name: "n",
			Kind: param.Number})), html: []string{menu},
			noHTML: []string{action}},
		{name: "a text called row", page: page(rowsOf("1"), form("take", textField("row"))),
			html: []string{menu}, noHTML: []string{action}},
		{name: "a row named by a time", page: page(dated, form("take", one("a", "1"))),
			html: []string{`<span class="vh">: Fri 20 Nov 2026`}},
		{name: "a row without cells", page: page(short, form("take", one("a", "1"))),
			html: []string{`<button type="submit" class="small">Take</button>`}},
		{name: "a row that waits", page: page(waits),
			html: []string{`<a class="button small" href="/d/actions/vote">Vote<span class="vh">: row 1`}},
		{name: "an action's page", page: Page{Only: true, Blocks: []Block{rowsOf("1")},
			Forms: []Form{form("take", one("a", "1"))}},
			noHTML: []string{action, menu}},
		{name: "a ballot", page: page(Section{ID: "s", Blocks: []Block{rowsOf("1", "2")}}, in("s", form("vote",
			one("a", "1", "2"), textField("why")))),
			html: []string{`class="ballot"`, `<th scope="col" class="mark" data-extra>A</th>`}},
		{name: "a ballot outside", page: page(rowsOf("1", "2"), form("vote", one("a", "1", "2"))),
			noHTML: []string{`class="ballot"`}},
		{name: "a ballot without options", page: page(Section{ID: "s", Blocks: []Block{rowsOf("1")}}, in("s",
			form("vote", one("a")))),
			noHTML: []string{`class="ballot"`}},
		{name: "a ballot of a text", page: page(Section{ID: "s", Blocks: []Block{rowsOf("1")}}, in("s",
			form("vote", textField("a")))),
			noHTML: []string{`class="ballot"`}},
		{name: "a ballot on its page", page: Page{Only: true, Blocks: []Block{Section{ID: "s",
			Blocks: []Block{rowsOf("1")}}},
			Forms: []Form{in("s", form("vote", one("a", "1")))}}, noHTML: []string{`class="ballot"`, `class="mark"`}},
	} {
		c.check(t)
	}
}

// TestCellsOfTables checks the cells of tables: their due times, missing cells, bars, and cells with the same heading.
func TestCellsOfTables(t *testing.T) {
	table := func(cells ...[]Inline) Table {
		return Table{Lines: true, Columns: []Column{{Title: "A"}, {Title: "B", End: true}, {Title: "C",
			Number: true, Bar: true}},
			Rows: []Row{{Cells: cells}}}
	}
	plain, groups := table(Line(T("due "), When(now))), table(Line(T("due "), When(now)))
	plain.Lines, groups.Groups = false, true
	twice := Table{Groups: true, Columns: []Column{{Title: "A"}, {Title: "B"}}, Rows: []Row{
		{Cells: [][]Inline{{Link("Team", "/t")}, {Link("One", "/1")}}}, {Cells: [][]Inline{{Link("Team", "/t")},
			{Link("Two", "/2")}}}}}
	const until, comma = `<span class="until">due <time`, `<span class="comma">, </span>`
	for _, c := range []shown{
		{name: "due", page: of(table(Line(T("due "), When(now)))), html: []string{until}, noHTML: []string{comma}},
		{name: "due and more", page: of(table(Line(T("due "), When(now), T(", soon"), T("er")))), html: []string{until,
			"</span>" + comma + "sooner</td>"}},
		{name: "due without a comma", page: of(table(Line(T("due "), When(now), T(".")))), html: []string{until,
			"</span>.</td>"},
			noHTML: []string{comma}},
		{name: "due, without a time", page: of(table(Line(T("due "), T("soon")))), html: []string{"<td>due soon</td>"},
			noHTML: []string{`class="until"`}},
		{name: "not due", page: of(table(Line(T("done "), When(now)))), noHTML: []string{`class="until"`}},
		{name: "one piece", page: of(table(Line(T("due ")))), html: []string{"<td>due</td>"},
			noHTML: []string{`class="until"`}},
		{name: "a plain table", page: of(plain), noHTML: []string{`class="until"`}},
		{name: "groups", page: of(groups), noHTML: []string{`class="until"`}},
		{name: "cells that are missing", page: of(table(Line(T("a")))), md: []string{"| a | | |\n"},
			html: []string{`<td>a</td> <td class="when"></td> <td class="bars"></td>`}},
		{name: "a dash", page: of(table(Line(T("a")), Line(T("–")), Line(T("4")))),
			html: []string{`<td class="vh">–</td>`, `width="100%"`}},
		{name: "a missing cell with a bar", page: of(table(Line(T("a")), Line(T("b")))), md: []string{"| a | b | |\n"}},
		{name: "an empty cell with a bar", page: of(table(Line(T("a")), nil, nil)), md: []string{"| a | | |\n"},
			noHTML: []string{"<svg class=\"bar\""}},
		{name: "the same heading", page: of(twice), md: []string{"| [Team](/t) | [One](/1) |\n| Team | [Two](/2) |\n"},
			html: []string{`<td class="vh">Team</td> <td><a href="/2">`}},
	} {
		c.check(t)
	}
	for s, want := range map[string]float64{"4": 4, "4.5 votes": 4.5, "-5": 0, "n/a": 0, "": 0, " 7": 7} {
		if got := amount(Line(T(s))); got != want {
			t.Errorf("the amount of %q is %v, want %v", s, got, want)
		}
	}
}

// TestToolbar checks that actions that take one click are buttons, that actions that create something share a menu,
// and that the other actions share another menu.
func TestToolbar(t *testing.T) {
	tool := form("follow")
	tool.Tool = true
	create := func(name string) Form {
		f := form(name)
		f.Doc = "Say it. All read it."
		return f
	}
	const tools, menu, kinds = `<div class="tools" data-extra>`, `popovertarget="more"`, `popovertarget="new"`
	for _, c := range []shown{
		{name: "nothing", page: Page{}, noHTML: []string{tools}},
		{name: "a tool", page: Page{Forms: []Form{tool}}, html: []string{tools}, noHTML: []string{menu, kinds}},
		{name: "an action", page: Page{Forms: []Form{form("close")}}, html: []string{tools, menu}, noHTML: []string{kinds}},
		{name: "a tool and an action", page: Page{Forms: []Form{tool, form("close")}}, html: []string{tools, menu}},
		{name: "an action and a new thing", page: Page{Forms: []Form{form("close"), create("create_note")}}, noHTML: []string{kinds},
			html: []string{tools, menu, `<a class="button main small" href="/x/actions/create_note">`}},
		{name: "a new thing beside a form", page: Page{Blocks: []Block{Slot{ID: "s"}}, Forms: []Form{in("s", form("ask")),
			create("create_note")}}, html: []string{`<a class="tool" href="/x/actions/create_note">`}, noHTML: []string{kinds}},
		{name: "new things", page: Page{Forms: []Form{create("create_note"), create("create_topic")}},
			html: []string{tools, kinds, "<small>Say it.</small>"}, noHTML: []string{menu, "All read it.</small>"}},
		{name: "an action's page", page: Page{Only: true, Forms: []Form{form("close")}}, noHTML: []string{tools}},
	} {
		c.check(t)
	}
	for s, want := range map[string]string{"A. B. C": "A.", "A.": "A.", "A.b": "A.b", "": "", ". a": "."} {
		if got := firstSentence(s); got != want {
			t.Errorf("the first sentence of %q is %q", s, got)
		}
	}
	for s, want := range map[string]string{"mark_unread": "undo", "mark": "check", "mark_done": "check",
		"zap": "next", "zap_it": "next"} {
		if got := iconOf(s); got != want {
			t.Errorf("the icon of %s is %s, want %s", s, got, want)
		}
	}
}

// TestSlots checks the forms of a slot, and the buttons that stay at the bottom of a narrow screen. It also checks
// the link to the form if it is the reader's turn.
func TestSlots(t *testing.T) {
	calls := Slot{ID: "s", Calls: true}
	said := param.Field{Name: "said", Kind: param.Markdown, Max: 90}
	file := param.Field{Name: "file", Kind: param.File}
	final := in("s", form("b"))
	final.Destructive = true
	kept := one("way", "1", "2")
	kept.Kept = true
	page := func(b Block, forms ...Form) Page { return Page{Blocks: []Block{b}, Forms: forms} }
	turn := func(p Page, line ...Inline) Page {
		p.State = line
		return p
	}
	const answers, jump = `<div class="jump answers" data-extra>`, `<nav class="jump"`
	a, b := in("s", form("a")), in("s", form("b", leftOut(textField("why")), kept))
	for _, c := range []shown{
		{name: "two answers", page: page(calls, a, b, form("c"), in("other", form("d"))), html: []string{
			answers + `<button type="submit" form="f-a">A<span class="vh"> at once</span></button>` +
				`<button type="submit" form="f-b">B<span class="vh"> at once</span></button></div>`,
			`class="answer" id="f-a"`, `class="slot call"`}},
		{name: "two forms that are not asked for", page: page(Slot{ID: "s"}, a, b),
			html:   []string{`<div class="slot" `},
			noHTML: []string{answers, `class="answer"`}},
		{name: "one answer", page: page(calls, a), noHTML: []string{answers}},
		{name: "an answer with a text", page: page(calls, a, b, in("s", form("c", textField("why")))),
			noHTML: []string{answers}},
		{name: "an answer that cannot be undone", page: page(calls, a, final),
			html: []string{"This cannot be undone."}, noHTML: []string{answers}},
		{name: "a turn", page: turn(page(calls, a), Turn("yours", "#s")), html: []string{jump,
			`<mark><a href="#s">yours</a></mark>`}},
		{name: "a link", page: turn(page(calls, a), Link("yours", "#s")),
			html: []string{`<a href="#s">yours</a>`}, noHTML: []string{jump}},
		{name: "a turn elsewhere", page: turn(page(calls, a), Turn("yours", "#other")), noHTML: []string{jump,
			"<mark>"}},
		{name: "a turn without a form", page: turn(of(Section{ID: "s", Title: "S"}), Turn("yours", "#s")),
			noHTML: []string{jump, "<mark>"}},
		{name: "a section on an action's page", page: Page{Only: true, Title: "A",
			Blocks: []Block{Section{ID: "s", Title: "S"}}, Forms: []Form{a}},
			html: []string{`<div class="only"`}, noHTML: []string{`<div class="action"`}},
		{name: "a text with a file", page: page(Slot{ID: "s"}, form("attach_file", file), in("s", form("say", said))),
			html: []string{`class="compose"`, `<a class="tool" href="/x/actions/attach_file">`}},
		{name: "a text without a file", page: page(Slot{ID: "s"}, form("close"), in("s", form("say", said))),
			html: []string{`class="compose"`}, noHTML: []string{`<p class="buttons"><a`}},
		{name: "two texts", page: page(Slot{ID: "s"}, in("s", form("say", said, textField("b")))),
			noHTML: []string{`class="compose"`}},
	} {
		c.check(t)
	}
	drop := form("drop", file)
	drop.Destructive = true
	for want, forms := range map[bool][]Form{true: {form("a", file), form("a", file, textField("b"))},
		false: {form("a"), form("a", textField("b")), form("a", leftOut(file)), drop}} {
		for _, f := range forms {
			if takesFile(f) != want {
				t.Errorf("%+v is to add a file: %v", f, !want)
			}
		}
	}
}

// TestActionsOnBoards checks that the actions to move and to add cards are on the board and not in the menu. A board
// with one zone offers no moves. The page of an action has no forms on its board.
func TestActionsOnBoards(t *testing.T) {
	card := []BoardCard{{Key: "3", Name: Link("Paint", "/c/3"), Line: Line(T("added"))}}
	board := Board{Move: "move", Add: "add", Zones: []Zone{{Key: "1", Title: "Ideas", Cards: card}, {Key: "2",
		Title: "Doing"}}}
	narrow := board
	narrow.Zones = board.Zones[:1]
	move, add := form("move", param.Field{Name: "number", Kind: param.Number, Min: 3, Max: 3}, one("zone", "1", "2")),
		form("add", one("zone", "1", "2"), textField("title"))
	const menu = `popovertarget="more"`
	for _, c := range []shown{
		{name: "a board", page: Page{Blocks: []Block{board}, Forms: []Form{move, add}},
			html: []string{`action="/x/actions/move"`, `href="/x/actions/add?zone=2"`}, noHTML: []string{menu}},
		{name: "a board to which one adds", page: Page{Blocks: []Block{board}, Forms: []Form{move, add, form("add_zone")}},
			html: []string{`id="new"`, `href="/x/actions/add_zone"`, `href="/x/actions/add"`, `href="/x/actions/add?zone=2"`}},
		{name: "a page without a board", page: Page{Forms: []Form{form("add_zone"), form("add_card")}},
			html: []string{menu}, noHTML: []string{`id="new"`}},
		{name: "a board of one zone", page: Page{Blocks: []Block{narrow}, Forms: []Form{move, add}},
			html:   []string{menu, `href="/x/actions/move"`, `href="/x/actions/add?zone=1"`},
			noHTML: []string{`action="/x/actions/move"`}},
		{name: "an action's page", page: Page{Only: true, Blocks: []Block{board}, Forms: []Form{form("add",
			textField("title"))}},
			noHTML: []string{"?zone="}},
	} {
		c.check(t)
	}
}

// TestBoxesOfTexts checks that the checkboxes of a text are buttons only if the actions of the page cover exactly
// these checkboxes.
func TestBoxesOfTexts(t *testing.T) {
	const todo = "- [ ] buy **two** \"nails\"\n- [x] paint\n"
	box := func(name string, values ...string) Form { return form(name, one("box", values...)) }
	texts := []Block{Prose{Text: todo, Boxes: true}}
	for _, c := range []struct {
		name    string
		blocks  []Block
		forms   []Form
		buttons int
	}{
		{"covered", texts, []Form{form("close"), box("tick", "1"), box("untick", "2")}, 2},
		{"inside", []Block{Section{Blocks: texts}}, []Form{box("tick", "1"), box("untick", "2")}, 2},
		{"after another text", append([]Block{Prose{Text: todo}}, texts...), []Form{box("tick", "1"),
			box("untick", "2")}, 2},
		{"one action alone", texts, []Form{box("tick", "1")}, 0},
		{"too many boxes", texts, []Form{box("tick", "1", "3"), box("untick", "2")}, 0},
		{"one action for both", texts, []Form{box("tick", "1", "2")}, 0},
		{"two actions for one state", []Block{Prose{Text: "- [ ] a\n- [ ] b\n", Boxes: true}},
			[]Form{box("tick", "1"), box("mark", "2")}, 0},
		{"one box", []Block{Prose{Text: "- [ ] a\n", Boxes: true}}, []Form{box("tick", "1")}, 1},
		{"no boxes", []Block{Prose{Text: "a", Boxes: true}}, []Form{box("tick")}, 0},
		{"another field", texts, []Form{form("tick", one("line", "1")), box("untick", "2")}, 0},
		{"pictures", []Block{Prose{Text: todo}}, []Form{box("tick", "1"), box("untick", "2")}, 0},
	} {
		got := string((&Page{URL: "/x", Title: "X", Blocks: c.blocks, Forms: c.forms}).AppendHTML(nil,
			&Context{Now: now}))
		if n := strings.Count(got, `role="checkbox"`); n != c.buttons {
			t.Errorf("%s: %d buttons, want %d, in\n%s", c.name, n, c.buttons, got)
		}
		if strings.Contains(got, `class="boxes"`) != (c.buttons > 0) || c.buttons == 0 && !strings.Contains(got,
			`popovertarget="more"`) {
			t.Errorf("%s: the forms of boxes in\n%s", c.name, got)
		}
		if c.name != "covered" {
			continue
		}
		for _, want := range []string{`class="tickbox" aria-checked="false" form="f-tick" name="box" value="1" ` +
			`aria-label="buy two &#34;nails&#34;"`,
			`class="tickbox done" aria-checked="true" form="f-untick" name="box" value="2" aria-label="paint"`,
			`<form method="post" class="boxes" id="f-tick"`} {
			if !strings.Contains(got, want) {
				t.Errorf("no %s in\n%s", want, got)
			}
		}
	}
	only := Page{URL: "/x/actions/tick", Title: "X", Only: true, Blocks: texts, Forms: []Form{box("tick", "1"),
		box("untick", "2")}}
	if got := string(only.AppendHTML(nil, &Context{Now: now})); strings.Contains(got, `role="checkbox"`) {
		t.Errorf("buttons on the page of an action:\n%s", got)
	}
	m := strings.Repeat("m", enoughOfBox)
	for html, want := range map[string]string{" a</li>b": "a", " a\nb": "a", "": "Box", " <b></b> ": "Box",
		"<b>a</b>c": "ac", `"a"`: "&#34;a&#34;",
		m + m + "m": m + m, m + "<b>a</b>": m, m[1:] + "<b>a</b>b": m[1:] + "a",
		m + m[1:] + "ö": m + m[1:], m + m[2:] + "&amp;": m + m[2:]} {
		if got := afterBox([]byte(html)); got != want {
			t.Errorf("the name of the box before %q is %q", html, got)
		}
	}
}

// TestAnswersToContributions checks that a contribution has buttons for the actions that accept it, and one for a
// reply unless the reader is its author.
func TestAnswersToContributions(t *testing.T) {
	eve := &Sidebar{Reader: "@eve"}
	said := Prose{ID: "c9", Lead: Line(T("By "), Who("@bob", "/@bob")), Text: "a", Ref: Ref{"comments", "9"},
		Reply: Reply{"s", "@bob"}}
	bare := said
	bare.Ref, bare.Reply = Ref{}, Reply{}
	referred := said
	referred.Reply = Reply{}
	answered := said
	answered.Ref = Ref{}
	say := in("s", form("say", param.Field{Name: "text", Kind: param.Markdown, Max: 90}))
	ask := in("s", form("ask", textField("text")))
	hide := form("hide", one("comment", "8", "9"))
	page := func(p Prose, forms ...Form) Page { return Page{Blocks: []Block{p, Slot{ID: "s"}}, Forms: forms} }
	const acts, reply = `<div class="acts"`, `<a class="tool reply" href="/x/actions/say?text=%40bob+">`
	for _, c := range []shown{
		{name: "both", page: page(said, say, hide), c: Context{Side: eve}, html: []string{acts, reply,
			`href="/x/actions/hide?comment=9"`}},
		{name: "of another one", page: page(said, form("hide", one("comment", "8")), form("drop",
			one("comment"))), c: Context{Side: eve},
			html: []string{acts}, noHTML: []string{"comment=9"}},
		{name: "by number", page: page(said, form("hide", param.Field{Name: "comment", Kind: param.Number})),
			c:    Context{Side: eve},
			html: []string{"?comment=9"}},
		{name: "only the actions", page: page(referred, say, hide), c: Context{Side: eve}, html: []string{acts,
			"comment=9"}, noHTML: []string{"reply"}},
		{name: "only the answer", page: page(answered, say, hide), c: Context{Side: eve}, html: []string{acts,
			reply}, noHTML: []string{"comment=9"}},
		{name: "neither", page: page(bare, say, hide), c: Context{Side: eve}, noHTML: []string{acts}},
		{name: "of the reader", page: page(said, say, hide), c: Context{Side: &Sidebar{Reader: "@bob"}},
			html: []string{acts}, noHTML: []string{"tool reply"}},
		{name: "with another form", page: page(said, ask), c: Context{Side: eve}, html: []string{acts},
			noHTML: []string{"tool reply"}},
		{name: "for strangers", page: page(said, say, hide), noHTML: []string{acts}},
		{name: "an action's page", page: Page{Only: true, Blocks: []Block{said}, Forms: []Form{hide}},
			c: Context{Side: eve}, noHTML: []string{acts}},
	} {
		c.check(t)
	}
}
