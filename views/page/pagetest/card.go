package pagetest

import (
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// cardTags lists the tags that [Card] requires.
var cardTags = []string{"og:type", "og:site_name", "og:title", "og:description", "og:url",
	"og:image", "og:image:type", "og:image:width", "og:image:height", "og:image:alt",
	"twitter:card", "theme-color", "description", "canonical", "apple-touch-icon", "iconimage/svg+xml"}

// Card returns the tags in the first 4 KB of a page's HTML by their names, because several chat programs read no
// further. It fails the test if a tag is missing, repeated or too long.
func Card(t testing.TB, page string) map[string]string {
	t.Helper()
	if !strings.HasPrefix(page, "<!DOCTYPE html>") {
		t.Errorf("the page begins with %.20q", page)
	}
	doc, err := html.Parse(strings.NewReader(page[:min(len(page), 4096)]))
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]string{}
	for n := range doc.Descendants() {
		at := map[string]string{}
		for _, a := range n.Attr {
			at[a.Key] = a.Val
		}
		name, value := "", at["content"]
		switch n.Data {
		case "meta":
			name = at["property"] + at["name"]
		case "link":
			name, value = at["rel"]+at["type"], at["href"]
		}
		if name == "" || value == "" {
			continue
		}
		if _, twice := said[name]; twice {
			t.Errorf("%s is there twice", name)
		}
		said[name] = value
	}
	for _, name := range cardTags {
		if said[name] == "" {
			t.Errorf("%s is not in the first 4 KB", name)
		}
	}
	for name, most := range map[string]int{
		"og:title": 60, "og:description": 200, "og:site_name": 60, "og:image:alt": 200,
	} {
		if v := said[name]; len(v) > most || !utf8.ValidString(v) || v != strings.TrimSpace(v) {
			t.Errorf("%s is %q, %d bytes", name, v, len(v))
		}
	}
	return said
}
