package web_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"samepage/actions"
	"samepage/actions/governance"
	"samepage/actions/param"
	"samepage/web/webtest"
)

// TestEveryBallotOfAgents lets an agent take every action with which a member votes, nominates or responds. With
// agent_ballots "ask" the action is held, with "off" it is refused and not offered, and with "allowed" it is done.
func TestEveryBallotOfAgents(t *testing.T) {
	slow(t)
	w := webtest.New(t)
	objects := param.Input{"position": "objection", "reason": "It comes too early."}
	topic, candidate := w.URL("topic consent"), w.URL("election consent")
	covered := map[string]bool{}
	for _, c := range []struct {
		page, action string
		in           param.Input
	}{
		{w.URL("open approval"), actions.CastVote.Name, param.Input{"accept": []any{"1"}}},
		{w.URL("open approval"), actions.RetractVote.Name, nil},
		{topic, governance.Respond.Name, objects},
		{topic, governance.WithdrawObjection.Name, nil},
		{topic, governance.Respond.Name, objects},
		{topic, governance.MarkIntegrated.Name, nil},
		{w.URL("election nomination"), governance.Nominate.Name, param.Input{"nominee": "dave", "reason": "Counts well."}},
		{w.URL("election change"), governance.ChangeNomination.Name, param.Input{"nominee": "dave", "reason": "Has time."}},
		{candidate, governance.RespondToElection.Name, objects},
		{candidate, governance.WithdrawElectionObjection.Name, nil},
		{candidate, governance.RespondToElection.Name, objects},
		{candidate, governance.MarkElectionIntegrated.Name, nil},
	} {
		place, _ := w.Site.PlaceOf(c.page)
		covered[place.Pattern+" "+c.action] = true
		call := webtest.Call{Params: c.in}
		setAgentBallots(t, w, "ask")
		held(t, w, "scribe", c.page, c.action, call)
		setAgentBallots(t, w, "off")
		if r := w.As("scribe").JSON(c.page, c.action, call); r.Status != http.StatusForbidden ||
			!strings.Contains(r.Body, "agents do not vote") {
			t.Errorf("off: %s on %s is answered %d: %s", c.action, c.page, r.Status, r.Body)
		}
		if slices.Contains(offeredTo(t, w, "scribe", c.page), c.action) {
			t.Errorf("off: %s on %s is offered to an agent", c.action, c.page)
		}
		if !slices.Contains(offeredTo(t, w, "alice", c.page), c.action) {
			t.Errorf("off: %s on %s is not offered to a person", c.action, c.page)
		}
		setAgentBallots(t, w, "allowed")
		if r := w.As("scribe").JSON(c.page, c.action, call); r.Status != http.StatusOK {
			t.Fatalf("allowed: %s on %s is answered %d: %s", c.action, c.page, r.Status, r.Body)
		}
	}
	for _, p := range w.Site.Places() {
		for _, a := range p.Actions {
			if a.Ballot && !covered[p.Pattern+" "+a.Name] {
				t.Errorf("no case takes %s at %s", a.Name, p.Pattern)
			}
		}
	}
}

func setAgentBallots(t *testing.T, w *webtest.World, how string) {
	t.Helper()
	if r := w.As("alice").PostJSON(w.URL("acme organization")+"/settings", actions.UpdateSettings.Name,
		param.Input{"agent_ballots": how}); r.Status != http.StatusOK {
		t.Fatal(r.Body)
	}
}

// offeredTo returns the names of the actions that a page offers.
func offeredTo(t *testing.T, w *webtest.World, who, url string) (names []string) {
	t.Helper()
	var page struct{ Actions []struct{ Name string } }
	if err := json.Unmarshal([]byte(w.As(who).Ahead().Get(url, "application/json").Body), &page); err != nil {
		t.Fatal(err)
	}
	for _, a := range page.Actions {
		names = append(names, a.Name)
	}
	return names
}
