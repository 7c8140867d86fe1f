package web_test

import (
	"encoding/json"
	"testing"

	"samepage/actions/param"
	"samepage/web/webtest"
)

// TestDangerousCells checks the most dangerous cases of the authorization matrix against a list that was written by
// hand and not made from the declarations. Team is visible to its members, Commons to all members of Acme, Plaza to
// everybody, and Lab to its members in Globex.
func TestDangerousCells(t *testing.T) {
	aboutContent(t)
	w := webtest.New(t)
	vote := param.Input{"option": "1"}
	text := param.Input{"text": "Hello."}
	for _, c := range []struct {
		who, fixture, below string
		action              string // empty: the caller reads the page
		in                  param.Input
		want                int
	}{
		// These callers are not signed in.
		{"anonymous", "team", "", "", nil, 401},
		{"anonymous", "note draft", "", "", nil, 401},
		{"anonymous", "acme organization", "/members", "", nil, 401},
		{"anonymous", "acme organization", "/journal", "", nil, 401},
		{"anonymous", "plaza open", "", "comment", text, 401},
		{"anonymous", "plaza", "/members", "", nil, 401},
		// These callers belong to another organization.
		{"oscar", "team", "", "", nil, 404},
		{"oscar", "commons open", "", "", nil, 404},
		{"oscar", "acme organization", "", "", nil, 404},
		{"oscar", "acme organization", "/journal", "", nil, 404},
		{"oscar", "@alice", "", "", nil, 404},
		{"oscar", "open single", "", "cast_vote", vote, 404},
		{"oscar", "plaza open", "", "comment", text, 403},
		{"oscar", "plaza", "", "join", nil, 403},
		{"oscar", "acme organization", "/settings", "update_settings", param.Input{"name": "Ours"}, 404},
		{"oscar", "acme organization", "/settings", "transfer_ownership", param.Input{"member": "mia"}, 404},
		{"oscar", "acme organization", "/invitations", "invite_member", nil, 404},
		{"owl", "team", "", "", nil, 404},
		{"owl", "plaza open", "", "comment", text, 403},
		{"alice", "lab open", "", "", nil, 404},
		{"mia", "lab open", "", "", nil, 404},
		{"oscar", "role vacant", "", "assign_role", param.Input{"holder": "oscar"}, 404},
		{"oscar", "leader of plaza", "", "", nil, 404},
		{"anonymous", "plaza", "/roles", "", nil, 401},
		// These callers belong to the organization but not to the studio.
		{"carol", "team", "", "", nil, 404},
		{"carol", "note post", "", "", nil, 404},
		{"carol", "commons open", "", "", nil, 200},
		{"carol", "commons open", "", "cast_vote", vote, 403},
		{"carol", "commons open", "", "comment", text, 403},
		{"carol", "commons", "", "archive_studio", nil, 403},
		{"carol", "commons", "", "add_member", param.Input{"member": "carol"}, 403},
		{"carol", "leader of commons", "", "assign_role", param.Input{"holder": "carol"}, 403},
		{"carol", "role vacant", "", "", nil, 404},
		// These callers are ordinary members, the owner, and a former member. The owner cannot leave.
		{"carol", "acme organization", "/invitations", "", nil, 404},
		{"carol", "acme organization", "/invitations", "invite_member", nil, 404},
		{"carol", "acme organization", "/settings", "transfer_ownership", param.Input{"member": "carol"}, 403},
		{"carol", "", "/orgs", "create_organization",
			param.Input{"name": "Mine", "handle": "mine", "member": "carol"}, 403},
		{"carol", "@bob", "", "remove_member", nil, 403},
		{"carol", "@bob", "", "leave_organization", nil, 403},
		{"carol", "@frank", "", "erase_member", nil, 403},
		{"alice", "@alice", "", "leave_organization", nil, 409},
		{"alice", "@alice", "", "remove_member", nil, 409},
		{"frank", "acme organization", "", "", nil, 404},
		{"frank", "commons open", "", "", nil, 404},
		{"frank", "@frank", "", "", nil, 404},
		{"frank", "plaza open", "", "comment", text, 403},
		// These callers may not share links to the page or change its previews.
		{"anonymous", "standups", "?card=0", "", nil, 401},
		{"oscar", "standups", "", "copy_link", nil, 404},
		{"carol", "commons open", "", "copy_link", nil, 403},
		{"scribe", "standups", "", "copy_link", nil, 403},
		{"scribe", "standups", "", "revoke_link", nil, 403},
		{"erin", "standups", "", "revoke_link", nil, 403},
		{"bob", "team", "", "change_previews", param.Input{"previews": "card"}, 403},
		{"scribe", "team", "", "change_previews", param.Input{"previews": "card"}, 403},
		{"oscar", "plaza", "", "change_previews", param.Input{"previews": "off"}, 403},
		{"oscar", "lab open", "", "copy_link", nil, 409},
		// These callers belong to the studio or the organization but lack authority.
		{"erin", "note draft", "", "", nil, 404},
		{"erin", "team", "", "change_visibility", param.Input{"visibility": "public"}, 403},
		{"dave", "team", "", "add_member", param.Input{"member": "carol"}, 403},
		{"bob", "team", "/members", "remove_from_studio", param.Input{"member": "erin"}, 403},
		{"erin", "tie", "", "cast_deciding_vote", param.Input{"option": "1"}, 403},
		{"erin", "team", "", "archive_studio", nil, 403},
		{"erin", "open single", "", "close_decision", nil, 403},
		{"erin", "note post", "", "delete_note", nil, 403},
		{"erin", "note post", "", "redact", param.Input{"why": "No."}, 403},
		{"erin", "acme organization", "/settings", "update_settings", param.Input{"name": "Ours"}, 403},
		{"erin", "@bob", "", "update_profile", param.Input{"name": "Erin"}, 403},
		{"bob", "tie for erin", "", "cast_deciding_vote", param.Input{"option": "1"}, 403},
		// These callers are agents.
		{"reader", "open single", "", "cast_vote", vote, 403},
		{"reader", "note post", "", "comment", text, 403},
		{"scout", "open single", "", "close_decision", nil, 403},
		{"scribe", "acme organization", "/settings", "update_settings", param.Input{"name": "Ours"}, 403},
		{"scribe", "team", "", "archive_studio", nil, 403},
		{"scribe", "role vacant", "", "assign_role", param.Input{"holder": "alice"}, 403},
		{"scribe", "team", "", "change_visibility", param.Input{"visibility": "public"}, 403},
		{"scribe", "acme organization", "/settings", "transfer_ownership", param.Input{"member": "bob"}, 403},
		{"scribe", "acme organization", "/invitations", "invite_member", nil, 403},
		{"scout", "acme organization", "/invitations", "invite_member", nil, 404},
		{"scribe", "@bob", "", "remove_member", nil, 403},
		{"scribe", "@alice", "", "leave_organization", nil, 403},
		{"scribe", "@frank", "", "erase_member", nil, 403},
		{"scribe", "", "/orgs", "create_organization",
			param.Input{"name": "Ours", "handle": "ours", "member": "alice"}, 403},
		{"scribe", "", "/settings/tokens", "create_token", param.Input{"label": "Heir", "scopes": []any{"read"}}, 403},
		{"scribe", "note draft", "", "", nil, 200}, // the draft of Scribe's own member
		{"scout", "note draft", "", "", nil, 404},
		{"revoked", "plaza open", "", "", nil, 401},
		{"expired", "plaza open", "", "", nil, 401},
	} {
		url := c.below
		if c.fixture != "" {
			url = w.URL(c.fixture) + c.below
		}
		r := &webtest.Response{}
		if c.action == "" {
			r = w.As(c.who).Get(url, "application/json")
		} else {
			r = w.As(c.who).JSON(url, c.action, webtest.Call{Params: c.in})
		}
		if r.Status != c.want {
			t.Errorf("%s, %s%s %s: %d, want %d\n%s", c.who, c.fixture, c.below, c.action, r.Status, c.want, r.Body)
		}
		var answer struct{ Error struct{ Message string } }
		if json.Unmarshal([]byte(r.Body), &answer); c.want != 200 && answer.Error.Message == "" {
			t.Errorf("%s, %s%s %s: no reason in %s", c.who, c.fixture, c.below, c.action, r.Body)
		}
	}
}
