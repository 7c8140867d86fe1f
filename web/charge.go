package web

import (
	"errors"
	"math"
	"net/http"
	"time"

	"samepage/store"
	"samepage/web/oauth"
)

// cost says how the requests of a route count against limits. The server panics at its start if a route declares no
// cost.
type cost int

const (
	_ cost = iota // not declared
	// free requests do not count. They are answered without the database, or are health checks of a supervisor.
	free
	// byAddress requests count against the address of the client, before the handler runs.
	byAddress
	// byCaller requests count against the caller. The handler calls [Site.charge] when it has looked up the caller.
	byCaller
)

type endpoint struct {
	pattern string
	cost    cost
	answer  http.HandlerFunc
}

// counted wraps the handler of a route to count its requests as the cost says. It panics if the route declares no cost.
func (s *Site) counted(pattern string, c cost, next http.Handler) http.Handler {
	switch c {
	case free, byCaller:
		return next
	case byAddress:
		return s.countStrangers(next)
	}
	panic("route " + pattern + " declares no cost")
}

// charge counts a request. The argument lookup is the error of looking up the caller. A known caller's request counts
// against its [allowances], any other against the address of the client. Nothing is counted if the credentials could
// not be checked, or if r is nil and the caller is unknown. charge returns the given error, or [errLimited] if a limit
// is exceeded.
func (s *Site) charge(r *http.Request, by store.Actor, lookup error, use store.Use) (quota, error) {
	if lookup != nil && !refuted(lookup) {
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

// Charge counts a request to the MCP endpoint that reads no page. The request counts as one read. The error is a
// sentence for the caller.
func (s *Site) Charge(r *http.Request) error {
	if err := s.chargeRead(r); err != nil {
		return errors.New(s.explain(r, err).Message)
	}
	return nil
}

func (s *Site) chargeRead(r *http.Request) error {
	caller := s.countedCaller(r)
	return s.store.Read(r.Context(), func(tx *store.Tx) error {
		_, err := caller(tx)
		return err
	})
}

// chargeCallers counts each request as a read before it calls next. It also calls next for wrong credentials, but
// answers any other error itself.
func (s *Site) chargeCallers(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := s.chargeRead(r); err != nil && !refuted(err) {
			s.fail(w, r, err)
			return
		}
		next(w, r)
	}
}

func (s *Site) countStrangers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := s.limits.take(s.addressAllowances(r)...); err != nil {
			s.fail(w, r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// refuse answers a request with an error before the caller is known, and counts it against the address of the client.
func (s *Site) refuse(w http.ResponseWriter, r *http.Request, err error) {
	if _, over := s.limits.take(s.addressAllowances(r)...); over != nil {
		err = over
	}
	s.fail(w, r, err)
}

// reader is like countedCaller, but for the token of a runner the function returns [store.Missing].
func (s *Site) reader(r *http.Request) func(tx *store.Tx) (store.Actor, error) {
	caller := s.countedCaller(r)
	return func(tx *store.Tx) (store.Actor, error) {
		by, err := caller(tx)
		if err == nil && by.Runs() {
			err = store.Missing()
		}
		return by, err
	}
}

// countedCaller returns a function that looks up the caller in a transaction and counts the request as a read. A
// token's signature is checked before the transaction, because the check may itself read keys from the database.
func (s *Site) countedCaller(r *http.Request) func(tx *store.Tx) (store.Actor, error) {
	creds := s.credentials(r)
	return func(tx *store.Tx) (store.Actor, error) {
		by, err := creds.actor(tx)
		_, err = s.charge(r, by, err, store.UseRead)
		return by, err
	}
}

const clientRegistrations = 10

// oauthWait counts a request to an OAuth endpoint. It returns the time to wait if a limit is exceeded, or zero.
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
