package web_test

import (
	"encoding/json"
	"strings"
	"testing"

	"samepage/actions/governance"
	"samepage/actions/param"
	"samepage/store"
	"samepage/web/webtest"
)

// opened is the page of an organization that lists everything undecided, in JSON.
type opened struct {
	Next string
	Data struct {
		Groups []struct {
			For       string
			Count     int
			Items     []struct{ URL string }
			Approvals []struct{ URL string }
		}
	}
}

// awaitedBy reads the lists of undecided pages in Acme to their ends. There is a list for each kind of step that a
// page can wait for. The result list has that kind of step, by the URL of the page. The result counts has the
// number that the list states, by the kind of step.
func awaitedBy(t *testing.T, w *webtest.World, by string) (list map[string]string, counts map[string]int) {
	t.Helper()
	list, counts = map[string]string{}, map[string]int{}
	for _, what := range store.Awaited() {
		for at := "/orgs/acme/open?for=" + what; at != ""; {
			var p opened
			r := w.As(by).Ahead().Get(at, "application/json")
			if err := json.Unmarshal([]byte(r.Body), &p); err != nil {
				t.Fatal(err, r.Body)
			}
			for _, g := range p.Data.Groups {
				counts[g.For] = g.Count
				for _, i := range g.Items {
					if g.For != what || list[i.URL] != "" {
						t.Errorf("%s is listed for %s and %s", i.URL, g.For, list[i.URL])
					}
					list[i.URL] = g.For
				}
			}
			at = p.Next
		}
	}
	return list, counts
}

// TestOpenSaysForWhatItWaits checks the step that each fixture waits for. It then follows a topic, which waits for
// answers, for its proposer, for an open objection, and at last for nothing.
func TestOpenSaysForWhatItWaits(t *testing.T) {
	w := webtest.New(t)
	list, counts := awaitedBy(t, w, "erin")
	for fixture, want := range map[string]string{"topic clarification": "answers", "topic reaction": "answers",
		"topic consent": "objection", "topic ready": "chair", "topic ruled": "answers", "topic accepted": "", "topic draft": "",
		"topic withdrawn": "", "election nomination": "answers", "election discussion": "chair", "election change": "answers",
		"election elected": "", "commitment open": "answers", "note due": "doing", "note post": "", "tie": "casting",
		"standups": "answers", "policy money": "", "attic open": "", "message edited": ""} {
		if got := list[w.URL(fixture)]; got != want {
			t.Errorf("%s waits for %q, not %q", fixture, got, want)
		}
	}
	listed := map[string]int{}
	for _, what := range list {
		listed[what]++
	}
	for what, n := range listed {
		if counts[what] != n {
			t.Errorf("%d wait for %s, and the page says %d", n, what, counts[what])
		}
	}
	if page := w.As("erin").Ahead().Get("/orgs/acme/open?for=approval", "text/markdown").Body; counts[store.AwaitsApproval] == 0 ||
		!strings.Contains(page, w.URL("approval pending")) {
		t.Errorf("%d approvals:\n%s", counts[store.AwaitsApproval], page)
	}
	u := w.URL("topic ready")
	if r := w.As("dave").PostJSON(u, governance.StepBack.Name, nil); r.Status != 200 {
		t.Fatal(r.Body)
	}
	for _, step := range []struct {
		by, action string
		in         param.Input
		want       string
	}{{"dave", governance.Ask.Name, param.Input{"question": "Which tree?"}, "answers"},
		{"dave", governance.Answer.Name, param.Input{"question": "1", "answer": "An apple tree."}, "chair"},
		{"dave", governance.Advance.Name, nil, "answers"},
		{"dave", governance.Respond.Name, param.Input{"position": "objection", "reason": "It dies."}, "objection"},
		{"dave", governance.WithdrawObjection.Name, nil, "answers"},
		{"dave", governance.Withdraw.Name, nil, ""}} {
		if r := w.As(step.by).PostJSON(u, step.action, step.in); r.Status != 200 {
			t.Fatalf("%s: %s", step.action, r.Body)
		}
		if list, _ := awaitedBy(t, w, "erin"); list[u] != step.want {
			t.Errorf("after %s it waits for %q, not %q", step.action, list[u], step.want)
		}
	}
	if page := w.As("carol").Ahead().Get("/orgs/acme/open", "text/markdown").Body; strings.Contains(page, "/studios/team") {
		t.Errorf("who is not in Team sees what is open there:\n%s", page)
	}
}
