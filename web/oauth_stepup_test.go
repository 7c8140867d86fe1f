package web_test

import (
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"samepage/web/webtest"
)

// TestStepUp checks that a client that may only read learns from a refusal which scopes an action needs, and can then
// obtain them.
func TestStepUp(t *testing.T) {
	w := webtest.New(t)
	p := newProgram(t, w)
	standups := w.URL("standups")
	act := func(token, page, action string) *webtest.Response {
		return requestBody(w.As("anonymous"), "POST", page+"/actions/"+action, `{"params":{"text":"Hello"}}`,
			jsonMedia, "Authorization: Bearer "+token)
	}
	read := p.tokens("alice", "read").Access
	page := request(w.As("anonymous"), "GET", standups, "Accept: text/markdown", "Authorization: Bearer "+read).Body
	if !strings.Contains(page, "Your token only carries the scopes read.") || !strings.Contains(page, "comment") ||
		strings.Contains(page, "## Actions") {
		t.Errorf("the page does not say what more could be done:\n%s", page)
	}
	r := act(read, standups, "comment")
	want := `Bearer error="insufficient_scope", scope="read write", resource_metadata="` + webtest.Origin +
		`/.well-known/oauth-protected-resource/mcp"`
	if got := r.Header.Get("WWW-Authenticate"); r.Status != http.StatusForbidden || got != want {
		t.Fatalf("%d %s", r.Status, got)
	}
	all := p.tokens("alice", "read write")
	more := all.Access
	if r := p.reads(read); r.Status != http.StatusUnauthorized {
		t.Errorf("what was granted before still reads: %d", r.Status)
	}
	narrow := p.renewal(all.Refresh)
	narrow.Set("scope", "read")
	less, _ := p.ask(narrow)
	read = less.Access
	if r := act(more, standups, "comment"); r.Status != http.StatusOK {
		t.Errorf("with more: %d %s", r.Status, r.Body)
	}
	if page := request(w.As("anonymous"), "GET", standups, "Accept: text/markdown", "Authorization: Bearer "+
		more).Body; strings.Contains(page, "Your token only") || !strings.Contains(page, "**comment**") {
		t.Errorf("it has what it needs:\n%s", page)
	}
	for name, c := range map[string]struct{ token, page, action string }{
		"what only people do":      {read, "/studios/team", "archive_studio"},
		"what does not exist":      {read, standups, "explode"},
		"a token made by hand":     {w.Token("reader"), standups, "comment"},
		"what the token covers":    {more, w.URL("open anonymous"), "nothing"},
		"a page that is not shown": {read, "/studios/nowhere/d/0000000000", "nothing"},
	} {
		if r := act(c.token, c.page, c.action); strings.Contains(r.Header.Get("WWW-Authenticate"),
			"insufficient_scope") || r.Status < 400 {
			t.Errorf("%s: %d %s", name, r.Status, r.Header.Get("WWW-Authenticate"))
		}
	}
	// The MCP endpoint calls StepUp before it passes a call on.
	for _, c := range []struct{ token, page, action, want string }{
		{read, standups, "comment", "read write"}, {read, standups + ".md", "comment", "read write"},
		{read, "", "comment", "read write"}, {read, "", "cast_vote", "read write"},
		{more, standups, "comment", ""}, {more, "", "comment", ""}, {read, "", "explode", ""}, {read, "/nowhere",
			"comment", ""}, {w.Token("reader"), standups, "comment", ""}, {"rubbish", standups, "comment", ""},
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

// TestSuperseded grants a client at least as much as an earlier grant did. The earlier grant ends, and its held calls
// can still be approved. Grants that allow more in any respect remain, and so do those of other agents and other
// people.
func TestSuperseded(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	p := newProgram(t, w)
	grant := func(person, scope string, form url.Values) string {
		t.Helper()
		if form.Get("lasts") == "" {
			form.Set("lasts", "7")
		}
		if form.Get("label") == "" {
			form.Set("label", "Robbie")
		}
		said, _ := p.answer(person, p.question(scope), form)
		got, r := p.ask(p.redemption(said.Get("code")))
		if got.Access == "" {
			t.Fatal(r.Status, r.Body)
		}
		return got.Access
	}
	write := func(more url.Values) url.Values {
		form := url.Values{"it_may": {"write"}}
		maps.Copy(form, more)
		return form
	}
	stands := map[string]string{
		"more scopes": grant("alice", "read write governance",
			url.Values{"it_may": {"write", "governance"}, "lasts": {"1"}}),
		"for longer":       grant("alice", "read", url.Values{"lasts": {"30"}}),
		"another's":        grant("bob", "read", url.Values{}),
		"of another agent": grant("alice", "read", url.Values{"label": {"Robin"}}),
		"where all read":   grant("alice", "read write", write(url.Values{"public": {"on"}})),
	}
	asking := grant("alice", "read write", write(url.Values{"asks": {"comment"}, "kinds": {"decision"}}))
	ends := map[string]string{"with less": grant("alice", "read", url.Values{}), "that asks": asking}
	r := requestBody(w.As("anonymous"), "POST", w.URL("standups")+"/actions/comment",
		`{"params":{"text":"From before"}}`, jsonMedia, "Authorization: Bearer "+asking)
	held := regexp.MustCompile(`/approvals/\w+`).FindString(r.Body)
	if r.Status != http.StatusAccepted || held == "" {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	now := grant("alice", "read write", write(nil))
	for name, token := range stands {
		if r := p.reads(token); r.Status != http.StatusOK {
			t.Errorf("%s: %d", name, r.Status)
		}
	}
	for name, token := range ends {
		if r := p.reads(token); r.Status != http.StatusUnauthorized {
			t.Errorf("%s: %d", name, r.Status)
		}
	}
	if r := p.reads(now); r.Status != http.StatusOK {
		t.Errorf("what is granted now: %d", r.Status)
	}
	if r := w.As("alice").PostJSON(held, "approve_request", nil); r.Status != http.StatusOK ||
		!strings.Contains(r.Body, "Approved and done") {
		t.Errorf("what was asked for before: %d %s", r.Status, r.Body)
	}
	if journal := w.As("alice").Get("/orgs/acme/journal", "text/markdown").Body; strings.Count(journal,
		"Its client was granted as much anew.") != len(ends) {
		t.Error(journal)
	}
}

// TestTakenLabel asks for consent for programs that are named like the product, a member or a role. The form proposes
// no label for them. If the person writes such a label, the form comes back with an error beside the field.
func TestTakenLabel(t *testing.T) {
	w := webtest.New(t)
	p := newProgram(t, w)
	for _, name := range []string{"Samepage", "Bob", "alice", "Greeter"} {
		db := w.Database()
		db.MustExec(db.Rebind(`UPDATE oauth_clients SET name = ? WHERE id = ?`), name, p.id)
		q := p.question("read")
		at := "/oauth/authorize?" + q.Encode()
		if r := request(w.As("alice"), "GET", at, "Accept: text/html"); r.Status != 200 ||
			strings.Contains(r.Body, `value="`+name+`"`) {
			t.Errorf("%s is proposed: %d %s", name, r.Status, webtest.Main(r.Body))
		}
		_, r := p.answer("alice", q, url.Values{"label": {name}, "lasts": {"7"}})
		if r.Status != 422 || !strings.Contains(r.Body, "cannot be named like a member") ||
			!strings.Contains(r.Body, `value="`+name+`"`) {
			t.Errorf("%s: %d %s", name, r.Status, webtest.Main(r.Body))
		}
	}
}
