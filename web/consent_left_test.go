package web_test

import (
	"net/http"
	"strings"
	"testing"

	"samepage/web/webtest"
)

// TestTheObjectionOfSomebodyWhoLeftStays removes a member who has objected. The objection must stay readable and say
// that it counts no longer, and the counts must be without the member.
func TestTheObjectionOfSomebodyWhoLeftStays(t *testing.T) {
	w := webtest.New(t)
	topic := w.URL("topic consent")
	const objection = "The splitter is *dangerous*."
	page := w.As("alice").Get(topic, "text/markdown").Body
	if !strings.Contains(page, objection) || !strings.Contains(page, "2 of 4 have responded, 1 objection is open") {
		t.Fatal(page)
	}
	does(t, w.As("alice"), "/orgs/acme/members/dave", "remove_member", nil, http.StatusOK, "")
	page = w.As("alice").Get(topic, "text/markdown").Body
	for _, says := range []string{objection, "@dave: objection, left the studio, counts no longer",
		"1 of 3 have responded, 0 objections are open"} {
		if !strings.Contains(page, says) {
			t.Errorf("after the member has left, the page lacks %q:\n%s", says, page)
		}
	}
}
