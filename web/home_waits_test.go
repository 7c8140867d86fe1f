package web_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"samepage/actions/governance"
	"samepage/actions/param"
	actions "samepage/actions/work"
	"samepage/store"
	"samepage/web/webtest"
)

// waitsAtHome checks which of the given pages the home page of a member lists as waiting: exactly those in want.
func waitsAtHome(t *testing.T, c *webtest.Client, when string, pages []string, want ...string) {
	t.Helper()
	page, _, _ := strings.Cut(c.Get("/?full=1", "text/markdown").Body, "\n## Since you left")
	for _, u := range pages {
		if has := slices.Contains(want, u); strings.Contains(page, u) != has {
			t.Errorf("%s: it waits for %s: %v, want %v\n%s", when, u, !has, has, page)
		}
	}
}

// stayOpen checks that pages stay on the list of open pages after their deadlines.
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

// TestElectionsWait checks that an election waits on the home page for a nomination and later for a response, until
// the member has given them.
func TestElectionsWait(t *testing.T) {
	w := webtest.Of(t, "election")
	dave := w.As("dave")
	nomination, consent := w.URL("election nomination"), w.URL("election consent")
	both := []string{nomination, consent}
	waitsAtHome(t, dave, "at first", both, both...)
	does(t, dave, nomination, governance.Nominate.Name, param.Input{"nominee": "erin",
		"reason": "She counts twice."}, 200, "")
	waitsAtHome(t, dave, "after the nomination", both, consent)
	does(t, dave, consent, governance.RespondToElection.Name, param.Input{"position": "consent"}, 200, "")
	waitsAtHome(t, dave, "after the response", both)
	stayOpen(t, w, both...)
}

// TestCardsWait checks a card in a zone that asks before it acts. Until a person answers or the card is moved
// away, the home page of each person in the studio shows that the card waits, and names the agent that moved it
// there. The home page of an agent does not show the card.
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

// TestTopicsWait checks that a topic waits on the home page for a response, until the member has given it.
func TestTopicsWait(t *testing.T) {
	w := webtest.Of(t, "topic")
	erin, consent := w.As("erin"), w.URL("topic consent")
	waitsAtHome(t, erin, "at first", []string{consent}, consent)
	does(t, erin, consent, governance.Respond.Name, param.Input{"position": "consent"}, 200, "")
	waitsAtHome(t, erin, "after the response", []string{consent})
	stayOpen(t, w, consent)
}

// TestLimitOfReviewsWaits checks a session that has reached its limit of reviews. The session waits on the home
// page of its member, until the member allows another review, opens a pull request or archives the session. The
// member is notified of the limit, and the session's page lists these three ways.
func TestLimitOfReviewsWaits(t *testing.T) {
	w := webtest.Of(t, "work")
	erin, rows := w.As("erin"), w.URL("session rows")
	told := func() int {
		return strings.Count(erin.Get("/inbox?full=1", "text/markdown").Body,
			"asks you how it goes on after reviews without approval")
	}
	if n := told(); n != 1 {
		t.Errorf("Erin is told %d times that the limit is reached", n)
	}
	waitsAtHome(t, erin, "at the limit", []string{rows}, rows)
	waitsAtHome(t, w.As("bob"), "for Bob", []string{rows})
	const says = "so a person decides: @erin or a keeper of Team allows another review, opens a pull request nevertheless, or archives"
	if page := erin.Get(rows, "text/markdown").Body; !strings.Contains(page, says) {
		t.Errorf("the page does not say that a person decides:\n%s", page)
	}
	does(t, erin, rows, actions.ExtendReviews.Name, nil, 200, "One more review")
	waitsAtHome(t, erin, "after another review was allowed", []string{rows})
	r := erin.PostJSON(rows, actions.RequestReview.Name, nil)
	var review string
	w.Query(&review, `SELECT '/studios/team/reviews/' || id FROM reviews ORDER BY requested_at DESC, n DESC LIMIT 1`)
	if r.Status != 200 {
		t.Fatal(r.Body)
	}
	does(t, w.As("dave"), review, actions.SendFeedback.Name, param.Input{"type": "needs_work", "text": "Again."}, 200,
		"It was review 4 in a row without approval, so @erin is asked how it goes on.")
	if n := told(); n != 2 {
		t.Errorf("Erin is told %d times that the limit is reached again", n)
	}
	waitsAtHome(t, erin, "at the limit again", []string{rows}, rows)
	w.Clock.Advance(time.Minute)
	if err := w.Store.Write(t.Context(), func(tx *store.Tx) error { // a commit to merge
		return tx.Exec(`UPDATE worktrees SET ahead = 1 WHERE name = 'empty'`)
	}); err != nil {
		t.Fatal(err)
	}
	does(t, erin, rows, actions.CreateSessionPull.Name, param.Input{"title": "Rows"}, 200, "")
	waitsAtHome(t, erin, "with a pull request", []string{rows})
	var pull string
	w.Query(&pull, `SELECT '/studios/team/pulls/' || n FROM pulls ORDER BY opened_at DESC, n DESC LIMIT 1`)
	does(t, erin, pull, actions.ClosePull.Name, nil, 200, "")
	waitsAtHome(t, erin, "after that was closed", []string{rows}, rows)
	does(t, erin, rows, actions.StopSession.Name, nil, 200, "")
	does(t, erin, rows, actions.ArchiveSession.Name, nil, 200, "")
	waitsAtHome(t, erin, "in the archive", []string{rows})
}

