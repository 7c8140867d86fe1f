package clients

import (
	"strings"
	"testing"

	"samepage/store/pgtest"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// hand is a way in which a person uses a browser: by the keyboard alone, with a mouse, or with a finger on a phone.
type hand struct {
	*browser
	phone bool
	// on finds the element for a CSS selector, brings it into view, and returns the steps that operate it.
	on func(selector string) []chromedp.Action[chromedp.Void]
}

// keys returns a hand that uses only Tab, arrows, Space, Enter and letters.
func keys(b *browser) hand {
	return hand{b, false, func(selector string) []chromedp.Action[chromedp.Void] {
		b.t.Helper()
		for range 150 {
			b.do(chromedp.KeyEvent(kb.Tab))
			for range 9 { // Tab stops once in a group of radio buttons, and arrows move within the group
				if !eval[bool](b, `(() => {
					const e = document.activeElement, want = document.querySelector(`+quoted(selector)+`);
					return e.type == "radio" && e != want && e.name == want?.name;
				})()`) {
					break
				}
				b.do(chromedp.KeyEvent(kb.ArrowDown))
			}
			if !eval[bool](b, `document.activeElement.matches(`+quoted(selector)+`)`) {
				continue
			}
			if at := focus(b); !at.Seen || !at.Outlined {
				b.t.Errorf("the focus is on %s, which cannot be seen (on top %v, outlined %v)", selector, at.Seen,
					at.Outlined)
			}
			if eval[bool](b, `document.activeElement.matches("input[type=checkbox], input[type=radio], summary, [popovertarget]")`) {
				return []chromedp.Action[chromedp.Void]{chromedp.KeyEvent(" ")}
			}
			if eval[bool](b, `document.activeElement.matches("input, textarea")`) {
				return nil
			}
			return []chromedp.Action[chromedp.Void]{chromedp.KeyEvent(kb.Enter)}
		}
		b.t.Fatalf("Tab does not lead to %s at %s", selector, b.address())
		return nil
	}}
}

func mouse(b *browser) hand {
	return hand{b, false, func(selector string) []chromedp.Action[chromedp.Void] {
		b.t.Helper()
		x, y := b.spot(selector)
		return []chromedp.Action[chromedp.Void]{chromedp.MouseClickXY(x, y)}
	}}
}

// finger returns a hand that taps on the screen of a phone.
func finger(b *browser) hand {
	b.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile),
		command(emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true}))
	return hand{b, true, func(selector string) []chromedp.Action[chromedp.Void] {
		b.t.Helper()
		x, y := b.spot(selector)
		return []chromedp.Action[chromedp.Void]{
			command(input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: input.DispatchTouchEventTypeTouchStart,
				TouchPoints: []*input.TouchPoint{{X: x, Y: y}}}),
			command(input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: input.DispatchTouchEventTypeTouchEnd,
				TouchPoints: []*input.TouchPoint{}}),
		}
	}}
}

// spot scrolls to an element and returns the position of its middle. No other element may cover that position.
func (b *browser) spot(selector string) (x, y float64) {
	b.t.Helper()
	b.until(`!!document.querySelector(` + quoted(selector) + `)`)
	at := eval[struct {
		X, Y  float64
		Under string
	}](b, `(() => {
		const e = document.querySelector(`+quoted(selector)+`);
		e.scrollIntoView({block: "nearest", behavior: "instant"});
		const r = e.getBoundingClientRect(), x = r.left + r.width / 2, y = r.top + r.height / 2;
		const top = document.elementFromPoint(x, y);
		const free = r.width && top && (e.contains(top) || top.contains(e) || top.closest("label")?.control == e);
		return {X: x, Y: y, Under: free ? "" : (top?.outerHTML ?? "no place").slice(0, 200)};
	})()`)
	if at.Under != "" {
		b.snap()
		b.t.Fatalf("%s is under %s", selector, at.Under)
	}
	return at.X, at.Y
}

func quoted(selector string) string { return "`" + selector + "`" }

// press operates an element that leads to another page, or to another state of the page.
func (h hand) press(selector string) {
	h.t.Helper()
	h.goes(h.on(selector)...)
}

// tap operates an element that only changes something within the page.
func (h hand) tap(selector string) {
	h.t.Helper()
	h.do(h.on(selector)...)
}

func (h hand) write(selector, text string) {
	h.t.Helper()
	h.tap(selector)
	h.until(`document.activeElement.matches(` + quoted(selector) + `)`)
	h.do(chromedp.KeyEvent(text))
}

// submit sends the form of an action.
func (h hand) submit(action string) {
	h.t.Helper()
	h.press(`main form[action*="/actions/` + action + `"] button[type=submit]:not(.now, .vh)`)
}

// opens goes to the page of an action, through the menu if the menu has its link.
func (h hand) opens(action string) {
	h.t.Helper()
	if eval[bool](h.browser, `!!document.querySelector('#more a[href$="/actions/`+action+`"]')`) {
		h.tap("button[popovertarget=more]")
		h.until(`document.getElementById("more").matches(":popover-open")`)
	}
	h.press(`main a[href$="/actions/` + action + `"]`)
}

// sheet opens the navigation on a phone. On wide screens the navigation is always visible.
func (h hand) sheet() {
	h.t.Helper()
	if h.phone {
		h.tap("header.bar button[popovertarget=side]")
		h.until(`document.getElementById("side").matches(":popover-open")`)
	}
}

