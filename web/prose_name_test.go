package web_test

import (
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/web/webtest"
)

// TestNamesInProse requests a note that mentions members and links to pages. HTML has links to the pages that the
// reader may see, and Markdown has the original text.
func TestNamesInProse(t *testing.T) {
	w := webtest.New(t)
	secret, open := w.URL("draft of bob"), w.URL("note post")
	text := "@alice @nobody `@alice` " + secret + " and " + webtest.Origin + open + "#c1"
	r := w.As("alice").JSON(w.URL("team"), "create_note",
		webtest.Call{Params: param.Input{"title": "Names", "text": text}})
	if r.Status != 200 {
		t.Fatal(r.Status, r.Body)
	}
	_, at, _ := strings.Cut(r.Body, webtest.Origin)
	at, _, _ = strings.Cut(at, `\"`)
	title := func(who, url string) string {
		_, h1, _ := strings.Cut(w.As(who).Get(url, "text/html").Body, "<h1>")
		h1, _, _ = strings.Cut(h1, "</h1>")
		return h1
	}
	alice := `<a href="/orgs/acme/members/alice">@alice</a>`
	post := `<a href="` + open + `#c1"><span hidden>` + webtest.Origin + open + `#c1</span><span data-extra>` +
		title("alice", open) + `</span></a>`
	for who, want := range map[string]string{
		"alice": alice + ` @nobody <code>@alice</code> ` + secret + ` and ` + post,
		"bob": alice + ` @nobody <code>@alice</code> <a href="` + secret + `"><span hidden>` + secret +
			`</span><span data-extra>` + title("bob", secret) + `</span></a> and ` + post,
	} {
		if got := w.As(who).Get(at, "text/html"); !strings.Contains(got.Body, "<p>"+want+"</p>") {
			t.Errorf("%s reads\n%s\nnot\n%s", who, got.Body, want)
		}
		if got := w.As(who).Get(at, "text/markdown"); !strings.Contains(got.Body, "> "+text+"\n") {
			t.Errorf("%s reads\n%s", who, got.Body)
		}
	}
}
