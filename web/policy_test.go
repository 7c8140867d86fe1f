package web_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"samepage/actions"
	"samepage/actions/governance"
	"samepage/actions/param"
	"samepage/store"
	"samepage/web/webtest"
)

// rule creates a policy for the role of a fixture in Commons, and returns the status and the answer.
func rule(w *webtest.World, by, role, title string) (int, string) {
	u := w.URL(role)
	r := w.As(by).PostJSON(w.URL("commons")+"/policies", governance.CreatePolicy.Name,
		param.Input{"role": u[strings.LastIndexByte(u, '/')+1:], "title": title, "text": "It *holds*."})
	return r.Status, r.Body
}

// TestPolicyNumbers creates policies at the same time. Some are refused, and agents may create none. The numbers have
// no gaps and no duplicates. A retired or redacted policy keeps its number.
func TestPolicyNumbers(t *testing.T) {
	w := webtest.Of(t, "policy")
	var wait sync.WaitGroup
	var before int
	w.Query(&before, `SELECT max(number) FROM policies`)
	for i := range 24 {
		wait.Go(func() {
			title := fmt.Sprint("Rule ", i)
			switch {
			case i%4 == 1:
				title = strings.Repeat("x", 5000) // too long
			case i%4 == 2:
				if status, _ := rule(w, "scout", "role treasurer", title); status != 403 {
					t.Errorf("an agent writes a policy: %d", status)
				}
				return
			}
			status, body := rule(w, "bob", "role treasurer", title)
			if refused := i%4 == 1; (status == 422) != refused || status != 200 && !refused {
				t.Errorf("%d: %d %s", i, status, body)
			}
		})
	}
	wait.Wait()
	for _, gone := range []struct{ by, action string }{{"bob", governance.RetirePolicy.Name}, {"alice",
		actions.Redact}} {
		if r := w.As(gone.by).PostJSON(fmt.Sprint("/orgs/acme/policies/", before+12), gone.action,
			nil); r.Status != 200 {
			t.Fatal(r.Body)
		}
	}
	if status, body := rule(w, "bob", "role treasurer", "The last"); status != 200 ||
		!strings.Contains(body, fmt.Sprint("/orgs/acme/policies/", before+13)) {
		t.Errorf("the next policy: %d %s", status, body)
	}
	var n, distinct, most int
	w.Query(&n, `SELECT count(*) FROM policies`)
	w.Query(&distinct, `SELECT count(DISTINCT number) FROM policies`)
	w.Query(&most, `SELECT max(number) FROM policies`)
	if n != before+13 || distinct != n || most != n {
		t.Errorf("%d policies have %d numbers up to %d", n, distinct, most)
	}
}

// TestPolicyOutlivesItsStudio archives the studio of a policy's role. The policy can still be read and found, but not
// edited or retired. The owner of the organization can give it to a role elsewhere, whose holder can then edit it.
func TestPolicyOutlivesItsStudio(t *testing.T) {
	w := webtest.Of(t, "policy")
	u := w.URL("policy archived")
	for _, by := range []string{"carol", "alice", "bob", "scout"} {
		page := w.As(by).Ahead().Get(u, "text/markdown")
		if page.Status != 200 || !strings.Contains(page.Body, "Not even *once*") || !strings.Contains(page.Body,
			"archived") {
			t.Errorf("%s reads: %d\n%s", by, page.Status, page.Body)
		}
		if list := w.As(by).Ahead().Get("/orgs/acme/policies", "text/markdown").Body; !strings.Contains(list,
			"Walking on the roof") {
			t.Errorf("%s does not find it in the list:\n%s", by, list)
		}
	}
	for _, name := range []string{governance.EditPolicy.Name, governance.RetirePolicy.Name} {
		for _, by := range []string{"alice", "bob"} {
			r := w.As(by).PostJSON(u, name, param.Input{"text": "Otherwise.", "reason": "So."})
			if r.Status != 409 || !strings.Contains(r.Body, "archived") {
				t.Errorf("%s does %s: %d %s", by, name, r.Status, r.Body)
			}
		}
	}
	give := func(by, role string) int {
		return w.As(by).PostJSON(u, governance.ChangePolicyOwner.Name, param.Input{"role": role}).Status
	}
	if status := give("carol", w.URL("role treasurer")); status != 403 {
		t.Errorf("a member gives it away: %d", status)
	}
	if status := give("alice", "/studios/loft"); status != 422 {
		t.Errorf("it goes to another role of an archived studio: %d", status)
	}
	if status := give("alice", "/studios/commons"); status != 200 {
		t.Errorf("the owner of the organization gives it away: %d", status)
	}
	if r := w.As("bob").PostJSON(u, governance.EditPolicy.Name, param.Input{"text": "Otherwise.",
		"reason": "So."}); r.Status != 200 {
		t.Errorf("its new holder edits it: %d %s", r.Status, r.Body)
	}
}

