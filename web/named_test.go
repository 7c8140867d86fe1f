package web_test

import (
	"strings"
	"testing"

	"samepage/web/webtest"
)

// TestResultsNameThePage checks that the first line of a tool result names the action's page with title and address.
// The line names it even if the answer shows another page, a refusal, or a request for approval.
func TestResultsNameThePage(t *testing.T) {
	w := webtest.New(t)
	for _, c := range []struct {
		as, url, action string
		params          map[string]any
		title           string
		isError         bool
	}{
		{"scribe", w.URL("standups"), "comment", map[string]any{"text": "Yes."}, "Should we adopt weekly stand-ups?", false},
		{"scribe", w.URL("team"), "create_note", map[string]any{"title": "Keys", "text": "They hang there."}, "Team", false},
		{"scribe", w.URL("team"), "create_note", map[string]any{"title": ""}, "Team", true},
		{"scribe", w.URL("standups"), "close_decision", nil, "Should we adopt weekly stand-ups?", true},
		{"clerk", w.URL("standups"), "cast_vote", map[string]any{"accept": []string{"1"}}, "Should we adopt weekly stand-ups?", false},
	} {
		text, isError, _ := use(t, tools(w), w.Token(c.as), "execute_action",
			map[string]any{"url": c.url, "action": c.action, "params": c.params})
		want := c.action + ` on "` + c.title + `" (` + c.url + "): "
		if isError != c.isError || !strings.HasPrefix(text, want) {
			t.Errorf("%s: error %t, want a first line %q\n%s", c.as, isError, want, text)
		}
	}
}
