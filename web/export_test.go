package web

import (
	"context"
	"net/http"

	"github.com/go-chi/chi/v5"

	"samepage/actions/action"
	"samepage/store"
	"samepage/web/wire"
)

// Place describes a route for tests of all routes.
type Place struct {
	Pattern string
	Readers Readers
	Query   []string
	Actions []action.Decl
}

// Places returns all routes, in the order of their declaration.
func (s *Site) Places() []Place {
	list := make([]Place, len(s.order))
	for i, pattern := range s.order {
		list[i] = Place{pattern, s.bound[pattern].readers, s.bound[pattern].query, s.bound[pattern].decls}
	}
	return list
}

// PlaceOf returns the route that a canonical path leads to.
func (s *Site) PlaceOf(path string) (Place, bool) {
	at, ok := s.locate(path, nil)
	if !ok {
		return Place{}, false
	}
	return Place{at.route.pattern, at.route.readers, at.route.query, at.route.decls}, true
}

// Address returns the address of the client, for a request with this remote address and this X-Forwarded-For.
func (s *Site) Address(remote, forwarded string) string {
	r := &http.Request{RemoteAddr: remote, Header: http.Header{}}
	if forwarded != "" {
		r.Header.Set("X-Forwarded-For", forwarded)
	}
	return s.address(r)
}

// Waiting returns the number of waiters for each topic.
func (s *Site) Waiting() map[store.Topic]int {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	list := map[store.Topic]int{}
	for topic, waiters := range s.hub.waiting {
		list[topic] = len(waiters)
	}
	return list
}

// ShareLimits exchanges the counts of requests with the other servers, as the server does once a
// second.
func (s *Site) ShareLimits(ctx context.Context) error { return s.limits.share(ctx, s.store) }

// Look builds the page at a path as Markdown. The actor is the holder of the token. If the token is empty, the
// actor is the argument by.
func (s *Site) Look(ctx context.Context, token string, by store.Actor, path string) error {
	at, ok := s.locate(path, nil)
	if !ok {
		return store.Missing()
	}
	who := credentials{token: token, request: &http.Request{Header: http.Header{}}}
	if token == "" {
		who = As(by)
	}
	_, err := s.render(ctx, who, at, renderOptions{form: wire.Markdown})
	return err
}

// Judge returns a function that calls the guards of all actions on a page for an actor.
func (s *Site) Judge(ctx context.Context, by store.Actor, path string) (judge func(), err error) {
	at, ok := s.locate(path, nil)
	if !ok {
		return nil, store.Missing()
	}
	err = s.store.Read(ctx, func(tx *store.Tx) error {
		subject, err := at.route.find(tx, by, at)
		if err != nil {
			return err
		}
		by := by.In(subject.Ref().OrgID)
		judge = func() {
			for range at.route.offers(by, subject) {
			}
		}
		return nil
	})
	return judge, err
}

// Fixed returns the routes that are not pages.
func (s *Site) Fixed() chi.Routes { return s.fixed }

// SetJournalPart sets how many entries of a journal are read at once for a file. The returned function restores the
// previous number.
func SetJournalPart(n int) func() {
	was := journalPart
	journalPart = n
	return func() { journalPart = was }
}

// Links returns the scheme and host of links in webhooks.
func (s *Site) Links() string { return s.links() }
