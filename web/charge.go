package web

import (
	"errors"
	"math"
	"net/http"
	"time"

	"samepage/store"
	"samepage/web/oauth"
)

// cost says whether and how the requests of a route count against limits. The server panics at its start if a route
// declares no cost.
type cost int

const (
	_ cost = iota // not declared
	// free requests do not count. These requests are answered without the database, or are health checks of a
	// supervisor.
	free
	// byAddress requests count against the address of the client before the handler runs.
	byAddress
	// byCaller requests count against the caller. The handler calls [Site.charge] when it has looked up the caller.
	byCaller
)

// endpoint is a route that is not a page.
type endpoint struct {
	pattern string
	cost    cost
	answer  http.HandlerFunc
}

// counted returns the handler next, or middleware around that handler that counts the requests. It panics if the route
// declares no cost.
func (s *Site) counted(pattern string, c cost, next http.Handler) http.Handler {
	switch c {
	case free, byCaller:
		return next
	case byAddress:
		return s.countStrangers(next)
	}
	panic("route " + pattern + " declares no cost")
}

// charge counts a request. The argument lookup is the error of looking up the caller. The request of a known caller
// counts against its token, member and organization, and any other request against the address of the client. If the
// credentials could not be checked, or if r is nil and the caller is unknown, nothing is counted. charge returns the
// given error, or [errLimited] if a limit is exceeded.
func (s *Site) charge(r *http.Request, by store.Actor, lookup error, use store.Use) (quota, error) {
	if lookup != nil && !refuted(lookup) { // the credentials could not be checked, so it is unknown whose limits apply
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

// Charge counts a request that reads no page as a read of its caller. The error is a sentence for the caller.
func (s *Site) Charge(r *http.Request) error {
	if err := s.chargeRead(r); err != nil {
		return errors.New(s.explain(r, err).Message)
	}
	return nil
}

func (s *Site) chargeRead(r *http.Request) error {
	reader := s.reader(r)
	return s.store.Read(r.Context(), func(tx *store.Tx) error {
		_, err := reader(tx)
		return err
	})
}

// chargeCallers counts each request as a read of its caller, and calls the handler next. It also calls next for wrong
// credentials. It answers any other error itself, such as an exceeded limit.
func (s *Site) chargeCallers(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := s.chargeRead(r); err != nil && !refuted(err) {
			s.fail(w, r, err)
			return
		}
		next(w, r)
	}
}

// countStrangers counts every request against the address of the client, and passes it on to the handler next.
func (s *Site) countStrangers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := s.limits.take(s.addressAllowances(r)...); err != nil {
			s.fail(w, r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// refuse answers a request with an error before the caller is known. The request counts against the address of the
// client.
func (s *Site) refuse(w http.ResponseWriter, r *http.Request, err error) {
	if _, over := s.limits.take(s.addressAllowances(r)...); over != nil {
		err = over
	}
	s.fail(w, r, err)
}

// reader returns a function that looks up the caller in a transaction and counts the request as a read. The signature
// of a token is checked before the transaction, because the check may itself read keys from the database.
func (s *Site) reader(r *http.Request) func(tx *store.Tx) (store.Actor, error) {
	creds := s.credentials(r)
	return func(tx *store.Tx) (store.Actor, error) {
		by, err := creds.actor(tx)
		_, err = s.charge(r, by, err, store.UseRead)
		return by, err
	}
}

// clientRegistrations is the number of OAuth clients that one address may register in a minute.
const clientRegistrations = 10

// oauthWait counts a request to an OAuth endpoint. Over a limit it returns the time to wait, otherwise zero.
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
