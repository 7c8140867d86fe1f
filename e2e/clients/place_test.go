package clients

import (
	"math"
	"testing"

	"github.com/chromedp/chromedp"

	"samepage/store/pgtest"
)

// TestOlderMessagesStayInPlace scrolls a channel up. A new message does not move the messages in sight.
func TestOlderMessagesStayInPlace(t *testing.T) {
	t.Parallel()
	pgtest.Folder(t, "it is about the browser")
	w := newWorld(t)
	const channel = "/studios/team/channel"
	alice := w.signIn("alice")
	bob := open(t).login(w, "bob")
	bob.visit(w.url + channel)
	eval[bool](bob, `const c = document.querySelector(".chat"); c.scrollTop = c.clientHeight - c.scrollHeight + 40; true`)
	const top = `document.querySelectorAll(".chat .said")[1].getBoundingClientRect().top`
	before := eval[float64](bob, top)
	for _, text := range []string{"The soup is ready.", "There is\n\nbread,\n\ntoo."} {
		alice.does(channel, "post_message", map[string]any{"text": text})
		bob.until(`document.querySelector(".chat").innerText.includes("` + text[:5] + `")`)
		if after := eval[float64](bob, top); math.Abs(after-before) > 1 {
			t.Errorf("after %q the message in sight is at %v, not at %v", text, after, before)
		}
	}
	bob.quiet("older messages")
}

// TestFocusFollowsACard moves a card by its menu, with the keyboard. The focus is then on the menu of the same card.
func TestFocusFollowsACard(t *testing.T) {
	t.Parallel()
	pgtest.Folder(t, "it is about the browser")
	w := newWorld(t)
	board := w.signIn("bob").does("/studios/team", "create_board", map[string]any{"title": "The hall",
		"zones": []string{"Ideas", "Done"}}).URL
	w.signIn("bob").does(board, "add_card", map[string]any{"zone": "1", "title": "Sweep"})
	bob := open(t).login(w, "bob")
	bob.visit(w.url + board)
	bob.do(chromedp.Focus(`.card [popovertarget]`), chromedp.KeyEvent("\r"))
	bob.do(chromedp.Focus(`.card .menu button[value="2"]`))
	bob.goes(chromedp.KeyEvent("\r"))
	bob.until(`!!document.querySelector('.zone[data-zone="2"] .card')`)
	bob.until(`document.activeElement.matches('.zone[data-zone="2"] .card [popovertarget]')`)
	bob.quiet("the focus on a card")
}
