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

// TestPathsInProse requests a message and a note with paths of pages that are no items. HTML has links with the titles
// of the pages that the reader may see; a path of another page, of an action or in code stays as it is.
func TestPathsInProse(t *testing.T) {
	w := webtest.Of(t, "work")
	pull, done, den := w.URL("pull conflicts"), w.URL("session done"), "/studios/den/channel"
	w.As("bob").JSON("/orgs/acme", "create_studio", webtest.Call{Params: param.Input{"handle": "den", "name": "Den",
		"visibility": "members"}})
	w.As("oscar").JSON("/studios/lab", "change_visibility", webtest.Call{Params: param.Input{"visibility": "public"}})
	for _, c := range []struct{ who, text, html string }{
		{"bob", pull, pageLink(pull, pull, "", "Water on Mondays")},
		{"bob", "See " + pull + "#c1.", "See " + pageLink(pull+"#c1", pull, "#c1", "Water on Mondays") + "."},
		{"bob", webtest.Origin + pull, pageLink(webtest.Origin+pull, pull, "", "Water on Mondays")},
		{"bob", done, pageLink(done, done, "", "Say when to water.")},
		{"bob", "/studios/team/.", pageLink("/studios/team/", "/studios/team", "", "Team") + "."},
		{"bob", "`" + pull + "`", "<code>" + pull + "</code>"},
		{"bob", pull + "0", pull + "0"},
		{"bob", pull + "/log", pull + "/log"},
		{"bob", pull + "/actions/merge", pull + "/actions/merge"},
		{"bob", den, pageLink(den, den, "", "Channel of Den")},
		{"erin", den, den},
		{"mia", "/studios/lab", "/studios/lab"},
	} {
		r := w.As("alice").JSON(w.URL("plaza"), "create_note",
			webtest.Call{Params: param.Input{"title": "Paths", "text": c.text}})
		_, at, _ := strings.Cut(r.Body, webtest.Origin)
		at, _, _ = strings.Cut(at, `\"`)
		if r.Status != 200 {
			t.Fatal(r.Status, r.Body)
		}
		w.As("alice").JSON(at, "publish", webtest.Call{})
		if got := w.As(c.who).Get(at, "text/html"); !strings.Contains(got.Body, "<p>"+c.html+"</p>") {
			t.Errorf("%s reads %s as\n%s\nnot\n%s", c.who, c.text, proseOf(got.Body), c.html)
		}
		if got := w.As(c.who).Get(at, "text/markdown"); !strings.Contains(got.Body, "> "+c.text+"\n") {
			t.Errorf("%s reads\n%s", c.who, got.Body)
		}
	}
}

// pageLink returns the HTML of a link to a page that a text names by its path or URL.
func pageLink(as, url, anchor, title string) string {
	return `<a href="` + url + anchor + `"><span hidden>` + as + `</span><span data-extra>` + title + `</span></a>`
}

func proseOf(html string) string {
	_, html, _ = strings.Cut(html, `class="prose`)
	html, _, _ = strings.Cut(html, "</blockquote>")
	return html
}
