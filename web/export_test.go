package web

import (
	"context"
	"net/http"

	"samepage/actions/action"
)

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

// Address is where a request comes from whose connection's far end is remote.
func (s *Site) Address(remote, forwarded string) string {
	r := &http.Request{RemoteAddr: remote, Header: http.Header{}}
	if forwarded != "" {
		r.Header.Set("X-Forwarded-For", forwarded)
	}
	return s.address(r)
}

// ShareLimits tells the other servers what was asked here, as the server does once a second.
func (s *Site) ShareLimits(ctx context.Context) error { return s.limits.share(ctx, s.store) }
