package web

import (
	"samepage/store"
	"samepage/views"
)

type home struct {
	*store.HomePage
	needs views.Needs
}

// mostNeeds is the largest number of waiting items for which an agent's home page describes the fields of the answer.
const mostNeeds = 3

// showHome loads a home page. For an agent it also loads the fields of the actions that answer the first waiting items.
func (s *Site) showHome(tx *store.Tx, by store.Actor, verbs map[string]views.Verb) (*home, error) {
	found, err := tx.ShowHome(by)
	if err == nil {
		for i := range found.Agents {
			if a := &found.Agents[i]; a.Did != "" {
				a.Did = s.past(a.Did, a.DidKind)
			}
		}
	}
	if err != nil || !by.IsAgent() {
		return &home{HomePage: found}, err
	}
	needs := views.Needs{}
	for i := range found.Waiting[:min(len(found.Waiting), mostNeeds)] {
		w := &found.Waiting[i]
		at, err := s.resolve(w.URL())
		if err != nil {
			return nil, err
		}
		subject, member, action, err := at.route.offer(tx, by, at, verbs[w.For].Name)
		switch {
		case err == nil:
		case store.CodeOf(err) == store.Internal:
			return nil, err
		default: // the item waits for the member, but the agent may not answer
			continue
		}
		needs[w.URL()] = at.route.offered(action, member, subject)
	}
	return &home{found, needs}, nil
}
