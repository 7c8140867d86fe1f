package account_test

import (
	"bufio"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"strings"
	"sync"
	"testing"

	"samepage/web/account"
)

// letterbox is a mail server on this machine that stores the mails it gets. While it is broken, it refuses every mail.
type letterbox struct {
	addr   string
	secure *tls.Config // if not nil, the server offers STARTTLS
	login  string      // user and password, separated by a space; if empty, none are needed
	slow   func()      // called before each mail is acknowledged; may be nil

	mu     sync.Mutex
	broken bool
	kept   []letter
}

type letter struct {
	from, to string
	header   mail.Header
	subject  string
	body     string
	html     string // the second part of a mail with two parts
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
			x.read(b.String())
			l.mu.Lock()
			l.kept = append(l.kept, x)
			l.mu.Unlock()
			if l.slow != nil {
				l.slow()
			}
			say("250 kept")
		case "QUIT":
			say("221 bye")
			return
		default:
			say("250 fine")
		}
	}
}

// read stores the header and the texts of a mail. If the mail cannot be read, x stays as it is.
func (x *letter) read(text string) {
	m, err := mail.ReadMessage(strings.NewReader(text))
	if err != nil {
		return
	}
	x.header, x.html = m.Header, ""
	x.subject, _ = new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	_, params, _ := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if params["boundary"] == "" {
		body, _ := io.ReadAll(quotedprintable.NewReader(m.Body))
		x.body = string(body)
		return
	}
	parts := multipart.NewReader(m.Body, params["boundary"]) // the reader also decodes quoted-printable
	for _, into := range []*string{&x.body, &x.html} {
		if part, err := parts.NextPart(); err == nil {
			body, _ := io.ReadAll(part)
			*into = strings.ReplaceAll(string(body), "\r\n", "\n")
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
