package web_test

import (
	"regexp"
	"strings"
	"testing"

	"samepage/web/webtest"
)

var (
	bylineHTML = regexp.MustCompile(`<p class="under">(.*?)</p>`)
	unseen     = regexp.MustCompile(`<span class="vh">[^<]*</span>|<span data-extra>.*|<[^>]*>`)
)

// TestBylinesEndWithoutAStop checks the line with the author of pages of several kinds. HTML shows no full stop at its
// end, and markdown has exactly one.
func TestBylinesEndWithoutAStop(t *testing.T) {
	aboutContent(t)
	for _, c := range []struct{ chapter, at, by, begins string }{
		{"topic", "topic consent", "bob", "By @"}, {"work", "session asking", "bob", "Mason, agent of @bob"},
		{"approval", "approval pending", "erin", "Asked by "},
	} {
		w := webtest.Of(t, c.chapter)
		reader, at := w.As(c.by), w.URL(c.at)
		found := bylineHTML.FindStringSubmatch(reader.Get(at, "text/html").Body)
		if found == nil {
			t.Errorf("%s has no byline", c.at)
			continue
		}
		if line := strings.TrimSpace(unseen.ReplaceAllString(found[1], "")); line == "" || strings.HasSuffix(line, ".") {
			t.Errorf("%s shows %q", c.at, line)
		}
		_, line, ok := strings.Cut(reader.Get(at, "text/markdown").Body, "\n"+c.begins)
		line, _, _ = strings.Cut(line, "\n")
		if !ok || !strings.HasSuffix(line, ".") || strings.HasSuffix(line, "..") {
			t.Errorf("%s has %q in markdown", c.at, c.begins+line)
		}
	}
}
