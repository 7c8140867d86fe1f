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
	"samepage/web/account"
	"samepage/web/wire"
)

// address returns the IP address of the client. Each trusted proxy has appended the address of its own peer to
// X-Forwarded-For, so the last address that is not that of a trusted proxy is the client's. The client may have forged
// the entries before it.
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

func (s *Site) fromProxy(r *http.Request) bool {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && s.trusted(peer.Addr())
}

func (s *Site) trusted(addr netip.Addr) bool {
	return slices.ContainsFunc(s.config.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(addr.Unmap()) })
}

// cutLast is like [strings.Cut] at the last sep. If there is no sep, it returns "", s and false.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return "", s, false
}

// network is a range of addresses. The requests from it are counted together. Its limit is the limit of one client
// multiplied by `times`.
type network struct {
	id    string
	times int
}

// networks returns the networks of an address. An IPv4 address is a network by itself. An IPv6 address is in the /64
// of a subscriber and in the /48 of an organization, which has a higher limit.
func networks(address string) []network {
	addr, err := netip.ParseAddr(address)
	if err != nil || addr.Is4() {
		return []network{{address, 1}}
	}
	narrow, _ := addr.WithZone("").Prefix(64) // cannot fail for these lengths
	wide, _ := addr.WithZone("").Prefix(48)
	return []network{{narrow.String(), 1}, {wide.String(), 8}}
}

// fromNetworks returns one limit for each network of the client. Each kind of request, such as a login attempt, is
// counted separately.
func (s *Site) fromNetworks(r *http.Request, kind string, limit int) (all []allowance) {
	for _, n := range networks(s.address(r)) {
		all = append(all, allowance{counted{kind: kind, id: n.id}, limit * n.times})
	}
	return all
}

// addressAllowances returns the limits on requests that count against the address of the client. There are none for
// requests from this machine or from a peer without an IP address.
func (s *Site) addressAllowances(r *http.Request) []allowance {
	if addr, err := netip.ParseAddr(s.address(r)); err != nil || addr.IsLoopback() {
		return nil
	}
	return s.fromNetworks(r, "address", addressReads)
}

// countAttempt counts an attempt, such as to sign in or to use an invitation, against the address of the client and,
// unless kind is empty, against the account. Over a limit it returns [errLimited].
func (s *Site) countAttempt(r *http.Request, kind, account string) error {
	all := s.fromNetworks(r, "tries from", addressTries)
	if kind != "" {
		all = append(all, allowance{counted{kind: kind, id: wire.Clip(account, 254)}, accountTries})
	}
	_, err := s.limits.take(all...)
	return err
}

// slowAttempt delays a login attempt at an account that has had too many attempts. It does not refuse the attempt at
// once, so that the owner can still sign in during an attack. Over a limit it returns [errLimited].
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

func (s *Site) event(r *http.Request, message string, attrs ...any) {
	s.log.Warn("security: "+message, append(attrs, "address", s.address(r), "path", withoutSecret(r.URL.Path),
		"request", r.Header.Get(requestID))...)
}

// withoutSecret returns the path for a log, with an ellipsis in place of a secret at its end.
func withoutSecret(path string) string {
	for _, before := range []string{store.InvitationPath(""), credential.ResetPath(""), credential.AddressPath(""),
		account.StopPath} {
		if strings.HasPrefix(path, before) {
			return before + "…"
		}
	}
	return path
}
