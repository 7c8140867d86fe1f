package clients

import (
	"testing"

	"github.com/chromedp/chromedp"

	"samepage/store/pgtest"
)

// TestOnPaper looks at pages as they are printed. The whole channel is there, each time is a date, and forms are not.
func TestOnPaper(t *testing.T) {
	t.Parallel()
	pgtest.Folder(t, "it is about the browser")
	w := newWorld(t)
	bob := open(t).login(w, "bob")
	bob.do(chromedp.EmulateViewport(1000, 300))
	bob.visit(w.url + "/studios/team/channel")
	eval[bool](bob, `window.sheet = (() => {
		for (const s of document.styleSheets) for (const layer of s.cssRules) for (const r of layer.cssRules ?? [])
			if (r.media?.mediaText === "print") r.media.mediaText = "all";
	})(); true`)
	if got := eval[int](bob, `(() => { const c = document.querySelector(".chat"); return c.scrollHeight - c.clientHeight; })()`); got > 1 {
		t.Errorf("%d pixels of the channel are not printed", got)
	}
	if got := eval[int](bob, `[...document.querySelectorAll("main form")].filter((f) => f.checkVisibility()).length`); got > 0 {
		t.Errorf("%d forms are printed", got)
	}
	if got := eval[string](bob, `getComputedStyle(document.querySelector("time[title]")).fontSize`); got != "0px" {
		t.Errorf("the distance from now is printed in %s beside the date", got)
	}
}

// TestTaskBoxesOnAPhone checks that the boxes of a list of tasks are squares on a phone, too, on which a finger finds
// room.
func TestTaskBoxesOnAPhone(t *testing.T) {
	t.Parallel()
	pgtest.Folder(t, "it is about the browser")
	w := newWorld(t)
	note := w.signIn("bob").does("/studios/team", "create_note", map[string]any{"title": "Tasks", "text": "- [ ] Sweep\n- [x] Dust"}).URL
	bob := open(t).login(w, "bob")
	for _, width := range []int64{390, 1280} {
		bob.looks(width, "light")
		bob.visit(w.url + note)
		for _, got := range eval[[]float64](bob, `[...document.querySelectorAll(".tickbox")].flatMap((b) => {
			const r = b.getBoundingClientRect(), room = parseFloat(getComputedStyle(b, "::after").height);
			return [r.width - r.height, Math.min(room - 24, 0)];
		})`) {
			if got != 0 {
				t.Errorf("at %d, a box of a task is no square or too small: %v", width, got)
			}
		}
	}
}

// seesLineNumbers opens a difference and checks that nothing lies over the line numbers, which are links.
func (b *browser) seesLineNumbers(difference string) {
	b.t.Helper()
	b.visit(difference)
	b.until(`!!document.querySelector(".diff a.ln + ins")`)
	if got := eval[string](b, `[...document.querySelectorAll(".diff a.ln")].filter((a) => {
		a.scrollIntoView({block: "center"});
		const r = a.getBoundingClientRect();
		return document.elementFromPoint(r.right - 10, r.top + r.height / 2) !== a;
	}).map((a) => a.textContent).join()`); got != "" {
		b.t.Errorf("these numbers of lines are covered: %s", got)
	}
}
