package web_test

import (
	"strings"
	"testing"

	"samepage/web/webtest"
)

// TestPullsShowCommits checks that the page of an open pull request lists its commits, that an agent has a link to the
// log, and that a list of pull requests says how many commits each open one has.
func TestPullsShowCommits(t *testing.T) {
	t.Parallel()
	w := webtest.Of(t, "work")
	for pull, want := range map[string]bool{"pull conflicts": true, "pull merged": false, "pull closed": false} {
		body := w.As("bob").Get(w.URL(pull), "text/html").Body
		if got := strings.Contains(body, `<section id="commits" data-extra>`); got != want {
			t.Errorf("%s lists its commits: %t, not %t", pull, got, want)
		}
	}
	pull := w.As("bob").Get(w.URL("pull conflicts"), "text/html").Body
	_, part, _ := strings.Cut(pull, `<section id="commits"`)
	part, _, _ = strings.Cut(part, "</section>")
	for _, has := range []string{"<h2>2 commits</h2>", "Say when | to water"} {
		if !strings.Contains(part, has) {
			t.Errorf("the commits have no %q:\n%s", has, part)
		}
	}
	if body := w.As("scout").Get(w.URL("pull conflicts"), "text/markdown").Body; !strings.Contains(body, "/log)") {
		t.Errorf("no link to the log in\n%s", body)
	}
	list := w.As("bob").Get(w.URL("team")+"/pulls", "text/markdown").Body
	for line := range strings.Lines(list) {
		open := strings.Contains(line, "| Open") || strings.Contains(line, "| Draft")
		if strings.HasPrefix(line, "| [") && strings.Contains(line, " commit") != open {
			t.Errorf("a row says nothing, or too much, about its commits: %s", line)
		}
	}
}
