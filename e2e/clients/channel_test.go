package clients

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"samepage/store/pgtest"
)

// within is the maximum time until a message is on the open pages of others.
const within = time.Second

// TestChannelInBrowsers tells how Bob writes in the channel of Team. Alice, who has the channel open, sees the
// message within a second, reacts and replies. A decision that Bob asks for in the channel is shown there.
func TestChannelInBrowsers(t *testing.T) {
	pgtest.Folder(t, "it is about the browser")
	w := newWorld(t)
	const channel = "/studios/team/channel"
	alice, bob := open(t).login(w, "alice"), open(t).login(w, "bob")
	alice.visit(w.url + channel)
	bob.visit(w.url + channel)
	const replies = "form.compose button[type=submit]"
	const writes = ".slot form.compose textarea"
	// The newest message is visible without a script that scrolls.
	if got := eval[bool](alice, `(() => { const all = document.querySelectorAll(".chat .said"), last = all[all.length - 1];
		const chat = document.querySelector(".chat").getBoundingClientRect(), at = last.getBoundingClientRect();
		return all.length > 5 && at.bottom <= chat.bottom + 1 && at.top >= chat.top - 1 })()`); !got {
		t.Error("the newest message is not in sight")
	}
	alice.do(chromedp.Click(writes), chromedp.KeyEvent("Half a thought"))
	const sends = ".slot form.compose button[type=submit]"
	bob.goes(chromedp.Click(writes), chromedp.KeyEvent("The kettle is on, @alice."), chromedp.Click(sends))
	took := alice.until(`document.querySelector(".chat").innerText.includes("The kettle is on")`)
	if took > within {
		t.Errorf("Alice sees Bob's message after %v", took)
	}
	t.Logf("Alice sees Bob's message after %v", took.Round(time.Millisecond))
	if got := eval[string](alice, fmt.Sprintf(`document.querySelector(%q).value`, writes)); got != "Half a thought" {
		t.Errorf("Alice's half thought is %q", got)
	}
	// Alice reacts from the menu of the message and stays on the page. Bob sees the reaction.
	const last = `[...document.querySelectorAll(".chat .said")].find((m) => m.innerText.includes("The kettle is on"))`
	eval[bool](alice, last+`.querySelector(".acts [popovertarget]").click(); `+last+`.querySelector(".acts .react").click(); true`)
	bob.until(last + `?.querySelector(".reacts")?.innerText.includes("👍 1")`)
	alice.until(last + `?.querySelector(".reacts [aria-pressed]") != null`)
	if got := eval[string](alice, `location.pathname`); got != channel {
		t.Errorf("a reaction leads to %s", got)
	}
	eval[bool](alice, last+`.querySelector(".reacts [aria-pressed]").click(); true`)
	bob.until(last + `?.querySelector(".reacts") == null`)
	// The reply is on the page of the message, and counted in the channel.
	address := eval[string](alice, last+`.querySelector(".lead a[href*='/m/']").getAttribute("href")`)
	alice.visit(w.url + address)
	alice.goes(chromedp.Click("form.compose textarea"), chromedp.KeyEvent("I am coming."), chromedp.Click(replies))
	alice.sees("I am coming.")
	bob.until(last + `?.innerText.includes("1 reply")`)
	bob.visit(w.url + address)
	bob.sees("I am coming.", "The kettle is on")
	// A decision that is created in the channel is shown in place.
	bob.visit(w.url + channel + "/actions/create_decision")
	bob.fill("Question", "Tea or coffee?")
	bob.do(chromedp.Click(`textarea[name="options"]`), chromedp.KeyEvent("Tea\nCoffee"))
	bob.press("Ask for a decision")
	bob.sees("Tea or coffee?", "0 of 6 have voted")
	if got := eval[string](bob, `location.pathname`); got != channel {
		t.Errorf("what is made in a channel leads to %s", got)
	}
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{1280, 390, 320} {
			bob.looks(width, scheme)
			bob.visit(w.url + channel)
			if wide := eval[int](bob, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
				t.Errorf("at %d the channel is %d too wide", width, wide)
			}
		}
	}
	alice.quiet("the channel of Alice")
	bob.quiet("the channel of Bob")
}

// TestDirectMessagesInBrowsers tells how Carol writes to Dave. Dave's inbox shows within a second that Carol wrote,
// without her text. He follows the link and answers.
func TestDirectMessagesInBrowsers(t *testing.T) {
	pgtest.Folder(t, "it is about the browser")
	w := newWorld(t)
	carol, dave := open(t).login(w, "carol"), open(t).login(w, "dave")
	dave.visit(w.url + "/inbox")
	carol.visit(w.url + "/orgs/meadow/members/dave")
	carol.follow("Write to @dave")
	const replies = "form.compose button[type=submit]"
	carol.goes(chromedp.Click("form.compose textarea"), chromedp.KeyEvent("Only for you."), chromedp.Click(replies))
	carol.sees("Only for you.")
	took := dave.until(`document.querySelector("main").innerText.includes("@carol wrote to you")`)
	if took > within {
		t.Errorf("Dave is told after %v", took)
	}
	if eval[bool](dave, `document.body.innerText.includes("Only for you")`) {
		t.Error("the inbox has the text of a direct message")
	}
	dave.follow("@carol wrote to you")
	dave.sees("Only for you.")
	dave.goes(chromedp.Click("form.compose textarea"), chromedp.KeyEvent("And for you."), chromedp.Click(replies))
	carol.until(`document.querySelector("main").innerText.includes("And for you.")`)
	carol.quiet("the direct messages of Carol")
	dave.quiet("the direct messages of Dave")
}
