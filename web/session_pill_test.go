package web_test

import (
	"regexp"
	"testing"

	"samepage/web/webtest"
)

// TestARequestIsYellowForThoseWhoMayAnswer opens the pages that say that an agent asks. The state is marked as waiting
// for the reader only for people who may answer.
func TestARequestIsYellowForThoseWhoMayAnswer(t *testing.T) {
	w := webtest.Of(t, "work")
	session := w.URL("session asking")
	for who, want := range map[string]string{"alice": "waits", "bob": "waits", "erin": "open", "scout": "open"} {
		for _, c := range []struct{ page, word string }{{session, "Asks"}, {w.URL("team") + "/sessions", "Asks"},
			{session + "/permissions/1", "Waits"}, {session + "/turns/1", "Asks"}} {
			pill := regexp.MustCompile(`<span class="pill ?(\w*)[^>]*>[^<]*?(<svg.*?</svg>)?` + c.word + `</span>`)
			r := w.As(who).Get(c.page, "text/html")
			m := pill.FindStringSubmatch(r.Body)
			if r.Status != 200 || m == nil || m[1] != want {
				t.Errorf("%s at %s: %d, %q, want %s", who, c.page, r.Status, m, want)
			}
		}
	}
}
