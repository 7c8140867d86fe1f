package web_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/web/webtest"
)

// TestPublicStudioIsConfirmed checks that a studio becomes public only with a confirmation. A public studio can stay
// public without one.
func TestPublicStudioIsConfirmed(t *testing.T) {
	w := webtest.New(t)
	alice := w.As("alice")
	for _, c := range []struct {
		params param.Input
		status int
		says   string
	}{
		{param.Input{"visibility": "public"}, http.StatusUnprocessableEntity, "to show Team to everybody"},
		{param.Input{"visibility": "public", "confirm": false}, http.StatusUnprocessableEntity, "confirm"},
		{param.Input{"visibility": "public", "confirm": true}, http.StatusOK, "Anyone with the link sees it now"},
		{param.Input{"visibility": "public"}, http.StatusOK, "Anyone with the link sees it now"},
		{param.Input{"visibility": "organization"}, http.StatusOK, "Everyone in the organization sees it now"},
	} {
		does(t, alice, "/studios/team", "change_visibility", c.params, c.status, c.says)
	}
}

// TestUnknownWellKnown requests well-known files that do not exist. The answer is 404, and not a redirect to the
// login form.
func TestUnknownWellKnown(t *testing.T) {
	w := webtest.New(t)
	for _, path := range []string{"/.well-known/security.txt", "/.well-known/change-password", "/.well-known/a/b"} {
		for _, form := range []string{"text/html", "text/markdown", "application/json"} {
			if r := w.As("anonymous").Get(path, form); r.Status != http.StatusNotFound || r.Location() != "" {
				t.Errorf("%s as %s: %d %s", path, form, r.Status, r.Location())
			}
		}
	}
	if r := w.As("anonymous").Get("/.well-known/oauth-protected-resource", ""); r.Status != http.StatusOK {
		t.Errorf("the metadata of OAuth: %d", r.Status)
	}
}

// TestDraftsNameTheirReaders makes a draft of each kind as an agent. The page names the member and the member's agents as
// its readers, whose number is that of the actors who can read it.
func TestDraftsNameTheirReaders(t *testing.T) {
	w := webtest.New(t)
	for action, in := range map[string]param.Input{
		"create_decision":   {"question": "What do we plant?"},
		"create_note":       {"title": "Beans"},
		"create_topic":      {"title": "Plant beans", "text": "In May."},
		"create_commitment": {"title": "Water the beans", "critical_mass": 3, "closes_at": "3d"},
		"create_election":   {"role": "Gardener"},
		"create_board":      {"title": "Beds"},
	} {
		in["draft"] = true
		r := w.As("scribe").PostJSON("/studios/team", action, in)
		var out struct{ URL string }
		if err := json.Unmarshal([]byte(r.Body), &out); err != nil || out.URL == "" {
			t.Errorf("%s: %d %s", action, r.Status, r.Body)
			continue
		}
		page := strings.TrimPrefix(out.URL, webtest.Origin)
		for _, as := range []string{"scout", "bob", "reader", "alice", "scribe", "erin"} {
			body := w.As(as).Get(page, "text/markdown").Body
			reads := as == "alice" || as == "scribe"
			if strings.Contains(body, "Only @alice and @alice's agents can see it.") != reads ||
				strings.Contains(body, `audience: "@alice and @alice's agents"`) != reads {
				t.Errorf("%s as %s:\n%.600s", action, as, body)
			}
		}
	}
}
