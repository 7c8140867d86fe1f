package account_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"

	"samepage/web/account"
)

// certificate makes a self-signed certificate for this machine.
func certificate(t *testing.T) (server, client *tls.Config) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(cert)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}},
		&tls.Config{RootCAs: pool}
}

// TestSMTP checks that a mail is sent over an encrypted and authenticated connection, and that no text in it can end a
// header or the mail.
func TestSMTP(t *testing.T) {
	server, client := certificate(t)
	l := newLetterbox(t, func(l *letterbox) { l.secure, l.login = server, "us secret" })
	m := l.smtp(t, "us:secret@")
	if err := m.Check(t.Context()); err == nil {
		t.Error("a certificate that nobody signed is trusted")
	}
	m.TLS = client
	if err := m.Check(t.Context()); err != nil {
		t.Error(err)
	}
	const evil = "Grüße\r\nBcc: eve@evil.example\r\n\r\n.\r\nQUIT"
	if err := m.Send(t.Context(), "bob@acme.example", account.Letter{Subject: evil, Text: evil + "\n.\n..\nEnd"},
		time.Unix(0, 0)); err != nil {
		t.Fatal(err)
	}
	list := l.letters()
	if len(list) != 1 || !list[0].secure || list[0].header.Get("Bcc") != "" || list[0].to != "TO:<bob@acme.example>" ||
		!strings.HasSuffix(strings.TrimSpace(list[0].body), "End") {
		t.Errorf("it got %+v", list)
	}
	if want := strings.NewReplacer("\r", " ", "\n", " ").Replace(evil); list[0].subject != want {
		t.Errorf("the subject is %q, want %q", list[0].subject, want)
	}
	for _, to := range []string{"bob@acme.example\r\nRCPT TO:<eve@evil.example>",
		"bob@acme.example> <eve@evil.example", ""} {
		if err := m.Send(t.Context(), to, account.Letter{Subject: "s", Text: "b"}, time.Now()); err == nil {
			t.Errorf("%q is an address", to)
		}
	}
	if m := l.smtp(t, "us:wrong@"); m != nil {
		m.TLS = client
		if err := m.Check(t.Context()); err == nil || strings.Contains(err.Error(), "wrong") {
			t.Errorf("a wrong password: %v", err)
		}
	}
	for _, bad := range []string{"", "mail.example.org", "http://mail.example.org", "smtp://", "smtp://h/path",
		"smtp://h?x=1"} {
		if _, err := account.ParseSMTP(bad, "a@example.org"); err == nil {
			t.Errorf("%q is the address of a mail server", bad)
		}
	}
	if _, err := account.ParseSMTP("smtps://h", "nobody"); err == nil {
		t.Error("nobody is whom mails come from")
	}
}
