package web

import (
	"errors"
	"net/http"
	"slices"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/views/page"
)

// personal reports whether err refuses an action to an agent because only people may take it.
func personal(err error) bool {
	_, ok := errors.AsType[*action.PersonOnly](err)
	return ok
}

// forPeople returns a link to the page of each of the asked actions that a person may take now.
func (p *BoundRoute) forPeople(tx *store.Tx, by store.Actor, at *Location, subject action.Subject,
	asked []int) ([]page.Handover, error) {
	who, err := p.whoMay(tx, by, at, subject, asked)
	if err != nil {
		return nil, err
	}
	var list []page.Handover
	for _, i := range asked {
		if handle := who[i]; handle != "" {
			d := &p.decls[i]
			list = append(list, page.Handover{Title: d.Title, Who: handle, Side: d.Side,
				URL: at.with(store.ActionURL(at.path, d.Name))})
		}
	}
	slices.SortStableFunc(list, func(a, b page.Handover) int { // the agent's own member first
		return bit(a.Who != by.Member.Handle) - bit(b.Who != by.Member.Handle)
	})
	return list, nil
}

// inPerson returns a link to the page of the action p.decls[i], filled in from the query, if a person may take the
// action now.
func (p *BoundRoute) inPerson(tx *store.Tx, by store.Actor, at *Location, subject action.Subject,
	i int) ([]page.Handover, error) {
	who, err := p.whoMay(tx, by, at, subject, []int{i})
	if err != nil || who[i] == "" {
		return nil, err
	}
	return []page.Handover{{Title: p.decls[i].Title, Who: who[i], URL: at.url()}}, nil
}

// whoMay returns, for each of the asked actions, the handle of a member that may take the action now: the agent's own
// member, or another member that is likely to have more rights. The actions and the keys of the map are positions in
// p.decls. The map has no entry for an action that none of these members may take, or that the state of the subject
// forbids.
func (p *BoundRoute) whoMay(tx *store.Tx, by store.Actor, at *Location, subject action.Subject,
	asked []int) (map[int]string, error) {
	who := map[int]string{}
	ask := func(person store.Actor, s action.Subject) {
		asked = slices.DeleteFunc(asked, func(i int) bool {
			err := p.allowed(i, person, s)
			if err == nil {
				who[i] = person.Member.Handle
			}
			return err == nil || store.CodeOf(err) == store.Conflict
		})
	}
	if asked = slices.Clone(asked); len(asked) == 0 {
		return who, nil
	}
	ref := subject.Ref()
	if ask(by.Member.InPerson(), subject); len(asked) == 0 || ref.OrgID == "" {
		return who, nil
	}
	others, err := tx.LikelyMembers(ref, by.MemberID())
	if err != nil {
		return nil, err
	}
	others = append(others, by.Member.InPerson()) // the member may see more of the subject than the agent does
	for _, other := range others {
		s, err := p.find(tx, other, at)
		switch {
		case store.CodeOf(err) == store.NotFound:
		case err != nil:
			return nil, err
		default:
			ask(other, s)
		}
		if len(asked) == 0 {
			break
		}
	}
	return who, nil
}

// handOver returns a sentence about a member that may take a refused action in person, with a link to the filled-in
// form. The sentence is empty if no such member was found.
func (s *Site) handOver(r *http.Request, creds credentials, at *Location, in param.Input) (sentence string) {
	err := s.store.Read(r.Context(), func(tx *store.Tx) error {
		by, err := creds.actor(tx)
		if err != nil {
			return err
		}
		subject, err := at.route.find(tx, by, at)
		if err != nil {
			return err
		}
		i := at.route.index(at.name)
		who, err := at.route.whoMay(tx, by, at, subject, []int{i})
		if handle := who[i]; handle != "" {
			if handle != by.Member.Handle {
				sentence = " Ask @" + handle + ", who may."
			}
			sentence += " Give them this link: " + s.origin(r) + at.filledIn(in)
		}
		return err
	})
	if err != nil && r.Context().Err() == nil && store.CodeOf(err) == store.Internal {
		s.log.Warn("nobody was found for an action that an agent may not take", "error", err)
	}
	return sentence
}
