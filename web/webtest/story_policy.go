package webtest

import (
	"samepage/actions"
	"samepage/actions/governance"
	"samepage/actions/param"
)

// policy writes a policy for a role and names it as a fixture.
func (m *maker) policy(name, by, studio, role, title, abstract, text string) string {
	url := m.do(by, m.urls[studio]+"/policies", governance.CreatePolicy.Name, param.Input{
		"role": m.lastPart(role), "title": title, "abstract": abstract, "text": text})
	m.urls["policy "+name] = url
	return url
}

// lastPart returns the id at the end of the URL of a fixture.
func (m *maker) lastPart(name string) string {
	u := m.urls[name]
	for i := len(u) - 1; i >= 0; i-- {
		if u[i] == '/' {
			return u[i+1:]
		}
	}
	return u
}

// policies adds a policy in every state, and policies that nobody can edit.
func (m *maker) policies() {
	m.role("role treasurer", "bob", "commons", param.Input{"title": "Treasurer", "holder": "bob"})
	m.role("role caretaker", "bob", "team", param.Input{"title": "Caretaker", "holder": "erin"})
	u := m.policy("money", "bob", "commons", "role treasurer", "Spending money", "Up to 50 alone, up to 500 with one other.",
		"Whoever holds a role spends up to 50 *alone*.\n\n- up to 500 with one other\n- above that a decision")
	m.do("bob", u, governance.EditPolicy.Name, param.Input{"text": "Whoever holds a role spends up to 80 *alone*.\n\n" +
		"- up to 500 with one other\n- above that a decision", "reason": "Prices rose."})
	m.do("scribe", u, actions.Comment, param.Input{"text": "Does rent count, @bob?"})
	m.policy("keys", "erin", "team", "role caretaker", "Keys to the house", "", "Who has a key brings it back, as "+u+" says.")
	u = m.policy("retired", "bob", "commons", "role treasurer", "Receipts on paper", "Every receipt is kept on paper.",
		"For *ten* years.")
	m.do("bob", u, governance.RetirePolicy.Name, nil)
	u = m.policy("vacant", "bob", "commons", "role treasurer", "Lending tools", "Three days at most.", "Clean, and on time.")
	r := m.role("role vacated", "bob", "commons", param.Input{"title": "Toolkeeper", "holder": "mia"})
	m.do("bob", u, governance.ChangePolicyOwner.Name, param.Input{"role": r})
	m.do("mia", r, actions.VacateRole.Name, nil)
	r = m.role("role gone", "bob", "commons", param.Input{"title": "Host", "holder": "mia"})
	m.policy("handed", "mia", "commons", "role gone", "Guests", "Guests sign the book.", "At the *door*.")
	m.do("mia", r, actions.DeleteRole.Name, nil)
	m.urls["loft"] = m.do("bob", "/orgs/acme", actions.CreateStudio.Name, param.Input{"handle": "loft", "name": "Loft",
		"description": "What is under the roof."})
	m.role("role of loft", "bob", "loft", param.Input{"title": "Roofer", "holder": "bob"})
	m.policy("archived", "bob", "loft", "role of loft", "Walking on the roof", "Nobody does.", "Not even *once*.")
	m.do("bob", m.urls["loft"], actions.ArchiveStudio.Name, nil)
	u = m.policy("redacted", "bob", "commons", "role treasurer", "What the landlord owes", "A lot.", "All of *it*.")
	m.do("alice", u, actions.Redact, nil)
}
