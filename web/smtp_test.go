package web_test

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"io"
	"math/big"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"strings"
	"sync"
	"testing"
	"time"

	"samepage/web/account"
)

// letterbox is a mail server on this machine that keeps what it is given. While it is broken it refuses each mail.
type letterbox struct {
	addr   string
	secure *tls.Config // offers STARTTLS
	login  string      // "user password"; empty asks for none

	mu     sync.Mutex
	broken bool
	kept   []letter
}

type letter struct {
	from, to string
	header   mail.Header
	subject  string
	body     string
	secure   bool
}

func newLetterbox(t *testing.T, set ...func(*letterbox)) *letterbox {
	l := &letterbox{}
	for _, s := range set {
		s(l)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.addr = listener.Addr().String()
	var all sync.WaitGroup
	all.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			all.Go(func() { l.serve(conn) })
		}
	})
	t.Cleanup(func() { listener.Close(); all.Wait() })
	return l
}

func (l *letterbox) setBroken(yes bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.broken = yes
}

func (l *letterbox) letters() []letter {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]letter(nil), l.kept...)
}

func (l *letterbox) serve(conn net.Conn) {
	defer func() { conn.Close() }()
	in := bufio.NewReader(conn)
	say := func(format string, args ...any) { fmt.Fprintf(conn, format+"\r\n", args...) }
	say("220 here")
	var x letter
	signed := l.login == ""
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimRight(line, "\r\n")
		verb, rest, _ := strings.Cut(line, " ")
		switch strings.ToUpper(verb) {
		case "EHLO":
			say("250-here")
			if l.secure != nil && !x.secure {
				say("250-STARTTLS")
			}
			say("250-AUTH PLAIN\r\n250 8BITMIME")
		case "STARTTLS":
			say("220 go")
			conn = tls.Server(conn, l.secure)
			in, x.secure = bufio.NewReader(conn), true
		case "AUTH":
			b, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(rest, "PLAIN "))
			signed = strings.TrimSpace(strings.ReplaceAll(string(b), "\x00", " ")) == l.login
			say(map[bool]string{true: "235 in", false: "535 who are you"}[signed])
		case "MAIL":
			l.mu.Lock()
			broken := l.broken
			l.mu.Unlock()
			if broken || !signed {
				say("451 not today")
				continue
			}
			x.from = rest
			say("250 yes")
		case "RCPT":
			x.to = rest
			say("250 yes")
		case "DATA":
			say("354 go on")
			var b strings.Builder
			for {
				line, err := in.ReadString('\n')
				if err != nil {
					return
				}
				if line == ".\r\n" {
					break
				}
				b.WriteString(strings.TrimPrefix(line, "."))
			}
			m, err := mail.ReadMessage(strings.NewReader(b.String()))
			if err == nil {
				body, _ := io.ReadAll(quotedprintable.NewReader(m.Body))
				x.header, x.body = m.Header, string(body)
				x.subject, _ = new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
			}
			l.mu.Lock()
			l.kept = append(l.kept, x)
			l.mu.Unlock()
			say("250 kept")
		case "QUIT":
			say("221 bye")
			return
		default:
			say("250 fine")
		}
	}
}

func (l *letterbox) smtp(t *testing.T, userinfo string) *account.SMTP {
	t.Helper()
	m, err := account.ParseSMTP("smtp://"+userinfo+l.addr, "Samepage <samepage@acme.example>")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// certificate is one for this machine, signed by itself.
func certificate(t *testing.T) (server, client *tls.Config) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
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
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}, &tls.Config{RootCAs: pool}
}

// TestSMTP: a mail arrives encrypted and signed in, and no text of anybody's can end a header or the mail.
func TestSMTP(t *testing.T) {
	server, client := certificate(t)
	l := newLetterbox(t, func(l *letterbox) { l.secure, l.login = server, "us secret" })
	m := l.smtp(t, "us:secret@")
	if err := m.Check(t.Context()); err == nil {
		t.Error("a certificate that nobody signed is trusted")
	}
	m.Roots = client
	if err := m.Check(t.Context()); err != nil {
		t.Error(err)
	}
	const evil = "Grüße\r\nBcc: eve@evil.example\r\n\r\n.\r\nQUIT"
	if err := m.Send(t.Context(), "bob@acme.example", evil, evil+"\n.\n..\nEnd", time.Unix(0, 0)); err != nil {
		t.Fatal(err)
	}
	list := l.letters()
	if len(list) != 1 || !list[0].secure || list[0].header.Get("Bcc") != "" || list[0].to != "TO:<bob@acme.example>" || !strings.HasSuffix(strings.TrimSpace(list[0].body), "End") {
		t.Errorf("it got %+v", list)
	}
	if want := strings.NewReplacer("\r", " ", "\n", " ").Replace(evil); list[0].subject != want {
		t.Errorf("the subject is %q, want %q", list[0].subject, want)
	}
	for _, to := range []string{"bob@acme.example\r\nRCPT TO:<eve@evil.example>", "bob@acme.example> <eve@evil.example", ""} {
		if err := m.Send(t.Context(), to, "s", "b", time.Now()); err == nil {
			t.Errorf("%q is an address", to)
		}
	}
	if m := l.smtp(t, "us:wrong@"); m != nil {
		m.Roots = client
		if err := m.Check(t.Context()); err == nil || strings.Contains(err.Error(), "wrong") {
			t.Errorf("a wrong password: %v", err)
		}
	}
	for _, bad := range []string{"", "mail.example.org", "http://mail.example.org", "smtp://", "smtp://h/path", "smtp://h?x=1"} {
		if _, err := account.ParseSMTP(bad, "a@example.org"); err == nil {
			t.Errorf("%q is the address of a mail server", bad)
		}
	}
	if _, err := account.ParseSMTP("smtps://h", "nobody"); err == nil {
		t.Error("nobody is whom mails come from")
	}
}
