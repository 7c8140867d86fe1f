package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"
	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"

	"samepage/store"
)

// acmeFolder is the folder, inside the data folder, with the certificates obtained by ACME and the account at the
// certificate authority. Backups do not contain it.
const acmeFolder = "acme"

func tlsFlags() []cli.Flag {
	return []cli.Flag{
		fileFlag("tls-cert",
			"serve HTTPS with the certificate and its chain in this `FILE` (PEM), which is read again when it changes"),
		fileFlag("tls-key", "the `FILE` with the key of --tls-cert (PEM)"),
		listFlag("acme-domain",
			"serve HTTPS with a certificate for this `DOMAIN` by ACME; the authority connects to its port 443"),
		switchFlag("acme-agree", "you agree to the terms of the certificate authority", false),
		textFlag("acme-email", "the `ADDRESS` to which the authority writes about certificates"),
		presetFlag("acme-directory", "the `URL` of the directory of another authority", acme.LetsEncryptURL),
		fileFlag("acme-ca",
			"a `FILE` with the certificate that the directory's own server is known by, for an authority inside a network"),
		textFlag("redirect-listen", "a second `ADDRESS`, such as 0.0.0.0:80, that sends plain HTTP to the origin"),
	}
}

type security struct {
	config *tls.Config
	origin string // URL that people open
	acme   *autocert.Manager
	names  []string // domains of the certificates by ACME
}

// securityOf returns the TLS configuration that the flags ask for, or nil if they ask for none.
func securityOf(cmd *cli.Command) (s *security, err error) {
	cert, domains := cmd.String("tls-cert"), cmd.StringSlice("acme-domain")
	origin := cmd.String("origin")
	switch {
	case (cert == "") != (cmd.String("tls-key") == ""):
		err = errors.New("--tls-cert and --tls-key belong together")
	case cert != "" && len(domains) > 0:
		err = errors.New("--tls-cert and --acme-domain are two ways to one end: choose one")
	case cert == "" && len(domains) == 0 && cmd.String("redirect-listen") != "":
		err = errors.New("--redirect-listen sends people to HTTPS: it needs --tls-cert or --acme-domain")
	case cert == "" && len(domains) == 0:
		return nil, nil
	case origin != "" && !strings.HasPrefix(origin, "https://"):
		err = fmt.Errorf("--origin %s: with TLS people open an address that begins with https://", origin)
	case cert != "":
		s, err = fromFiles(cmd, cert, origin)
	default:
		s, err = fromAuthority(cmd, domains, origin)
	}
	if err != nil {
		return nil, cli.Exit(err.Error(), exitUsage)
	}
	s.config.MinVersion = tls.VersionTLS12
	return s, nil
}

// until returns a clause about the end of the certificate's validity.
func (s *security) until() string {
	if s.acme != nil {
		return "with a certificate by ACME, which is renewed a month before it ends"
	}
	c, err := s.config.GetCertificate(nil)
	if err != nil {
		return err.Error()
	}
	if time.Now().After(c.Leaf.NotAfter) {
		return "with a certificate that ended on " + c.Leaf.NotAfter.UTC().Format(time.DateOnly) + ": renew it"
	}
	return "with a certificate until " + c.Leaf.NotAfter.UTC().Format(time.DateOnly)
}

