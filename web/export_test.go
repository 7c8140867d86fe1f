package web

import "samepage/actions/action"

// Place is a route of the site map as tests of the whole map see it.
type Place struct {
	Pattern string
	Readers Readers
	Query   []string
	Actions []action.Decl
}

// Places is the site map, in its order.
func (s *Site) Places() []Place {
	list := make([]Place, len(s.order))
	for i, pattern := range s.order {
		list[i] = Place{pattern, s.places[pattern].readers, s.places[pattern].query, s.places[pattern].decls}
	}
	return list
}

// PlaceOf is the route that a canonical path leads to.
func (s *Site) PlaceOf(path string) (Place, bool) {
	at, ok := s.locate(path, nil)
	if !ok {
		return Place{}, false
	}
	return Place{at.place.pattern, at.place.readers, at.place.query, at.place.decls}, true
}
