package web_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"samepage/web/webtest"
)

// TestStaleFormKeepsWords edits a page that has changed in the meantime: the form comes back with
// its values, and can be sent again.
func TestStaleFormKeepsWords(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	page := w.URL("note post")
	bob := w.Browser(t, "bob@acme.example")
	form := url.Values{"title": {"Mine & yours"}, "text": {"A long evening's work."}, "_if_version": {"1"}}
	r := bob.Post(page+"/actions/edit", form)
	if r.Status != 409 || !strings.Contains(r.Body, "This page has changed") || !strings.Contains(r.Body,
		`value="Mine &amp; yours"`) || !strings.Contains(r.Body, "A long evening&#39;s work.") {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	for _, name := range []string{"_if_version", "_idempotency_key"} {
		form.Set(name, regexp.MustCompile(`name="` + name + `" value="([^"]+)"`).FindStringSubmatch(r.Body)[1])
	}
	if r := bob.Post(page+"/actions/edit", form); r.Status != 303 {
		t.Fatalf("again: %d %s", r.Status, r.Body)
	}
	if body := bob.Get(page, "Accept: text/markdown").Body; !strings.Contains(body, "A long evening's work.") {
		t.Error(body)
	}
}
