package clients

import (
	"strings"
	"testing"

	"samepage/store/pgtest"

	"github.com/chromedp/chromedp"
)

// TestDraftsKnowTheirVersion tells how Bob leaves a half-written change of a note, which he then changes in another
// way. The draft is filled in again. It does not overwrite the later version without a word.
func TestDraftsKnowTheirVersion(t *testing.T) {
	t.Parallel()
	pgtest.Folder(t, "it is about the browser")
	w := newWorld(t)
	hand := w.signIn("bob")
	note := hand.does("/studios/team", "create_note", map[string]any{"title": "The shed", "text": "It is green."}).URL
	bob := open(t).login(w, "bob")
	edit := w.url + note + "/actions/update_note"
	const text = `document.querySelector("main form textarea").value`
	bob.visit(edit)
	bob.do(chromedp.Click("main form textarea"), chromedp.KeyEvent(" Half a word"))
	half := eval[string](bob, text)
	hand.does(note, "update_note", map[string]any{"text": "It is red now."})
	bob.visit(w.url + note)
	bob.sees("It is red now.")
	bob.visit(edit)
	bob.sees("This is filled in as you left it. The page has changed since.")
	if got := eval[string](bob, text); got != half {
		t.Errorf("the draft is %q, not %q", got, half)
	}
	for _, step := range []string{"at first", "after a reload"} {
		bob.goes(chromedp.Click("main form button[type=submit].main"))
		bob.sees("This page has changed")
		if got := eval[string](bob, text); got != half {
			t.Errorf("%s, the refused text is %q", step, got)
		}
		hand.hears(note, "It is red now.")
		bob.visit(edit)
	}
	bob.press("Discard")
	bob.until(`!document.querySelector("[data-own=draft]") && ` + text + ` === "It is red now."`)
	bob.do(chromedp.Click("main form textarea"), chromedp.KeyEvent("Once more."))
	mine := eval[string](bob, text)
	hand.does(note, "update_note", map[string]any{"text": "It is blue now."})
	bob.goes(chromedp.Click("main form button[type=submit].main"))
	bob.sees("This page has changed")
	bob.goes(chromedp.Click("main form button[type=submit].main"))
	bob.sees(mine)
	hand.hears(note, mine)
}

// TestDraftsAreOfOnePerson leaves a direct message and a ballot half-written. Bob finds both again, with the ticks.
// After he has logged out, Carol finds nothing of them in the same tab.
func TestDraftsAreOfOnePerson(t *testing.T) {
	t.Parallel()
	pgtest.Folder(t, "it is about the browser")
	w := newWorld(t)
	bob := open(t).login(w, "bob")
	direct, ballot := w.url+"/orgs/meadow/dm/alice", w.url+w.standups()+"/actions/cast_vote"
	bob.visit(direct)
	bob.do(chromedp.Click("form.compose textarea"), chromedp.KeyEvent("Between the two of us"))
	bob.visit(ballot)
	bob.do(chromedp.Click(`main form input[name=accept]`), chromedp.Click("main form textarea"), chromedp.KeyEvent("It is late"))
	const filled = `[...document.querySelectorAll("main form :is(input[name=accept], textarea)")].map((t) =>
		t.type === "checkbox" ? t.checked : t.value).join()`
	want := eval[string](bob, filled)
	bob.visit(ballot)
	if got := eval[string](bob, filled); got != want || !strings.Contains(got, "It is late") {
		t.Errorf("the ballot has %s, not %s", got, want)
	}
	bob.logout("Bob Baker")
	if n := eval[int](bob, `sessionStorage.length`); n != 0 {
		t.Errorf("%d drafts outlive the login", n)
	}
	bob.login(w, "carol")
	bob.visit(direct)
	if got := eval[string](bob, `document.querySelector("form.compose textarea").value`); got != "" {
		t.Errorf("Carol reads %q", got)
	}
	bob.quiet("drafts")
}
