package web_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"samepage/web/webtest"
)

// TestCatalogue reads all parts of the catalogue by following the field next. Each action is there with its
// parameters, and no part is cut or longer than a page may be. The first part names each action.
func TestCatalogue(t *testing.T) {
	w := webtest.New(t)
	c := w.As("anonymous")
	c.Header.Set("Prefer", "relative-links")
	url, parts, longest, all := "/help/catalogue", 0, 0, ""
	first := c.Get(url, "text/markdown").Body
	for ; url != "" && parts < 50; parts++ {
		text := c.Get(url, "text/markdown").Body
		longest = max(longest, utf8.RuneCountInString(text))
		if strings.Contains(text, "longer than shown") || strings.Contains(text, "Cut here") {
			t.Errorf("%s is cut", url)
		}
		all += text
		_, next, _ := strings.Cut(text, "\nnext: \"")
		url, _, _ = strings.Cut(next, "\"")
	}
	if longest > 10_000 {
		t.Errorf("a part has %d characters", longest)
	}
	count := 0
	for _, p := range w.Site.Places() {
		for _, a := range p.Actions {
			count++
			if !strings.Contains(first, a.Name) {
				t.Errorf("the first page does not name %s", a.Name)
			}
			section := strings.Contains(all, "\n## "+a.Name+"\n")
			for _, f := range a.Fields {
				section = section && strings.Contains(all, "`"+f.Name+"`")
			}
			if !section {
				t.Errorf("%s or one of its parameters is in no part", a.Name)
			}
		}
	}
	t.Logf("%d offers of actions in %d parts, the longest of %d characters", count, parts, longest)
}
