package web_test

import (
	"net/http"
	"strings"
	"testing"

	"samepage/web/webtest"
)

// TestStepUp: a client that began with reading learns from one refusal all that an action needs, and gets it.
func TestStepUp(t *testing.T) {
	w := webtest.New(t)
	p := newProgram(t, w)
	standups := w.URL("standups")
	act := func(token, page, action string) *webtest.Response {
		return requestBody(w.As("anonymous"), "POST", page+"/actions/"+action, `{"params":{"text":"Hello"}}`, jsonMedia, "Authorization: Bearer "+token)
	}
	read := p.tokens("alice", "read").Access
	page := request(w.As("anonymous"), "GET", standups, "Accept: text/markdown", "Authorization: Bearer "+read).Body
	if !strings.Contains(page, "Your token only carries the scopes read.") || !strings.Contains(page, "comment") || strings.Contains(page, "## Actions") {
		t.Errorf("the page does not say what more could be done:\n%s", page)
	}
	r := act(read, standups, "comment")
	want := `Bearer error="insufficient_scope", scope="read write", resource_metadata="` + webtest.Origin + `/.well-known/oauth-protected-resource/mcp"`
	if got := r.Header.Get("WWW-Authenticate"); r.Status != http.StatusForbidden || got != want {
		t.Fatalf("%d %s", r.Status, got)
	}
	more := p.tokens("alice", "read write").Access
	if r := act(more, standups, "comment"); r.Status != http.StatusOK {
		t.Errorf("with more: %d %s", r.Status, r.Body)
	}
	if page := request(w.As("anonymous"), "GET", standups, "Accept: text/markdown", "Authorization: Bearer "+more).Body; strings.Contains(page, "Your token only") || !strings.Contains(page, "**comment**") {
		t.Errorf("it has what it needs:\n%s", page)
	}
	for name, c := range map[string]struct{ token, page, action string }{
		"what only people do":      {read, "/studios/team", "archive_studio"},
		"what does not exist":      {read, standups, "explode"},
		"a token made by hand":     {w.Token("reader"), standups, "comment"},
		"what the token covers":    {more, w.URL("open anonymous"), "nothing"},
		"a page that is not shown": {read, "/studios/nowhere/d/0000000000", "nothing"},
	} {
		if r := act(c.token, c.page, c.action); strings.Contains(r.Header.Get("WWW-Authenticate"), "insufficient_scope") || r.Status < 400 {
			t.Errorf("%s: %d %s", name, r.Status, r.Header.Get("WWW-Authenticate"))
		}
	}
	// As the MCP endpoint asks, before it hands a call on.
	for _, c := range []struct{ token, page, action, want string }{
		{read, standups, "comment", "read write"}, {read, standups + ".md", "comment", "read write"}, {read, "", "comment", "read write"}, {read, "", "cast_vote", "read write"},
		{more, standups, "comment", ""}, {more, "", "comment", ""}, {read, "", "explode", ""}, {read, "/nowhere", "comment", ""}, {w.Token("reader"), standups, "comment", ""}, {"rubbish", standups, "comment", ""},
	} {
		got := ""
		if lacks := w.Site.StepUp(bearing(c.token)); lacks != nil {
			got = lacks(c.page, c.action)
		}
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s on %q: %q", c.action, c.page, got)
		}
	}
}
