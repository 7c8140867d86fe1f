package web_test

import (
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/web/webtest"
)

// TestOneOfEach checks that sentences with a number are right for one: one place of a commitment, one participant, one
// comment and one imported ballot.
func TestOneOfEach(t *testing.T) {
	w := webtest.New(t)
	alice, bob := w.As("alice"), w.As("bob")
	says := func(url, want string) {
		t.Helper()
		if r := alice.Get(url, "text/markdown"); !strings.Contains(r.Body, want) {
			t.Errorf("%s does not say %q:\n%s", url, want, r.Body)
		}
	}
	refuses := func(url, action string, in param.Input, want string) {
		t.Helper()
		r := alice.Form(url, action, webtest.Call{Params: in, Accept: "text/markdown"})
		if r.Status != 409 || !strings.Contains(r.Body, want) {
			t.Errorf("%s answers %d, and not %q:\n%s", action, r.Status, want, r.Body)
		}
	}
	tree := alice.Post(w.URL("team"), "create_commitment", param.Input{"title": "Hold the ladder", "critical_mass": 1,
		"limit": 1}).Location()
	bob.Post(tree, "join", nil)
	says(tree, "the only place is taken")
	refuses(tree, "join", nil, "The only place is taken.")
	refuses(tree, "update_commitment", param.Input{"place": "The shed"}, "binds 1 person")
	bob.Post(tree, "comment", param.Input{"text": "I hold it."})
	says(tree+"/comments", "1 comment in all.")

	lone := alice.Post("/studios/commons", "import_decisions", param.Input{"file": param.Upload{Name: "lone.csv",
		Data: []byte("count,rank1,rank2\n1,Oak,Elm\n")}}).Location()
	says(lone, "1 ballot was imported.")
	says(lone, "1 ballot of a vote held elsewhere")
}
