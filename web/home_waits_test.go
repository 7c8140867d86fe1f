package web_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"samepage/actions/governance"
	"samepage/actions/param"
	"samepage/web/webtest"
)

// waitsAtHome checks which of the pages the home page of a member lists as waiting.
func waitsAtHome(t *testing.T, c *webtest.Client, when string, pages []string, want ...string) {
	t.Helper()
	page, _, _ := strings.Cut(c.Get("/?full=1", "text/markdown").Body, "\n## Since you left")
	for _, u := range pages {
		if has := slices.Contains(want, u); strings.Contains(page, u) != has {
			t.Errorf("%s: it waits for %s: %v, want %v\n%s", when, u, !has, has, page)
		}
	}
}

// stayOpen checks that pages stay on the list of what is open after their time is over.
func stayOpen(t *testing.T, w *webtest.World, pages ...string) {
	t.Helper()
	w.Clock.Advance(60 * 24 * time.Hour)
	list, _ := awaitedBy(t, w, "erin")
	for _, u := range pages {
		if list[u] == "" {
			t.Errorf("%s, whose time is over, is not on the list of what is open: %v", u, list)
		}
	}
}

// TestElectionsWait checks that an election waits at home for a nomination and for a response, until they are given.
func TestElectionsWait(t *testing.T) {
	w := webtest.Of(t, "election")
	dave := w.As("dave")
	nomination, consent := w.URL("election nomination"), w.URL("election consent")
	both := []string{nomination, consent}
	waitsAtHome(t, dave, "at first", both, both...)
	does(t, dave, nomination, governance.Nominate.Name, param.Input{"nominee": "erin", "reason": "She counts twice."}, 200, "")
	waitsAtHome(t, dave, "after the nomination", both, consent)
	does(t, dave, consent, governance.RespondToElection.Name, param.Input{"position": "consent"}, 200, "")
	waitsAtHome(t, dave, "after the response", both)
	stayOpen(t, w, both...)
}

// TestCardsWait checks that a card whose zone asks first waits at home for each member of its studio, but for no agent,
// until a person answers or it is moved away, and that it names the agent that moved it.
func TestCardsWait(t *testing.T) {
	w := webtest.Of(t, "work")
	card, board := w.URL("card waiting"), w.URL("board workshop")
	for _, who := range []string{"alice", "erin"} {
		waitsAtHome(t, w.As(who), who, []string{card}, card)
	}
	for _, who := range []string{"scribe", "oscar"} { // an agent, and a person who is not in the studio
		waitsAtHome(t, w.As(who), who, []string{card})
	}
	home := w.As("erin").Get("/?full=1", "text/markdown").Body
	if _, row, _ := strings.Cut(home, "Mend the"); !strings.Contains(strings.SplitN(row, "\n", 2)[0], "Scribe") {
		t.Errorf("the home page does not name the agent that moved the card:\n%s", home)
	}
	does(t, w.As("erin"), board, "move_card", param.Input{"number": "4", "zone": "1"}, 200, "")
	waitsAtHome(t, w.As("erin"), "after it was moved away", []string{card})
	does(t, w.As("erin"), board, "move_card", param.Input{"number": "4", "zone": "2"}, 200, "A person is asked first")
	waitsAtHome(t, w.As("alice"), "after it was moved in", []string{card}, card)
	does(t, w.As("alice"), card, "dismiss_card", nil, 200, "")
	waitsAtHome(t, w.As("alice"), "after the answer", []string{card})
}

// TestTopicsWait checks that a topic waits at home for a response, until it is given.
func TestTopicsWait(t *testing.T) {
	w := webtest.Of(t, "topic")
	erin, consent := w.As("erin"), w.URL("topic consent")
	waitsAtHome(t, erin, "at first", []string{consent}, consent)
	does(t, erin, consent, governance.Respond.Name, param.Input{"position": "consent"}, 200, "")
	waitsAtHome(t, erin, "after the response", []string{consent})
	stayOpen(t, w, consent)
}
