package web_test

import (
	"regexp"
	"testing"

	"samepage/web/webtest"
)

// sinceDistance matches the word "since" before a distance from now, such as "since 5 min ago" or "since now".
var sinceDistance = regexp.MustCompile(`(?i)\bsince <time[^>]*>(now|in \d+ \w+|\d+ \w+ ago)</time>`)

// TestSinceIsFollowedByADate checks in the HTML of all fixtures that the word "since" has a date and no distance after
// it, also in the first minute.
func TestSinceIsFollowedByADate(t *testing.T) {
	aboutContent(t)
	w := webtest.New(t)
	for _, name := range w.Fixtures() {
		for _, by := range []string{"alice", "bob"} {
			if found := sinceDistance.FindString(w.As(by).Get(w.URL(name), "text/html").Body); found != "" {
				t.Errorf("%s shows %s: %s", by, name, found)
			}
		}
	}
}
