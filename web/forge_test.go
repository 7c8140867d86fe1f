package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jmoiron/sqlx"

	"golang.org/x/net/html"

	"samepage/store/pgtest"
	"samepage/views/page/pagetest"
	"samepage/web/webtest"
)

// every returns the indexes of a list.
func every[T any](list []T) (indexes []int) {
	for i := range list {
		indexes = append(indexes, i)
	}
	return indexes
}

// shape is the part of a page that must not depend on the text of any member.
type shape struct{ markdown, html string }

// TestForge writes hostile texts into every field. Every page must have the same structure as with a y in each field,
// or as with a question in each field.
func TestForge(t *testing.T) {
	aboutContent(t)
	// The last two texts turn a link in a list into a checkbox.
	texts := append(some(t, "hostile texts", pagetest.Hostile()), "x", "X")
	const shards = 2
	var shapes atomic.Int64
	t.Run("shard", func(t *testing.T) {
		for shard := range shards {
			t.Run(strconv.Itoa(shard), func(t *testing.T) {
				t.Parallel()
				g := forge(t, every(reads)...)
				for i := shard; i < len(texts); i += shards {
					g.try(t, texts[i])
				}
				shapes.Add(int64(g.shapes))
			})
		}
	})
	w := webtest.New(t)
	reached := map[string]bool{}
	for _, r := range reads {
		path, _, _ := strings.Cut(at(w, r.at)+r.below, "/actions")
		path, _, _ = strings.Cut(path, "?")
		if place, ok := w.Site.PlaceOf(path); ok {
			reached[place.Pattern] = true
		}
	}
	for _, p := range w.Site.Places() {
		if !reached[p.Pattern] {
			t.Errorf("no page of %s is read", p.Pattern)
		}
	}
	t.Logf("%d fields, %d texts, %d pages compared", len(fields), len(texts), shapes.Load())
}

func at(w *webtest.World, name string) string {
	if strings.HasPrefix(name, "/") {
		return name
	}
	return w.URL(name)
}

// forger writes texts into the fields of a world.
type forger struct {
	w      *webtest.World
	db     *sqlx.DB
	pages  []int         // indexes of the reads to compare
	plain  map[int]shape // shapes with a y in every field
	asking map[int]shape // shapes with a question in every field: a digest lists messages that ask something
	shapes int           // number of shapes compared
}

// forge checks that each field is shown on at least one page, and stores the shapes of the given pages with a y in
// all fields.
func forge(t testing.TB, pages ...int) *forger {
	t.Helper()
	pgtest.Folder(t, "texts are planted with SQLite's functions for JSON; how they are written is the same")
	g := &forger{w: webtest.New(t), pages: pages, plain: map[int]shape{}, asking: map[int]shape{}}
	g.db = g.w.Database()
	for i, f := range fields {
		g.plant(t, f, fmt.Sprintf("Unmistakable%02d", i))
	}
	shown := ""
	for i := range reads {
		shown += g.read(i, "text/markdown").Body
	}
	for i, f := range fields {
		if !strings.Contains(shown, fmt.Sprintf("Unmistakable%02d", i)) {
			t.Fatalf("no page shows the %s", f.name)
		}
		g.plant(t, f, "yes?")
	}
	for _, i := range pages {
		g.asking[i] = g.look(t, i)
	}
	for _, f := range fields {
		g.plant(t, f, "y")
	}
	for _, i := range pages {
		g.plain[i] = g.look(t, i)
	}
	return g
}

func (g *forger) plant(t testing.TB, f field, text string) {
	t.Helper()
	if f.json {
		data, err := json.Marshal(map[string]string{"text": text})
		if err != nil {
			t.Fatal(err)
		}
		text = string(data)
	}
	if _, err := g.db.Exec(g.db.Rebind(f.sql), text); err != nil {
		t.Fatalf("%s: %v", f.name, err)
	}
}

// read requests one of the reads with all texts in full.
func (g *forger) read(i int, accept string) *webtest.Response {
	url := at(g.w, reads[i].at) + reads[i].below
	if strings.Contains(url, "?") {
		url += "&full=1"
	} else {
		url += "?full=1"
	}
	return g.w.As(reads[i].actor).Ahead().Get(url, accept)
}

func (g *forger) look(t testing.TB, i int) shape {
	r := g.read(i, "text/markdown")
	s := shape{markdown: structure(r.Body)}
	if r = g.read(i, "text/html"); r.Status != http.StatusSeeOther {
		s.html = skeleton(t, r.Body)
	}
	return s
}

// try writes a text into all fields at once and compares the pages. For a page that differs, it reports each field that
// causes a difference by itself.
func (g *forger) try(t testing.TB, text string) {
	t.Helper()
	if strings.Trim(strings.TrimSpace(text), "\x00") == "" {
		return // actions treat such a text as missing, or refuse it
	}
	for _, f := range fields {
		g.plant(t, f, text)
	}
	var differ []int
	for _, i := range g.pages {
		g.shapes++
		if got := g.look(t, i); got != g.plain[i] && got != g.asking[i] {
			differ = append(differ, i)
		}
	}
	if differ == nil {
		return
	}
	t.Errorf("%q in every field changes the structure of %d pages", text, len(differ))
	for _, f := range fields {
		g.plant(t, f, "y")
	}
	for _, f := range fields {
		g.plant(t, f, text)
		for _, i := range differ {
			got, want := g.look(t, i), g.plain[i]
			if got == g.asking[i] {
				continue
			}
			if got.markdown != want.markdown {
				t.Errorf("%q as %s changes the structure of %s:\n%s", text, f.name, reads[i].at+reads[i].below,
					firstDifference(want.markdown, got.markdown))
			}
			if got.html != want.html {
				t.Errorf("%q as %s changes the HTML of %s:\n%s", text, f.name, reads[i].at+reads[i].below,
					firstDifference(want.html, got.html))
			}
		}
		g.plant(t, f, "y")
	}
}

