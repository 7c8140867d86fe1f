package web

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"samepage/store"
	"samepage/web/oauth"
	"samepage/web/wire"
)

// address is where a request comes from: the far end of the connection or, where that is a proxy we trust, what the last
// proxy that we do not trust was told. Every proxy appends to X-Forwarded-For whom it was asked by; what stands before the
// entries of our own proxies may be made up.
func (s *Site) address(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	hops := slices.Clone(r.Header.Values("X-Forwarded-For"))
	for s.trusted(addr) && len(hops) > 0 {
		last := len(hops) - 1
		rest, hop, several := cutLast(hops[last], ",")
		if !several {
			hops = hops[:last]
		} else {
			hops[last] = rest
		}
		next, err := netip.ParseAddr(strings.TrimSpace(hop))
		if err != nil {
			break
		}
		addr = next.Unmap()
	}
	return addr.Unmap().String()
}

func (s *Site) trusted(addr netip.Addr) bool {
	for _, p := range s.config.TrustedProxies {
		if p.Contains(addr.Unmap()) {
			return true
		}
	}
	return false
}

// cutLast cuts s around the last sep; without one, all of s is what comes after.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return "", s, false
}

// crowd is what anonymous requests from an address count against. This machine itself is no address that anybody shares
// with strangers, unless it is a proxy that tells whom it asks for, and then it is not the address.
func (s *Site) crowd(r *http.Request) allowance {
	a := s.address(r)
	if addr, err := netip.ParseAddr(a); err != nil || addr.IsLoopback() {
		return allowance{}
	}
	return allowance{counted{what: "address", whose: a}, addressReads}
}

// tries are what tries to sign in from an address count against.
func (s *Site) tries(r *http.Request) allowance {
	return allowance{counted{what: "tries from", whose: s.address(r)}, addressTries}
}

// try counts a try to sign in against the address of the request, and one of the kind against the account unless the kind is
// empty. After too many: [errLimited].
func (s *Site) try(r *http.Request, kind, account string) error {
	all := []allowance{s.tries(r)}
	if kind != "" {
		all = append(all, allowance{counted{what: kind, whose: wire.Clip(account, 254)}, accountTries})
	}
	_, err := s.limits.take(all...)
	return err
}

// event writes down what matters for security: who was refused, from where.
func (s *Site) event(r *http.Request, what string, attrs ...any) {
	s.log.Warn("security: "+what, append(attrs, "address", s.address(r), "path", speakable(r.URL.Path))...)
}

// speakable is a path without the secret that it may end with.
func speakable(path string) string {
	for _, before := range []string{store.InvitationPath(""), store.ResetPath(""), store.AddressPath("")} {
		if strings.HasPrefix(path, before) {
			return before + "…"
		}
	}
	return path
}

// clientRegistrations is how many OAuth clients may register from one address in a minute.
const clientRegistrations = 10

// oauthWait counts a request to an endpoint of OAuth and says how long whoever sent it must wait, which is mostly not at all.
func (s *Site) oauthWait(r *http.Request) time.Duration {
	all := []allowance{s.crowd(r)}
	if r.URL.Path == oauth.RegisterPath {
		all = append(all, allowance{counted{what: "registrations from", whose: s.address(r)}, clientRegistrations})
	}
	_, err := s.limits.take(all...)
	if e, ok := errors.AsType[*errLimited](err); ok {
		s.event(r, "request limited")
		return e.wait
	}
	return 0
}