// TestRetiredPolicyStays tries to change a retired policy as the holder of its role, as the owner of the organization
// and as agents. Nobody can, but the holder can reinstate it.
func TestRetiredPolicyStays(t *testing.T) {
	w := webtest.Of(t, "policy")
	u := w.URL("policy retired")
	for _, by := range []string{"bob", "alice", "scribe", "scout"} {
		for name, in := range map[string]param.Input{governance.EditPolicy.Name: {"text": "Never.", "reason": "So."},
			governance.ChangePolicyOwner.Name: {"role": "/studios/commons"}, governance.RetirePolicy.Name: nil} {
			if r := w.As(by).PostJSON(u, name, in); r.Status != 409 && r.Status != 403 {
				t.Errorf("%s does %s: %d %s", by, name, r.Status, r.Body)
			}
		}
	}
	if r := w.As("bob").PostJSON(u, governance.ReinstatePolicy.Name, nil); r.Status != 200 {
		t.Fatal(r.Body)
	}
	page := w.As("carol").Ahead().Get(u, "text/markdown").Body
	if !strings.Contains(page, "In force") || !strings.Contains(page, "For *ten* years.") {
		t.Error(page)
	}
}

// TestDeletedRoleHandsItsPoliciesOver checks that the policies of a deleted role go to the leader of the studio.
// If the leader's own role is deleted, the policies have no owner until the owner of the organization gives them
// to a role. The leader, or in that case the owner of the organization, is notified, and the journal has the
// change.
func TestDeletedRoleHandsItsPoliciesOver(t *testing.T) {
	w := webtest.Of(t, "policy")
	inbox := w.As("bob").Ahead().Get("/inbox", "text/markdown").Body
	if !strings.Contains(inbox, "gave to your role") || !strings.Contains(inbox, "/orgs/acme/policies/5") {
		t.Errorf("the leader is not told:\n%s", inbox)
	}
	journal := w.As("carol").Ahead().Get("/orgs/acme/journal?action=change_policy_owner", "text/markdown").Body
	if !strings.Contains(journal, "Guests") {
		t.Errorf("the journal does not have it:\n%s", journal)
	}
	u := w.URL("leader of commons") // the policies of the leader's role cannot go to another role
	r := w.As("bob").PostJSON(u, actions.DeleteRole.Name, nil)
	if r.Status != 200 || !strings.Contains(r.Body,
		"stays as it is until the organization's owner gives it to a role") {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	guests := w.URL("policy handed")
	inbox = w.As("alice").Ahead().Get("/inbox", "text/markdown").Body
	if !strings.Contains(inbox, "@bob left without an owner") || !strings.Contains(inbox, guests) {
		t.Errorf("the owner of the organization is not told:\n%s", inbox)
	}
	journal = w.As("carol").Ahead().Get("/orgs/acme/journal?action=orphan_policy", "text/markdown").Body
	if !strings.Contains(journal, "@bob left without an owner") || !strings.Contains(journal, "Guests") {
		t.Errorf("the journal does not have it:\n%s", journal)
	}
	for by, want := range map[string]int{"bob": 409, "alice": 409} {
		if r := w.As(by).PostJSON(guests, governance.EditPolicy.Name, param.Input{"text": "No.",
			"reason": "So."}); r.Status != want {
			t.Errorf("%s edits it: %d %s", by, r.Status, r.Body)
		}
	}
	if r := w.As("alice").PostJSON(guests, governance.ChangePolicyOwner.Name,
		param.Input{"role": w.URL("role treasurer")}); r.Status != 200 {
		t.Errorf("the owner of the organization gives it to a role: %s", r.Body)
	}
}

// TestBriefingHasOwnPolicies reads the briefings of members. Only a member whose role owns policies has them there.
func TestBriefingHasOwnPolicies(t *testing.T) {
	w := webtest.Of(t, "policy")
	for _, form := range []string{"text/html", "text/markdown"} {
		for who, owns := range map[string]bool{"bob": true, "dave": false} {
			page := w.As(who).Ahead().Get("/orgs/acme/briefing", form).Body
			if strings.Contains(page, "Policies you own") != owns || strings.Contains(page, "Spending money") != owns {
				t.Errorf("%s reads, as %s:\n%s", who, form, page)
			}
		}
	}
}

// TestTopicChangesPolicies lets topics change policies under governance by consent. A topic changes only the policies
// of its own studio, and the role's holder may still edit the text directly.
func TestTopicChangesPolicies(t *testing.T) {
	w := webtest.Of(t, "policy")
	if err := w.Store.Write(t.Context(), consents(w)); err != nil {
		t.Fatal(err)
	}
	money := w.URL("policy money")
	for name, in := range map[string]param.Input{governance.RetirePolicy.Name: nil,
		governance.ChangePolicyOwner.Name: {"role": "/studios/commons"}} {
		if r := w.As("bob").PostJSON(money, name, in); r.Status != 409 || !strings.Contains(r.Body,
			"takes an accepted topic") {
			t.Errorf("bob does %s: %d %s", name, r.Status, r.Body)
		}
	}
	if status, body := rule(w, "bob", "role treasurer", "Mine"); status != 409 || !strings.Contains(body,
		"takes an accepted topic") {
		t.Errorf("bob writes one: %d %s", status, body)
	}
	if r := w.As("bob").PostJSON(money, governance.EditPolicy.Name, param.Input{"text": "As I say.",
		"reason": "So."}); r.Status != 200 {
		t.Errorf("the holder edits: %d %s", r.Status, r.Body)
	}
	topic := func(by, studio string) carrier {
		r := w.As(by).PostJSON(w.URL(studio), governance.CreateTopic.Name, param.Input{"title": "Rules",
			"text": "New ones."})
		if r.Status != 200 {
			t.Fatal(r.Body)
		}
		var id string
		w.Query(&id,
			`SELECT i.id FROM items i JOIN studios s ON s.id = i.studio_id WHERE i.title = 'Rules' AND s.handle = ?`, studio)
		return carrier{t, w, "/studios/" + studio + "/t/" + id}
	}
	other := topic("alice", "team")
	if status, body := other.try("alice", other.u, governance.AddChange.Name,
		param.Input{"page": money, "change": governance.RetirePolicy.Name}); status != 422 {
		t.Errorf("a topic of another studio retires it: %d %s", status, body)
	}
	c := topic("mia", "commons")
	treasurer := w.URL("role treasurer")
	for _, in := range []param.Input{
		{"page": w.URL("commons") + "/policies", "change": governance.CreatePolicy.Name, "values": "role: " +
			treasurer[strings.LastIndexByte(treasurer, '/')+1:] + "\ntitle: Sharing\ntext: We share."},
		{"page": w.URL("policy vacant"), "change": governance.EditPolicy.Name,
			"values": "text: Four days.\nreason: Three is short."},
		{"page": w.URL("policy handed"), "change": governance.ChangePolicyOwner.Name, "values": "role: " + treasurer},
		{"page": money, "change": governance.RetirePolicy.Name}} {
		c.do("mia", governance.AddChange.Name, in)
	}
	c.do("mia", governance.Advance.Name, nil)
	for _, by := range []string{"alice", "bob", "mia"} {
		c.do(by, governance.Respond.Name, param.Input{"position": "consent"})
	}
	c.do("mia", governance.Accept.Name, nil)
	for u, says := range map[string]string{money: "Retired", w.URL("policy vacant"): "> Four days.",
		w.URL("policy handed"): "[Treasurer]", "/orgs/acme/policies/8": "> We share."} {
		if page := w.As("carol").Ahead().Get(u, "text/markdown").Body; !strings.Contains(page, says) {
			t.Errorf("%s does not say %q:\n%s", u, says, page)
		}
	}
}

// TestStudioPoliciesAreBrief creates long policies, and reads the list of the studio as an agent. The list has at
// most 4,000 characters, and links to the texts that are cut.
func TestStudioPoliciesAreBrief(t *testing.T) {
	w := webtest.Of(t, "policy")
	long := strings.Repeat("A line that says little, and then a little more.\n\n", 200)
	for i := range 30 {
		u := w.URL("role treasurer")
		r := w.As("bob").PostJSON(w.URL("commons")+"/policies", governance.CreatePolicy.Name, param.Input{
			"role": u[strings.LastIndexByte(u, '/')+1:], "title": fmt.Sprint("Long rule ", i), "text": long})
		if r.Status != 200 {
			t.Fatal(r.Body)
		}
		page := w.As("reader").Get(w.URL("commons")+"/policies", "text/markdown").Body
		if n := utf8.RuneCountInString(page); n > 4000 || n < 1000 {
			t.Fatalf("with %d long policies the page has %d characters:\n%s", i+1, n, page)
		}
		if !strings.Contains(page, "Cut here:") && !strings.Contains(page, "longer than shown") {
			t.Fatalf("the page does not say what is cut:\n%s", page)
		}
	}
	whole := w.As("reader").Get(w.URL("commons")+"/policies?full=1", "text/markdown").Body
	if !strings.Contains(whole, "Long rule 29") || len(whole) < 30*len(long) {
		t.Errorf("the whole page has %d bytes", len(whole))
	}
}

// TestPolicyIsForMembers requests policies at every address as outsiders. The outsiders find none.
func TestPolicyIsForMembers(t *testing.T) {
	w := webtest.Of(t, "policy")
	for _, by := range []string{"anonymous", "oscar", "owl"} {
		for _, u := range []string{"/orgs/acme/policies", w.URL("policy money"), w.URL("policy money") + "/versions/2",
			"/studios/commons/policies", "/studios/plaza/policies"} {
			if status := w.As(by).Ahead().Get(u, "text/markdown").Status; status != 404 && status != 401 {
				t.Errorf("%s reads %s: %d", by, u, status)
			}
		}
	}
	if r := w.As("carol").Ahead().Get("/orgs/acme/policies/01", "text/markdown"); r.Status != 404 {
		t.Errorf("a number has two addresses: %d", r.Status)
	}
	if got := store.Links("see /orgs/acme/policies/12, `/orgs/acme/policies/13` and /orgs/acme/roles/14"); fmt.Sprint(got) != "[acme-12]" {
		t.Errorf("the links of a text: %v", got)
	}
}
