package clients

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// browser is a Chromium process with one tab. The process ends with the test. The field troubles records errors on
// the console, violations of the content security policy, failed requests, and requests to other sites.
type browser struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	troubles []string
	bytes    float64 // bytes received over the network
	turns    int     // number of page changes, by loading or by the page's script
	refused  string  // address of the last page with a status other than 200
}

// open starts Chromium for the rest of the test.
func open(t *testing.T) *browser {
	t.Helper()
	story(t)
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chrome(t)))
	for _, flag := range []string{"no-sandbox", "disable-gpu", "disable-quic", "disable-component-update"} {
		options = append(options, chromedp.Flag(flag, true))
	}
	deadline, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	t.Cleanup(cancel)
	allocator, stop := chromedp.NewExecAllocator(deadline, options...)
	t.Cleanup(stop) // waits for the end of the process, which may still write to its data folder, and removes the folder
	ctx, closeTab := chromedp.NewContext(allocator)
	t.Cleanup(closeTab)
	b := &browser{t: t, ctx: ctx}
	b.do() // a call without steps starts the process
	if err := chromedp.Listen(ctx, b.hear); err != nil {
		t.Fatal(err)
	}
	b.looks(1280, "light")
	return b
}

func (b *browser) hear(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.troubles = append(b.troubles, "exception: "+e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		if e.Type == "error" || e.Type == "warning" {
			said := "console " + string(e.Type) + ":"
			for _, a := range e.Args {
				said += " " + a.Description + string(a.Value)
			}
			b.troubles = append(b.troubles, said)
		}
	case *log.EventEntryAdded:
		// Pages of the product have an icon of their own. Chromium also requests an icon for pages of other servers
		// of a test, such as an OAuth client's, which may have ended by then.
		if icon := strings.HasSuffix(e.Entry.URL, "/favicon.ico"); !icon &&
			(e.Entry.Level == "error" || e.Entry.Level == "warning") {
			b.troubles = append(b.troubles, fmt.Sprintf("%s: %s %s", e.Entry.Source, e.Entry.Text, e.Entry.URL))
		}
	case *network.EventRequestWillBeSent:
		if u, err := url.Parse(e.Request.URL); err == nil && strings.HasPrefix(u.Scheme, "http") &&
			u.Hostname() != "127.0.0.1" && u.Hostname() != "localhost" {
			b.troubles = append(b.troubles, "request to another site: "+e.Request.URL)
		}
	case *network.EventLoadingFinished:
		b.bytes += e.EncodedDataLength
	case *page.EventLoadEventFired, *page.EventNavigatedWithinDocument:
		b.turns++
	case *network.EventResponseReceived:
		if e.Type == network.ResourceTypeDocument && e.Response.Status != 200 {
			b.refused = fmt.Sprintf("%s answered %d", e.Response.URL, e.Response.Status)
		}
	}
}

// quiet fails the test if the browser has recorded a failure since the last call of quiet.
func (b *browser) quiet(where string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, trouble := range b.troubles {
		b.t.Errorf("%s: %s", where, trouble)
	}
	b.troubles = nil
}

// loaded returns the number of bytes received over the network since the last call.
func (b *browser) loaded() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := b.bytes
	b.bytes = 0
	return int(n)
}

func (b *browser) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 2*time.Minute)
	defer cancel()
	if b.ctx == ctx || len(steps) == 0 {
		ctx = b.ctx // the first call starts the browser, which runs until this context ends
	}
	err := chromedp.Do(ctx, steps...)
	for range 3 {
		// The page's script may replace an element during the search for it. Chromium then refuses the command
		// without any effect.
		if err == nil || len(steps) != 1 || !strings.Contains(err.Error(), "(-32000)") {
			break
		}
		b.t.Logf("once more: %v", err)
		err = chromedp.Do(ctx, steps...)
	}
	if err != nil {
		b.snap()
		b.t.Fatalf("%v, on %s:\n%s", err, b.address(), b.text())
	}
}

// command returns the step that sends one command of the DevTools protocol.
func command[P, R any](c cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return func(ctx context.Context, t *chromedp.Target) (v chromedp.Void, err error) {
		_, err = cdp.Call(ctx, t, c, params)
		return v, err
	}
}

// withoutScripts turns JavaScript off, as some people do in their browsers.
func (b *browser) withoutScripts() *browser {
	b.t.Helper()
	b.do(command(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}))
	return b
}

// looks sets the width of the window and the colour scheme, light or dark. It turns animations off,
// so that pictures are always the same.
func (b *browser) looks(width int64, scheme string) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(width, 900), command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme},
			{Name: "prefers-reduced-motion", Value: "reduce"}}}))
}

// goes runs steps that lead to another page, or to another state of the page, and waits for that page. goes fails the
// test if a loaded page has a status other than 200.
func (b *browser) goes(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	b.mu.Lock()
	before := b.turns
	b.refused = ""
	b.mu.Unlock()
	b.do(steps...)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		b.mu.Lock()
		turned, refused := b.turns > before, b.refused
		b.mu.Unlock()
		switch {
		case refused != "":
			b.snap()
			b.t.Fatal(refused)
		case turned:
			return
		case time.Now().After(deadline):
			b.snap()
			b.t.Fatalf("no page comes after %s", b.address())
		}
	}
}

