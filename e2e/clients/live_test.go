package clients

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"samepage/store/pgtest"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// says lets an agent comment on a page.
func (w *world) says(agent, page, text string) {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.url+page+"/actions/comment",
		strings.NewReader(url.Values{"text": {text}}.Encode()))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header = http.Header{"Authorization": {"Bearer " + w.token(agent)}, "Accept": {"application/json"},
		"Content-Type": {"application/x-www-form-urlencoded"}}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	if answer, _ := io.ReadAll(resp.Body); resp.StatusCode != 200 {
		w.t.Fatalf("%s may not comment: %d %s", agent, resp.StatusCode, answer)
	}
}

// until waits until a JavaScript expression is true, and returns how long that took.
func (b *browser) until(expression string) time.Duration {
	b.t.Helper()
	begun := time.Now()
	for !eval[bool](b, expression) {
		if time.Since(begun) > 10*time.Second {
			b.snap()
			b.t.Fatalf("this does not become true: %s\n%s", expression, b.text())
		}
		time.Sleep(10 * time.Millisecond)
	}
	return time.Since(begun)
}

// standups returns the address of the demo's decision about stand-ups.
func (w *world) standups() string {
	return w.overHTTP("Scout", w.token("Scout")).find("Should we adopt weekly stand-ups?")
}

// TestPageFollowsAgents tells how Bob types a comment while his agent comments on the same page. The page shows the
// agent's comment, and keeps Bob's text, focus, cursor, scroll position and open menu.
func TestPageFollowsAgents(t *testing.T) {
	pgtest.Folder(t, "it is about the browser")
	w := newWorld(t)
	at := w.standups()
	bob := open(t).login(w, "bob")
	bob.visit(w.url + at)
	bob.do(chromedp.Click("form.compose textarea"), chromedp.KeyEvent("I am half way through"), chromedp.KeyEvent(kb.ArrowLeft),
		chromedp.KeyEvent(kb.ArrowLeft))
	eval[bool](bob, `window.same = document.querySelector("form.compose textarea"); window.count = 0;
		document.getElementById("more").showPopover(); same.focus({preventScroll: true}); scrollTo(0, 200); true`)
	const state = `JSON.stringify([document.activeElement === same, same.isConnected, same.value, same.selectionStart, scrollY,
		document.getElementById("more").matches(":popover-open")])`
	before := eval[string](bob, state)
	if !strings.Contains(before, `true,true,"I am half way through",19,200,true`) {
		t.Fatalf("before: %s", before)
	}
	for i := range 3 {
		text := fmt.Sprintf("Scout has number %d", i)
		w.says("Scout", at, text)
		took := bob.until(fmt.Sprintf(`document.querySelector("main").innerText.includes(%q)`, text))
		t.Logf("Scout's comment is there after %v", took.Round(time.Millisecond))
		if after := eval[string](bob, state); after != before {
			t.Errorf("the page kept %s, and was %s", after, before)
		}
	}
	// The text survives a reload of the page. When the text is sent, it disappears without a reload.
	bob.visit(bob.address())
	if got := eval[string](bob, `document.querySelector("form.compose textarea").value`); got != "I am half way through" {
		t.Errorf("after a reload the draft is %q", got)
	}
	eval[bool](bob, `window.mark = true`)
	bob.goes(chromedp.Click("form.compose button[type=submit]"))
	bob.sees("Your comment is added.", "I am half way through")
	if got := eval[string](bob, `JSON.stringify([window.mark, document.querySelector("form.compose textarea").value,
		Object.keys(sessionStorage).length, document.querySelector("main > .message")])`); got != `[true,"",0,null]` {
		t.Errorf("after sending: %s", got)
	}
	bob.goes(chromedp.Click("form.compose textarea"),
		chromedp.KeyEvent("A second one"), chromedp.Click("form.compose button[type=submit]"))
	bob.sees("A second one")
	bob.quiet("a page that follows an agent")
}

// TestErrorsInPlace sends a form that the server refuses. The page is not replaced, and shows the error at the field.
func TestErrorsInPlace(t *testing.T) {
	t.Parallel()
	pgtest.Folder(t, "it is about the browser")
	w := newWorld(t)
	at := w.standups()
	bob := open(t).login(w, "bob")
	bob.visit(w.url + at)
	eval[bool](bob, `const t = document.querySelector("form.compose textarea"); t.required = false; t.value = " "; true`)
	bob.goes(chromedp.Click("form.compose button[type=submit]"))
	bob.sees("Not done. Please look at:")
	if got := eval[string](bob, `JSON.stringify([location.pathname, document.querySelectorAll("main .error").length,
		document.querySelector("form.compose textarea").getAttribute("aria-invalid"),
		document.activeElement.className])`); got != fmt.Sprintf(`[%q,1,"true","errors"]`, at) {
		t.Errorf("in place: %s", got)
	}
	eval[bool](bob, `document.querySelector("form.compose textarea").value = "Better"; true`)
	bob.goes(chromedp.Click("form.compose button[type=submit]"))
	bob.sees("Your comment is added.")
	if n := eval[int](bob, `document.querySelectorAll(".error, .errors, [aria-invalid]").length`); n != 0 {
		t.Errorf("%d errors stay", n)
	}
	bob.mu.Lock()
	defer bob.mu.Unlock()
	for _, trouble := range bob.troubles {
		if !strings.Contains(trouble, "422") { // Chromium reports the refused request
			t.Errorf("errors in place: %s", trouble)
		}
	}
}

