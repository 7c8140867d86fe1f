package web_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"samepage/actions"
	"samepage/actions/param"
	"samepage/web/webtest"
)

// TestLastVersions checks that the pages of a note and of a topic list the last three versions for a person, with a
// link to all if there are more. An agent reads one line about them.
func TestLastVersions(t *testing.T) {
	w := webtest.New(t)
	note := w.URL("note post")
	for i, text := range []string{"One.", "Two.", "Three."} {
		var now struct{ Version string }
		if err := json.Unmarshal([]byte(w.As("alice").Get(note, "application/json").Body), &now); err != nil {
			t.Fatal(err)
		}
		if r := w.As("alice").JSON(note, actions.EditNote.Name, webtest.Call{Version: now.Version,
			Params: param.Input{"title": "Post " + strconv.Itoa(i), "text": text}}); r.Status != 200 {
			t.Fatal(r.Body)
		}
	}
	for page, want := range map[string][]string{
		note: {"## 6 versions", "[All](", "/versions)", "[Version 6](", "/versions/6): @alice +2 −2, ", "[Version 5](",
			"[Version 4]("},
		w.URL("topic amended"): {"## 2 versions", "[Version 2](", "/versions/2): @bob +1 −1, ", "[Version 1]("},
	} {
		body := w.As("alice").Get(page, "text/markdown").Body
		for from, at, i := body, 0, 0; i < len(want); i++ {
			if at = strings.Index(from, want[i]); at < 0 {
				t.Errorf("%s has no %q after %q:\n%s", page, want[i], want[:i], body)
				break
			}
			from = from[at:]
		}
		if html := w.As("alice").Get(page, "text/html").Body; !strings.Contains(html, `<section id="versions">`) {
			t.Errorf("HTML of %s has no versions", page)
		}
		body = w.As("scribe").Get(page, "text/markdown").Body
		if strings.Contains(body, " versions\n") || !strings.Contains(body, "**Versions**: [") {
			t.Errorf("an agent reads something else than one line about the versions of %s:\n%s", page, body)
		}
	}
}

// TestTopicForPeople checks the page of a topic as a person sees it. The author is under the title. The
// differences of the last change are folded, and the changed words are emphasized. Questions are folded once all
// are answered and no more can be asked.
func TestTopicForPeople(t *testing.T) {
	w := webtest.New(t)
	for page, want := range map[string][]string{
		"topic amended": {"</h1>", `<p class="under"><span>By `, `id="proposal"`, "Version 2 by ", "working days",
			`<details class="fold" id="changed"><summary><h2>What changed since version 1</h2>`,
			`<span class="hint"><span class="plus">+1</span> <span class="less">−1</span></span>`,
			"<strong>do on working days.</strong>", `<section id="questions">`},
		"topic clarification": {`<section id="questions">`},
		"topic consent": {`<p class="under"><span>By `, `id="proposal"`,
			`<details class="fold" id="questions"><summary><h2>Questions</h2> <span class="hint"><span data-extra>`,
			"1 question, answered",
			"2 of 4 have responded"},
	} {
		html := w.As("bob").Get(w.URL(page), "text/html").Body
		for from, i := html, 0; i < len(want); i++ {
			at := strings.Index(from, want[i])
			if at < 0 {
				t.Errorf("%s has no %q after %q:\n%s", page, want[i], want[:i], html)
				break
			}
			from = from[at:]
		}
	}
	if body := w.As("scout").Get(w.URL("topic amended"), "text/markdown").Body; strings.Contains(body, "```diff") {
		t.Errorf("an agent reads what changed, although it has a link to the versions:\n%s", body)
	}
}
