package web_test

import (
	"strings"
	"testing"
	"time"

	"samepage/actions/governance"
	"samepage/actions/param"
	"samepage/web/webtest"
)

// TestElectionsWait checks that an election waits at home for a nomination and for a response, until they are given or
// their time is over, and that an election whose time is over stays on the list of what is open.
func TestElectionsWait(t *testing.T) {
	w := webtest.Of(t, "election")
	dave := w.As("dave")
	nomination, consent := w.URL("election nomination"), w.URL("election consent")
	waits := func(when string, want ...string) {
		t.Helper()
		page := dave.Get("/?full=1", "text/markdown").Body
		page, _, _ = strings.Cut(page, "\n## Since you left")
		for _, u := range []string{nomination, consent} {
			has := false
			for _, x := range want {
				has = has || x == u
			}
			if strings.Contains(page, u) != has {
				t.Errorf("%s: it waits for %s: %v, want %v\n%s", when, u, !has, has, page)
			}
		}
	}
	waits("at first", nomination, consent)
	does(t, dave, nomination, governance.Nominate.Name, param.Input{"nominee": "erin", "reason": "She counts twice."}, 200, "")
	waits("after the nomination", consent)
	does(t, dave, consent, governance.RespondToElection.Name, param.Input{"position": "consent"}, 200, "")
	waits("after the response")
	w.Clock.Advance(60 * 24 * time.Hour)
	list, _ := awaitedBy(t, w, "erin")
	if list[nomination] == "" || list[consent] == "" {
		t.Errorf("elections whose time is over are not on the list of what is open: %v", list)
	}
}
