package web_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/net/html"

	"samepage/store/effort"
	"samepage/views/page/pagetest"
	"samepage/web/webtest"
)

// TestParity compares the formats of each page. Markdown and HTML have the same words, and all formats list the same
// actions. Markdown is the same whether it is requested by the Accept header or by the suffix of the URL.
func TestParity(t *testing.T) {
	aboutContent(t)
	var compared, alike atomic.Int64
	var known sync.Map // the Markdown that was compared, without the line that names the reader
	t.Run("actors", func(t *testing.T) {
		for _, actor := range webtest.New(t).Actors() {
			t.Run(actor, func(t *testing.T) {
				t.Parallel()
				c, seen := webtest.New(t).As(actor).Ahead(), map[string]bool{}
				for _, v := range pages(survey(t, actor)) {
					path, query, _ := strings.Cut(v.url, "?")
					query = "?full=1&" + query
					markdown := c.Get(path+query, "text/markdown").Body
					if _, is := known.LoadOrStore(reader.ReplaceAllString(markdown, ""), true); is && effort.Of(true, true, false) {
						alike.Add(1)
						continue
					}
					compared.Add(1)
					compare(t, c, path, query, markdown, !seen[v.place.Pattern])
					seen[v.place.Pattern] = true
				}
			})
		}
	})
	t.Logf("%d pages in their four forms", compared.Load())
	if n := alike.Load(); n > 0 {
		effort.LeftOut(t, "%d pages whose markdown another actor reads, too", n)
	}
}

var reader = regexp.MustCompile(`(?m)^as: .*\n`)

// compare compares the HTML and JSON of a page with its Markdown. If bySuffix is set, it also requests the page with
// the suffix .md.
func compare(t *testing.T, c *webtest.Client, path, query, markdown string, bySuffix bool) {
	t.Helper()
	get := func(path, accept string) string {
		r := c.Get(path+query, accept)
		if r.Status != http.StatusOK {
			t.Errorf("%s: %s as %s answers %d", c.Name, path+query, accept, r.Status)
		}
		return r.Body
	}
	htmlForm := get(path, "text/html")
	var program jsonPage
	if err := json.Unmarshal([]byte(get(path, "application/json")), &program); err != nil {
		t.Errorf("%s: %s as JSON: %v", c.Name, path+query, err)
		return
	}
	doc, err := html.Parse(strings.NewReader(htmlForm))
	if err != nil {
		t.Fatal(err)
	}
	if want, got := pagetest.NodeWords(doc), pagetest.Words(markdown); len(want) == 0 || !slices.Equal(want, got) {
		i := 0
		for i < min(len(want), len(got)) && want[i] == got[i] {
			i++
		}
		t.Errorf("%s: %s: the words part at %d\nHTML:     %q\nmarkdown: %q", c.Name, path+query, i, around(want, i),
			around(got, i))
	}
	if program.Markdown != markdown {
		t.Errorf("%s: the JSON of %s holds other markdown than its markdown form", c.Name, path+query)
	}
	bare := path
	if path == "/" {
		bare = "/index"
	}
	if bySuffix && (get(bare+".md", "") != markdown || get(bare+".md", "text/html") != markdown) {
		t.Errorf("%s: %s.md is not what Accept: text/markdown gets", c.Name, bare)
	}
	front, body := pagetest.Split(markdown)
	listed := frontActions(t, front)
	var named []string
	for _, a := range program.Actions {
		named = append(named, a.Name)
	}
	if section := sectionActions(body); !slices.Equal(listed, section) || !slices.Equal(listed, named) {
		t.Errorf("%s: %s lists the actions %q in front, %q at its end, and %q as JSON", c.Name, path+query, listed,
			section, named)
	}
	forms := formActions(doc, path)
	slices.Sort(listed)
	if !slices.Equal(listed, forms) {
		t.Errorf("%s: %s lists the actions %q and has forms for %q", c.Name, path+query, listed, forms)
	}
}

func around(words []string, i int) []string {
	return words[max(0, min(i-3, len(words))):min(i+5, len(words))]
}

// frontActions returns the names of the actions in the front matter.
func frontActions(t *testing.T, front string) (names []string) {
	for line := range strings.Lines(front) {
		if list, ok := strings.CutPrefix(line, "actions: "); ok {
			if err := json.Unmarshal([]byte(list), &names); err != nil {
				t.Errorf("front matter: %v in %s", err, line)
			}
		}
	}
	return slices.Clip(names)
}

var listedAction = regexp.MustCompile(`(?m)^- \*\*([a-z\\_]+)\*\*`)

// sectionActions returns the names of the actions in the section about actions, which is the last one.
func sectionActions(body string) (names []string) {
	i := strings.LastIndex(body, "\n## Actions\n")
	if i < 0 {
		return nil
	}
	for _, m := range listedAction.FindAllStringSubmatch(body[i:], -1) {
		names = append(names, strings.ReplaceAll(m[1], `\`, ""))
	}
	return names
}

// formActions returns the sorted names of the actions that have a form in the HTML of a page. An action with a link to
// the page of its form is among them.
func formActions(doc *html.Node, path string) (names []string) {
	for n := range doc.Descendants() {
		to := ""
		switch {
		case n.Type == html.ElementNode && n.Data == "form":
			to = attr(n, "action")
		case n.Type == html.ElementNode && n.Data == "a":
			to = attr(n, "href")
		}
		to, _, _ = strings.Cut(to, "?") // the query selects a view of the page
		if name, ok := strings.CutPrefix(to, strings.TrimSuffix(path, "/")+"/actions/"); ok &&
			!slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
