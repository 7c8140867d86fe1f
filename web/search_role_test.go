package web_test

import (
	"regexp"
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/web/webtest"
)

var roleURL = regexp.MustCompile(`/studios/[a-z]+/roles/[a-z0-9]{10}`)

// TestRolesAreFound searches for roles by title and text. Members of the organization and their agents find a role
// until it is deleted, and outsiders do not find it even in a public studio.
func TestRolesAreFound(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	if !searches(w) {
		t.Skip("built without full-text search")
	}
	alice := w.As("alice")
	finds := func(who, query string, want bool) {
		t.Helper()
		body := w.As(who).Get("/search?q="+query, "text/markdown").Body
		if got := strings.Contains(body, "[Lampkeeper]") || strings.Contains(body, "[Lampwright]"); got != want {
			t.Errorf("%s looks for %s and finds it: %v\n%s", who, query, got, body)
		}
	}
	made := alice.PostJSON(w.URL("plaza")+"/roles", "create_role",
		param.Input{"title": "Lampkeeper", "mission": "The lanterns burn.", "duties": "Trim the wicks"})
	if made.Status != 200 {
		t.Fatalf("%d %s", made.Status, made.Body)
	}
	for _, query := range []string{"lampkeeper", "lanterns", "wicks", "type:role+lampkeeper",
		"sort:relevance+lampkeeper", "studio:plaza+type:role"} {
		finds("bob", query, true)
		finds("scout", query, true)
		finds("anonymous", query, false)
		finds("oscar", query, false) // the studio is public, but its roles are not
	}
	finds("bob", "type:decision+lampkeeper", false)
	url := roleURL.FindString(made.Body)
	if r := alice.PostJSON(url, "update_role", param.Input{"title": "Lampwright"}); r.Status != 200 {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	finds("bob", "lampkeeper", false)
	finds("bob", "lampwright", true)
	if r := alice.PostJSON(url, "delete_role", nil); r.Status != 200 {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	finds("bob", "lampwright", false)
}
