package web_test

import (
	"regexp"
	"testing"

	"samepage/web/webtest"
)

var actionLink = regexp.MustCompile(`\]\(` + regexp.QuoteMeta(webtest.Origin) + `(/[^)]+/actions/[a-z_]+)\)`)

// TestWhatWaitsCanBeDone follows every button on everybody's home: what waits for them is on offer to them.
func TestWhatWaitsCanBeDone(t *testing.T) {
	w := webtest.New(t)
	followed := 0
	for _, who := range w.Actors() {
		c := w.As(who)
		for _, link := range actionLink.FindAllStringSubmatch(c.Get("/", "text/markdown").Body, -1) {
			followed++
			if r := c.Get(link[1], "text/markdown"); r.Status != 200 && who != "reader" { // a token that only reads may hand the link on
				t.Errorf("%s: %s is %d:\n%s", who, link[1], r.Status, r.Body)
			}
		}
	}
	if followed < 20 {
		t.Fatalf("only %d links were found", followed)
	}
}
