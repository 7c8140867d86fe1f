package web_test

import (
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/web/webtest"
)

// TestSameEdit edits a note with its present text. The answer says so, and there is no new version, no entry in the
// journal and no notification.
func TestSameEdit(t *testing.T) {
	w := webtest.New(t)
	alice, page := w.As("alice"), w.URL("note of agent")
	same := param.Input{"title": "The same", "text": "Twice."}
	if r := alice.PostJSON(page, "update_note", same); r.Status != 200 {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	before := w.Digests()
	r := alice.PostJSON(page, "update_note", same)
	if r.Status != 200 || !strings.Contains(r.Body, "Nothing is changed: it is like this already.") {
		t.Errorf("the same edit: %d %s", r.Status, r.Body)
	}
	for _, table := range webtest.Changed(before, w.Digests()) {
		t.Errorf("the same edit changed %s", table)
	}
}

// TestErrorsAreSaidOnce checks that an answer states the error of a parameter once, over MCP and as Markdown.
func TestErrorsAreSaidOnce(t *testing.T) {
	w := webtest.New(t)
	text, isError, _ := use(t, tools(w), w.Token("scout"), "execute_action", map[string]any{"url": w.URL("team"),
		"action": "create_decision", "params": map[string]any{"question": "", "closes_at": "soon"}})
	if !isError {
		t.Fatalf("taken: %s", text)
	}
	r := requestBody(w.As("scout"), "POST", w.URL("team")+"/actions/create_decision", "question=&closes_at=soon",
		"Content-Type: application/x-www-form-urlencoded", "Accept: text/markdown")
	for _, wrong := range []string{"question", "closes_at"} {
		before, after, _ := strings.Cut(text, wrong+": ")
		message, _, _ := strings.Cut(after, ";")
		message, _, _ = strings.Cut(message, "\n")
		if len(message) < 10 || strings.Contains(before, message) || strings.Count(after, message) != 1 {
			t.Errorf("%s: %q is not said once:\n%s", wrong, message, text)
		}
		if n := strings.Count(r.Body, message); r.Status != 422 || n != 1 {
			t.Errorf("%s: %d, %q is said %d times:\n%s", wrong, r.Status, message, n, r.Body)
		}
	}
}
