package web_test

import (
	"regexp"
	"testing"

	"samepage/actions/param"
	"samepage/web/webtest"
)

// TestRequestedReviewIsYellowForPeopleOfTheStudio opens a review that waits for people, and the list of reviews. The
// state is marked as waiting for the reader only for people who have joined the studio.
func TestRequestedReviewIsYellowForPeopleOfTheStudio(t *testing.T) {
	w := webtest.Of(t, "work")
	for _, step := range []struct {
		who, action string
		in          param.Input
	}{{"alice", "change_visibility", param.Input{"visibility": "organization"}}, {"erin", "leave", nil}} {
		if r := w.As(step.who).PostJSON(w.URL("team"), step.action, step.in); r.Status != 200 {
			t.Fatalf("%s: %d %s", step.action, r.Status, r.Body)
		}
	}
	pill := regexp.MustCompile(`<span class="pill ?(\w*)[^>]*>[^R]*?Requested</span>`)
	for who, want := range map[string]string{"alice": "waits", "bob": "waits", "erin": "open", "scribe": "open", "scout": "open"} {
		for _, page := range []string{w.URL("review waiting"), w.URL("team") + "/reviews"} {
			r := w.As(who).Get(page, "text/html")
			m := pill.FindStringSubmatch(r.Body)
			if r.Status != 200 || m == nil || m[1] != want {
				t.Errorf("%s at %s: %d, %q, want %s", who, page, r.Status, m, want)
			}
		}
	}
}
