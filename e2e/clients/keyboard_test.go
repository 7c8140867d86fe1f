package clients

import (
	"strings"
	"testing"

	"samepage/store/pgtest"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestVotingByKeyboard tells how Dave votes without a mouse on a narrow screen. He signs in, goes to the decision and
// casts his ballot with Tab, letters, Space and Enter. The focus must be visible at every step.
func TestVotingByKeyboard(t *testing.T) {
	t.Parallel()
	pgtest.Folder(t, "it is about the browser")
	w := newWorld(t)
	dave := open(t)
	dave.looks(390, "light")
	dave.visit(w.url + "/login")
	dave.tabTo("input:Email")
	dave.do(chromedp.KeyEvent("dave@meadow.example"))
	dave.tabTo("input:Password")
	dave.do(chromedp.KeyEvent("samepage-demo"))
	dave.goes(chromedp.KeyEvent(kb.Enter))

	const title = "How good were last year's events?"
	dave.tabTo("a:" + title)
	dave.goes(chromedp.KeyEvent(kb.Enter))
	before := voted(dave)

	// The first element that gets the focus is the link that skips the navigation.
	dave.visit(dave.address())
	dave.do(chromedp.KeyEvent(kb.Tab))
	if got := focus(dave).Name; got != "Skip to content" {
		t.Errorf("the first stop is %q", got)
	}
	dave.do(chromedp.KeyEvent(kb.Enter))
	dave.tabTo("input:Harvest")
	dave.do(chromedp.KeyEvent("4"))
	dave.tabTo("textarea:Reason (optional)")
	dave.do(chromedp.KeyEvent("No mouse today."))
	dave.tabTo("button:Vote")
	dave.goes(chromedp.KeyEvent(kb.Enter))
	if after := voted(dave); after == before {
		t.Errorf("after Dave's vote the page says %q as before", after)
	}
	dave.sees("You have.")
	dave.quiet("voting by keyboard")
}

// TestTickingByKeyboard checks that Erin can tick boxes with Space, and go back to a box with Shift and Tab.
func TestTickingByKeyboard(t *testing.T) {
	t.Parallel()
	pgtest.Folder(t, "it is about the browser")
	w := newWorld(t)
	erin := open(t).login(w, "erin")
	erin.tabTo("a:Should we adopt weekly stand-ups?")
	erin.goes(chromedp.KeyEvent(kb.Enter))
	erin.tabTo("input:Yes, as written updates")
	erin.do(chromedp.KeyEvent(" "))
	erin.tabTo("input:Yes, every Monday")
	erin.do(chromedp.KeyEvent(" "), chromedp.KeyEvent(kb.Tab),
		chromedp.KeyEvent(kb.Tab, chromedp.KeyModifiers(chromedp.ModifierShift)))
	if got := focus(erin).Name; got != "Yes, every Monday" {
		t.Errorf("Shift and Tab lead to %q", got)
	}
	erin.tabTo("button:Vote")
	erin.goes(chromedp.KeyEvent(kb.Enter))
	erin.sees("5 of 6 have voted", "1 Yes, every Monday 3", "2 Yes, as written updates 5")
}

// focused describes the element with the focus: its kind, its label, whether it is on the screen,
// and whether its outline is visible.
type focused struct {
	Tag, Name      string
	Seen, Outlined bool
}

func focus(b *browser) focused {
	b.t.Helper()
	return eval[focused](b, `(() => {
		const e = document.activeElement, r = e.getBoundingClientRect();
		const name = (e.labels?.[0] ?? e).innerText.trim();
		const x = r.left + Math.min(r.width / 2, 20), y = r.top + Math.min(r.height / 2, 20);
		const top = document.elementFromPoint(x, y);
		const style = getComputedStyle(e.closest(".box:focus-within") ?? e); // a composer has the outline of its text
		return {Tag: e.tagName.toLowerCase(), Name: name, Seen: !!top && (e.contains(top) || top.contains(e)),
			Outlined: style.outlineStyle != "none" && parseFloat(style.outlineWidth) > 0 || style.boxShadow != "none"};
	})()`)
}

// tabTo presses Tab until the element with the given kind and label has the focus. Every element
// that has the focus on the way must be visible.
func (b *browser) tabTo(want string) {
	b.t.Helper()
	var passed []string
	for range 80 {
		b.do(chromedp.KeyEvent(kb.Tab))
		at := focus(b)
		name := at.Tag + ":" + at.Name
		passed = append(passed, name)
		if at.Tag == "body" || at.Tag == "html" {
			continue
		}
		if !at.Seen || !at.Outlined {
			b.snap()
			b.t.Errorf("the focus is on %s, which cannot be seen (on top %v, outlined %v)", name, at.Seen, at.Outlined)
		}
		if name == want {
			return
		}
	}
	b.t.Fatalf("Tab does not lead to %s, but to:\n%s", want, strings.Join(passed, "\n"))
}

// voted returns the page's sentence on how many people have voted.
func voted(b *browser) string {
	b.t.Helper()
	return eval[string](b, `document.querySelector("p.state").innerText`)
}
