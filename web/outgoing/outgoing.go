// Package outgoing makes requests to addresses that members choose. It never reaches addresses in the server's own
// network, unless the operator allows them.
package outgoing

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"slices"
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

// New returns a client that dials only port 443 of addresses on the public internet, and the addresses in
// Options.Allow. It does not follow redirects, which could lead elsewhere.
func New(o Options) *http.Client {
	public := ssrf.New(ssrf.WithPorts(443))
	dialer := &net.Dialer{Timeout: o.Dial, Resolver: o.Resolver,
		Control: func(network, address string, conn syscall.RawConn) error {
			// The check sees the address that is dialled. An earlier check of the host name could have seen another
			// address.
			if to, err := netip.ParseAddrPort(address); err == nil &&
				slices.ContainsFunc(o.Allow, func(p netip.Prefix) bool { return p.Contains(to.Addr().Unmap()) }) {
				return nil
			}
			return public.Safe(network, address, conn)
		}}
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
