package web_test

import (
	"net/http"
	"regexp"
	"testing"

	"samepage/actions/param"
	"samepage/web/webtest"
)

var turnouts = regexp.MustCompile(`(\d+ of \d+) ha(?:ve|s) (?:voted|confirmed)`)

// TestTurnoutOfFormerMembers removes a member who has confirmed a note and has not voted. The pages of the note and of
// the decision have the same numbers in the first sentence and beside the text.
func TestTurnoutOfFormerMembers(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	alice, dave := w.As("alice"), w.As("dave")
	made := does(t, alice, "/studios/team", "create_note", param.Input{"title": "Read this", "text": "All of it."},
		http.StatusOK, "")
	note := regexp.MustCompile(`/studios/team/n/\w+`).FindString(made.Body)
	does(t, dave, note, "confirm_read", nil, http.StatusOK, "")
	for _, removed := range []bool{false, true} {
		if removed {
			does(t, alice, w.URL("@dave"), "remove_member", nil, http.StatusOK, "")
		}
		for _, at := range []string{note, w.URL("standups")} {
			found := turnouts.FindAllStringSubmatch(alice.Get(at, "text/html").Body, -1)
			if len(found) != 2 || found[0][1] != found[1][1] {
				t.Errorf("after a removal (%v), %s says %q", removed, at, found)
			}
		}
	}
}
