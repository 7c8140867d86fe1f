package web_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"samepage/web/webtest"
)

// TestHelpPages follows the links from the start of the help to every help page. Each page exists and has at most
// 10,000 characters. Every noun of the catalogue has a page with its definition and its actions.
func TestHelpPages(t *testing.T) {
	aboutContent(t)
	w := webtest.New(t)
	link := regexp.MustCompile(`\]\((?:https?://[^/)]+)?(/help[^)#]*)\)`)
	seen, left := map[string]string{}, []string{"/help"}
	for len(left) > 0 {
		at := left[0]
		left = left[1:]
		if _, ok := seen[at]; ok {
			continue
		}
		r := w.As("anonymous").Get(at, "text/markdown")
		seen[at] = r.Body
		if n := utf8.RuneCountInString(r.Body); r.Status != http.StatusOK || n > 10_000 {
			t.Errorf("%s: %d, %d characters", at, r.Status, n)
		}
		for _, m := range link.FindAllStringSubmatch(r.Body, -1) {
			left = append(left, m[1])
		}
	}
	for _, at := range []string{"/help/people", "/help/agents", "/help/clients", "/help/nouns", "/help/catalogue", "/help/voting",
		"/help/errors", "/help/security", "/help/self-hosting", "/help/commands", "/help/keyboard",
		"/help/work"} {
		if seen[at] == "" {
			t.Errorf("no link leads to %s", at)
		}
	}
	for _, m := range regexp.MustCompile(`\?noun=([a-z+]+)\)`).FindAllStringSubmatch(seen["/help/catalogue"], -1) {
		at := "/help/nouns/" + strings.ReplaceAll(m[1], "+", "-")
		_, text, _ := strings.Cut(seen[at], "\n# ")
		_, text, _ = strings.Cut(text, "\n\n")
		if what, _, _ := strings.Cut(text, "\n"); len(what) < 40 || strings.HasPrefix(what, "#") ||
			!strings.Contains(text, "## What can be done") {
			t.Errorf("%s does not say what it is: %q", at, what)
		}
	}
	if r := w.As("anonymous").Get("/help/nouns/unicorn", "text/markdown"); r.Status == http.StatusOK {
		t.Errorf("a noun that does not exist: %d", r.Status)
	}
}

// TestHelpOverMCPHasTheOrigin reads the help for clients over MCP. The commands there contain the origin, although
// links in MCP answers are relative.
func TestHelpOverMCPHasTheOrigin(t *testing.T) {
	w := webtest.New(t)
	for url, want := range map[string]string{"/help/clients": webtest.Origin + "/mcp", "/help/agents": `site: "` + webtest.Origin + `"`} {
		text, failed, _ := use(t, tools(w), w.Token("scribe"), "navigate", map[string]any{"url": url})
		if failed || !strings.Contains(text, want) || strings.Contains(text, "127.0.0.1:8080") || strings.Contains(text, "](http") {
			t.Errorf("%s does not say %s:\n%s", url, want, text)
		}
	}
}
