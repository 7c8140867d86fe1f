package web_test

import (
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/store"
	"samepage/web/webtest"
)

// TestFormControls checks that a form's _dry_run is read as a truth, and that a compressed body is refused.
func TestFormControls(t *testing.T) {
	w := webtest.New(t)
	page, bob := w.URL("standups"), w.As("bob")
	before := comments(t, w, page)
	send := func(body, coding string) *webtest.Response {
		r := httptest.NewRequest("POST", webtest.Origin+store.ActionURL(page, "comment"), strings.NewReader(body))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Content-Encoding", coding)
		return bob.Do(r)
	}
	for value, more := range map[string]int{"1": 0, "true": 0, "false": 1, "0": 1} {
		form := url.Values{"text": {"Tea."}, "_dry_run": {value}}
		if r := send(form.Encode(), "identity"); r.Status >= 400 {
			t.Fatal(r.Status, r.Body)
		}
		if n := comments(t, w, page); n != before+more {
			t.Errorf("_dry_run=%s: %d comments, and %d before", value, n, before)
		} else {
			before = n
		}
	}
	r := send("text=Tea", "gzip")
	if r.Status != 415 || !strings.Contains(r.Body, "without Content-Encoding") {
		t.Error(r.Status, r.Body)
	}
}

// TestContactsAreForPeople checks that an agent does not read how to reach a member.
func TestContactsAreForPeople(t *testing.T) {
	w := webtest.New(t)
	w.As("erin").PostJSON(w.URL("@erin"), "update_profile", param.Input{"contact": "Ring 0123 twice."})
	for who, want := range map[string]bool{"bob": true, "scout": false} {
		if got := strings.Contains(w.As(who).Get(w.URL("@erin"), "text/markdown").Body, "Ring 0123"); got != want {
			t.Errorf("%s reads the contact: %v", who, got)
		}
	}
}
