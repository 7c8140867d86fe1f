package clients

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"samepage/store/pgtest"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestClicks counts the clicks for the five most frequent tasks of people. Typing is no click, nor is pressing the
// keys that the page offers for a task: Tab from field to field, and c for the comment.
func TestClicks(t *testing.T) {
	t.Parallel()
	pgtest.Folder(t, "it is about the browser")
	w := newWorld(t)
	bob := open(t).login(w, "bob")
	bob.do(func(ctx context.Context, target *chromedp.Target) (v chromedp.Void, err error) {
		_, err = cdp.Call(ctx, target, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
			Source: `addEventListener("pointerdown", (e) => e.isTrusted &&
				sessionStorage.setItem("clicks", 1 + Number(sessionStorage.getItem("clicks"))), true)`})
		return v, err
	})
	button := func(text string) chromedp.Action[chromedp.Void] {
		return chromedp.Click(chromedp.Search(`//main//*[self::a or self::button][normalize-space()="` + text + `"]`))
	}
	// focused waits for the focus. Chromium sets the focus when it first draws a page, after the page has loaded.
	focused := func() { bob.until(`document.activeElement.matches("form :is(input, textarea)")`) }
	decision := w.standups()
	for _, c := range []struct {
		what, from string
		most       int
		do         func()
		sees       string
	}{
		{"a vote from home, with the option by key", "/", 2, func() {
			bob.goes(chromedp.Click(chromedp.Search(
				`//main//tr[contains(., "Which cover for the annual report?")]//a[contains(@class, "button")]`)))
			focused()
			bob.do(chromedp.KeyEvent("3"))
			bob.goes(button("Vote"))
		}, "You have."},
		{"a vote from home, by the pointer alone", "/", 2, func() {
			bob.goes(chromedp.Click(chromedp.Search(
				`//main//tr[contains(., "When do we clear the attic?")]//a[contains(@class, "button")]`)))
			bob.goes(chromedp.Click(`main form .option button`))
		}, "You have."},
		{"a comment", decision, 1, func() {
			bob.do(chromedp.KeyEvent("c"), chromedp.KeyEvent("One click for this."))
			bob.goes(chromedp.Click(`form.compose button[type=submit]`))
		}, "One click for this."},
		{"a decision with four options", "/studios/team", 3, func() {
			bob.do(button("New"))
			bob.goes(chromedp.Click(`#new a[href$="/create_decision"]`))
			focused()
			bob.do(chromedp.KeyEvent("Where do we meet?"))
			for i := 0; eval[string](bob, `document.activeElement.name ?? ""`) != "options" && i < 20; i++ {
				bob.do(chromedp.KeyEvent(kb.Tab))
			}
			bob.do(chromedp.KeyEvent("Hall" + kb.Enter + "Yard" + kb.Enter + "Shed" + kb.Enter + "Attic"))
			bob.goes(button("Ask for a decision"))
		}, "Attic"},
		{"a token with the line to paste", "/settings/tokens", 3, func() {
			bob.goes(button("Make a token"))
			focused()
			bob.do(chromedp.KeyEvent("Quill"))
			bob.goes(button("Make a token"))
			bob.do(chromedp.Click(`main pre[data-copy] + button`))
		}, "Quill"},
		{"an approval from its link", asked(w, decision), 1, func() { bob.goes(button("Approve")) }, "Approved by @bob"},
	} {
		bob.visit(w.url + c.from)
		eval[bool](bob, `sessionStorage.setItem("clicks", "0"); true`)
		c.do()
		bob.sees(c.sees)
		got := eval[string](bob, `sessionStorage.getItem("clicks")`)
		t.Logf("%s: %s", c.what, got)
		if got != strconv.Itoa(c.most) {
			t.Errorf("%s takes %s clicks, not %d", c.what, got, c.most)
		}
	}
	bob.quiet("clicks")
}

// asked lets an agent of Bob ask to comment, and returns the address at which Bob approves the comment.
func asked(w *world, decision string) string {
	w.t.Helper()
	token := strings.TrimSpace(w.run("token", "create", "--member", "bob", "--label", "Meek", "--asks", "comment"))
	said := w.overHTTP("Meek", token).act(decision, "comment", map[string]any{"text": "May I?"}, "Bob may want it.")
	return approvalLink.FindString(said)
}
