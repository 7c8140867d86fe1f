package web_test

import (
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/web/webtest"
)

// TestResultsAreOnlyTightened changes the setting for who can see the results of a vote. Before the first ballot
// every change is allowed, and after it only a narrower setting.
func TestResultsAreOnlyTightened(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	alice, bob := w.As("alice"), w.As("bob")
	say := func(c *webtest.Client, page, results string, want int, says string) {
		t.Helper()
		if r := c.PostJSON(page, "change_results", param.Input{"results": results}); r.Status != want ||
			!strings.Contains(r.Body, says) {
			t.Errorf("%s says %s of %s: %d, want %d and %q\n%s", c.Name, results, page, r.Status, want, says, r.Body)
		}
	}
	sees := func(want bool) {
		t.Helper()
		if got := bob.Get(w.URL("unvoted")+"/count", "text/markdown").Status == 200; got != want {
			t.Errorf("who has not voted sees how it stands: %v", got)
		}
	}
	page := w.URL("unvoted") // Alice's question, with results hidden until it is closed
	say(alice, page, "after_closing", 422, "results")
	say(bob, page, "shown", 403, "")
	say(alice, page, "shown", 200, "")
	sees(true)
	say(alice, page, "after_voting", 200, "")
	say(alice, page, "shown", 200, "")
	if r := alice.PostJSON(page, "cast_vote",
		param.Input{"ranking": map[string]any{"1": 1, "2": 2, "3": 3}}); r.Status != 200 {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	say(alice, page, "after_voting", 200, "")
	sees(false)
	say(alice, page, "shown", 422, "results")
	say(alice, page, "after_closing", 200, "")
	say(alice, page, "after_voting", 409, "stays so")
	say(alice, w.URL("open anonymous"), "shown", 409, "anonymous")
	say(alice, w.URL("open lottery"), "shown", 409, "lottery")
	say(alice, w.URL("result single"), "shown", 409, "")
}
