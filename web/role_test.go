package web_test

import (
	"encoding/json"
	"net/http"

	"strings"
	"testing"
	"time"

	"samepage/actions/param"

	"samepage/web/webtest"
)

// does takes an action and checks the status and the text of the answer.
func does(t *testing.T, c *webtest.Client, url, action string, in param.Input, status int,
	says string) *webtest.Response {
	t.Helper()
	r := c.Form(url, action, webtest.Call{Params: in, Accept: "text/markdown"})
	if text := strings.ReplaceAll(r.Body, `\`, ""); r.Status != status || !strings.Contains(text, says) {
		t.Errorf("%s: %s on %s answers %d, want %d and %q\n%s", c.Name, action, url, r.Status, status, says, r.Body)
	}
	return r
}

// listed reports whether an action is listed on a page.
func listed(t *testing.T, c *webtest.Client, url, action string) bool {
	t.Helper()
	var p jsonPage
	if r := c.Get(url, "application/json"); r.Status != http.StatusOK || json.Unmarshal([]byte(r.Body), &p) != nil {
		return false
	}
	_, ok := p.action(action)
	return ok
}

// shows reports whether a page can be read and contains the text.
func shows(c *webtest.Client, url, says string) bool {
	r := c.Get(url, "text/markdown")
	return r.Status == http.StatusOK && strings.Contains(strings.ReplaceAll(r.Body, `\`, ""), says)
}

// tells returns the number of rows in a member's inbox that are about this page and begin with the text did.
func tells(c *webtest.Client, title, url, did string) (n int) {
	for line := range strings.Lines(c.Get("/inbox", "text/markdown").Body) {
		page, what, _ := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
		page, _, _ = strings.Cut(page, ", ") // the studio follows the page
		if page == "["+title+"]("+webtest.Origin+url+")" && strings.HasPrefix(what, did+", ") {
			n++
		}
	}
	return n
}

// TestRole follows a secretary. The role gives rights and notifications, which end as soon as the member loses it.
func TestRole(t *testing.T) {
	w := webtest.New(t)
	bob, dave, erin, scout := w.As("bob"), w.As("dave"), w.As("erin"), w.As("scout")
	team, standups := w.URL("team"), w.URL("standups")
	if listed(t, dave, standups, "close_decision") || listed(t, dave, team, "add_member") {
		t.Error("who holds no role closes another's vote, or adds members where only members see")
	}
	does(t, scout, team+"/roles", "create_role", param.Input{"title": "Secretary"}, http.StatusForbidden,
		"Only a person can do this")
	does(t, bob, team+"/roles", "create_role", param.Input{"title": "Second", "kind": "leader", "holder": "nobody",
		"until": "2026-01-01"}, http.StatusUnprocessableEntity, "Team has a leader already: Leader.")
	does(t, bob, team+"/roles", "create_role", param.Input{"title": "Second", "until": "3d"},
		http.StatusUnprocessableEntity, "Only who holds the role has a term.")
	r := bob.Post(team+"/roles", "create_role",
		param.Input{"title": "Secretary", "kind": "secretary", "holder": "@dave", "until": "2d"})
	secretary := r.Location()
	if tells(dave, "Secretary", secretary, "@bob assigned") != 1 || !shows(dave, "/whoami", "[Secretary]") ||
		!shows(erin, w.URL("@dave"), "[Secretary]") {
		t.Error("Dave is not told, or not shown with his role")
	}
	if !listed(t, dave, standups, "close_decision") || !listed(t, dave, team, "add_member") ||
		listed(t, dave, team+"/members", "remove_from_studio") {
		t.Error("a secretary does not close votes and add members, or removes them")
	}
	does(t, dave, team, "add_member", param.Input{"member": "@bob"}, http.StatusUnprocessableEntity,
		"@bob is in Team already.")
	does(t, dave, team, "add_member", param.Input{"member": "@oscar"}, http.StatusUnprocessableEntity,
		"Nobody in Acme is called that.")
	does(t, dave, team, "add_member", param.Input{"member": "@carol"}, http.StatusOK, "@carol is in.")
	if tells(w.As("carol"), "Team", team, "@dave added you") != 1 {
		t.Error("Carol is not told that she was added")
	}
	w.Clock.Advance(49 * time.Hour)
	w.Site.CloseDue(t.Context())
	w.Site.CloseDue(t.Context())
	if tells(erin, "Secretary", secretary, "Samepage says the term is over") != 1 {
		t.Errorf("the studio is not told once that a term is over:\n%s", erin.Get("/inbox", "text/markdown").Body)
	}
	if !shows(bob, secretary, "goes on until the role is assigned anew") || !listed(t, dave, standups, "comment") ||
		!listed(t, dave, team, "add_member") {
		t.Error("a role does not go on when its term is over, or does not say so")
	}
	does(t, bob, secretary, "assign_role", param.Input{"holder": "erin"}, http.StatusOK, "Held by @erin since")
	if listed(t, dave, team, "add_member") || !listed(t, erin, team, "add_member") {
		t.Error("who lost a role still may what it allows, or who got it may not")
	}
	if !shows(bob, secretary, "| [@dave](/orgs/acme/members/dave) |") &&
		!shows(bob, secretary, "/orgs/acme/members/dave) |") {
		t.Error("the role does not say who held it")
	}
	does(t, erin, secretary, "delete_role", nil, http.StatusOK, "The role is deleted.")
	does(t, erin, secretary, "assign_role", param.Input{"holder": "erin"}, http.StatusConflict,
		"This role was deleted.")
}

// TestMirroredRole changes the holder of a role that the leader's role of a child studio mirrors. The new holder leads
// the child studio. When that studio leaves its parent, its leader's role mirrors no role any more.
func TestMirroredRole(t *testing.T) {
	w := webtest.New(t)
	alice, bob, carol := w.As("alice"), w.As("bob"), w.As("carol")
	source, leader := w.URL("role source"), w.URL("leader of plaza")
	does(t, bob, leader, "assign_role", param.Input{"holder": "bob"}, http.StatusConflict,
		"mirrors one of the studio above")
	does(t, alice, w.URL("plaza"), "leave", nil, http.StatusConflict,
		"You lead Plaza through a role of the studio above it.")
	does(t, bob, w.URL("plaza")+"/members", "remove_from_studio", param.Input{"member": "alice"},
		http.StatusForbidden, "Only the leader of Plaza")
	does(t, bob, source, "assign_role", param.Input{"holder": "carol"}, http.StatusOK, "Held by @carol")
	if !shows(bob, leader, "Held by @carol") || !listed(t, carol, w.URL("plaza"), "archive_studio") {
		t.Error("the role that mirrors another is not held by whom that is held, or gives nothing")
	}
	journal := carol.Get("/orgs/acme/journal?studio=plaza", "text/markdown").Body
	if !strings.Contains(journal, "@bob assigned [Keeper of the plaza]") {
		t.Errorf("the journal of the studio below says nothing:\n%s", journal)
	}
	does(t, alice, w.URL("plaza")+"/members", "remove_from_studio", param.Input{"member": "carol"},
		http.StatusUnprocessableEntity, "They lead Plaza through a role of the studio above it.")
	does(t, bob, w.URL("plaza"), "update_studio", param.Input{"parent": ""}, http.StatusOK,
		"Its leader mirrors no role any more.")
	does(t, alice, w.URL("plaza")+"/members", "remove_from_studio", param.Input{"member": "mia"},
		http.StatusOK, "@mia is no longer in.")
	does(t, bob, leader, "assign_role", param.Input{"holder": "bob"}, http.StatusOK, "Held by @bob")
	if !shows(bob, source, "Held by @carol") {
		t.Error("a role that stands alone changes the one that it mirrored")
	}
}

// TestLeavingLeavesRoles lets the holder of a role leave a studio. The leader of the parent studio gets the role and
// is notified. An agent cannot give up a role of its member.
func TestLeavingLeavesRoles(t *testing.T) {
	w := webtest.New(t)
	bob, erin := w.As("bob"), w.As("erin")
	garden := w.URL("garden")
	does(t, bob, w.URL("commons"), "leave", nil, http.StatusOK, "You have left.")
	if !shows(erin, w.URL("leader of commons"), "Vacant.") {
		t.Error("with nobody above, the role is not vacant")
	}
	does(t, erin, w.URL("leader of commons"), "assign_role", param.Input{"holder": "erin"}, http.StatusForbidden,
		"Only members of Commons")
	does(t, w.As("mia"), w.URL("leader of commons"), "assign_role", param.Input{"holder": "mia"}, http.StatusOK,
		"Held by @mia")
	does(t, erin, garden, "leave", nil, http.StatusOK, "You have left.")
	if !shows(w.As("mia"), w.URL("leader of garden"), "@mia stands in since") ||
		tells(w.As("mia"), "Leader", w.URL("leader of garden"), "@erin left you to stand in") != 1 {
		t.Error("the leader above does not stand in, or is not told")
	}
	does(t, w.As("mia"), garden+"/members", "remove_from_studio", param.Input{"member": "@mia"},
		http.StatusUnprocessableEntity, "That is you.")
	does(t, w.As("mia"), garden+"/members", "remove_from_studio", param.Input{"member": "@bob"}, http.StatusOK,
		"@bob is no longer in.")
	if tells(w.As("bob"), "Garden", garden, "@mia took you out") != 1 {
		t.Error("who is taken out is not told")
	}
	does(t, w.As("mia"), garden, "add_member", param.Input{"member": "@bob"}, http.StatusOK, "@bob is in.")
	does(t, w.As("mia"), garden, "change_visibility", param.Input{"visibility": "members"}, http.StatusOK,
		"Only its members see it now.")
	does(t, w.As("mia"), garden+"/members", "remove_from_studio", param.Input{"member": "@bob"}, http.StatusOK,
		"@bob is no longer in.")
	if tells(w.As("bob"), "Garden", "/orgs/acme/studios", "@mia took you out") != 1 {
		t.Error("who is taken out of what only its members see is not told, or is led to where they may not go")
	}
	does(t, w.As("scribe"), w.URL("team"), "leave", nil, http.StatusForbidden,
		"Only a person can leave a studio that its members alone see")
}

// TestVisibility narrows the visibility of a studio. The change takes effect on the next request. A page does not
// name a parent studio that the actor may not see.
func TestVisibility(t *testing.T) {
	w := webtest.New(t)
	alice, bob, carol, mia := w.As("alice"), w.As("bob"), w.As("carol"), w.As("mia")
	commons := w.URL("commons")
	does(t, mia, w.URL("leader of commons"), "update_role", param.Input{"title": "First among equals"}, http.StatusOK,
		"First among equals")
	if !shows(carol, commons, "Commons") || !shows(carol, "/orgs/acme/studios", "Commons") ||
		!shows(carol, w.URL("plaza"), "Commons") {
		t.Error("Carol does not see what everyone sees")
	}
	does(t, alice, w.URL("garden"), "change_visibility", param.Input{"visibility": "members"},
		http.StatusUnprocessableEntity, "You are not in Garden")
	does(t, carol, commons, "change_visibility", param.Input{"visibility": "public"}, http.StatusForbidden,
		"Only the leader and the secretary of Commons")
	does(t, bob, commons, "change_visibility", param.Input{"visibility": "members"}, http.StatusOK,
		"Only its members see it now.")
	for _, url := range []string{"/orgs/acme/studios", "/orgs/acme/roles", "/orgs/acme", w.URL("plaza"),
		w.URL("plaza") + "/roles", w.URL("leader of plaza"), w.URL("@bob")} {
		if r := carol.Get(url, "text/markdown"); r.Status != http.StatusOK ||
			strings.Contains(strings.ToLower(r.Body), "commons") {
			t.Errorf("%s names a studio that its reader may not see:\n%s", url, r.Body)
		}
	}
	if r := carol.Get(commons, "text/markdown"); r.Status != http.StatusNotFound {
		t.Errorf("a studio that one may no longer see answers %d", r.Status)
	}
	// Carol joins a studio below Commons and changes it. The studio stays below Commons, which Carol does not see.
	does(t, carol, w.URL("garden"), "join", nil, http.StatusOK, "You are in.")
	if form := carol.Get(w.URL("garden")+"/actions/update_studio", "text/html"); strings.Contains(form.Body,
		"commons") || strings.Contains(form.Body, `name="parent"`) {
		t.Error("the form names a parent that its reader may not see")
	}
	does(t, carol, w.URL("garden"), "update_studio", param.Input{"name": "Vegetable garden", "parent": ""},
		http.StatusOK, "The studio is changed.")
	if !shows(bob, w.URL("garden"), "[Commons]") {
		t.Error("who may not see the parent has taken the studio from under it")
	}
	if r := carol.Get("/orgs/acme/journal?studio=garden",
		"text/markdown"); strings.Contains(strings.ToLower(r.Body), "commons") {
		t.Error("the journal names a parent that its reader may not see")
	}
}

// TestCastingVoteOfARole checks that the casting vote belongs to the member who held the role when the vote closed, and
// not to later holders.
func TestCastingVoteOfARole(t *testing.T) {
	w := webtest.New(t)
	bob, erin, dave := w.As("bob"), w.As("erin"), w.As("dave")
	does(t, bob, w.URL("role referee"), "assign_role", param.Input{"holder": "dave"}, http.StatusOK, "Held by @dave")
	does(t, dave, w.URL("role tie"), "cast_deciding_vote", param.Input{"option": "1"}, http.StatusForbidden,
		"Only @erin has the casting vote.")
	does(t, bob, w.URL("role tie"), "cast_deciding_vote", param.Input{"option": "1"}, http.StatusForbidden,
		"Only @erin has the casting vote.")
	does(t, erin, w.URL("role tie"), "cast_deciding_vote", param.Input{"option": "1"}, http.StatusOK,
		"Decided by the casting vote of @erin: Yes")
	does(t, bob, w.URL("role vacant tie"), "cast_deciding_vote", param.Input{"option": "2"}, http.StatusOK,
		"Decided by the casting vote of @bob: No")
	does(t, bob, w.URL("team"), "create_decision", param.Input{"question": "?", "options": "a\nb",
		"casting_vote": "the king"}, http.StatusUnprocessableEntity,
		"Team has no member @the king, nor a role of that title.")
	if !shows(erin, w.URL("role casts"), "role Greeter when it closes, now vacant: then of @bob, who asked") {
		t.Error("the page does not say who would have the casting vote")
	}
	does(t, bob, w.URL("role vacant"), "assign_role", param.Input{"holder": "dave"}, http.StatusOK, "Held by @dave")
	if !shows(erin, w.URL("role casts"), "role Greeter when it closes, now @dave") {
		t.Error("the page does not say who has the casting vote now")
	}
}

// TestTokenOfOneRole creates a token for one role of its member. The token has only this role.
func TestTokenOfOneRole(t *testing.T) {
	w := webtest.New(t)
	role := w.URL("leader of plaza")
	id := role[strings.LastIndexByte(role, '/')+1:]
	r := w.As("alice").JSON("/settings/tokens", "create_token",
		webtest.Call{Params: param.Input{"label": "Planter", "scopes": []any{"read"}, "roles": []any{id}}})
	var made struct{ Secret string }
	if err := json.Unmarshal([]byte(r.Body), &made); err != nil || made.Secret == "" {
		t.Fatal(r.Status, r.Body)
	}
	who := w.Bearer(made.Secret).Get("/whoami", "text/markdown").Body
	_, roles, _ := strings.Cut(who, "- **Roles**: ")
	roles, _, _ = strings.Cut(roles, "\n")
	if !strings.Contains(roles, role+")") || strings.Count(roles, "/roles/") != 1 || strings.Count(who, "/roles/") != 1 ||
		!strings.Contains(who, "uses 1 role of its member's") {
		t.Error(who)
	}
	if r := w.As("erin").JSON("/settings/tokens", "create_token", webtest.Call{Params: param.Input{"label": "Thief",
		"scopes": []any{"read"}, "roles": []any{id}}}); r.Status != 422 {
		t.Errorf("a role of another: %d %s", r.Status, r.Body)
	}
}
