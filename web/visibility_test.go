package web_test

import (
	"net/http"
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
