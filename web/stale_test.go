package web_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/web/webtest"
)

// TestStaleFormKeepsWords sends a form for a page that has changed since it was shown. The answer shows the form
// with its values, and the form can be sent again.
func TestStaleFormKeepsWords(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	page := w.URL("note post")
	bob := w.Browser(t, "bob@acme.example")
	form := url.Values{"title": {"Mine & yours"}, "text": {"A long evening's work."}, "_if_version": {"1"}}
	r := bob.Post(page+"/actions/update_note", form)
	if r.Status != 409 || !strings.Contains(r.Body, "This page has changed") || !strings.Contains(r.Body,
		`value="Mine &amp; yours"`) || !strings.Contains(r.Body, "A long evening&#39;s work.") {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	for _, name := range []string{"_if_version", "_idempotency_key"} {
		form.Set(name, regexp.MustCompile(`name="` + name + `" value="([^"]+)"`).FindStringSubmatch(r.Body)[1])
	}
	if r := bob.Post(page+"/actions/update_note", form); r.Status != 303 {
		t.Fatalf("again: %d %s", r.Status, r.Body)
	}
	if body := bob.Get(page, "Accept: text/markdown").Body; !strings.Contains(body, "A long evening's work.") {
		t.Error(body)
	}
}

// TestLostUpdate lets an agent edit a note that a person has changed since the agent read it. The edit is refused
// with the change and its author, although the agent sent no version. A comment that states an old version is
// refused too. After the agent has read the page again, the agent can comment and edit.
func TestLostUpdate(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	page := w.URL("note post")
	agent := w.As("scribe")
	read := agent.Get(page, "text/markdown")
	if read.Status != 200 || !strings.Contains(read.Body, `"update_note"`) {
		t.Fatalf("%d %s", read.Status, read.Body)
	}
	if r := w.As("alice").PostJSON(page, "update_note", param.Input{"title": "Changed by Alice"}); r.Status != 200 {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	r := agent.PostJSON(page, "update_note", param.Input{"text": "An old text, edited."})
	if r.Status != 409 || !strings.Contains(r.Body, "@alice: update_note") || !strings.Contains(r.Body, "Changed by Alice") {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	other := w.As("scout")
	read = other.Get(page, "text/markdown")
	at := regexp.MustCompile(`(?m)^version: "(\d+)"`).FindStringSubmatch(read.Body)[1]
	if r := w.As("alice").PostJSON(page, "update_note", param.Input{"title": "Changed again"}); r.Status != 200 {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	say := webtest.Call{Params: param.Input{"text": "About that."}, Version: at}
	if r := other.JSON(page, "comment", say); r.Status != 409 || !strings.Contains(r.Body, "@alice: update_note") ||
		!strings.Contains(r.Body, "Changed again") {
		t.Errorf("a comment on the version read: %d %s", r.Status, r.Body)
	}
	if say.Version = "0"; other.JSON(page, "comment", say).Status != 409 {
		t.Error("a comment on a version never read is taken")
	}
	agent.Get(page, "text/markdown")
	if r := agent.PostJSON(page, "comment", param.Input{"text": "This is no edit."}); r.Status != 200 {
		t.Errorf("a comment: %d %s", r.Status, r.Body)
	}
	if r := agent.PostJSON(page, "update_note", param.Input{"text": "A new text."}); r.Status != 200 {
		t.Errorf("again: %d %s", r.Status, r.Body)
	}
	if r := agent.PostJSON(page, "update_note", param.Input{"text": "A newer text."}); r.Status != 200 {
		t.Errorf("after its own edit: %d %s", r.Status, r.Body)
	}
}

// TestUnknownReading lets an agent edit notes on a server that does not know what the agent has read. A note that
// others have changed since the agent's last change is not edited without a version.
func TestUnknownReading(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	page := w.URL("note post")
	edit := webtest.Call{Params: param.Input{"text": "An old text, edited."}}
	if r := w.As("scribe").JSON(page, "update_note", edit); r.Status != 409 || !strings.Contains(r.Body, "It is not known whether") ||
		!strings.Contains(r.Body, "@alice: ") {
		t.Errorf("never read: %d %s", r.Status, r.Body)
	}
	if r := w.As("scribe").JSON(page, "update_note", edit); r.Status != 200 {
		t.Errorf("after the answer has shown the page: %d %s", r.Status, r.Body)
	}
	w = w.Beside()
	edit.Params["text"] = "Edited again."
	if r := w.As("scribe").JSON(page, "update_note", edit); r.Status != 200 {
		t.Errorf("its own edit is the last change: %d %s", r.Status, r.Body)
	}
}
