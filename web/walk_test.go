package web_test

import (
	"encoding/json"
	"maps"
	"math"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/net/html"

	"samepage/store/effort"
	"samepage/store/pgtest"
	"samepage/web"
	"samepage/web/webtest"
)

// walker visits the site as one actor: every page that links lead to, and the page of every fixture.
type walker struct {
	t     *testing.T
	w     *webtest.World
	c     *webtest.Client
	seen  map[string]*visit
	queue []*visit
	links int            // number of links that were found
	alike map[string]int // number of links to similar pages; see enough
}

// visit is one page as the actor of a walk has read it.
type visit struct {
	url    string // without scheme, host and fragment
	from   string // the page with the link; empty if the walk starts at this page
	status int
	html   string
	page   jsonPage
	// receipt is the receipt of the anonymous ballot that the actor cast on this page; empty if there is none.
	receipt string
	place   web.Place // zero for a URL that is not a page
}

// jsonPage is a page in JSON.
type jsonPage struct {
	URL, Title, As, Audience, Version, State, Next, Markdown string
	Actions                                                  []jsonAction
	Data                                                     json.RawMessage
}

type jsonAction struct {
	Name, Title, Doc, URL string
	Destructive           bool
	Schema                json.RawMessage
}

// action returns the listed action with this name.
func (p *jsonPage) action(name string) (jsonAction, bool) {
	i := slices.IndexFunc(p.Actions, func(a jsonAction) bool { return a.Name == name })
	if i < 0 {
		return jsonAction{}, false
	}
	return p.Actions[i], true
}

// walk visits all pages that the actor can reach, in the order in which it finds them.
func walk(t *testing.T, w *webtest.World, actor string) *walker {
	t.Helper()
	k := &walker{t: t, w: w, c: w.As(actor).Ahead(), seen: map[string]*visit{}, alike: map[string]int{}}
	for _, u := range begin(w) {
		k.add(u, "")
	}
	for i := 0; i < len(k.queue); i++ {
		k.look(k.queue[i])
	}
	return k
}

// survey returns the pages that an actor's walk finds, each with only the first bytes of its HTML and without its
// Markdown. The walk is made once for all tests, because URLs are the same in every copy of the world. The walk
// also checks that reading changes no row.
func survey(t *testing.T, actor string) []*visit {
	t.Helper()
	found, _ := surveys.LoadOrStore(actor, sync.OnceValue(func() []*visit {
		w := webtest.New(t)
		before := w.Digests()
		k := walk(t, w, actor)
		if changed := webtest.Changed(before, w.Digests()); changed != nil {
			t.Errorf("reading changed the tables %q", changed)
		}
		for _, v := range k.queue {
			v.html = strings.Clone(v.html[:min(len(v.html), headSize)])
			v.page.Markdown = ""
		}
		surveyed.Add(int64(k.links))
		return k.queue
	}))
	return found.(func() []*visit)()
}

var (
	surveys  sync.Map     // functions that return the visits, by actor
	surveyed atomic.Int64 // number of links
)

// headSize is the number of bytes at the beginning of a page that contain its head.
const headSize = 4096

// pages returns the visits to pages that the actor may read.
func pages(visits []*visit) (list []*visit) {
	for _, v := range visits {
		if v.status == http.StatusOK && v.place.Pattern != "" {
			list = append(list, v)
		}
	}
	return list
}

// begin returns the URLs at which every walk begins: the pages with constant URLs, every fixture, and the pages below
// each of them.
func begin(w *webtest.World) []string {
	list := []string{"/healthz", "/readyz", "/robots.txt", "/llms.txt", "/sitemap.xml", "/login"}
	places := w.Site.Places()
	for _, p := range places {
		if !strings.Contains(p.Pattern, "{") {
			list = append(list, p.Pattern)
		}
	}
	for _, name := range w.Fixtures() {
		u := w.URL(name)
		list = append(list, u)
		at, _ := w.Site.PlaceOf(u)
		for _, p := range places {
			if below, ok := strings.CutPrefix(p.Pattern, at.Pattern+"/"); ok && !strings.Contains(below, "{") {
				list = append(list, u+"/"+below)
			}
		}
	}
	return append(list, "/orgs/acme/journal/1", "/orgs/globex/journal/1")
}

func (k *walker) add(u, from string) {
	u, _, _ = strings.Cut(u, "#")
	if _, ok := k.seen[u]; ok || from != "" && k.enough(u) {
		return
	}
	v := &visit{url: u, from: from, receipt: k.w.Receipt(u)}
	k.seen[u] = v
	k.queue = append(k.queue, v)
}

