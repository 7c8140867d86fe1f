package web_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/web/webtest"
)

// TestRefusedLeaveSaysHow follows the link in each refusal to leave a studio. The link leads to the page on which
// a person can leave, or can remove the obstacle.
func TestRefusedLeaveSaysHow(t *testing.T) {
	w := webtest.New(t)
	for handle, visibility := range map[string]string{"den": "organization", "nook": "members"} {
		does(t, w.As("bob"), "/orgs/acme", "create_studio", param.Input{"handle": handle, "name": "Bob's " + handle,
			"visibility": visibility}, http.StatusOK, "")
	}
	link := regexp.MustCompile(regexp.QuoteMeta(webtest.Origin) + `(/[a-z0-9/_-]+)`)
	for _, c := range []struct {
		as, studio, person string
		status             int
		shows              string
	}{
		{"alice", w.URL("plaza"), "alice", http.StatusConflict, "Mirrors"},
		{"scribe", w.URL("team"), "alice", http.StatusForbidden, "Stop being a member of this studio."},
		{"scout", "/studios/den", "bob", http.StatusForbidden, "Held by @bob"},
		{"bob", "/studios/nook", "bob", http.StatusConflict, "archive_studio"},
	} {
		r := w.As(c.as).PostJSON(c.studio, "leave", nil)
		to := link.FindStringSubmatch(r.Body)
		if r.Status != c.status || to == nil {
			t.Errorf("%s leaves %s: %d %s", c.as, c.studio, r.Status, r.Body)
			continue
		}
		page := w.As(c.person).Get(to[1], "text/markdown")
		if page.Status != http.StatusOK || !strings.Contains(page.Body, c.shows) {
			t.Errorf("%s leaves %s and is led to %s, which shows no %q: %d\n%s", c.as, c.studio, to[1], c.shows,
				page.Status, page.Body)
		}
	}
}
