package web

import (
	"errors"
	"math"
	"net/http"
	"time"

	"samepage/store"
	"samepage/web/oauth"
)

// cost says how the requests of a route are counted. Every route declares one, and a route without it stops the start.
type cost int

const (
	_ cost = iota // of a route that declares none
	// free requests are not counted: they are answered from memory, or supervisors send them.
	free
	// byAddress counts a request against its address, before the route looks anything up.
	byAddress
	// byCaller leaves it to the route to count, with [Site.charge], once its transaction has looked the caller up.
	byCaller
)

// endpoint is a route that is no page.
type endpoint struct {
	pattern string
	cost    cost
	answer  http.HandlerFunc
}

// counted returns the handler of a route that declares this cost.
func (s *Site) counted(pattern string, c cost, next http.Handler) http.Handler {
	switch c {
	case free, byCaller:
		return next
	case byAddress:
		return s.countStrangers(next)
	}
	panic("route " + pattern + " declares no cost")
}

// charge counts a request of a caller that was looked up: of a known one against its token, member and organization, of
// any other against its address. The error is that of the lookup, or [errLimited] over a limit.
func (s *Site) charge(r *http.Request, by store.Actor, lookup error, use store.Use) (quota, error) {
	if lookup != nil && !refuted(lookup) { // whether the caller is known cannot be told
		return quota{limit: math.MaxInt}, lookup
	}
	if lookup == nil && !by.Anonymous() {
		return s.limits.spend(by, use)
	}
	if r == nil {
		return quota{limit: math.MaxInt}, lookup
	}
	left, over := s.limits.take(s.addressAllowances(r)...)
	if over != nil {
		return left, over
	}
	return left, lookup
}

// Charge counts a request for which no page is asked, as a read of its caller. The error is a sentence for the caller.
func (s *Site) Charge(r *http.Request) error {
	if err := s.chargeRead(r); err != nil {
		return errors.New(s.explain(r, err).Message)
	}
	return nil
}

// chargeRead looks up the caller of a request in a transaction of its own, and counts the request as a read.
func (s *Site) chargeRead(r *http.Request) error {
	creds := s.credentials(r) // before the transaction, because a signature may need the keys from the database
	return s.store.Read(r.Context(), func(tx *store.Tx) error {
		by, err := creds.actor(tx)
		_, err = s.charge(r, by, err, store.UseRead)
		return err
	})
}

// chargeCallers counts every request to next as a read of its caller.
func (s *Site) chargeCallers(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := s.chargeRead(r); err != nil && !refuted(err) {
			s.fail(w, r, err)
			return
		}
		next(w, r)
	}
}

// countStrangers counts every request to next against its address.
func (s *Site) countStrangers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := s.limits.take(s.addressAllowances(r)...); err != nil {
			s.fail(w, r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// refuse answers a request that is refused whoever sends it. It counts against its address.
func (s *Site) refuse(w http.ResponseWriter, r *http.Request, err error) {
	if _, over := s.limits.take(s.addressAllowances(r)...); over != nil {
		err = over
	}
	s.fail(w, r, err)
}

// reader looks up the credentials of a request for a file, and counts it as a read.
func (s *Site) reader(tx *store.Tx, r *http.Request) (store.Actor, error) {
	by, err := s.credentials(r).actor(tx)
	_, err = s.charge(r, by, err, store.UseRead)
	return by, err
}

// clientRegistrations is the number of OAuth clients that one address may register in a minute.
const clientRegistrations = 10

// oauthWait counts a request to an OAuth endpoint and returns the time that the client must wait,
// mostly zero.
func (s *Site) oauthWait(r *http.Request) time.Duration {
	all := s.addressAllowances(r)
	if r.URL.Path == oauth.RegisterPath && r.Method == http.MethodPost {
		all = append(all, s.fromNetworks(r, "registrations from", clientRegistrations)...)
	}
	_, err := s.limits.take(all...)
	if e, ok := errors.AsType[*errLimited](err); ok {
		s.event(r, "request limited")
		return e.wait
	}
	return 0
}
