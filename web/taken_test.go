package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/web/webtest"
)

// TestTakenHandles checks that a handle in use is reported together with all other errors of the form.
func TestTakenHandles(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	for _, c := range []struct {
		who, page, action string
		in                param.Input
		says              []string
	}{
		{"alice", "/orgs/acme", "create_studio", param.Input{"handle": "Team", "name": "Team", "parent": "nowhere"},
			[]string{"The handle team cannot be had", "There is no such studio here"}},
		{"alice", "/orgs", "create_organization", param.Input{"handle": "globex", "name": "G", "zone": "Mars/X",
			"member": "!"}, []string{"The handle globex cannot be had", "That is no time zone", "A handle has"}},
		{"bob", w.URL("@bob"), "update_profile", param.Input{"name": "\u202e", "handle": "erin"},
			[]string{"@erin is taken", "can be seen"}},
	} {
		r := w.As(c.who).PostJSON(c.page, c.action, c.in)
		for _, says := range c.says {
			if r.Status != http.StatusUnprocessableEntity || !strings.Contains(r.Body, says) {
				t.Errorf("%s: %d, and it does not say %q: %s", c.action, r.Status, says, r.Body)
			}
		}
	}
	form := url.Values{"name": {"Gina"}, "handle": {"Bob"}, "email": {"gina"}, "password": {"12345678"}}
	r := requestBody(w.As("anonymous"), "POST", w.Invitation("acme link")+"/accept", form.Encode(), formMedia)
	for _, says := range []string{"@bob is taken", "That is not an email address", "A number is guessed soon"} {
		if r.Status != http.StatusUnprocessableEntity || !strings.Contains(r.Body, says) {
			t.Errorf("joining: %d, and it does not say %q: %s", r.Status, says, mainOf(r.Body))
		}
	}
}

// TestEndpointsTakePosts sends GET to the OAuth endpoints that accept only POST. The answer explains this in JSON.
func TestEndpointsTakePosts(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	for _, path := range []string{"token", "register", "revoke", "introspect"} {
		r := request(w.As("anonymous"), "GET", "/oauth/"+path)
		if r.Status != http.StatusMethodNotAllowed || r.Header.Get("Allow") != "POST" ||
			r.Header.Get("Content-Type") != "application/json" || !strings.Contains(r.Body, "Send a POST") {
			t.Errorf("%s: %d %v %s", path, r.Status, r.Header, r.Body)
		}
	}
}
