package clients

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"samepage/store/pgtest"
)

// takes opens the page of an action with its fields filled in, as a link from another person does, and submits it.
func (h hand) takes(w *world, page, action string, values url.Values) {
	h.t.Helper()
	h.visit(w.url + page + "/actions/" + action + "?" + values.Encode())
	h.submit(action)
}

// cannot checks that the person's current page does not offer the action.
func (h hand) cannot(action string) {
	h.t.Helper()
	if eval[bool](h.browser, `!!document.querySelector('a[href$="/`+action+`"], form[action$="/`+action+`"]')`) {
		h.t.Errorf("%s offers %s:\n%s", h.address(), action, h.text())
	}
}

// refused checks that an action of the agent is refused. The refusal must contain the text in the argument why.
func (a *agent) refused(page, action, why string) {
	a.t.Helper()
	text, failed := a.call("execute_action", map[string]any{"url": page, "action": action})
	if !failed {
		a.t.Fatalf("%s did %s: %s", a.name, action, text)
	}
	contains(a.t, "the refusal of "+action, text, why, "Nothing was changed.")
}

// lacks checks that a text contains none of the words.
func lacks(t *testing.T, what, text string, unwanted ...string) {
	t.Helper()
	for _, no := range unwanted {
		if strings.Contains(text, no) {
			t.Errorf("%s says %q:\n%s", what, no, text)
		}
	}
}

const roles = "/studios/team/roles"

// TestConsentOfAPersonsProposal tells how Bob proposes a role for the ladders in Chromium, in a topic that carries
// the role. Alice's agent objects through MCP, so the proposal is not accepted, not even at the end of the period.
// Bob amends the proposal, which voids the responses. Then two members consent and the others are silent. The end of
// the period accepts the proposal and creates the role.
func TestConsentOfAPersonsProposal(t *testing.T) {
	t.Parallel()
	pgtest.Folder(t, "it is about the browser, and moves a deadline in the file")
	w := newWorld(t)
	scribe := w.overHTTP("Secretary bird", w.governs("alice", "Secretary bird"))
	bob := mouse(open(t).login(w, "bob"))
	bob.takes(w, "/studios/team", "create_topic", url.Values{"title": {"Somebody keeps the ladders"},
		"text": {"We lend them to neighbours, for a week."}, "period": {"2h"}, "quorum": {"30"}})
	bob.sees("Somebody keeps the ladders", "Clarification")
	topic := strings.TrimPrefix(bob.address(), w.url)
	bob.takes(w, topic, "add_change", url.Values{"page": {roles}, "change": {"create_role"},
		"values": {"title: Ladder keeper\nholder: @dave\nmission: Knows where each ladder is."}})
	bob.sees("The topic carries the change: Create a role", "Ladder keeper")
	bob.takes(w, topic, "advance_topic", nil)
	bob.sees("0 of 6 have responded")

	// Four members consent, Bob among them with the form on the page, and one objects.
	for member, label := range map[string]string{"carol": "Pilot", "dave": "Lens", "erin": "Quill"} {
		said := w.overHTTP(label, w.governs(member, label)).act(topic, "respond_to_topic",
			map[string]any{"position": "consent"}, "")
		contains(t, "what "+label+" was told", said, "You consent.")
	}
	bob.tap("#f-respond_to_topic-position-1")
	bob.submit("respond_to_topic")
	bob.sees("4 of 6 have responded")
	said := scribe.act(topic, "respond_to_topic", map[string]any{"position": "objection",
		"reason": "In a week nobody here can reach the roof."}, "Alice asked me to look out for the roof.")
	contains(t, "what the objector was told", said, "You object.", "cannot be accepted until your objection is settled")
	bob.sees("5 of 6 have responded, 1 objection is open", "In a week nobody here can reach the roof.")
	bob.visit(w.url + topic)
	bob.cannot("accept_topic")
	person := w.signIn("bob")
	blocked := func(when string) {
		t.Helper()
		if status, _, text := person.tries(topic, "accept_topic", nil); status != 409 ||
			!strings.Contains(text, "An objection is open, so this cannot be accepted.") {
			t.Errorf("%s, Bob accepts over an objection: %d %s", when, status, text)
		}
		scribe.refused(topic, "accept_topic", "Only a person can do this")
		lacks(t, "the list of roles "+when, scribe.navigate(roles), "Ladder keeper")
	}
	blocked("within the period")
	w.passes(topic)
	bob.until(`document.querySelector("main").innerText.includes("until the objection is settled")`)
	blocked("after the period")

	// An amendment voids the responses to the earlier text.
	bob.takes(w, topic, "amend_topic", url.Values{"title": {"Somebody keeps the ladders"},
		"text": {"We lend them to neighbours, for a day."}})
	bob.sees("Responses to the earlier text do not count any more: 5.", "for a day.")
	page := scribe.navigate(topic)
	contains(t, "the amended topic", page, "for a day.", "**Clarification**, now")
	lacks(t, "the amended topic", page, "1 objection", "## Responses", "nobody here can reach the roof")
	if params(page, "respond_to_topic") != nil {
		t.Error("an amended topic takes responses before it is clarified")
	}
	contains(t, "the briefing", scribe.navigate(topic+"/briefing"), "for a day.")
	bob.takes(w, topic, "advance_topic", nil)
	bob.sees("0 of 6 have responded")

	// Two members respond. At the end of the period that is enough, because silence is no objection.
	scribe.act(topic, "respond_to_topic", map[string]any{"position": "consent", "reason": "A day is fine."}, "")
	bob.tap("#f-respond_to_topic-position-1")
	bob.submit("respond_to_topic")
	bob.sees("2 of 6 have responded")
	bob.cannot("accept_topic")
	if status, _, text := person.tries(topic, "accept_topic", nil); status != 409 || !strings.Contains(text,
		"2 of 6 have responded.") {
		t.Errorf("it is accepted before the others could respond: %d %s", status, text)
	}
	w.passes(topic)
	bob.until(`document.querySelector("main").innerText.includes("Nobody objects. 2 of 6 responded.")`)
	w.hasRole(scribe, topic, "Ladder keeper", "@dave")
	bob.visit(w.url + roles)
	bob.follow("Ladder keeper")
	bob.sees("Held by @dave", "Knows where each ladder is.")
	bob.quiet("the consent of a person's proposal")
}

