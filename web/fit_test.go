package web_test

import (
	"html"
	"regexp"
	"strings"
	"testing"

	"samepage/web/webtest"
)

// TestAddressFillsIn opens forms with values in the address, as a browser and as Markdown. Both show the same values in
// the form, and both name those that the form cannot show.
func TestAddressFillsIn(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	const studio = "/studios/team/actions/"
	for _, c := range []struct{ link, holds, page, says string }{
		{studio + "create_decision?anonymous=yes", `name="anonymous"[^>]* checked>`, "In the form: `yes`", ""},
		{studio + "create_note?draft=True", `name="draft"[^>]* checked>`, "In the form: `True`", ""},
		{studio + "create_note?draft=0", `name="draft"[^>]*[^d]>`, "In the form: `0`", ""},
		{studio + "create_note?kind=Reminder", ` value="reminder" checked>`, "In the form: `reminder`", ""},
		{studio + "create_note?kind=nope", ` value="post"`, "", `kind: cannot be "nope"`},
		{studio + "create_note?title=a&title=b", ` name="title"`, "", "title: was given more than once; send it once"},
		{studio + "create_note?titel=abc", ` name="title"`, "", "titel: is not a parameter here; did you mean title?"},
		{studio + "create_note?_why=x", ` name="title"`, "", "_why: is not a parameter here"},
		{studio + "create_decision?dots=many", ` name="dots"`, "", `dots: must be a whole number, not "many"`},
		{w.URL("note table") + "/actions/add_row?cells=Worth:+much",
			`<textarea[^>]*>\s*Worth: much`, "In the form: `Worth: much`", ""},
	} {
		for format, held := range map[string]string{"text/html": c.holds, "text/markdown": c.page} {
			r := w.As("bob").Get(c.link, format)
			body := strings.ReplaceAll(html.UnescapeString(r.Body), `\_`, "_")
			if r.Status != 200 || !regexp.MustCompile(held).MatchString(body) {
				t.Errorf("%s as %s: %d without %s\n%s", c.link, format, r.Status, held, body)
			}
			if strings.Contains(body, "Not filled in from the address: ") != (c.says != "") || !strings.Contains(body, c.says) {
				t.Errorf("%s as %s: want the note %q in\n%s", c.link, format, c.says, body)
			}
		}
	}
}