// visit opens an address as if a person had typed it into the address bar.
func (b *browser) visit(url string) {
	b.t.Helper()
	b.goes(chromedp.Navigate(url))
}

// follow clicks the first link with the given text.
func (b *browser) follow(text string) {
	b.t.Helper()
	b.goes(chromedp.Click(chromedp.Search(`//a[normalize-space()="` + text + `"]`)))
}

// press clicks the button with the given text.
func (b *browser) press(text string) {
	b.t.Helper()
	b.goes(chromedp.Click(chromedp.Search(`//button[normalize-space()="` + text + `"]`)))
}

// fill clicks a label and types a text into its field.
func (b *browser) fill(label, text string) {
	b.t.Helper()
	b.do(chromedp.Click(chromedp.Search(`//label[normalize-space()="`+label+`"]`)), chromedp.KeyEvent(text))
}

// tick clicks the label of a choice in the given group, or the box on the row of the choice.
func (b *browser) tick(group, label string) {
	b.t.Helper()
	b.do(chromedp.Click(chromedp.Search(`//fieldset[starts-with(normalize-space(legend),"` + group +
		`")]//label[normalize-space()="` + label + `"] | //input[@aria-label="` + group + ": " + label + `"]`)))
}

// unfold opens the folded section with the given summary.
func (b *browser) unfold(summary string) {
	b.t.Helper()
	b.do(chromedp.Click(chromedp.Search(`//summary[normalize-space()="` + summary + `"]`)))
}

// open opens the menu of the button with the given text.
func (b *browser) open(button string) {
	b.t.Helper()
	b.do(chromedp.Click(chromedp.Search(`//button[normalize-space()="` + button + `"]`)))
}

// login signs a member in with the login form and waits for the next page.
func (b *browser) login(w *world, member string) *browser {
	b.t.Helper()
	for _, l := range w.demo.Logins {
		if l.Member == member {
			b.visit(w.url + "/login")
			b.fill("Email", l.Email)
			b.fill("Password", l.Password)
			b.press("Sign in")
			return b
		}
	}
	b.t.Fatalf("the demo has no login for %s", member)
	return b
}

// logout opens the menu with the member's name, and logs the member out.
func (b *browser) logout(name string) {
	b.t.Helper()
	b.unfold(name)
	b.press("Log out")
}

// text returns the visible text of the page.
func (b *browser) text() string {
	b.t.Helper()
	return eval[string](b, `document.body.innerText`)
}

// sees fails the test unless the page shows each of the texts, at once or after a script has fetched it.
func (b *browser) sees(texts ...string) {
	b.t.Helper()
	for _, want := range texts {
		shown := func() bool { return strings.Contains(strings.Join(strings.Fields(b.text()), " "), want) }
		for deadline := time.Now().Add(20 * time.Second); !shown(); time.Sleep(50 * time.Millisecond) {
			if time.Now().After(deadline) {
				b.t.Fatalf("the browser does not show %q in:\n%s", want, b.text())
			}
		}
	}
}

// address returns the address in the address bar.
func (b *browser) address() string {
	b.t.Helper()
	return eval[string](b, `location.href`)
}

// eval evaluates a JavaScript expression through the debugger, which also works while JavaScript is
// turned off.
func eval[T any](b *browser, expression string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 60*time.Second)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[json.RawMessage](expression, chromedp.EvalAwaitPromise))
	var value T
	if err == nil {
		err = json.Unmarshal(v, &value)
	}
	if err != nil {
		b.t.Fatalf("%.80s: %v", expression, err)
	}
	return value
}

// cookies returns the cookies for an address as the value of a Cookie header.
func (b *browser) cookies(url string) string {
	b.t.Helper()
	var list []string
	b.do(func(ctx context.Context, t *chromedp.Target) (v chromedp.Void, err error) {
		got, err := cdp.Call(ctx, t, network.GetCookies, network.GetCookiesParams{URLs: []string{url}})
		for _, c := range got.Cookies {
			list = append(list, c.Name+"="+c.Value)
		}
		return v, err
	})
	return strings.Join(list, "; ")
}

// snap saves a picture of the page. It is called when a step has failed. The environment variable SAMEPAGE_SNAP has
// the name of the file; without it, snap does nothing.
func (b *browser) snap() {
	path := os.Getenv("SAMEPAGE_SNAP")
	if path == "" {
		return
	}
	ctx, cancel := context.WithTimeout(b.ctx, 2*time.Minute)
	defer cancel()
	chromedp.Run(ctx, func(ctx context.Context, t *chromedp.Target) (v chromedp.Void, err error) {
		got, err := cdp.Call(ctx, t, page.CaptureScreenshot, page.CaptureScreenshotParams{})
		if err == nil {
			err = os.WriteFile(path, got.Data, 0o600)
		}
		return v, err
	})
}
