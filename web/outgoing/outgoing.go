// Package outgoing makes requests to addresses that members and programs choose. It reaches only addresses on the
// public internet, and those that the operator allows.
package outgoing

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

// Options configures a client.
type Options struct {
	Allow    []netip.Prefix // addresses that may be dialled besides the public internet, on any port
	Roots    *x509.CertPool // certificate authorities to trust; nil for those of the system
	Resolver *net.Resolver  // nil for the system's resolver
	Dial     time.Duration  // time limit for the connection, and again for the TLS handshake
	Timeout  time.Duration  // time limit for the whole request, including the body of the answer
	Reuse    bool           // keep connections open for the next request
}

var public = ssrf.New(ssrf.WithPorts(443))

func check(allow []netip.Prefix, network, address string) error {
	if to, err := netip.ParseAddrPort(address); err == nil &&
		slices.ContainsFunc(allow, func(p netip.Prefix) bool { return p.Contains(to.Addr().Unmap()) }) {
		return nil
	}
	return public.Safe(network, address, nil)
}

// MayDial reports whether a client with these allowed addresses may dial the host of the URL. A host name other than
// localhost is resolved only when it is dialled, so MayDial accepts every such name: on any port if there are allowed
// addresses, and otherwise only on port 443.
func MayDial(allow []netip.Prefix, u *url.URL) bool {
	port := cmp.Or(u.Port(), map[string]string{"http": "80"}[u.Scheme], "443")
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	hosts := []string{host}
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		hosts = []string{"127.0.0.1", "::1"}
	}
	for _, h := range hosts {
		to, err := netip.ParseAddr(h)
		network := "tcp6"
		if to.Is4() {
			network = "tcp4"
		}
		if err != nil && (len(allow) > 0 || port == "443") || err == nil && check(allow, network, net.JoinHostPort(h, port)) == nil {
			return true
		}
	}
	return false
}

// New returns a client that dials only port 443 of addresses on the public internet, and the addresses in
// Options.Allow. It does not follow redirects, which could lead elsewhere.
func New(o Options) *http.Client {
	dialer := &net.Dialer{Timeout: o.Dial, Resolver: o.Resolver,
		// The check sees the address that is dialled. An earlier check of the host name could have seen another one.
		Control: func(network, address string, _ syscall.RawConn) error { return check(o.Allow, network, address) }}
	return &http.Client{
		Timeout: o.Timeout,
		Transport: &http.Transport{DialContext: dialer.DialContext, TLSClientConfig: &tls.Config{RootCAs: o.Roots},
			TLSHandshakeTimeout: o.Dial, ResponseHeaderTimeout: o.Timeout, MaxResponseHeaderBytes: 16 << 10,
			DisableKeepAlives: !o.Reuse, IdleConnTimeout: 30 * time.Second, MaxIdleConnsPerHost: 2},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Prohibited reports whether a request failed because its address must not be dialled.
func Prohibited(err error) bool {
	return errors.Is(err, ssrf.ErrProhibitedIP) || errors.Is(err, ssrf.ErrProhibitedPort) ||
		errors.Is(err, ssrf.ErrProhibitedNetwork)
}
