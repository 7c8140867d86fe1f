package web_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"samepage/actions"
	"samepage/actions/governance"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/credential"
	"samepage/web/webtest"
)

// carrier is a topic that carries structural changes; u is its path.
type carrier struct {
	t *testing.T
	w *webtest.World
	u string
}

// try takes an action in the name of a member and returns the status and the answer.
func (c carrier) try(by, url, action string, in param.Input) (int, string) {
	r := c.w.As(by).PostJSON(url, action, in)
	return r.Status, r.Body
}

func (c carrier) do(by, action string, in param.Input) {
	c.t.Helper()
	if status, body := c.try(by, c.u, action, in); status != 200 {
		c.t.Fatalf("%s %s: %d %s", by, action, status, body)
	}
}

// propose lets Alice's agent create a topic that carries a new role, held by Dave.
func propose(t *testing.T, w *webtest.World, title string) carrier {
	t.Helper()
	c := carrier{t, w, ""}
	r := w.As("scribe").PostJSON(w.URL("team"), governance.CreateTopic.Name, param.Input{"title": "We need a " + title,
		"text": "Somebody counts."})
	if r.Status != 200 {
		t.Fatal(r.Body)
	}
	if err := w.Database().Get(&c.u, w.Database().Rebind(`SELECT '/studios/team/t/' || id FROM items WHERE title = ?`),
		"We need a "+title); err != nil {
		t.Fatal(err)
	}
	c.do("scribe", governance.AddChange.Name, param.Input{"page": "/studios/team/roles",
		"change": actions.CreateRole.Name,
		"values": "title: " + title + "\nholder: dave"})
	return c
}

func (c carrier) roles(title string) (n int) {
	c.w.Query(&n, `SELECT count(*) FROM roles r LEFT JOIN members m ON m.id = r.holder_id WHERE r.title = ?
		AND r.deleted_at IS NULL AND m.handle = 'dave'`, title)
	return n
}

// TestAcceptanceMakesItsChanges follows a proposal to create a role. An objection blocks it, an amendment voids the
// responses, and silence until the end of the period counts as acceptance. Acceptance creates the role in the same
// transaction, and the journal names the topic.
func TestAcceptanceMakesItsChanges(t *testing.T) {
	slow(t)
	w := webtest.Of(t, "topic")
	c := propose(t, w, "Counter")
	if c.roles("Counter") != 0 {
		t.Fatal("adding a change makes it")
	}
	c.do("alice", governance.Advance.Name, nil)
	for by, position := range map[string]string{"alice": "consent", "bob": "consent", "dave": "consent",
		"erin": "objection"} {
		c.do(by, governance.Respond.Name, param.Input{"position": position, "reason": "It counts too much."})
	}
	if status, body := c.try("alice", c.u, governance.Accept.Name, nil); status != 409 || !strings.Contains(body,
		"objection is open") {
		t.Errorf("accepted over an objection: %d %s", status, body)
	}
	c.do("alice", governance.Amend.Name, param.Input{"text": "Somebody counts once a year."})
	c.do("alice", governance.Advance.Name, nil)
	if page := w.As("bob").Ahead().Get(c.u, "text/markdown").Body; !strings.Contains(page, "0 of 4 have responded") {
		t.Errorf("responses to the earlier text still count:\n%s", page)
	}
	for _, by := range []string{"alice", "bob"} {
		c.do(by, governance.Respond.Name, param.Input{"position": "consent"})
	}
	if c.roles("Counter") != 0 {
		t.Fatal("the change is made before acceptance")
	}
	w.Clock.Advance(8 * 24 * time.Hour)
	w.Site.CloseDue(t.Context())
	if n := c.roles("Counter"); n != 1 {
		t.Errorf("%d roles after silence", n)
	}
	page := w.As("bob").Ahead().Get(c.u, "text/markdown").Body
	if !strings.Contains(page, "Accepted") || !strings.Contains(page, "where it led") {
		t.Errorf("the page does not say so:\n%s", page)
	}
	var why string
	w.Query(&why, `SELECT why FROM journal WHERE action = 'create_role' ORDER BY seq DESC LIMIT 1`)
	if why != "By consent: "+c.u {
		t.Errorf("the journal says %q", why)
	}
}

