package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"
)

// certificate is a TLS certificate in two files. It is read again when a file changes. If reading fails, the previous
// certificate stays in use.
type certificate struct {
	cert, key string
	host      string // host that the certificate must be valid for; empty for any

	mu      sync.Mutex
	current *tls.Certificate
	seen    string // stamp of the files when they were last read
}

func openCertificate(cert, key, host string) (*certificate, error) {
	c := &certificate{cert: cert, key: key, host: host, seen: stamp(cert, key)}
	var err error
	c.current, err = c.load()
	return c, err
}

// stamp returns a string of the files' modification times and sizes, or of the errors of reading these.
func stamp(files ...string) (all string) {
	for _, name := range files {
		info, err := os.Stat(name)
		if err != nil {
			all += err.Error()
			continue
		}
		all += fmt.Sprintln(info.ModTime().UnixNano(), info.Size())
	}
	return all
}

func (c *certificate) load() (*tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		return nil, err
	}
	if err := pair.Leaf.VerifyHostname(c.host); c.host != "" && err != nil {
		return nil, fmt.Errorf("the certificate in %s is for %s, and not for %s", c.cert, names(pair.Leaf), c.host)
	}
	if time.Now().After(pair.Leaf.NotAfter) {
		slog.Warn("the certificate has expired", "file", c.cert, "on", pair.Leaf.NotAfter)
	}
	return &pair, nil
}

// get returns the current certificate, after reading it again if a file has changed. It is the GetCertificate function
// of a [tls.Config].
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := stamp(c.cert, c.key); now != c.seen {
		c.seen = now
		fresh, err := c.load()
		if err != nil {
			slog.Error("the new certificate cannot be used, so the one before stays", "error", err)
			return c.current, nil
		}
		c.current = fresh
		slog.Info("the certificate was read again", "file", c.cert, "until", fresh.Leaf.NotAfter)
	}
	return c.current, nil
}

func names(leaf *x509.Certificate) string {
	all := leaf.DNSNames
	for _, ip := range leaf.IPAddresses {
		all = append(all, ip.String())
	}
	if len(all) == 0 {
		return "no name"
	}
	return strings.Join(all, ", ")
}

// origin returns the URL that people open, with the first name in the certificate that is not a wildcard.
func (c *certificate) origin(port int) (string, error) {
	for _, name := range c.current.Leaf.DNSNames {
		if !strings.Contains(name, "*") {
			u := url.URL{Scheme: "https", Host: name}
			if port != 443 {
				u.Host = fmt.Sprintf("%s:%d", name, port)
			}
			return u.String(), nil
		}
	}
	return "", errors.New("the certificate names no host: add --origin with the address that people open")
}
