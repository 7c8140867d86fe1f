package work_test

import (
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/web/webtest"
)

// TestFormsOfferWhatThereIs checks that the fields for one of a few agents, studios, roots and branches say which there
// are, in the form and in markdown, and that another agent is refused.
func TestFormsOfferWhatThereIs(t *testing.T) {
	w := webtest.Of(t, "work")
	board := w.URL("board workshop")
	for _, c := range []struct{ page, action, md, html string }{
		{w.URL("session gate"), "request_review",
			"`reviewer` (optional, one of): `people` People of Team · `mason` Mason", `value="people" checked`},
		{w.URL("runner mill"), "add_repo", "`plaza` Plaza · `team` Team", `<option value="team">Team</option>`},
		{w.URL("runner mill"), "add_repo", "`/srv/git/`", `<option value="/srv/git/"></option>`},
		{w.URL("repo garden"), "create_worktree", "`base` (optional text", `<option value="main"></option>`},
		{board, "set_trigger", "`agent` (optional, one of): `hammer` Hammer · `mason` Mason", `value="hammer"`},
	} {
		who := map[string]string{"request_review": "bob"}[c.action]
		if who == "" {
			who = "alice"
		}
		at := c.page + "/actions/" + c.action
		for kind, want := range map[string]string{"text/markdown": c.md, "text/html": c.html} {
			if r := w.As(who).Get(at, kind); !strings.Contains(r.Body, want) {
				t.Errorf("%s lacks %q in %s:\n%s", at, want, kind, r.Body)
			}
		}
	}
	act(t, w, "bob", w.URL("session gate"), "request_review", param.Input{"reviewer": "nobody"}, 422, "people")
	act(t, w, "alice", board, "set_trigger", param.Input{"zone": "2", "does": "request_review", "agent": "nobody",
		"prompt": "Look."}, 422, "mason")
}

// TestASessionsJSONHasItsRules checks that the rules in force of a session are in the JSON of its page.
func TestASessionsJSONHasItsRules(t *testing.T) {
	w := webtest.Of(t, "work")
	session, _, _ := strings.Cut(w.URL("rule deny"), "/rules/")
	r := w.As("bob").Get(session, "application/json")
	for _, want := range []string{`"rules":[{"n":`, `"url":"` + w.URL("rule deny") + `"`, `"verdict":"deny"`,
		`"maker":"bob"`, `"made_at":"20`} {
		if !strings.Contains(r.Body, want) {
			t.Errorf("%s lacks %s:\n%s", session, want, r.Body)
		}
	}
	if strings.Contains(r.Body, w.URL("rule withdrawn")+`"`) {
		t.Errorf("a rule that was withdrawn is in force:\n%s", r.Body)
	}
}