// hasRole checks that the acceptance of a topic has created a role, and that the journal names the topic.
func (w *world) hasRole(a *agent, topic, title, holder string) {
	w.t.Helper()
	list := a.navigate(roles)
	contains(w.t, "the list of roles", list, title, holder)
	contains(w.t, "the role", a.navigate(links(list)[title]), "Held by "+holder)
	contains(w.t, "the topic", a.navigate(topic), "Accepted", title, "where it led")
	contains(w.t, "the journal", a.navigate("/orgs/meadow/journal"), "By consent: "+topic)
}

var personsLink = regexp.MustCompile(`\((http://[^)]+/actions/advance_topic)\)`)

// TestConsentOfAnAgentsProposal tells how Alice's agent proposes a role through MCP, in a topic that carries it. Only
// a person may start the consent phase, so the agent hands Alice the link. Bob objects in Chromium. Only a person may
// take the topic back to clarification. Then the agent amends the proposal, and Bob's page follows. In the second
// round nobody objects, and the end of the period creates the role.
func TestConsentOfAnAgentsProposal(t *testing.T) {
	t.Parallel()
	pgtest.Folder(t, "it is about the browser, and moves a deadline in the file")
	w := newWorld(t)
	scribe := w.overStdio("Secretary bird", w.governs("alice", "Secretary bird"))
	said := scribe.act("/studios/team", "create_topic", map[string]any{"title": "Somebody feeds the birds",
		"text": "Every day, at eight.", "period": "1h", "quorum": 30}, "Alice wants the birds to be fed.")
	contains(t, "what the agent was told", said, "The proposal is made.")
	topic := scribe.find("Somebody feeds the birds")
	scribe.act(topic, "add_change", map[string]any{"page": roles, "change": "create_role",
		"values": "title: Bird keeper\nholder: @erin\nmission: No bird goes hungry."}, "")
	page := scribe.navigate(topic)
	if params(page, "advance_topic") != nil {
		t.Error("an agent is offered to begin the consent")
	}
	scribe.refused(topic, "advance_topic", "Only a person can do this")
	link := personsLink.FindStringSubmatch(page)
	if link == nil {
		t.Fatalf("the agent has no link for a person:\n%s", page)
	}
	alice, bob := mouse(open(t).login(w, "alice")), mouse(open(t).login(w, "bob"))
	bob.visit(w.url + topic)
	alice.visit(link[1])
	alice.submit("advance_topic")
	alice.sees("0 of 6 have responded")
	bob.until(`document.querySelector("main").innerText.includes("0 of 6 have responded")`)
	bob.visit(w.url + topic)
	bob.tap("#f-respond_to_topic-position-3")
	bob.write("#f-respond_to_topic-reason", "At eight the cats are about.")
	bob.submit("respond_to_topic")
	bob.sees("1 of 6 have responded, 1 objection is open", "At eight the cats are about.")
	contains(t, "what the agent reads", scribe.navigate(topic), "At eight the cats are about.", "1 objection is open")
	alice.visit(w.url + topic)
	alice.cannot("accept_topic")
	scribe.refused(topic, "amend_topic", "only a person can change it now")
	alice.takes(w, topic, "step_back", nil)
	alice.sees("The topic is in the phase clarification.")
	said = scribe.act(topic, "amend_topic", map[string]any{"text": "Every day, at noon."}, "So that the cats sleep.")
	contains(t, "what the agent was told", said, "The proposal is changed.")
	bob.until(`document.querySelector("main").innerText.includes("at noon.")`)
	bob.cannot("respond_to_topic")
	lacks(t, "Bob's page", bob.text(), "1 objection")
	alice.takes(w, topic, "advance_topic", nil)
	bob.until(`document.querySelector("main").innerText.includes("0 of 6 have responded")`)
	bob.visit(w.url + topic)
	bob.tap("#f-respond_to_topic-position-1")
	bob.submit("respond_to_topic")
	scribe.act(topic, "respond_to_topic", map[string]any{"position": "stand_aside", "reason": "Alice has a cat."}, "")
	lacks(t, "the list of roles", scribe.navigate(roles), "Bird keeper")
	w.passes(topic)
	bob.until(`document.querySelector("main").innerText.includes("Nobody objects. 2 of 6 responded.")`)
	w.hasRole(scribe, topic, "Bird keeper", "@erin")
	alice.quiet("the consent that Alice began")
	bob.quiet("the consent in which Bob objected")
}