// enough reports whether the walk has followed enough links to pages with the same pattern, action and query. Such
// pages have the same statements and the same text around their content. A hundredth entry of the journal, or a
// hundredth choice of its filters, would therefore test nothing new.
func (k *walker) enough(u string) bool {
	at, query, _ := strings.Cut(u, "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		return false
	}
	place, _ := k.w.Site.PlaceOf(at)
	last := path.Base(at)
	if place.Pattern != "" && path.Base(path.Dir(at)) != "actions" {
		last = "" // the last part is the ID or name of the page's subject
	}
	kind := strings.Join(append([]string{place.Pattern, last}, slices.Sorted(maps.Keys(values))...), " ")
	k.alike[kind]++
	return k.alike[kind] > followed
}

// followed is the number of links that a walk follows to similar pages. On a database server, which is slower, tests
// are about the SQL statements, and those are the same on all similar pages.
var followed = func() int {
	if pgtest.Given() != "" {
		return 2
	}
	return effort.Of(30, 45, math.MaxInt)
}()

// look reads a page in HTML and JSON and queues its links.
func (k *walker) look(v *visit) {
	path, _, _ := strings.Cut(v.url, "?")
	v.place, _ = k.w.Site.PlaceOf(path)
	if strings.HasSuffix(path, ".md") || strings.Contains(path, "/actions") {
		// Another format of a page and the page of an action are not the page of the subject.
		v.place = web.Place{}
	}
	r := k.c.Get(v.url, "text/html")
	v.status, v.html = r.Status, r.Body
	switch {
	case r.Status >= 500:
		k.t.Errorf("%s: %s answers %d\n%s", k.c.Name, v.url, r.Status, r.Body)
	case r.Status >= 300 && r.Status < 400:
		k.add(r.Location(), v.url)
	case r.Status >= 400 && v.from != "":
		k.t.Errorf("%s: %s links to %s, which answers %d", k.c.Name, v.from, v.url, r.Status)
	}
	if r.Status != http.StatusOK || !strings.HasPrefix(r.Header.Get("Content-Type"), "text/html") {
		return
	}
	for _, link := range k.linksOf(v) {
		k.links++
		k.add(link, v.url)
	}
	if v.place.Pattern == "" {
		return
	}
	r = k.c.Get(v.url, "application/json")
	if err := json.Unmarshal([]byte(r.Body), &v.page); err != nil || r.Status != http.StatusOK {
		k.t.Errorf("%s: %s as JSON: %d, %v", k.c.Name, v.url, r.Status, err)
	}
}

// linksOf returns the URLs of this site that a page links to. It fails the test for a link to another site or to an
// anchor that does not exist.
func (k *walker) linksOf(v *visit) []string {
	doc, err := html.Parse(strings.NewReader(v.html))
	if err != nil {
		k.t.Fatal(err)
	}
	ids, shown := map[string]bool{}, map[string]bool{}
	var hrefs []string
	next := ""
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if id := attr(n, "id"); id != "" {
			if ids[id] {
				k.t.Errorf("%s: %s has the id %s twice", k.c.Name, v.url, id)
			}
			ids[id] = true
		}
		if href := attr(n, "href"); href != "" {
			hrefs = append(hrefs, href)
			shown[href] = shown[href] || n.Data == "a"
			if attr(n, "rel") == "next" {
				next = href
			}
		}
	}
	if next != "" && !shown[next] {
		k.t.Errorf("%s: %s goes on at %s, to which no link leads", k.c.Name, v.url, next)
	}
	var list []string
	for _, href := range hrefs {
		if anchor, ok := strings.CutPrefix(href, "#"); ok {
			if !ids[anchor] {
				k.t.Errorf("%s: %s links to its anchor %s, which is not there", k.c.Name, v.url, href)
			}
			continue
		}
		u, err := url.Parse(href)
		if err != nil || u.Host != "" && u.Scheme+"://"+u.Host != webtest.Origin {
			if strings.HasPrefix(href, webtest.Forge+"/") { // a published pull request, or an issue
				continue
			}
			k.t.Errorf("%s: %s links off the site, to %s", k.c.Name, v.url, href)
			continue
		}
		u.Scheme, u.Host = "", ""
		if u.Path == "" {
			u.Path = "/"
		}
		list = append(list, u.String())
	}
	return list
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// pages returns the visits of this walk to pages that the actor may read.
func (k *walker) pages() []*visit { return pages(k.queue) }

// aboutContent skips the test unless the database is SQLite and the race detector is off. The test is about pages or
// requests, which depend on neither. TestMovedPagesAreTheSame compares the pages of both databases.
func aboutContent(t *testing.T) {
	t.Helper()
	slow(t)
	pgtest.Folder(t, "it is about pages or requests, and TestMovedPagesAreTheSame compares the pages")
}

// slow marks the test as slow, see [effort.Slow], and runs it beside others.
func slow(t *testing.T) {
	t.Helper()
	effort.Slow(t)
	t.Parallel()
}