// TestEveryHand tells a story about each kind of page in each way in which people use a browser: without scripts and
// by keyboard alone, with scripts and a mouse, and with scripts on the touch screen of a phone.
func TestEveryHand(t *testing.T) {
	t.Parallel()
	pgtest.Folder(t, "it is about the browser")
	w := newWorld(t)
	for _, way := range []struct {
		name, member string
		hand         func(*browser) hand
		scripts      bool
	}{
		{"keys", "dave", keys, false}, {"mouse", "alice", mouse, true}, {"finger", "carol", finger, true},
	} {
		t.Run(way.name, func(t *testing.T) {
			b := open(t)
			if !way.scripts {
				b.withoutScripts()
			}
			h := way.hand(b)
			h.signsIn(w, way.member)
			at := h.decides(w, way.name)
			h.says(way.name)
			h.notes(w, way.name)
			h.joins(w, way.name)
			h.searches(w, way.name, at)
			h.approves(w, way.member, at)
			h.letsIn(w, way.name)
			b.quiet(way.name)
		})
	}
}

func (h hand) signsIn(w *world, member string) {
	h.t.Helper()
	email, password := w.as(member)
	h.visit(w.url + "/login")
	h.write("[name=email]", email)
	h.write("[name=password]", password)
	h.press("form[action='/login'] button[type=submit]")
	if h.address() != w.url+"/" {
		h.t.Fatalf("signing in leads to %s", h.address())
	}
}

// decides asks for a decision and votes on it. It returns the address of the decision.
func (h hand) decides(w *world, name string) string {
	h.t.Helper()
	h.visit(w.url + "/studios/team")
	h.tap("button[popovertarget=new]")
	h.press(`#new a[href$="/create_decision"]`)
	h.write("#f-create_decision-question", "Do we ask by "+name+"?")
	h.write("#f-create_decision-options", "Yes\rNo")
	h.submit("create_decision")
	h.sees("Do we ask by "+name+"?", "0 of 6 have voted", "You have not.")
	h.tap("input[name=accept]")
	h.write("#f-cast_vote-reason", "Because it works.")
	h.press(`#f-cast_vote button[type=submit]`)
	h.sees("1 of 6 have voted", "You have.")
	return strings.TrimPrefix(h.address(), w.url)
}

// says writes a comment on a page, and then unfollows and follows the page.
func (h hand) says(name string) {
	h.t.Helper()
	h.write("form.compose textarea", "This was said by "+name+".")
	h.press("form.compose button[type=submit]")
	h.sees("Your comment is added.", "This was said by "+name+".")
	h.press(`.tools form[action$="/unfollow"] button`)
	h.until(`!!document.querySelector('.tools form[action$="/follow"] button')`)
	h.press(`.tools form[action$="/follow"] button`)
	h.until(`!!document.querySelector('.tools form[action$="/unfollow"] button')`)
}

// notes creates a table, adds a row and changes the table.
func (h hand) notes(w *world, name string) {
	h.t.Helper()
	h.visit(w.url + "/studios/team")
	h.tap("button[popovertarget=new]")
	h.press(`#new a[href$="/create_note"]`)
	h.write("#f-create_note-title", "Things of "+name)
	h.tap("#f-create_note-kind-3")
	h.write("#f-create_note-columns", "Thing\rPlace")
	h.submit("create_note")
	h.sees("Things of " + name)
	h.write("#f-add_row-cells-1", "Ladder")
	h.write("#f-add_row-cells-2", "Cellar")
	h.submit("add_row")
	h.sees("Ladder Cellar")
	h.opens("update_note")
	h.write("#f-update_note-text", "What we have.")
	h.submit("update_note")
	h.sees("What we have.", "Ladder Cellar")
}

// joins proposes a commitment and joins it.
func (h hand) joins(w *world, name string) {
	h.t.Helper()
	h.visit(w.url + "/studios/team")
	h.tap("button[popovertarget=new]")
	h.press(`#new a[href$="/create_commitment"]`)
	h.write("#f-create_commitment-title", "We clean by "+name)
	h.write("#f-create_commitment-critical_mass", "2")
	h.submit("create_commitment")
	h.sees("We clean by " + name)
	h.submit("join")
	h.sees("1 of 2")
}

// searches finds the decision, and then visits the inbox and the journal.
func (h hand) searches(w *world, name, at string) {
	h.t.Helper()
	h.sheet()
	h.write("#search", "ask by "+name)
	h.press("form.find button")
	h.press(`main a[href="` + at + `"]`)
	h.sees("1 of 6 have voted")
	h.visit(w.url + "/inbox")
	h.submit("mark_read")
	h.visit(w.url + "/orgs/meadow/journal")
	h.sees("asked Do we ask by " + name + "?")
}

// approves has an agent of the member ask whether it may comment on a page, and then approves the request.
func (h hand) approves(w *world, member, at string) {
	h.t.Helper()
	secret := strings.TrimSpace(w.run("token", "create", "--member", member, "--label", "Modest", "--asks", "comment"))
	w.secrets = append(w.secrets, secret)
	said := w.overHTTP("Modest", secret).act(at, "comment", map[string]any{"text": "May I?"}, "I was told to ask.")
	h.visit(w.url + approvalLink.FindString(said))
	h.sees("Waiting for an answer", "May I?")
	h.submit("approve_request")
	h.sees("Approved by @" + member)
}

// letsIn creates a token for an agent, and logs out.
func (h hand) letsIn(w *world, name string) {
	h.t.Helper()
	h.visit(w.url + "/settings/tokens")
	h.press(`main a[href$="/actions/create_token"]`)
	h.write("#f-create_token-label", "Agent of "+name)
	h.tap("#f-create_token-scopes-1")
	h.submit("create_token")
	h.sees("shown only once", "Agent of "+name)
	h.visit(w.url + "/")
	h.sheet()
	h.tap(".side .end summary")
	h.press(`.side form[action="/logout"] button`)
	h.sees("Password")
}
