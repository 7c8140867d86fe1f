package page

import (
	"strings"
	"testing"

	"samepage/actions/param"
)

// inOrder reports whether a text contains the parts in this order.
func inOrder(text string, parts ...string) bool {
	for _, p := range parts {
		_, rest, ok := strings.Cut(text, p)
		if !ok {
			return false
		}
		text = rest
	}
	return true
}

// TestFormsThatAskAreShort writes forms into a slot that calls for an answer. It expects optional fields folded at
// the end, and a button for each option of a form with a single required choice.
func TestFormsThatAskAreShort(t *testing.T) {
	options := func(name string, optional bool) param.Field {
		return param.Field{Name: name, Kind: param.Choice, Options: choices(3), Optional: optional}
	}
	long := Form{Name: "judge", URL: "/x/actions/judge", Slot: "answer", Fields: []param.Field{
		{Name: "items", Kind: param.Lines, Optional: true}, options("speed", true), {Name: "text", Kind: param.Text}}}
	quick := Form{Name: "reply", URL: "/x/actions/reply", Slot: "answer", Fields: []param.Field{options("way", false)}}
	asks := inHTML(Slot{ID: "answer", Calls: true}, long, quick)
	if !inOrder(asks, `name="text"`, "More settings", `name="items"`, `name="speed"`, "</details>", "</form>") {
		t.Errorf("the fields that may be left out are not folded:\n%s", asks)
	}
	if n := strings.Count(asks, `class="small soft now"`); n != 3 {
		t.Errorf("%d of 3 answers have a button:\n%s", n, asks)
	}
	if !strings.Contains(asks, `<fieldset class="beside"`) || strings.Contains(formOf(options("way", false), nil), ` now"`) {
		t.Errorf("few options are not beside each other, or have buttons on a page that does not ask:\n%s", asks)
	}
	if calm := inHTML(Slot{ID: "answer"}, long, quick); strings.Contains(calm, "More settings") || strings.Contains(calm, ` now"`) {
		t.Errorf("a page that does not ask has a short form:\n%s", calm)
	}
}

// TestOptionsThatNeedMoreHaveNoButton writes a form in which one of three options needs the text below. The other options
// have a button, that one has none, and the label of the text names the option.
func TestOptionsThatNeedMoreHaveNoButton(t *testing.T) {
	way := param.Field{Name: "way", Kind: param.Choice, Options: choices(3)}
	last := way.Options[2]
	why := param.Field{Name: "why", Kind: param.Markdown, Optional: true, Needed: "way=" + last.Value}
	form := Form{Name: "reply", URL: "/x/actions/reply", Slot: "answer", Ballot: true, Fields: []param.Field{way, why}}
	only := Page{URL: "/x", Title: "X", Only: true, Forms: []Form{form}}
	for name, got := range map[string]string{"in its place": inHTML(Slot{ID: "answer", Calls: true}, form),
		"alone": string(only.AppendHTML(nil, &Context{Now: now}))} {
		if n := strings.Count(got, `class="small soft now"`); n != 2 {
			t.Errorf("%s: %d options have a button:\n%s", name, n, got)
		}
		if !inOrder(got, `value="`+last.Value+`" required>`, "</fieldset>", "(needed for “"+last.Label+"”)",
			`name="why"`, `class="main"`) {
			t.Errorf("%s: the text does not follow the options, with their button below:\n%s", name, got)
		}
	}
}

// TestFormOfAnActionInItsPlace writes the page of one action with a text below the form, and expects the form once,
// above the text.
func TestFormOfAnActionInItsPlace(t *testing.T) {
	p := Page{URL: "/x", Title: "Sign in", Only: true, Forms: []Form{{Name: "go", URL: "/x", Slot: "here"}},
		Blocks: []Block{Slot{ID: "here"}, Slot{ID: "here"}, Para(Line(T("Forgotten?")))}}
	got := string(p.AppendHTML(nil, &Context{Now: now}))
	if !inOrder(got, "<form", "Forgotten?") || strings.Count(got, `class="only"`) != 1 {
		t.Errorf("the form is not before the text, once:\n%s", got)
	}
}

// TestPresses writes buttons that send an answer with one click, one of them the main button. Markdown must not have
// them.
func TestPresses(t *testing.T) {
	b := Presses{URL: "/q/1/actions/answer", Field: "choice", Then: "/s", List: []Press{
		{Value: "no", Text: "Deny", Refuses: true}, {Value: "once", Text: "Allow", Main: true}, {Value: "all", Text: "Always"}}}
	if !inOrder(inHTML(b), `action="/q/1/actions/answer"`, `name="choice" value="no"`, `name="_then" value="/s"`, `class="bad">Deny`,
		`value="once"`, `class="main">Allow`, `<button type="submit">Always`) {
		t.Errorf("the buttons are wrong:\n%s", inHTML(b))
	}
	if got := inMarkdown(b); strings.Contains(got, "Allow") {
		t.Errorf("markdown has the buttons:\n%s", got)
	}
}

// TestPressesBesideTitle writes a button in the line of a section's title. Markdown must not have it.
func TestPressesBesideTitle(t *testing.T) {
	b := Section{ID: "inbox", Title: "News", Note: Line(T("3 unread")), Blocks: []Block{Para(Line(T("A.")))},
		Presses: Presses{URL: "/inbox/actions/mark_all_read", Then: "/", List: []Press{{Text: "Mark all as read"}}}}
	if !inOrder(inHTML(b), `class="title-row"`, "News</h2>", "3 unread", `action="/inbox/actions/mark_all_read"`,
		`name="_then" value="/"`, `class="tool"`, "#check", "Mark all as read", "</form></div>", "<p>A.</p>") {
		t.Errorf("the button is wrong:\n%s", inHTML(b))
	}
	if got := inMarkdown(b); strings.Contains(got, "Mark all") {
		t.Errorf("markdown has the button:\n%s", got)
	}
	past := Page{URL: "/x", Title: "X", Only: true, Blocks: []Block{b}}
	if got := string(past.AppendHTML(nil, &Context{Now: now})); strings.Contains(got, "Mark all") ||
		!strings.Contains(got, "3 unread") {
		t.Errorf("a page without actions has the button:\n%s", got)
	}
}