// TestAChangeThatFailsStopsAcceptance carries a change that has become impossible. Acceptance is refused with the
// reason and changes nothing, and the scheduler leaves the topic open.
func TestAChangeThatFailsStopsAcceptance(t *testing.T) {
	w := webtest.Of(t, "topic")
	c := propose(t, w, "Teller")
	c.do("alice", governance.AddChange.Name, param.Input{"page": "/studios/team/roles",
		"change": actions.CreateRole.Name,
		"values": "title: Chair\nkind: secretary\nholder: erin"})
	c.do("alice", governance.Advance.Name, nil)
	for _, by := range []string{"alice", "bob", "dave", "erin"} {
		c.do(by, governance.Respond.Name, param.Input{"position": "consent"})
	}
	if r := w.As("erin").PostJSON("/orgs/acme/members/erin", actions.LeaveOrganization.Name, nil); r.Status != 200 {
		t.Fatal(r.Body)
	}
	before := w.Digests()
	status, body := c.try("alice", c.u, governance.Accept.Name, nil)
	if status != 409 || !strings.Contains(body, "Change 2 cannot be made") {
		t.Errorf("%d %s", status, body)
	}
	if changed := webtest.Changed(before, w.Digests(), "logins"); changed != nil {
		t.Errorf("a refused acceptance changed %q", changed)
	}
	w.Clock.Advance(8 * 24 * time.Hour)
	w.Site.CloseDue(t.Context())
	if page := w.As("bob").Ahead().Get(c.u, "text/markdown").Body; !strings.Contains(page, "The time is over") ||
		c.roles("Teller") != 0 {
		t.Errorf("the scheduler accepts a part:\n%s", page)
	}
	c.do("alice", governance.RemoveChange.Name, param.Input{"change": "2"})
}