func hostOf(origin string) string {
	u, err := url.Parse(origin)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

func fromFiles(cmd *cli.Command, cert, origin string) (*security, error) {
	c, err := openCertificate(cert, cmd.String("tls-key"), hostOf(origin))
	if err != nil {
		return nil, fmt.Errorf("--tls-cert: %w", err)
	}
	if origin == "" {
		addr, err := net.ResolveTCPAddr("tcp", cmd.String("listen"))
		if err != nil {
			return nil, fmt.Errorf("--listen: %w", err)
		}
		if origin, err = c.origin(addr.Port); err != nil {
			return nil, err
		}
		c.host = hostOf(origin)
	}
	return &security{origin: origin, config: &tls.Config{GetCertificate: c.get}}, nil
}

func fromAuthority(cmd *cli.Command, domains []string, origin string) (*security, error) {
	switch {
	case !cmd.Bool("acme-agree"):
		return nil, fmt.Errorf("--acme-domain needs --acme-agree: read the terms of the authority first; those of "+
			"Let's Encrypt are at https://letsencrypt.org/repository/ (the directory is %s)", cmd.String("acme-directory"))
	case cmd.String("database") != "":
		return nil, errors.New("--acme-domain keeps its certificates in the data folder, which --database has none of, and several " +
			"servers would ask for one each: use --tls-cert, or put a proxy in front")
	case origin != "" && !slices.Contains(domains, hostOf(origin)):
		return nil, fmt.Errorf("--origin %s is none of the domains of --acme-domain (%s)", origin,
			strings.Join(domains, ", "))
	case origin == "":
		origin = "https://" + domains[0]
	}
	client, err := acmeClient(cmd.String("acme-ca"))
	if err != nil {
		return nil, fmt.Errorf("--acme-ca: %w", err)
	}
	folder := filepath.Join(cmd.String("data"), acmeFolder)
	m := &autocert.Manager{
		Prompt:     autocert.AcceptTOS,
		Cache:      autocert.DirCache(folder),
		HostPolicy: autocert.HostWhitelist(domains...),
		Email:      cmd.String("acme-email"),
		Client: &acme.Client{DirectoryURL: cmd.String("acme-directory"), HTTPClient: client,
			UserAgent: "samepage/" + buildVersion()},
	}
	return &security{origin: origin, config: m.TLSConfig(), acme: m, names: domains}, nil
}

// acmeClient returns an HTTP client that trusts the certificates in the file ca, or those of the system if ca is empty.
func acmeClient(ca string) (*http.Client, error) {
	t := http.DefaultTransport.(*http.Transport).Clone()
	if ca != "" {
		data, err := os.ReadFile(ca)
		if err != nil {
			return nil, err
		}
		roots := x509.NewCertPool()
		if !roots.AppendCertsFromPEM(data) {
			return nil, fmt.Errorf("%s has no certificate", ca)
		}
		t.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	}
	return &http.Client{Timeout: 30 * time.Second, Transport: t}, nil
}

// obtain requests the certificates in the background, so that the first visitor does not wait for them. It makes their
// folder private to the server's user. Without ACME it does nothing.
func (s *security) obtain(ctx context.Context, st *store.Store) error {
	if s == nil || s.acme == nil {
		return nil
	}
	folder := filepath.Join(st.Folder(), acmeFolder)
	err := os.MkdirAll(folder, 0o700)
	if err == nil {
		err = os.Chmod(folder, 0o700)
	}
	if err != nil {
		return fmt.Errorf("keep certificates: %w", err)
	}
	go func() {
		for _, name := range s.names {
			// With this cipher suite, autocert uses an ECDSA certificate, which every browser accepts.
			c, err := s.acme.GetCertificate(&tls.ClientHelloInfo{ServerName: name,
				CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256}})
			switch {
			case ctx.Err() != nil:
				return
			case err != nil:
				slog.Error("no certificate was obtained; the next visit tries again", "domain", name, "error", err)
			default:
				slog.Info("the certificate is ready", "domain", name, "until", c.Leaf.NotAfter)
			}
		}
	}()
	return nil
}

// redirect serves plain HTTP at the address of --redirect-listen until stop is called. It redirects requests to the
// origin, and answers the challenges of ACME.
func (s *security) redirect(cmd *cli.Command) (stop func(), err error) {
	at := cmd.String("redirect-listen")
	if s == nil || at == "" {
		return func() {}, nil
	}
	listener, err := net.Listen("tcp", at)
	if err != nil {
		return nil, fmt.Errorf("%w: choose another address with --redirect-listen", err)
	}
	h := redirectTo(s.origin)
	if s.acme != nil {
		h = s.acme.HTTPHandler(h)
	}
	return serveBeside(listener, h), nil
}

// redirectTo redirects GET and HEAD to the same path and query at the origin, and refuses everything else. It ignores
// the Host header, so that a client cannot choose another host.
func redirectTo(origin string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead || !strings.HasPrefix(r.RequestURI, "/") {
			w.Header().Set("Connection", "close")
			http.Error(w, "Nothing was done. Use "+origin+": what is sent here can be read on the way.",
				http.StatusForbidden)
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		http.Redirect(w, r, origin+r.RequestURI, http.StatusPermanentRedirect)
	})
}