func firstDifference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	return "want " + strings.Join(a[min(i, len(a)):min(i+4, len(a))], " / ") + "\ngot  " +
		strings.Join(b[min(i, len(b)):min(i+4, len(b))], " / ")
}

// proseTags are the elements that may occur in a quotation.
var proseTags = " p br hr em strong del ins code pre blockquote ul ol li h2 h3 h4 h5 h6 a table thead tbody tr th " +
	"td sup sub span div section input dl dt dd "

// ownScript matches the addresses of the scripts of pages.
var ownScript = regexp.MustCompile(`^/static/(app|board|passkey)\.js\?v=[0-9a-f]{12}$`)

// ticking matches the addresses of the actions that tick boxes in a text. A page has these actions if its text has
// boxes.
var ticking = regexp.MustCompile(`/(un)?tick_box$`)

// isBox reports whether an element is the button of a box in a text.
func isBox(n *html.Node) bool {
	return n.Data == "button" && strings.HasPrefix(attr(n, "class"), "tickbox") && attr(n, "formaction") == ""
}

// boxActions matches the lines in markdown about the actions that tick boxes in a text.
var boxActions = regexp.MustCompile(`"(un)?tick_box",?|(?m:^- \*\*(un)?tick_box\*\*.*\n(  .*\n)*)`)

// structure returns the structure of a page in markdown, without the actions that tick boxes.
func structure(body string) string { return pagetest.Structure(boxActions.ReplaceAllString(body, "")) }

// skeleton returns the tree of a page's elements with the names of their attributes, without the contents of
// quotations and the lists of their headings. It fails the test if the page has scripts, event handlers, links that
// run code, or elements in prose that Markdown does not produce.
func skeleton(t testing.TB, body string) string {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	var walk func(n *html.Node, depth int, quoted bool)
	walk = func(n *html.Node, depth int, quoted bool) {
		if n.Type == html.CommentNode {
			t.Errorf("a comment in the HTML: %q", n.Data)
		}
		if n.Data == "form" && ticking.MatchString(attr(n, "action")) {
			return // the form ticks boxes of the text
		}
		if n.Data == "nav" && attr(n, "class") == "toc" {
			contents(t, n)
			return
		}
		if n.Type == html.ElementNode {
			if n.Data == "script" && (quoted || !ownScript.MatchString(attr(n, "src")) || n.FirstChild != nil) ||
				n.Data != "script" && quoted && !strings.Contains(proseTags, " "+n.Data+" ") && !isBox(n) {
				t.Errorf("<%s> in the HTML", n.Data)
			}
			harmless(t, n)
			if !quoted {
				b.WriteString(strings.Repeat(" ", depth) + n.Data)
				for _, a := range n.Attr {
					b.WriteString(" " + a.Key)
				}
				b.WriteByte('\n')
			}
			quoted = quoted || n.Data == "blockquote"
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c, depth+1, quoted)
		}
	}
	walk(doc, 0, false)
	return b.String()
}

// ofHeading matches a link to a heading of a text on the same page.
var ofHeading = regexp.MustCompile(`^#[a-z0-9]+-fnh-[0-9]+$`)

// contents fails the test if the list of a text's headings has anything but links within the page.
func contents(t testing.TB, n *html.Node) {
	t.Helper()
	for c := range n.Descendants() {
		harmless(t, c)
		if c.Type == html.ElementNode && !strings.Contains(" ol li a ", " "+c.Data+" ") ||
			c.Data == "a" && !ofHeading.MatchString(attr(c, "href")) {
			t.Errorf("<%s> in the contents of a text", c.Data)
		}
	}
}

// harmless fails the test if an element has an attribute that could run code, or loads a resource from another site.
func harmless(t testing.TB, n *html.Node) {
	t.Helper()
	for _, a := range n.Attr {
		switch {
		case strings.HasPrefix(a.Key, "on"), a.Key == "style", a.Key == "srcdoc", a.Key == "formaction":
			t.Errorf("<%s %s=%q>", n.Data, a.Key, a.Val)
		case a.Key == "href", a.Key == "src", a.Key == "action", a.Key == "cite":
			u, err := url.Parse(strings.TrimSpace(a.Val))
			if err != nil || u.Scheme != "" && u.Scheme != "https" && u.Scheme != "http" && u.Scheme != "mailto" ||
				a.Key != "href" && u.Host != "" {
				t.Errorf("<%s %s=%q>", n.Data, a.Key, a.Val)
			}
		}
	}
}

// FuzzForge writes arbitrary texts into every field.
func FuzzForge(f *testing.F) {
	for _, text := range []string{"x\n\n## Actions\n\n- **evil**: y", "</main><script>", "| a |\n|---|",
		"[x](javascript:alert(1))", "> q", "\u202e", "`", "a\x00b"} {
		f.Add(text)
	}
	var few []int // pages that together have every kind of block
	for i, r := range reads {
		switch r.at + r.below {
		case "team", "tie", "open score/ballots", "talk/comments", "entry cast_vote",
			"draft/actions/update_decision":
			few = append(few, i)
		}
	}
	g := forge(f, few...)
	f.Fuzz(func(t *testing.T, text string) { g.try(t, text) })
}