// TestOneClickUndo unfollows a page with one click, follows it again with one click, and undoes the second click with
// the button in the message.
func TestOneClickUndo(t *testing.T) {
	t.Parallel()
	pgtest.Folder(t, "it is about the browser")
	w := newWorld(t)
	bob := open(t).login(w, "bob")
	bob.visit(w.url + w.standups())
	eval[bool](bob, `window.mark = true`)
	bob.goes(chromedp.Click(`.tools form[action$="/unfollow"] button`)) // no Undo button: unfollowing can be undone in two ways
	bob.until(`document.querySelector(".toasts").innerText.includes("You hear of this page as everyone does.")`)
	bob.goes(chromedp.Click(`.tools form[action$="/follow"] button`))
	bob.until(`document.querySelector(".toasts").innerText.includes("You follow this page.")`)
	bob.goes(chromedp.Click(chromedp.Search(`//div[@class="toast"]//button[normalize-space()="Undo"]`)))
	bob.until(`window.mark && !!document.querySelector('.tools form[action$="/follow"]')`)
	bob.quiet("undo")
}

// TestShortcuts navigates with keys. While a person types, the same keys only type.
func TestShortcuts(t *testing.T) {
	pgtest.Folder(t, "it is about the browser")
	w := newWorld(t)
	bob := open(t).login(w, "bob")
	at := w.standups()
	path := func() string { return eval[string](bob, `location.pathname`) }
	bob.visit(w.url + at)
	bob.do(chromedp.KeyEvent("c"))
	if got := focus(bob).Tag; got != "textarea" {
		t.Errorf("c leads to %s", got)
	}
	// The DevTools protocol also types the letter c into the new focus, which a real keyboard would not.
	eval[bool](bob, `document.activeElement.value = ""; true`)
	bob.do(chromedp.KeyEvent("gi?/jk"))
	if got := eval[string](bob, `document.activeElement.value`); got != "gi?/jk" || path() != at {
		t.Errorf("typing at %s gives %q", path(), got)
	}
	eval[bool](bob, `document.activeElement.value = ""; document.activeElement.dispatchEvent(new Event("input", {bubbles: true}));
		document.activeElement.blur(); true`)
	bob.do(chromedp.KeyEvent("/"))
	if got := eval[string](bob, `document.activeElement.id`); got != "search" {
		t.Errorf("/ leads to %s", got)
	}
	eval[bool](bob, `document.activeElement.blur(); true`)
	for _, c := range []struct{ keys, path string }{{"gi", "/inbox"}, {"gh", "/"}, {"?", "/help/keyboard"}} {
		bob.goes(chromedp.KeyEvent(c.keys))
		if path() != c.path {
			t.Errorf("%s leads to %s", c.keys, path())
		}
	}
	bob.sees("Keyboard shortcuts", "The next and the previous row of a list")
	bob.visit(w.url + "/studios/team/decisions")
	bob.do(chromedp.KeyEvent("j"), chromedp.KeyEvent("j"))
	second := focus(bob).Name
	bob.do(chromedp.KeyEvent("k"))
	first := focus(bob).Name
	if first == second || first == "" {
		t.Errorf("j leads to %q, k back to %q", second, first)
	}
	bob.goes(chromedp.KeyEvent(kb.Enter))
	if !strings.HasPrefix(eval[string](bob, `document.title`), first) {
		t.Errorf("Enter on %q leads to %q", first, eval[string](bob, `document.title`))
	}
	// With shortcuts turned off, the keys do nothing.
	bob.do(chromedp.Click(".side .end summary"), chromedp.Click("[data-own=keys] button"), chromedp.KeyEvent("?"))
	time.Sleep(100 * time.Millisecond)
	if path() == "/help/keyboard" {
		t.Error("? works although shortcuts are off")
	}
	bob.quiet("shortcuts")
}

// TestThemeAndLink chooses the dark colours, which the next page must have when it is first drawn. Then the test
// copies the link of the page.
func TestThemeAndLink(t *testing.T) {
	t.Parallel()
	pgtest.Folder(t, "it is about the browser")
	w := newWorld(t)
	bob := open(t).login(w, "bob")
	background := func() string {
		return eval[string](bob, `getComputedStyle(document.querySelector("main")).backgroundColor`)
	}
	light := background()
	bob.do(chromedp.Click(".side .end summary"), chromedp.Click("[data-own=theme] button"),
		chromedp.Click("[data-own=theme] button"))
	dark := background()
	bob.visit(w.url + w.standups())
	if background() != dark || dark == light {
		t.Errorf("light %s, dark %s, then %s", light, dark, background())
	}
	eval[bool](bob, `navigator.clipboard.writeText = async (text) => { window.copied = text; }; true`)
	bob.do(chromedp.Click("[data-own=copy]"))
	bob.until(`document.querySelector(".toasts").innerText.includes("The link is copied.")`)
	if got := eval[string](bob, `window.copied`); got != bob.address() {
		t.Errorf("copied %q at %s", got, bob.address())
	}
	bob.quiet("theme and link")
}

