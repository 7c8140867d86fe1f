package hook

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"os"
	"syscall"

	"samepage/web/outgoing"
)

const prohibited = "is not port 443 on the public internet, and the operator has not allowed it (--outgoing-allow)"

// Problem returns the reason why a [Sender] with these allowed addresses never sends anything to the host of the URL,
// as a clause without its subject. The text is empty if [outgoing.MayDial] returns true.
func Problem(allow []netip.Prefix, u *url.URL) string {
	if outgoing.MayDial(allow, u) {
		return ""
	}
	return prohibited
}

// problemOf describes in a few words why a request failed. It does not repeat the address, which may contain a secret.
func problemOf(err error) string {
	var name *net.DNSError
	var certificate *tls.CertificateVerificationError
	switch {
	case outgoing.Prohibited(err):
		return "the address " + prohibited
	case errors.As(err, &name):
		return "the name of the host is not known"
	case errors.As(err, &certificate):
		return "the certificate of the host is not trusted"
	case errors.Is(err, context.DeadlineExceeded), os.IsTimeout(err):
		return "there was no answer within 10 seconds"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "the connection was refused"
	}
	return "the connection failed"
}
