package account

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/mail"
	"net/netip"
	"net/smtp"
	"net/url"
	"strings"
	"time"

	"samepage/store"
)

// mailTimeout is how long one connection to the mail server may last.
const mailTimeout = 30 * time.Second

// SMTP delivers mails through a mail server.
type SMTP struct {
	host, addr string
	implicit   bool // TLS from the first byte
	auth       smtp.Auth
	from       mail.Address
	TLS        *tls.Config // set by tests; nil means that this machine's certificate authorities are trusted
}

// ParseSMTP reads the address of a mail server and the sender of all mails. The address is
// smtp://user:password@host:port for STARTTLS, or smtps:// for TLS from the first byte. User, password and port are
// optional.
func ParseSMTP(address, from string) (*SMTP, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "smtp" && u.Scheme != "smtps" || u.Hostname() == "" ||
		strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
		// The error does not repeat the address, because it may contain a password.
		return nil, fmt.Errorf("--smtp takes an address such as smtp://user:password@mail.example.org:587 or smtps://…")
	}
	sender, err := mail.ParseAddress(from)
	if err != nil {
		return nil, fmt.Errorf("--mail-from takes whom mails come from, such as samepage@example.org")
	}
	m := &SMTP{host: u.Hostname(), implicit: u.Scheme == "smtps", from: *sender}
	port := u.Port()
	if port == "" {
		port = map[bool]string{false: "587", true: "465"}[m.implicit]
	}
	m.addr = net.JoinHostPort(m.host, port)
	if u.User != nil {
		password, _ := u.User.Password()
		m.auth = smtp.PlainAuth("", u.User.Username(), password, m.host)
	}
	return m, nil
}

// Send delivers a mail to one address.
func (m *SMTP) Send(ctx context.Context, to string, l Letter, at time.Time) error {
	if _, err := store.Email(to); err != nil {
		return err
	}
	return m.talk(ctx, func(c *smtp.Client) error {
		if err := c.Mail(m.from.Address); err != nil {
			return err
		}
		if err := c.Rcpt(to); err != nil {
			return err
		}
		w, err := c.Data()
		if err != nil {
			return err
		}
		if _, err := w.Write(m.message(to, l, at)); err != nil {
			return err
		}
		return w.Close()
	})
}

// Check connects to the mail server, signs in if the address has a user, and disconnects.
func (m *SMTP) Check(ctx context.Context) error {
	return m.talk(ctx, func(c *smtp.Client) error { return c.Noop() })
}

// talk calls say with a connection, signed in if the address of the server has a user. The connection must be encrypted
// unless the server is on this machine.
func (m *SMTP) talk(ctx context.Context, say func(*smtp.Client) error) error {
	ctx, cancel := context.WithTimeout(ctx, mailTimeout)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", m.addr)
	if err != nil {
		return err
	}
	defer conn.Close()
	if deadline, ok := ctx.Deadline(); ok {
		if err := conn.SetDeadline(deadline); err != nil {
			return err
		}
	}
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	secure := &tls.Config{}
	if m.TLS != nil {
		secure = m.TLS.Clone()
	}
	secure.ServerName = m.host
	if m.implicit {
		conn = tls.Client(conn, secure)
	}
	c, err := smtp.NewClient(conn, m.host)
	if err != nil {
		return err
	}
	if ok, _ := c.Extension("STARTTLS"); ok && !m.implicit {
		if err := c.StartTLS(secure); err != nil {
			return err
		}
	} else if !m.implicit && !isLoopback(m.host) {
		return fmt.Errorf("%s offers no encryption (STARTTLS)", m.host)
	}
	if m.auth != nil {
		if err := c.Auth(m.auth); err != nil {
			return err
		}
	}
	if err := say(c); err != nil {
		return err
	}
	c.Quit() // the mail is sent, even if this fails
	return nil
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}
