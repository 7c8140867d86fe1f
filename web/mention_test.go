package web_test

import (
	"strings"
	"testing"

	"samepage/actions"
	"samepage/actions/governance"
	"samepage/actions/param"
	"samepage/web/webtest"
)

// TestMentionsThatReachNobody writes texts that name nobody, or a member who cannot see the page. The answer must say
// who is not told, to people and agents, and only of names that the text did not have before.
func TestMentionsThatReachNobody(t *testing.T) {
	w := webtest.New(t)
	const notTold = "Not told: "
	for _, c := range []struct{ who, url, action, text, says string }{
		{"bob", "/studios/team/channel", governance.PostMessage.Name, "Hello @dave, hello @alice.", ""},
		{"bob", "/studios/team/channel", governance.PostMessage.Name, "Hello @nobodyx and @dave.",
			"Not told: @nobodyx, because nobody who can see this has that name."},
		{"scribe", w.URL("standups"), actions.Comment, "For @nobodyx, @zoe-z and `@code`.",
			"Not told: @nobodyx, @zoe-z, because nobody who can see this has these names."},
		{"bob", "/studios/team/channel", governance.PostMessage.Name, "Hello @carol, who does not see this studio.",
			"Not told: @carol, because nobody who can see this has that name."},
		{"bob", w.URL("standups"), actions.Comment, "Write to somebody@example.org.", ""},
	} {
		text := strings.ReplaceAll(does(t, w.As(c.who), c.url, c.action, param.Input{"text": c.text}, 200, c.says).Body, `\`, "")
		if c.says == "" && strings.Contains(text, notTold) {
			t.Errorf("%s by %s: %s", c.text, c.who, text)
		}
	}
}
