package web

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"samepage/store"
	"samepage/store/credential"
	"samepage/web/wire"
)

// address returns the IP address of the client that sent a request. It begins with the address at the other end of the
// connection. While the address is that of a trusted proxy, it takes the last unread entry of X-Forwarded-For instead,
// which that proxy has appended. Earlier entries may be forged and are not read.
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

// fromProxy reports whether a trusted proxy sent the request.
func (s *Site) fromProxy(r *http.Request) bool {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && s.trusted(peer.Addr())
}

func (s *Site) trusted(addr netip.Addr) bool {
	for _, p := range s.config.TrustedProxies {
		if p.Contains(addr.Unmap()) {
			return true
		}
	}
	return false
}

// cutLast cuts s around the last sep. If there is no sep, after is all of s and found is false.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return "", s, false
}

// network is a range of addresses that counts as one client. Its limit is that of a client multiplied by times.
type network struct {
	id    string
	times int
}

// networks returns the networks that an address belongs to. For IPv4 this is the address itself. For IPv6 these are the
// /64 of a subscriber and the /48 of an organization, which has a higher limit.
func networks(address string) []network {
	addr, err := netip.ParseAddr(address)
	if err != nil || addr.Is4() {
		return []network{{address, 1}}
	}
	narrow, _ := addr.WithZone("").Prefix(64) // cannot fail for these lengths
	wide, _ := addr.WithZone("").Prefix(48)
	return []network{{narrow.String(), 1}, {wide.String(), 8}}
}

// fromNetworks returns the allowances of a kind for the networks of the request's address.
func (s *Site) fromNetworks(r *http.Request, kind string, limit int) (all []allowance) {
	for _, n := range networks(s.address(r)) {
		all = append(all, allowance{counted{kind: kind, id: n.id}, limit * n.times})
	}
	return all
}

// addressAllowances returns the limits for anonymous requests from the address of a request. Loopback addresses have no
// limit. A trusted proxy on this machine passes on the address of its client, so the requests of its clients have
// limits.
func (s *Site) addressAllowances(r *http.Request) []allowance {
	if addr, err := netip.ParseAddr(s.address(r)); err != nil || addr.IsLoopback() {
		return nil
	}
	return s.fromNetworks(r, "address", addressReads)
}

// countAttempt counts a login attempt against the address of the request. With a kind, it also counts
// against the account for attempts of that kind. Over the limit the error is [errLimited].
func (s *Site) countAttempt(r *http.Request, kind, account string) error {
	all := s.fromNetworks(r, "tries from", addressTries)
	if kind != "" {
		all = append(all, allowance{counted{kind: kind, id: wire.Clip(account, 254)}, accountTries})
	}
	_, err := s.limits.take(all...)
	return err
}

// slowAttempt counts and delays a login attempt at an account that has had too many attempts. If there were too many
// delayed attempts, the error is an [errLimited].
func (s *Site) slowAttempt(r *http.Request, account string) error {
	account = wire.Clip(account, 254)
	all := append(s.fromNetworks(r, "tries from", addressTries),
		allowance{counted{kind: "slow tries for", id: account}, slowTries})
	for _, n := range networks(s.address(r)) {
		all = append(all, allowance{counted{kind: "slow tries for", id: account + " from " + n.id}, slowNetworkTries * n.times})
	}
	if _, err := s.limits.take(all...); err != nil {
		return err
	}
	if s.config.Pause != nil {
		s.config.Pause(r.Context(), slowTryDelay)
		return nil
	}
	select {
	case <-time.After(slowTryDelay):
	case <-s.hub.stop: // the server is stopping
	case <-r.Context().Done():
	}
	return nil
}

// event logs an event that matters for security, with the address and the path of the request.
func (s *Site) event(r *http.Request, message string, attrs ...any) {
	s.log.Warn("security: "+message, append(attrs, "address", s.address(r), "path", withoutSecret(r.URL.Path),
		"request", r.Header.Get(requestID))...)
}

// withoutSecret returns the path with an ellipsis in place of the secret at its end, if it has one.
func withoutSecret(path string) string {
	for _, before := range []string{store.InvitationPath(""), credential.ResetPath(""), credential.AddressPath("")} {
		if strings.HasPrefix(path, before) {
			return before + "…"
		}
	}
	return path
}
