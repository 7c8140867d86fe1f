package clients

import (
	"strings"
	"testing"

	"samepage/store/pgtest"

	"github.com/chromedp/chromedp"
)

// TestLongNamesAndAddresses checks that no page is wider than its window because of an agent with the longest possible
// label, a comment with a long address, or a studio and a decision whose names are one long word. No button lies over
// such a name.
func TestLongNamesAndAddresses(t *testing.T) {
	t.Parallel()
	pgtest.Folder(t, "it is about the browser")
	w := newWorld(t)
	label, at := strings.Repeat("Abcdefgh", 5), w.standups()
	long := w.overHTTP(label, w.newToken("alice", label))
	long.act(at, "comment", map[string]any{"text": "See https://example.org/" + strings.Repeat("a", 180) + "."}, "")
	long.act("/studios/team/channel", "post_message", map[string]any{"text": "Hello, @bob."}, "")
	word, alice := strings.Repeat("Abcdefghij", 6), w.signIn("alice")
	alice.does("/orgs/meadow", "create_studio", map[string]any{"handle": "word", "name": word, "description": word})
	alice.does("/studios/word", "add_member", map[string]any{"member": "bob"})
	decision := alice.does("/studios/word", "create_decision", map[string]any{"question": word, "options": []string{word, "No"}}).URL
	board := alice.does("/studios/word", "create_board", map[string]any{"title": word, "zones": []string{word, "Done"}}).URL
	bob := open(t).login(w, "bob")
	for _, path := range []string{"/", "/inbox", at, "/studios/team", "/studios/team/channel", "/orgs/meadow/agents",
		"/orgs/meadow/journal", "/studios/word", decision, board} {
		for _, width := range []int64{320, 390, 800, 1280} {
			bob.looks(width, "light")
			bob.visit(w.url + path)
			if wide := eval[int](bob, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
				t.Errorf("at %d, %s is %d too wide", width, path, wide)
			}
			if cut := eval[string](bob, cutOff); cut != "" {
				t.Errorf("at %d, on %s this name is cut off or covered: %s", width, path, cut)
			}
		}
	}
	bob.quiet("long names")
}

// cutOff is a JavaScript expression for a name that is wider than its place, or lies under a button of its row.
const cutOff = `[...document.querySelectorAll("main :is(h1, h2, .lines td a)")].find((e) => {
	const r = e.getBoundingClientRect(), b = e.closest("tr")?.querySelector("td.do .button")?.getBoundingClientRect();
	return e.checkVisibility() && (e.scrollWidth > Math.ceil(r.width) + 1 && e.clientWidth > 0 ||
		b && !e.matches(".button") && r.right > b.left + 1 && r.bottom > b.top + 1 && r.top < b.bottom - 1);
})?.innerText ?? ""`

// TestRoomForMessages checks that the field for a message has most of the width of a narrow window while it has the
// focus.
func TestRoomForMessages(t *testing.T) {
	t.Parallel()
	pgtest.Folder(t, "it is about the browser")
	w := newWorld(t)
	bob := open(t).login(w, "bob")
	for _, path := range []string{"/studios/team/channel", "/orgs/meadow/dm/alice"} {
		for _, width := range []int64{320, 390, 640, 800} {
			bob.looks(width, "light")
			bob.visit(w.url + path)
			bob.do(chromedp.Click("form.compose textarea"), chromedp.KeyEvent("Who has the key?"))
			if got := eval[int](bob, `document.activeElement.clientWidth * 100 / innerWidth | 0`); got < 40 {
				t.Errorf("at %d, the field of %s has %d of 100 parts of the width", width, path, got)
			}
		}
	}
	bob.quiet("messages")
}

// TestVisitorsSeeTheRail checks that visitors see what is beside a public page within the page.
func TestVisitorsSeeTheRail(t *testing.T) {
	t.Parallel()
	pgtest.Folder(t, "it is about the browser")
	w := newWorld(t)
	alice, visitor := open(t).login(w, "alice"), open(t)
	alice.visit(w.url + "/studios/team/actions/change_visibility")
	alice.goes(chromedp.Click("input[value=public]"), chromedp.Click("input[name=confirm]"),
		chromedp.Click(".only button[type=submit]"))
	for _, path := range []string{"/studios/team", w.standups()} {
		for _, width := range []int64{390, 1000, 1280, 1600} {
			visitor.looks(width, "light")
			visitor.visit(w.url + path)
			if got := eval[string](visitor, `(() => {
				const page = document.querySelector("main").getBoundingClientRect();
				const rail = document.querySelector("main > .rail").getBoundingClientRect();
				return rail.right <= page.right && rail.width >= 200 ? "" : JSON.stringify([page, rail]);
			})()`); got != "" {
				t.Errorf("at %d, the rail of %s is not within the page: %s", width, path, got)
			}
		}
	}
}

// TestWithoutConnection tells how Bob writes a note while the connection is gone. The form stays and keeps his words
// and choices, also when he loads the page again. Then he sends it, and the note has one toolbar.
func TestWithoutConnection(t *testing.T) {
	t.Parallel()
	pgtest.Folder(t, "it is about the browser")
	w := newWorld(t)
	bob := open(t).login(w, "bob")
	bob.visit(w.url + "/studios/team/actions/create_note")
	bob.fill("Title", "The shed")
	eval[bool](bob, `document.querySelector("input[name=kind][value=post]").click(); true`)
	eval[bool](bob, `window.open_ = XMLHttpRequest.prototype.open; XMLHttpRequest.prototype.open = function(method) {
		open_.call(this, method, "http://127.0.0.1:1/"); }; true`)
	eval[bool](bob, `document.querySelector(".only button[type=submit]").click(); true`)
	bob.until(`document.querySelector(".toasts").innerText.includes("No answer.")`)
	bob.mu.Lock()
	bob.troubles = nil // the browser reports the refused connection
	bob.mu.Unlock()
	bob.visit(w.url + "/studios/team/actions/create_note")
	if got := eval[string](bob, `document.querySelector("input[name=title]").value + " " +
		document.querySelector("input[name=kind]:checked")?.value`); got != "The shed post" {
		t.Errorf("the form has %q", got)
	}
	eval[bool](bob, `document.querySelector("textarea").value = "It is dry."; true`)
	bob.goes(chromedp.Click(".only button[type=submit]"))
	bob.sees("The shed", "It is dry.")
	if got := eval[int](bob, `document.querySelectorAll("main .tools").length * 10 +
		document.querySelectorAll("main .tools [data-own=copy]").length`); got != 11 {
		t.Errorf("%d toolbars and buttons that copy", got)
	}
	bob.quiet("a note")
}
