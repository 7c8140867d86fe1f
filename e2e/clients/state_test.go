package clients

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"samepage/store/pgtest"

	"github.com/chromedp/chromedp"
)

// states lists the states of a decision's page that only its script, a menu or another actor's change causes.
var states = []struct {
	name   string
	narrow bool // whether the state exists only in narrow windows
	enter  func(b *browser, w *world, at string)
}{
	{"message", false, func(b *browser, _ *world, _ string) {
		b.goes(chromedp.Click(`.tools form[action$="/unfollow"] button`))
		b.goes(chromedp.Click(`.tools form[action$="/follow"] button`))
		b.until(`!!document.querySelector(".toast")`)
		// A message stays while the focus is in it.
		eval[bool](b, `document.querySelector(".toast:last-child button").focus(); true`)
	}},
	{"refusal", false, func(b *browser, _ *world, _ string) {
		eval[bool](b, `const t = document.querySelector("form.compose textarea"); t.required = false; t.value = " "; true`)
		b.goes(chromedp.Click("form.compose button[type=submit]"))
		b.until(`!!document.querySelector(".errors")`)
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, trouble := range b.troubles {
			if !strings.Contains(trouble, "422") { // Chromium reports the refused request
				b.t.Errorf("a refused form: %s", trouble)
			}
		}
		b.troubles = nil
	}},
	{"change", false, func(b *browser, w *world, at string) {
		b.do(chromedp.Click("form.compose textarea"), chromedp.KeyEvent("Half a text"))
		w.says("Scout", at, "Scout says this meanwhile.")
		b.until(`document.querySelector("main").innerText.includes("Scout says this meanwhile.")`)
	}},
	{"menu", false, func(b *browser, _ *world, _ string) {
		b.open("More")
		b.until(`document.getElementById("more").matches(":popover-open")`)
	}},
	{"account", false, func(b *browser, _ *world, _ string) { b.unfold("Bob Baker") }},
	{"sheet", true, func(b *browser, _ *world, _ string) {
		b.do(chromedp.Click("header.bar button[popovertarget]"))
		b.until(`document.querySelector(".side").matches(":popover-open")`)
	}},
}

// TestStatesInChromium checks states of a page in the way in which TestPagesInChromium checks loaded pages. The
// states are: with a message, with a refused form, after an agent's change beside a half-typed text, and with each
// menu open. Each state is checked in wide and narrow windows and in both colour schemes.
func TestStatesInChromium(t *testing.T) {
	t.Parallel()
	pgtest.Folder(t, "a browser sees the same pages")
	w := newWorld(t)
	axe, err := os.ReadFile(file(t, modules, "axe-core/axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	at, dom := w.standups(), t.TempDir()
	bob := open(t).login(w, "bob")
	for _, s := range states {
		widths := []int64{1280, 390}
		if s.narrow {
			widths = widths[1:]
		}
		bob.looks(widths[0], "light")
		bob.visit(w.url + at)
		s.enter(bob, w, at)
		for _, width := range widths {
			for _, scheme := range []string{"light", "dark"} {
				bob.looks(width, scheme)
				for _, v := range axeFinds(bob, string(axe), accessible...) {
					t.Errorf("%s, %d pixels wide, %s: axe: %s", s.name, width, scheme, v)
				}
			}
		}
		bob.looks(320, "light")
		if wide := eval[int](bob, `document.documentElement.scrollWidth`); wide > 320 {
			t.Errorf("%s: the page is %d pixels wide on a screen of 320", s.name, wide)
		}
		bob.quiet(s.name)
		bob.keep(dom, s.name)
	}
	validHTML(t, dom, "html-validate:browser")
	t.Log(fmt.Sprint(len(states), " states"))
}