// TestHomeCountsTheWeek checks that the home page of a person says how many items were made and decided in the present
// cycle of each studio, and what the agents' turns cost. The home page of an agent does not.
func TestHomeCountsTheWeek(t *testing.T) {
	w := webtest.Of(t, "work")
	bob := w.As("bob")
	line := func(c *webtest.Client, of string) string {
		_, line, _ := strings.Cut(c.Get("/?full=1", "text/markdown").Body, "\n- ["+of+"](")
		line, _, _ = strings.Cut(line, "\n")
		_, line, _ = strings.Cut(line, "): ")
		return line
	}
	made := func() (n int) {
		before, _, _ := strings.Cut(line(bob, "Team"), " made")
		n, _ = strconv.Atoi(before[strings.LastIndexByte(before, ' ')+1:])
		return n
	}
	before := made()
	does(t, bob, w.URL("team"), "create_note", param.Input{"title": "Rain", "text": "It comes."}, 200, "")
	if after := made(); after != before+1 {
		t.Errorf("%d made before the note and %d after it: %q", before, after, line(bob, "Team"))
	}
	if text := line(w.As("scout"), "Team"); strings.Contains(text, " made") || !strings.Contains(text, "open") {
		t.Errorf("the agent reads %q", text)
	}
	if text := line(bob, "Mason"); text != "" {
		t.Errorf("an agent without a token in force is listed: %q", text)
	}
	runner := func(action string, in param.Input) {
		t.Helper()
		var turn, claim string
		of := w.URL("session asking")
		of = `FROM turns WHERE ended_at IS NULL AND session_id = '` + of[strings.LastIndexByte(of, '/')+1:] + `' ORDER BY n LIMIT 1`
		w.Query(&turn, `SELECT id `+of)
		w.Query(&claim, `SELECT claim `+of)
		in["turn"], in["claim"] = turn, claim
		does(t, w.Bearer(w.Secret("runner mill")), w.URL("runner mill"), action, in, 200, "")
	}
	says := func(n int, cost, want string) {
		t.Helper()
		runner("renew_turn", param.Input{"begins": "true"})
		if cost != "" {
			runner("report_turn", param.Input{"events": fmt.Sprintf(`[{"n":%d,"kind":"usage",
				"data":{"Used":1,"Size":9,"Cost":{"amount":%s,"currency":"EUR"}}}]`, n, cost)})
		}
		if text := line(bob, "Mason"); !strings.HasSuffix(text, want) {
			t.Errorf("with %q: %q, want %q", cost, text, want)
		}
	}
	says(0, "", "; 0.93 EUR in 7 days") // 0.41 in one conversation, and 0.52 in another
	says(4, "0.25", "; 1.18 EUR in 7 days")
	says(5, "1.5", "; 2.43 EUR in 7 days")
	runner("finish_turn", param.Input{"report": `{"state":"succeeded","agent_session":"mason-2"}`})
	runner("claim_turn", param.Input{})
	says(1, "2", "; 2.93 EUR in 7 days") // the conversation has cost 2 in all
	runner("finish_turn", param.Input{"report": `{"state":"succeeded","fresh":true,"cost":2500000,"currency":"EUR"}`})
	cost := 0
	if w.Query(&cost, `SELECT sum(cost) FROM agent_costs`); cost != 4_930_000 { // 2.50 in a conversation of its own
		t.Errorf("with a fresh conversation: %d", cost)
	}
	w.Clock.Advance(14 * 24 * time.Hour)
	if text := line(bob, "Team"); strings.Contains(text, "This week") {
		t.Errorf("two weeks later: %q", text)
	}
}
