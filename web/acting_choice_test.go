package web_test

import (
	"net/http"
	"testing"
	"time"

	"samepage/actions/param"
	"samepage/store"
	"samepage/web/webtest"
)

// TestActingChoices takes actions whose params or subject decide in which role the member acts.
func TestActingChoices(t *testing.T) {
	slow(t)
	for _, given := range []bool{false, true} { // true: the role gets another holder after the vote was closed
		w := &actingWorld{World: webtest.New(t), t: t}
		tie, referee := w.URL("role tie"), w.URL("role referee")
		as, role, said := store.AsRole, "Referee", "@erin, as Referee, broke the tie of "
		if given {
			does(t, w.As("bob"), referee, "assign_role", param.Input{"holder": "@dave"}, http.StatusOK, "")
			as, role, said, referee = store.AsSelf, "", "@erin broke the tie of ", ""
		}
		does(t, w.As("erin"), tie, "cast_deciding_vote", param.Input{"option": "1"}, http.StatusOK, "")
		w.entry(tie, said, as, role, referee)
	}
	w := &actingWorld{World: webtest.New(t), t: t}
	alice, bob := w.As("alice"), w.As("bob")
	commons, plaza := w.URL("commons"), w.URL("role source")
	buyer := w.role("Buyer", "none", "alice")
	for _, role := range []struct{ title, url string }{{"Buyer", buyer}, {"Keeper of the plaza", plaza}} {
		u := alice.Post(commons+"/policies", "create_policy", param.Input{"role": last(role.url), "title": "For " + role.title,
			"text": "What holds."}).Location()
		w.entry(u, "@alice, as "+role.title+", wrote the policy For ", store.AsRole, role.title, role.url)
	}
	const invitations = "/orgs/acme/invitations"
	does(t, alice, "/orgs/acme/settings", "update_settings", param.Input{"inviters": "members"}, http.StatusOK, "")
	w.entry("/orgs/acme/settings", "@alice, as owner, changed ", store.AsOwner, "", "")
	for _, c := range []struct {
		by   *webtest.Client
		said string
		as   string
	}{{bob, "@bob revoked ", store.AsAuthor}, {alice, "@alice, as owner, revoked ", store.AsOwner}} {
		bob.Post(invitations, "invite_member", nil)
		var id string
		w.Query(&id, `SELECT id FROM invitations WHERE org_id = (SELECT id FROM organizations WHERE handle = 'acme')
			AND revoked_at IS NULL ORDER BY created_at DESC LIMIT 1`)
		does(t, c.by, invitations, "revoke_invitation", param.Input{"invitation": id}, http.StatusOK, "")
		w.entry(allActed(t, alice)[0].URL, c.said, c.as, "", "")
		w.Clock.Advance(time.Minute)
	}
	garden := w.URL("garden") // Alice is not in it
	does(t, alice, garden, "update_studio", param.Input{"description": "Weeds."}, http.StatusOK, "")
	w.entry(garden, "@alice, as owner, changed ", store.AsOwner, "", "")
	does(t, alice, garden, "join", nil, http.StatusOK, "")
	w.entry(garden, "@alice joined ", "", "", "")
	does(t, alice, garden, "update_studio", param.Input{"description": "Flowers."}, http.StatusOK, "")
	w.entry(garden, "@alice changed ", "", "", "")
}
