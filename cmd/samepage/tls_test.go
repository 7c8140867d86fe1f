package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"samepage/store"
	"samepage/web"
)

// selfMade writes a self-signed certificate for the given names, and its key, to two files.
func selfMade(t *testing.T, cert, key string, serial int64, names ...string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	for _, name := range names {
		if ip := net.ParseIP(name); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, name)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{
		cert: {Type: "CERTIFICATE", Bytes: der},
		key:  {Type: "PRIVATE KEY", Bytes: secret},
	} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTLSFlags checks that serve refuses wrong and contradictory TLS flags with the reason, before it creates a
// database.
func TestTLSFlags(t *testing.T) {
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	selfMade(t, cert, key, 1, "team.example", "127.0.0.1")
	pattern, patternKey := filepath.Join(dir, "pattern.pem"), filepath.Join(dir, "pattern-key.pem")
	selfMade(t, pattern, patternKey, 1, "*.example")
	for args, says := range map[string]string{
		"--tls-cert CERT": "--tls-cert and --tls-key belong together",
		"--tls-key KEY":   "belong together",
		"--tls-cert CERT --tls-key KEY --acme-domain team.example":         "choose one",
		"--redirect-listen 127.0.0.1:0":                                    "it needs --tls-cert or --acme-domain",
		"--tls-cert CERT --tls-key KEY --origin http://team.example":       "begins with https://",
		"--tls-cert CERT --tls-key KEY --origin https://b.example":         "is for team.example, 127.0.0.1, and not for b",
		"--tls-cert OTHER --tls-key OTHERS":                                "names no host: add --origin",
		"--tls-cert CERT --tls-key OTHERS":                                 "private key does not match public key",
		"--tls-cert none.pem --tls-key KEY":                                "no such file",
		"--acme-domain a.example":                                          "--acme-domain needs --acme-agree",
		"--acme-domain a.example --acme-agree --origin https://b.c":        "is none of the domains",
		"--acme-domain a.example --acme-agree --acme-ca KEY":               key + " has no certificate",
		"--acme-domain a.example --acme-agree --database postgres://u@h/d": "keeps its certificates in",
	} {
		args := strings.Fields(strings.NewReplacer("CERT", cert, "KEY", key, "OTHERS", patternKey, "OTHER",
			pattern).Replace(args))
		data := filepath.Join(t.TempDir(), "data")
		out, code := runCommand(t, append([]string{"serve", "--listen", "127.0.0.1:0", "--data", data}, args...)...)
		if _, err := os.Stat(data); code != exitUsage || !strings.Contains(out, says) || err == nil {
			t.Errorf("%s: %d %s", args, code, out)
		}
	}
}

// TestDoctorSaysHowLong expects doctor to print the end of the certificate's validity.
func TestDoctorSaysHowLong(t *testing.T) {
	dir := t.TempDir()
	copyDemo(t, dir)
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	selfMade(t, cert, key, 1, "team.example")
	out, code := runCommand(t, "doctor", "--data", dir, "--listen", "127.0.0.1:443", "--tls-cert", cert,
		"--tls-key", key)
	until := time.Now().Add(time.Hour).UTC().Format(time.DateOnly)
	if code != 0 || !strings.Contains(out, "https://team.example is served with TLS by this server, with a certificate until "+until) {
		t.Errorf("%d %s", code, out)
	}
}

// TestOriginOfCertificate expects the origin to have the first name of the certificate that is not a wildcard, and the
// port unless it is 443.
func TestOriginOfCertificate(t *testing.T) {
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	selfMade(t, cert, key, 1, "*.example", "team.example")
	c, err := openCertificate(cert, key, "")
	if err != nil {
		t.Fatal(err)
	}
	for port, want := range map[int]string{443: "https://team.example", 8443: "https://team.example:8443"} {
		if origin, err := c.origin(port); err != nil || origin != want {
			t.Errorf("%s %v", origin, err)
		}
	}
}

// TestCertificateIsReadAgain replaces the files of a certificate by another certificate, a broken one, and one for
// another host. Only the first of these may be used. The error of each of the others must be logged once.
func TestCertificateIsReadAgain(t *testing.T) {
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(before)
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	selfMade(t, cert, key, 1, "team.example")
	c, err := openCertificate(cert, key, "team.example")
	if err != nil {
		t.Fatal(err)
	}
	at := time.Now()
	changed := func() { // changes the modification times, because the clock of the file system may be too coarse
		at = at.Add(time.Minute)
		if err := os.Chtimes(cert, at, at); err != nil {
			t.Fatal(err)
		}
	}
	serial := func() int64 {
		pair, err := c.get(nil)
		if err != nil {
			t.Fatal(err)
		}
		return pair.Leaf.SerialNumber.Int64()
	}
	if n := serial(); n != 1 {
		t.Errorf("serial %d", n)
	}
	selfMade(t, cert, key, 2, "team.example")
	changed()
	if n := serial(); n != 2 || !strings.Contains(log.String(), "was read again") {
		t.Errorf("serial %d: %s", n, log.String())
	}
	for _, c := range []struct {
		says  string
		spoil func()
	}{
		{"failed to find any PEM data", func() { os.WriteFile(cert, []byte("half"), 0o600) }},
		{"and not for team.example", func() { selfMade(t, cert, key, 3, "other.example") }},
	} {
		log.Reset()
		c.spoil()
		changed()
		for range 3 {
			if n := serial(); n != 2 {
				t.Errorf("serial %d", n)
			}
		}
		if got := log.String(); strings.Count(got, "the one before stays") != 1 || !strings.Contains(got, c.says) {
			t.Errorf("the log says %s", got)
		}
	}
	selfMade(t, cert, key, 4, "team.example")
	changed()
	if n := serial(); n != 4 {
		t.Errorf("serial %d", n)
	}
}

// TestServingTLS serves a site over TLS by HTTP/2 and HTTP/1.1, and stops it.
func TestServingTLS(t *testing.T) {
	st, err := store.Open(t.Context(), t.TempDir(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	origin := "https://" + listener.Addr().String()
	site, err := web.New(t.Context(), st, web.Config{Origin: origin})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	selfMade(t, cert, key, 1, "127.0.0.1")
	c, err := openCertificate(cert, key, "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	secured := &security{origin: origin, config: &tls.Config{GetCertificate: c.get, MinVersion: tls.VersionTLS12}}
	serving, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- run(serving, site, handler(site, origin), listener, secured) }()
	known := x509.NewCertPool()
	known.AddCert(c.current.Leaf)
	trust := &tls.Config{RootCAs: known, MinVersion: tls.VersionTLS12}
	for proto, client := range map[string]*http.Client{
		"HTTP/2.0": {Transport: &http.Transport{TLSClientConfig: trust.Clone(), ForceAttemptHTTP2: true}},
		"HTTP/1.1": {Transport: &http.Transport{TLSClientConfig: trust.Clone()}},
	} {
		a, err := client.Get(origin + "/help")
		if err != nil {
			t.Fatal(err)
		}
		a.Body.Close()
		if a.Proto != proto || a.StatusCode != 200 || a.Header.Get("Strict-Transport-Security") == "" {
			t.Errorf("%s: %s %s %v", proto, a.Proto, a.Status, a.Header)
		}
		client.CloseIdleConnections()
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestRedirect requests URLs over plain HTTP. GET and HEAD lead to the origin, whatever the Host header is, and other
// methods are refused.
func TestRedirect(t *testing.T) {
	for _, c := range []struct {
		method, target string
		status         int
		to             string
	}{
		{"GET", "/", 308, "https://team.example/"},
		{"HEAD", "/studios/team?after=%2f", 308, "https://team.example/studios/team?after=%2f"},
		{"GET", "//evil.example/x", 308, "https://team.example//evil.example/x"},
		{"POST", "/login", 403, ""},
		{"OPTIONS", "*", 403, ""},
	} {
		r := httptest.NewRequest(c.method, "/", nil)
		r.RequestURI, r.Host = c.target, "evil.example"
		rec := httptest.NewRecorder()
		redirectTo("https://team.example").ServeHTTP(rec, r)
		if rec.Code != c.status || rec.Header().Get("Location") != c.to {
			t.Errorf("%s %s: %d %s", c.method, c.target, rec.Code, rec.Header().Get("Location"))
		}
	}
}
