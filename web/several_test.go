package web_test

import (
	"regexp"
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/web/webtest"
)

// TestTokensOfEachOrganization checks that a person in several organizations sees in which of them a token acts, and
// can reach the tokens of each.
func TestTokensOfEachOrganization(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	mia := w.As("mia")
	for org, other := range map[string]string{"acme": "Globex", "globex": "Acme"} {
		page := "/settings/tokens?org=" + org
		r := mia.PostJSON(page, "create_token", param.Input{"label": "Robin of " + org, "scopes": []any{"write"}})
		if r.Status != 200 {
			t.Fatalf("%s: %d %s", org, r.Status, r.Body)
		}
		secret := regexp.MustCompile(`"secret":"(sp_[^"]+)"`).FindStringSubmatch(r.Body)[1]
		body := mia.Get(page, "text/markdown").Body
		if !strings.Contains(body, "Robin of "+org) || strings.Contains(body, "Robin of "+strings.ToLower(other)) ||
			!strings.Contains(body, "["+other) {
			t.Errorf("%s: %s", org, body)
		}
		agent := request(w.As("anonymous"), "GET", "/whoami", "Accept: text/markdown", "Authorization: Bearer "+secret)
		if !strings.Contains(agent.Body, "/orgs/"+org+")") ||
			strings.Contains(agent.Body, "/orgs/"+strings.ToLower(other)+")") {
			t.Errorf("%s: %s", org, agent.Body)
		}
		if r := request(mia, "GET", "/orgs/"+org, "Accept: text/html"); !strings.Contains(r.Body, `href="`+page+`"`) {
			t.Errorf("%s: the page of the organization does not lead to the tokens of it", org)
		}
		if r := mia.PostJSON(page, "revoke_token", param.Input{"token": regexp.MustCompile("`(\\w+)` Robin of " +
			org).FindStringSubmatch(body)[1]}); r.Status != 200 {
			t.Errorf("%s: %d %s", org, r.Status, r.Body)
		}
	}
	if r := w.As("bob").Get("/settings/tokens?org=globex", "text/markdown"); r.Status != 404 {
		t.Errorf("an organization that one is not in: %d", r.Status)
	}
	if body := mia.Get("/whoami", "text/markdown").Body; !strings.Contains(body, "You are in 2 organizations.") {
		t.Error(body)
	}
}
