package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/letsencrypt/pebble/v2/ca"
	"github.com/letsencrypt/pebble/v2/db"
	"github.com/letsencrypt/pebble/v2/va"
	"github.com/letsencrypt/pebble/v2/wfe"
	"github.com/miekg/dns"
	"github.com/urfave/cli/v3"

	"samepage/store"
	"samepage/web"
)

// authority starts Pebble, the test certificate authority of Let's Encrypt. Pebble resolves every name to 127.0.0.1 and
// connects to the given port. The function returns the URL of Pebble's ACME directory, a file with the certificate of
// Pebble's server, and the roots of the certificates that Pebble issues.
func authority(t *testing.T, port int) (directory, file string, roots *x509.CertPool) {
	t.Helper()
	t.Setenv("PEBBLE_VA_NOSLEEP", "1")
	t.Setenv("PEBBLE_WFE_NONCEREJECT", "0")
	resolver, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	names := &dns.Server{Listener: resolver, Handler: dns.HandlerFunc(func(w dns.ResponseWriter, q *dns.Msg) {
		m := new(dns.Msg)
		m.SetReply(q)
		if q.Question[0].Qtype == dns.TypeA {
			m.Answer = []dns.RR{&dns.A{Hdr: dns.RR_Header{Name: q.Question[0].Name, Rrtype: dns.TypeA, Class: dns.ClassINET},
				A: net.IPv4(127, 0, 0, 1)}}
		}
		w.WriteMsg(m)
	})}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		names.ActivateAndServe()
	}()
	t.Cleanup(func() {
		resolver.Close()
		<-ended
	})
	quiet := log.New(io.Discard, "", 0)
	kept := db.NewMemoryStore()
	issuer := ca.New(quiet, kept, "", "ecdsa", 0, 1,
		map[string]ca.Profile{"default": {Description: "for tests", ValidityPeriod: 7776000}})
	front := wfe.New(quiet, kept, va.New(quiet, 1, port, false, resolver.Addr().String(), kept), issuer, nil, false,
		false, 0, 0)
	server := httptest.NewTLSServer(front.Handler())
	t.Cleanup(server.Close)
	file = filepath.Join(t.TempDir(), "directory.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	roots = x509.NewCertPool()
	roots.AppendCertsFromPEM(issuer.GetRootCert(0).PEM())
	return server.URL + wfe.DirectoryPath, file, roots
}

// TestACME obtains a certificate from a test authority, which checks the domain by connecting to the server. A second
// start reads the certificate from the data folder, without an authority.
func TestACME(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := listener.Addr().String()
	directory, file, roots := authority(t, listener.Addr().(*net.TCPAddr).Port)
	dir := t.TempDir()
	const domain = "team.example.org"
	visit := func(listener net.Listener, directory string) {
		t.Helper()
		st, err := store.Open(t.Context(), dir, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer st.Close()
		site, err := web.New(t.Context(), st, web.Config{Origin: "https://" + domain})
		if err != nil {
			t.Fatal(err)
		}
		var secured *security
		cmd := &cli.Command{Flags: serveFlags(), Action: func(_ context.Context, cmd *cli.Command) (err error) {
			secured, err = securityOf(cmd)
			return err
		}}
		if err := cmd.Run(t.Context(), []string{"serve", "--data", dir, "--acme-domain", domain, "--acme-agree",
			"--acme-directory", directory, "--acme-ca", file}); err != nil {
			t.Fatal(err)
		}
		if secured.origin != "https://"+domain {
			t.Errorf("the origin is %s", secured.origin)
		}
		serving, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- run(serving, site, handler(site, secured.origin), listener, secured) }()
		if err := secured.obtain(serving, st); err != nil {
			t.Fatal(err)
		}
		client := &http.Client{Transport: &http.Transport{ForceAttemptHTTP2: true,
			TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
			DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, network, at)
			}}}
		a, err := client.Get("https://" + domain + "/help")
		if err != nil {
			t.Fatal(err)
		}
		a.Body.Close()
		if a.StatusCode != 200 || a.ProtoMajor != 2 {
			t.Errorf("%s %s", a.Proto, a.Status)
		}
		client.CloseIdleConnections()
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	visit(listener, directory)
	if listener, err = net.Listen("tcp", at); err != nil {
		t.Fatal(err)
	}
	visit(listener, "https://127.0.0.1:1/none")
	err = filepath.WalkDir(filepath.Join(dir, acmeFolder), func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("others can read %s: %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
