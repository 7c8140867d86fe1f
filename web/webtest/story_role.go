package webtest

import (
	"strings"

	"samepage/actions"
	"samepage/actions/param"
	"samepage/store"
)

// roles adds roles in every state. The holder of a role in Commons leads Plaza. Dave has left the studio Garden, so
// Bob, the leader of its parent Commons, holds Dave's role in Garden.
func (m *maker) roles() {
	m.role("role vacant", "alice", "team", param.Input{"title": "Greeter", "mission": "Nobody stays a stranger.",
		"duties": "- write to who is *new*\n- show them around"})
	m.role("role over", "alice", "team",
		param.Input{"title": "Bookkeeper", "mission": "Money is where it should be.", "holder": "bob", "until": "2h"})
	m.role("role referee", "bob", "team", param.Input{"title": "Referee", "kind": "referee", "holder": "erin"})
	u := m.role("role deleted", "bob", "team", param.Input{"title": "Tea maker", "holder": "erin"})
	m.do("bob", u, actions.AssignRole.Name, param.Input{"holder": "@dave"})
	m.do("bob", u, actions.DeleteRole.Name, nil)
	m.role("role term", "bob", "commons", param.Input{"title": "Secretary", "kind": "secretary",
		"mission": "What was said can be found.", "holder": "mia", "until": "180d"})
	source := m.role("role source", "bob", "commons",
		param.Input{"title": "Keeper of the plaza", "mission": "It is swept and lit.", "holder": "alice"})
	u = m.leader("leader of plaza", "plaza")
	m.do("bob", u, actions.MirrorRole.Name, param.Input{"source": source[strings.LastIndexByte(source, '/')+1:]})
	m.urls["garden"] = m.do("erin", "/orgs/acme", actions.CreateStudio.Name, param.Input{"handle": "garden",
		"name": "Garden", "description": "What grows behind the house.", "parent": "commons"})
	m.leader("leader of garden", "garden")
	m.do("erin", m.urls["garden"], actions.AddMember.Name, param.Input{"member": "@dave"})
	m.role("role acting", "erin", "garden",
		param.Input{"title": "Waterer", "mission": "Nothing dries up.", "holder": "dave"})
	m.do("dave", m.urls["garden"], "leave", nil)
	two := []any{"Yes", "No"}
	m.ask("role casts", "bob", "team", "Do we paint the door?", "single", two,
		param.Input{"casting_vote": "Greeter", "closes_at": "5d"})
	for _, name := range []string{"role tie", "role vacant tie"} {
		u := m.ask(name, "bob", "team", "Do we keep the "+strings.Fields(name)[1]+" lamp?", "single", two,
			param.Input{"casting_vote": map[string]string{"role tie": "referee",
				"role vacant tie": m.urls["role vacant"]}[name]})
		m.vote(u, choose("alice", "1"), choose("bob", "2"))
		m.do("bob", u, actions.CloseDecision.Name, nil)
	}
}

// role creates a role and names it as a fixture.
func (m *maker) role(name, by, studio string, in param.Input) string {
	return m.named(name, m.do(by, m.urls[studio]+"/roles", actions.CreateRole.Name, in))
}

// leader names the role that leads a studio as a fixture.
func (m *maker) leader(name, studio string) string {
	if m.err != nil {
		return ""
	}
	var u string
	m.err = m.store.Read(m.ctx, func(tx *store.Tx) error {
		s, err := tx.FindStudio(store.System(), studio)
		if err != nil {
			return err
		}
		r, err := tx.LeaderOf(s)
		if err == nil {
			u = r.URL()
		}
		return err
	})
	return m.named(name, u)
}

func (m *maker) named(name, url string) string {
	m.urls[name] = url
	m.names[url[strings.LastIndexByte(url, '/')+1:]] = strings.ReplaceAll(name, " ", "-")
	return url
}
