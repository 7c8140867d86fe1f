package web_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/web/webtest"
)

// undoStep is a step of a story on one page, and a part of the answer about undoing it.
type undoStep struct {
	as, action string
	in         param.Input
	says       string
}

var actionName = regexp.MustCompile(`[a-z]+(_[a-z]+)+`)

// TestUndoIsPossible takes steps whose undoing depends on the call. The actions that an answer names for undoing are
// offered on the page.
func TestUndoIsPossible(t *testing.T) {
	w := webtest.New(t)
	shown := func(body string) string { return strings.TrimPrefix(urlIn(t, body), webtest.Origin) }
	for name, story := range map[string][]undoStep{
		"a decision with a deadline": {{"alice", "create_decision", param.Input{"question": "Tea?", "closes_at": "3d"},
			"Once open, move the deadline: extend_decision."}},
		"a decision without a deadline": {{"alice", "create_decision", param.Input{"question": "Coffee?"},
			"The decision is open. It stays open until it is closed."}},
		"a draft without a deadline": {{"alice", "create_decision", param.Input{"question": "Cocoa?", "draft": true},
			"A draft: update_decision"},
			{"alice", "open_decision", nil, "The decision is open. It stays open until it is closed."}},
		"a draft with a deadline": {{"alice", "create_decision", param.Input{"question": "Milk?", "draft": true,
			"closes_at": "3d"}, ""},
			{"alice", "open_decision", nil, "Later deadline: extend_decision."}},
		"a commitment": {{"alice", "create_commitment", param.Input{"title": "Bake", "critical_mass": 2,
			"closes_at": "3d"}, ""},
			{"bob", "join", nil, "Undo until it binds: leave."}, {"erin", "join", nil, "It binds, so nobody can leave it."},
			{"alice", "join", nil, "It binds, so nobody can leave it."}},
		"a topic": {{"alice", "create_topic", param.Input{"title": "Bake on Fridays", "text": "Bread."}, ""},
			{"alice", "advance_topic", nil, "Go back: step_back."}, {"alice", "step_back", nil,
				"Forward again: advance_topic"}},
		"an election": {{"alice", "create_election", param.Input{"role": "Gardener"}, ""},
			{"bob", "nominate_member", param.Input{"nominee": "erin", "reason": "She bakes."}, ""},
			{"alice", "advance_election", nil, "The nominations are revealed. What is revealed stays revealed."},
			{"alice", "advance_election", nil, "Go back: step_back."},
			{"alice", "step_back", nil, "Forward again: advance_election"}},
	} {
		page := "/studios/team"
		for _, step := range story {
			r := w.As(step.as).PostJSON(page, step.action, step.in)
			if r.Status != 200 || !strings.Contains(r.Body, step.says) {
				t.Errorf("%s: %s by %s: %d, want %q in %s", name, step.action, step.as, r.Status, step.says, r.Body)
				break
			}
			page = shown(r.Body)
			var p jsonPage
			if err := json.Unmarshal([]byte(w.As(step.as).Get(page, "application/json").Body), &p); err != nil {
				t.Fatal(err)
			}
			for _, action := range actionName.FindAllString(step.says, -1) {
				if !slices.ContainsFunc(p.Actions, func(a jsonAction) bool { return a.Name == action }) {
					t.Errorf("%s: the answer to %s names %s, which is not offered", name, step.action, action)
				}
			}
		}
	}
}

func urlIn(t *testing.T, body string) string {
	t.Helper()
	var out struct{ URL string }
	if err := json.Unmarshal([]byte(body), &out); err != nil {
		t.Fatal(err, body)
	}
	return out.URL
}

// TestApprovalOfNothing approves a request about a draft that was discarded. The request has ended with the draft.
func TestApprovalOfNothing(t *testing.T) {
	w := webtest.New(t)
	made := w.As("erin").PostJSON("/studios/team", "create_note", param.Input{"title": "Bread", "draft": true})
	if !strings.Contains(made.Body, "The draft is saved. Only @erin and @erin's agents can see it.") {
		t.Error(made.Body)
	}
	page := strings.TrimPrefix(urlIn(t, made.Body), webtest.Origin)
	asked := held(t, w, "clerk", page, "comment", webtest.Call{Params: param.Input{"text": "With rye."}})
	if r := w.As("erin").PostJSON(page, "discard", nil); r.Status != 200 {
		t.Fatal(r.Status, r.Body)
	}
	r := w.As("erin").PostJSON(strings.TrimPrefix(asked, webtest.Origin), "approve_request", nil)
	if r.Status != 409 || !strings.Contains(r.Body, "The page that this was about is removed.") ||
		!strings.Contains(r.Body, "Nothing was done.") {
		t.Errorf("%d %s", r.Status, r.Body)
	}
}