// TestOnlyAllowedChangesAreCarried adds changes that a topic cannot carry. Each is refused with the reason at the
// field. A member who does not facilitate the topic cannot add a change.
func TestOnlyAllowedChangesAreCarried(t *testing.T) {
	w := webtest.Of(t, "topic")
	c := propose(t, w, "Teller")
	for name, in := range map[string]param.Input{
		"page":   {"page": "/studios/plaza", "change": "update_studio"},
		"change": {"page": "/studios/team", "change": "leave"},
		"values": {"page": "/studios/team/roles", "change": "create_role", "values": "kind: leader\ntitle: Second"},
	} {
		if status, body := c.try("scribe", c.u, governance.AddChange.Name, in); status != 422 ||
			!strings.Contains(body, `"field":"`+name+`"`) {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
	if status, _ := c.try("erin", c.u, governance.AddChange.Name, param.Input{"page": "/studios/team",
		"change": "update_studio",
		"values": "name: Mine"}); status != 403 {
		t.Errorf("a member who does not facilitate adds a change: %d", status)
	}
}

// TestGovernanceByConsent sets the organization's governance to consent. Nobody can change the structure directly,
// not even the owner. The refusal leads to a topic, and the acceptance of the topic changes the structure.
func TestGovernanceByConsent(t *testing.T) {
	w := webtest.Of(t, "topic")
	if err := w.Store.Write(t.Context(), consents(w)); err != nil {
		t.Fatal(err)
	}
	c := propose(t, w, "Teller")
	for _, by := range []string{"alice", "bob"} {
		status, body := c.try(by, "/studios/team/roles", actions.CreateRole.Name, param.Input{"title": "Boss"})
		if status != 409 || !strings.Contains(body, "takes an accepted topic") || !strings.Contains(body,
			"/studios/team") {
			t.Errorf("%s creates a role: %d %s", by, status, body)
		}
	}
	if page := w.As("alice").Ahead().Get("/studios/team/roles", "text/markdown").Body; strings.Contains(page,
		"create_role") {
		t.Error("the page offers what only a topic may do")
	}
	c.do("alice", governance.Advance.Name, nil)
	for _, by := range []string{"alice", "bob", "dave", "erin"} {
		c.do(by, governance.Respond.Name, param.Input{"position": "consent"})
	}
	c.do("alice", governance.Accept.Name, nil)
	if c.roles("Teller") != 1 {
		t.Error("acceptance does not make the change")
	}
}

// TestPassedOnChanges escalates a topic with two changes to the parent studio. A topic there can carry the one change
// but not the other, which concerns a policy. The answer and both pages name the change that is left behind, and the
// parent studio can accept the rest.
func TestPassedOnChanges(t *testing.T) {
	w := webtest.New(t)
	if r := w.As("bob").PostJSON("/studios/shed/roles", actions.CreateRole.Name, param.Input{"title": "Shedkeeper",
		"holder": "bob"}); r.Status != 200 {
		t.Fatal(r.Body)
	}
	var role, policy string
	w.Query(&role, `SELECT id FROM roles WHERE title = 'Shedkeeper'`)
	if r := w.As("bob").PostJSON("/studios/shed/policies", governance.CreatePolicy.Name, param.Input{"role": role,
		"title": "Lending tools", "text": "Three days."}); r.Status != 200 {
		t.Fatal(r.Body)
	}
	w.Query(&policy, `SELECT '/orgs/acme/policies/' || max(number) FROM policies`)
	c := carrier{t, w, ""}
	if r := w.As("bob").PostJSON("/studios/shed", governance.CreateTopic.Name, param.Input{"title": "Lend longer",
		"text": "From a barn."}); r.Status != 200 {
		t.Fatal(r.Body)
	}
	w.Query(&c.u, `SELECT '/studios/shed/t/' || id FROM items WHERE title = 'Lend longer'`)
	c.do("bob", governance.AddChange.Name, param.Input{"page": policy, "change": governance.EditPolicy.Name,
		"values": "text: Four days.\nreason: Three is short."})
	c.do("bob", governance.AddChange.Name, param.Input{"page": "/orgs/acme", "change": actions.CreateStudio.Name,
		"values": "handle: barn\nname: Barn\ndescription: Of tools."})
	status, body := c.try("bob", c.u, governance.Escalate.Name, nil)
	if status != 200 || !strings.Contains(body,
		"Without change 1 (Edit the policy, Lending tools): A topic of Team changes only Team") ||
		strings.Contains(body, "Without change 2") {
		t.Errorf("the answer does not say what is left behind: %d %s", status, body)
	}
	const left = "not passed on**: A topic of Team changes only Team"
	if page := w.As("bob").Ahead().Get(c.u, "text/markdown").Body; strings.Count(page, "not passed on") != 1 ||
		!strings.Contains(page, left) {
		t.Errorf("the page of the topic does not say what is left behind:\n%s", page)
	}
	w.Query(&c.u, `SELECT '/studios/team/t/' || id FROM items WHERE title = 'Lend longer' AND body LIKE '%Passed on from%'`)
	page := w.As("dave").Ahead().Get(c.u, "text/markdown").Body
	if !strings.Contains(page, "Without change 1 (Edit the policy), which a topic of this studio cannot make.") ||
		!strings.Contains(page, "2. Create a studio") || strings.Contains(page, "1. Edit the policy") {
		t.Errorf("the topic of the parent studio does not say what it lacks:\n%s", page)
	}
	c.do("bob", governance.Advance.Name, nil)
	for _, by := range []string{"alice", "bob", "dave", "erin"} {
		c.do(by, governance.Respond.Name, param.Input{"position": "consent"})
	}
	c.do("bob", governance.Accept.Name, nil)
	if page := w.As("bob").Ahead().Get(policy, "text/markdown").Body; !strings.Contains(page, "> Three days.") {
		t.Errorf("the policy is changed:\n%s", page)
	}
	if r := w.As("bob").Ahead().Get("/studios/barn", "text/markdown"); r.Status != 200 {
		t.Errorf("the studio is not made: %d", r.Status)
	}
}

// TestSettingsByConsent proposes new settings of the organization. Only the owner can do that, in a browser with a
// recent login, and only in the studio that everyone is in. Acceptance changes the settings in the owner's name.
func TestSettingsByConsent(t *testing.T) {
	w := webtest.Of(t, "topic")
	c := carrier{t, w, ""}
	settings := param.Input{"page": "/orgs/acme/settings", "change": actions.UpdateSettings.Name, "values": "name: Acme Works"}
	topic := func(by, studio, title string) {
		t.Helper()
		in := param.Input{"title": title, "text": "It is longer."}
		if status, body := c.try(by, studio, governance.CreateTopic.Name, in); status != 200 {
			t.Fatal(body)
		}
		w.Query(&c.u, `SELECT '`+studio+`/t/' || id FROM items WHERE title = ?`, title)
	}
	refused := func(by, why string) {
		t.Helper()
		if status, body := c.try(by, c.u, governance.AddChange.Name, settings); status == 200 || !strings.Contains(body, why) {
			t.Errorf("%s proposes settings: %d %s", by, status, body)
		}
	}
	topic("alice", w.URL("team"), "A name for Team")
	refused("alice", "A topic of Team changes only Team")
	topic("bob", w.URL("acme"), "A name by Bob")
	refused("bob", "Only the owner, @alice, can do this.")
	topic("alice", w.URL("acme"), "A longer name")
	refused("scribe", "An agent cannot propose this")
	c.do("alice", governance.AddChange.Name, settings)
	c.do("alice", governance.AddChange.Name, param.Input{"page": w.URL("acme"), "change": actions.UpdateStudio.Name,
		"values": "description: Where everyone is."})
	if r := w.As("alice").Form(c.u, governance.Accept.Name, webtest.Call{}); r.Status == 303 {
		t.Error("accepted before anyone consents")
	}
	c.do("alice", governance.Advance.Name, nil)
	for _, by := range []string{"alice", "bob", "carol", "dave", "erin", "mia"} {
		c.do(by, governance.Respond.Name, param.Input{"position": "consent"})
	}
	c.do("alice", governance.Accept.Name, nil)
	var name string
	w.Query(&name, `SELECT name FROM organizations WHERE handle = 'acme'`)
	topic("alice", w.URL("acme"), "Later")
	browser := w.Browser(t, "alice@acme.example")
	w.Clock.Advance(credential.ProofLife + time.Minute)
	if r := browser.Post(c.u+"/actions/"+governance.AddChange.Name, url.Values{"page": {"/orgs/acme/settings"},
		"change": {actions.UpdateSettings.Name}, "values": {"name: Acme"}}); !strings.HasPrefix(r.Location(), "/login?again=1") {
		t.Errorf("the settings are proposed by somebody who signed in long ago: %d, to %q", r.Status, r.Location())
	}
	if name != "Acme Works" {
		t.Errorf("accepted, and the name is %q:\n%s", name, w.As("bob").Ahead().Get(c.u, "text/markdown").Body)
	}
}

// TestVisibilityByConsent lets Alice, who may change the visibility of Team, add such a change to a topic. Acceptance
// changes the visibility.
func TestVisibilityByConsent(t *testing.T) {
	w := webtest.Of(t, "topic")
	c := propose(t, w, "Counter")
	hide := param.Input{"page": w.URL("team"), "change": actions.ChangeVisibility.Name, "values": "visibility: members"}
	c.do("alice", governance.AddChange.Name, hide)
	c.do("alice", governance.Advance.Name, nil)
	for _, by := range []string{"alice", "bob", "dave", "erin"} {
		c.do(by, governance.Respond.Name, param.Input{"position": "consent"})
	}
	c.do("alice", governance.Accept.Name, nil)
	var seen string
	w.Query(&seen, `SELECT visibility FROM studios WHERE handle = 'team'`)
	if seen != "members" {
		t.Errorf("the studio is seen by %s", seen)
	}
}

func consents(w *webtest.World) func(tx *store.Tx) error {
	return func(tx *store.Tx) error {
		return tx.Exec(`UPDATE organizations SET governance = 'consent', version = version + 1 WHERE handle = 'acme'`)
	}
}

// TestAcceptanceOverwritesNothing carries a long text for a role. The topic shows all of it. After somebody else has
// changed the text, acceptance is refused, and the scheduler leaves the topic open.
func TestAcceptanceOverwritesNothing(t *testing.T) {
	w := webtest.Of(t, "topic")
	const title = "Gatekeeper"
	role := w.As("bob").PostJSON("/studios/team/roles", actions.CreateRole.Name, param.Input{"title": title})
	var made struct{ URL string }
	if err := json.Unmarshal([]byte(role.Body), &made); err != nil || role.Status != 200 {
		t.Fatal(role.Body)
	}
	c := propose(t, w, "Counter")
	text := "Opens."
	for i := range 30 {
		text += fmt.Sprintf("\nDuty %d of many.", i)
	}
	c.do("alice", governance.AddChange.Name, param.Input{"page": made.URL, "change": actions.UpdateRole.Name, "values": "duties: " + text})
	for _, accept := range []string{"text/markdown", "text/html"} {
		body := w.As("bob").Get(c.u, accept).Body
		for _, line := range []string{"Duty 0 of many.", "Duty 29 of many."} {
			if !strings.Contains(body, line) {
				t.Errorf("%s does not show %q", accept, line)
			}
		}
	}
	c.do("alice", governance.Advance.Name, nil)
	for _, by := range []string{"alice", "bob", "dave", "erin"} {
		c.do(by, governance.Respond.Name, param.Input{"position": "consent"})
	}
	if status, body := c.try("bob", made.URL, actions.UpdateRole.Name, param.Input{"duties": "Opens and closes."}); status != 200 {
		t.Fatal(body)
	}
	if status, body := c.try("alice", c.u, governance.Accept.Name, nil); status != 409 ||
		!strings.Contains(body, `the field duties of \"Gatekeeper\" has changed`) || c.roles("Counter") != 0 {
		t.Errorf("accepted over another's text: %d %s", status, body)
	}
	w.Clock.Advance(8 * 24 * time.Hour)
	w.Site.CloseDue(t.Context())
	if page := w.As("bob").Get(made.URL, "text/markdown").Body; !strings.Contains(page, "Opens and closes.") {
		t.Errorf("the scheduler overwrites the text:\n%s", page)
	}
}