// laterLoad is the maximum median size in bytes of pages whose style and script are cached by the browser.
const laterLoad = 12 << 10

// TestLaterLoads measures the bytes of every kind of page in a browser that has the style and script in its cache.
// TestPagesInChromium measures first visits. The script has limits of its own.
func TestLaterLoads(t *testing.T) {
	t.Parallel()
	pgtest.Folder(t, "it is about the browser")
	w, list := samples(t)
	alice := open(t).login(w, "alice")
	var sizes []int
	for _, s := range list {
		alice.loaded()
		alice.visit(w.url + s.path)
		n := alice.loaded()
		sizes = append(sizes, n)
		t.Logf("%s: %d bytes", s.name, n)
		alice.quiet(s.name)
	}
	slices.Sort(sizes)
	median := sizes[len(sizes)/2]
	t.Logf("the median is %d bytes, from %d to %d", median, sizes[0], sizes[len(sizes)-1])
	if sizes[0] == 0 || median > laterLoad {
		t.Errorf("the median of later pages is %d bytes; want at most %d", median, laterLoad)
	}
	script, err := os.ReadFile("../../web/static/app.js")
	if err != nil {
		t.Fatal(err)
	}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write(script)
	z.Close()
	n := bytes.Count(script, []byte("\n"))
	t.Logf("app.js: %d lines, %d bytes, %d compressed", n, len(script), zipped.Len())
	if n > 600 || regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(`).Match(script) {
		t.Errorf("app.js has %d lines, or makes HTML of strings", n)
	}
}

// pastes is a script that pastes a picture into the field with the focus.
const pastes = `(async () => {
	const canvas = Object.assign(document.createElement("canvas"), {width: 4, height: 4});
	canvas.getContext("2d").fillRect(0, 0, 2, 2);
	const picture = await new Promise(done => canvas.toBlob(done));
	const data = new DataTransfer();
	data.items.add(new File([picture], "corner.png", {type: "image/png"}));
	document.activeElement.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true}));
	return true;
})()`

// TestPastedPicture pastes a picture into a half-typed comment. The picture is attached to the page, and the text
// stays.
func TestPastedPicture(t *testing.T) {
	t.Parallel()
	pgtest.Folder(t, "it is about the browser")
	w := newWorld(t)
	bob := open(t).login(w, "bob")
	bob.visit(w.url + w.standups())
	bob.do(chromedp.Click("form.compose textarea"), chromedp.KeyEvent("See this"))
	eval[bool](bob, pastes)
	bob.until(`document.querySelector("main").innerText.includes("corner.png")`)
	bob.sees("The file is attached.")
	if got := eval[string](bob, `document.activeElement.value`); got != "See this" {
		t.Errorf("the text is %q", got)
	}
	bob.quiet("a pasted picture")
}

// TestPictureOfAMessage pastes a picture into a message. The picture stands in the form's own field for a file, comes
// with the message, and is on its page.
func TestPictureOfAMessage(t *testing.T) {
	t.Parallel()
	pgtest.Folder(t, "it is about the browser")
	w := newWorld(t)
	bob := open(t).login(w, "bob")
	bob.visit(w.url + "/studios/team/channel")
	bob.do(chromedp.Click(".slot form.compose textarea"), chromedp.KeyEvent("See this corner"))
	eval[bool](bob, pastes)
	if got := eval[string](bob, `document.querySelector(".clip[open] [type=file]").files[0].name`); got != "corner.png" {
		t.Errorf("the form has the file %q", got)
	}
	bob.goes(chromedp.Click(".slot form.compose button[type=submit]"))
	bob.until(`[...document.querySelectorAll(".chat .said")].at(-1).innerText.includes("1 file")`)
	bob.quiet("a picture in a message")
}

// TestLinksAreFetchedAhead presses a button of the mouse on a link twice. The page is prefetched once, and the
// content security policy allows it.
func TestLinksAreFetchedAhead(t *testing.T) {
	t.Parallel()
	pgtest.Folder(t, "it is about the browser")
	w := newWorld(t)
	bob := open(t).login(w, "bob")
	const down = `document.querySelector('.side a[href="/inbox"]').dispatchEvent(new PointerEvent("pointerdown", {bubbles: true}));`
	eval[bool](bob, down+down+`true`)
	bob.until(`performance.getEntriesByType("resource").some(e => e.name.endsWith("/inbox"))`)
	if n := eval[int](bob, `performance.getEntriesByType("resource").filter(e => e.name.endsWith("/inbox")).length`); n != 1 {
		t.Errorf("it is fetched %d times", n)
	}
	bob.loaded()
	bob.goes(chromedp.Click(`.side a[href="/inbox"]`))
	t.Logf("%d bytes to open it", bob.loaded())
	bob.quiet("links fetched ahead")
}
