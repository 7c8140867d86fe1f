package web_test

import (
	"net/http"
	"path"
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/web/webtest"
)

// TestRolesOfAStudioThatBecameSecret gives Carol a role in a studio that the whole organization sees. Then the
// role is given to Bob, who writes a policy in that role. Then Carol leaves, and the studio becomes visible to its
// members only. No page, file, search or notification tells her the role's title. The members of the studio still
// read it.
func TestRolesOfAStudioThatBecameSecret(t *testing.T) {
	slow(t)
	w := webtest.New(t)
	alice, bob, carol := w.As("alice"), w.As("bob"), w.As("carol")
	does(t, alice, "/orgs/acme/studios", "create_studio", param.Input{"handle": "annex", "name": "Annex",
		"visibility": "organization"}, http.StatusOK, "")
	does(t, alice, "/studios/annex", "add_member", param.Input{"member": "bob"}, http.StatusOK, "")
	role := alice.Form("/studios/annex/roles", "create_role", webtest.Call{Params: param.Input{"title": "Zookeeper",
		"kind": "secretary", "holder": "carol"}}).Location()
	does(t, alice, role, "assign_role", param.Input{"holder": "bob"}, http.StatusOK, "")
	policy := bob.Form("/studios/annex/policies", "create_policy",
		webtest.Call{Params: param.Input{"role": path.Base(role),
			"title": "Feed at noon", "abstract": "Hay.", "text": "Hay."}}).Location()
	does(t, bob, policy, "edit_policy", param.Input{"text": "Hay and water.", "reason": "It is hot."},
		http.StatusOK, "")
	does(t, alice, "/orgs/acme", "create_studio", param.Input{"handle": "cage", "name": "Cage", "parent": "annex",
		"visibility": "organization"}, http.StatusOK, "")
	does(t, carol, "/studios/annex", "leave", nil, http.StatusOK, "")
	urls := []string{"/", "/inbox", "/inbox?show=read", "/orgs/acme/members/bob", "/orgs/acme/members/carol",
		"/orgs/acme/roles",
		"/orgs/acme/roles?after=" + path.Base(role), "/orgs/acme/policies", policy, policy + "/versions",
		"/orgs/acme/journal",
		"/orgs/acme/journal?kind=policy", "/orgs/acme/journal?action=edit_policy", "/orgs/acme/journal.csv",
		"/orgs/acme/journal.jsonl", w.URL("entry edit_policy"), "/orgs/acme/activity", "/orgs/acme/open",
		"/orgs/acme/briefing",
		"/orgs/acme/studios", "/studios/cage", "/studios/cage/roles", "/search?q=zookee*", "/search?q=type:role", role}
	read := func(c *webtest.Client) (found []string) {
		for _, u := range urls {
			for _, form := range media {
				if body := c.Ahead().Get(u, form).Body; strings.Contains(strings.ToLower(body), "zookeeper") {
					found = append(found, u+" as "+form)
				}
			}
		}
		return found
	}
	if found := read(carol); len(found) < 15 {
		t.Fatalf("while everybody sees the studio, only these tell the role: %q", found)
	}
	does(t, alice, "/studios/annex", "change_visibility", param.Input{"visibility": "members"}, http.StatusOK, "")
	for _, u := range read(carol) {
		t.Errorf("a role of a studio that became secret is told on %s", u)
	}
	if found := read(bob); len(found) < 15 {
		t.Errorf("the holder reads the role only on %q", found)
	}
	inbox := carol.Ahead().Get("/inbox", "text/markdown").Body
	if !strings.Contains(inbox, "a page that you may not see any more") {
		t.Errorf("the inbox does not say why it names no page:\n%s", inbox)
	}
}
