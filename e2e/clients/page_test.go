package clients

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"samepage/views/page/pagetest"
)

// TestOnePageFiveWays checks that one page has the same words and actions in five forms: HTML in Bob's Chromium,
// markdown requested by its media type, markdown requested by the suffix .md, JSON, and the text that Bob's agent
// gets from the tool navigate. Only the actions that are for people alone may be missing for the agent.
func TestOnePageFiveWays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	bob := open(t).login(w, "bob")
	scout := w.overHTTP("Scout", w.token("Scout"))
	cookie := w.asPerson(bob)
	for _, title := range []string{"Which cover for the annual report?",
		"Which tools do we keep paying for?", "Where does the office plant go?"} {
		url := scout.find(title)
		bob.visit(w.url + url)
		offered := eval[[]string](bob, offers)
		seen := strings.Fields(eval[string](bob, visible)) // joins words with single spaces, because other white space is not visible

		negotiated := w.ask(url, http.Header{"Accept": {"text/markdown"}, "Cookie": cookie["Cookie"]})
		suffixed := w.ask(url+".md", cookie)
		var program struct {
			Markdown string
			Title    string
			Actions  []struct{ Name string }
		}
		if err := json.Unmarshal([]byte(w.ask(url, http.Header{
			"Accept": {"application/json"}, "Cookie": cookie["Cookie"],
		}).body), &program); err != nil {
			t.Fatal(err)
		}
		var named []string
		for _, a := range program.Actions {
			named = append(named, a.Name)
		}
		sameWords(t, title+": Accept: text/markdown against Chromium", pagetest.Words(negotiated.body), seen)
		sameWords(t, title+": navigate against Chromium", pagetest.Words(scout.navigate(url)), seen)
		if suffixed.body != negotiated.body {
			t.Errorf("%s: .md is another text:\n%s\nthan with Accept:\n%s", title, suffixed.body, negotiated.body)
		}
		if program.Markdown != negotiated.body || program.Title != title {
			t.Errorf("%s: the JSON has another text:\n%s", title, program.Markdown)
		}
		for way, got := range map[string][]string{
			"markdown": fronted(t, negotiated.body), "JSON": named,
			"navigate": fronted(t, scout.navigate(url)),
		} {
			want := slices.Sorted(slices.Values(offered))
			if way == "navigate" { // only a person may copy a link with a preview
				want = slices.DeleteFunc(want, func(name string) bool { return name == "copy_link" })
			}
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Errorf("%s: %s offers %v, Chromium %v", title, way, got, want)
			}
		}
	}
}

// visible is a JavaScript expression for the visible text of a page's main element, with everything unfolded. It
// leaves out forms, and the elements that Markdown has in its front matter or among its actions. Text for screen
// readers stays in its place.
const visible = `(() => {
	const main = document.querySelector("main");
	main.querySelectorAll("form, [data-extra]").forEach(e => e.remove());
	main.querySelectorAll("time[title]").forEach(e => e.replaceWith(e.title));
	main.querySelectorAll("details").forEach(e => e.open = true);
	main.querySelectorAll(".vh").forEach(e => e.closest("th, td") == e ? e.classList.remove("vh") : e.replaceWith(e.textContent));
	return main.innerText;
})()`

// offers is a JavaScript expression for the names of the actions that have a form on the page, or a
// link to their own page.
const offers = `[...new Set([...document.querySelectorAll("form[action], a[href]")]
	.map(e => e.getAttribute(e.tagName == "FORM" ? "action" : "href"))
	.map(u => u.match(/\/actions\/([a-z_]+)$/)?.[1]).filter(Boolean))]`

var frontActions = regexp.MustCompile(`(?m)^actions: (\[.*\])$`)

// fronted returns the names of the actions in a page's front matter. It checks that the page also has each of them in
// its section Actions.
func fronted(t *testing.T, page string) (names []string) {
	t.Helper()
	m := frontActions.FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("no actions in the front matter of:\n%s", page)
	}
	if err := json.Unmarshal([]byte(m[1]), &names); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if params(page, name) == nil {
			t.Errorf("%s is in the front matter and not among the actions", name)
		}
	}
	return names
}

func sameWords(t *testing.T, what string, got, want []string) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		if i < len(got) && i < len(want) && got[i] == want[i] {
			continue
		}
		from := max(0, i-4)
		t.Errorf("%s: the words differ: %q and %q", what,
			got[min(from, len(got)):min(i+5, len(got))],
			want[min(from, len(want)):min(i+5, len(want))])
		return
	}
}
