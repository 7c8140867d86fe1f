//go:build linux

package durability

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"mime/quotedprintable"
	"net"
	"net/http"
	"net/mail"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// postOffice is a mail server that accepts a mail when the test lets it.
type postOffice struct {
	addr string
	gone chan string // the address of each mail of which the sender has gone before it was accepted

	mu       sync.Mutex
	held     int                 // number of mails that have arrived and are not accepted
	open     chan struct{}       // closed when mails are accepted
	accepted map[string][]string // texts by the address
}

func newPostOffice(t *testing.T) *postOffice {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	p := &postOffice{addr: l.Addr().String(), gone: make(chan string, 100), open: make(chan struct{}), accepted: map[string][]string{}}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go p.serve(conn)
		}
	}()
	return p
}

// shut holds back the mails that arrive from now on.
func (p *postOffice) shut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open = make(chan struct{})
}

// state returns the number of mails that are held back, and of those that were accepted.
func (p *postOffice) state() (held, accepted int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, list := range p.accepted {
		accepted += len(list)
	}
	return p.held, accepted
}

func (p *postOffice) serve(conn net.Conn) {
	defer conn.Close()
	in, to := bufio.NewReader(conn), ""
	fmt.Fprint(conn, "220 here\r\n")
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		switch verb := strings.ToUpper(strings.TrimSpace(line)); {
		case strings.HasPrefix(verb, "RCPT"):
			to = line[strings.Index(line, "<")+1 : strings.Index(line, ">")]
		case verb == "DATA":
			fmt.Fprint(conn, "354 go on\r\n")
			if !p.take(conn, in, to) {
				return
			}
		case verb == "QUIT":
			fmt.Fprint(conn, "221 bye\r\n")
			return
		}
		fmt.Fprint(conn, "250 fine\r\n")
	}
}

// take reads a mail and accepts it once the office is open, unless the sender has gone by then.
func (p *postOffice) take(conn net.Conn, in *bufio.Reader, to string) bool {
	var text strings.Builder
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return false
		}
		if line == ".\r\n" {
			break
		}
		text.WriteString(line)
	}
	p.mu.Lock()
	open := p.open
	p.held++
	p.mu.Unlock()
	left := make(chan error, 1)
	go func() {
		_, err := in.Peek(1)
		left <- err
	}()
	kept := false
	select {
	case <-left:
		p.gone <- to
	case <-open:
		conn.SetReadDeadline(time.Unix(1, 0)) // ends the look for the end of the connection
		<-left
		conn.SetReadDeadline(time.Time{})
		in.Reset(conn)
		kept = true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held--
	if kept {
		p.accepted[to] = append(p.accepted[to], text.String())
	}
	return kept
}

// mailing starts a node that sends mail.
func (c *cluster) mailing(t *testing.T, p *postOffice) *server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	s := serveAt(t, t.TempDir(), addr, append(c.env, "SAMEPAGE_ORIGIN=http://"+addr, "SAMEPAGE_SMTP=smtp://"+p.addr,
		"SAMEPAGE_MAIL_FROM=samepage@meadow.example")...)
	if s.url == "" {
		t.Fatalf("the node does not serve:\n%s", s.output)
	}
	return s
}

// query runs a statement in the database of the cluster and returns the first column of the rows.
func (c *cluster) query(t *testing.T, statement string, args ...any) (list []string) {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), strings.TrimPrefix(c.env[0], "SAMEPAGE_DATABASE="))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	rows, err := conn.Query(context.Background(), statement, args...)
	if err == nil {
		list, err = pgx.CollectRows(rows, pgx.RowTo[string])
	}
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// until waits until a condition is met.
func until(t *testing.T, what string, met func() bool) {
	t.Helper()
	for deadline := time.Now().Add(90 * time.Second); !met(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after 90 s: %s", what)
		}
	}
}

var linkInMail = regexp.MustCompile(`http://\S+(/invitations/\S+)`)

// TestNodesSendMail has three nodes, each with a mail that a slow mail server has not accepted yet. One is killed and
// one is paused. Each invitation is mailed once, and its link works.
func TestNodesSendMail(t *testing.T) {
	p := newPostOffice(t)
	c := onServer(t, seeded(t))
	mails, begun := 0, time.Now()
	rounds := count(t, *rounds, 5, 1)
	for round := range rounds {
		p.shut()
		killed, paused, steady := c.mailing(t, p), c.mailing(t, p), c.mailing(t, p)
		alice := steady.signIn("alice")
		invite := func(kind string, n int) {
			for i := range n {
				steady.submit(alice, "/orgs/meadow/invitations/actions/invite_member",
					url.Values{"email": {fmt.Sprintf("%s-%d-%d@post.example", kind, round, i)}})
			}
			mails += n
		}
		invite("early", 3)
		until(t, "not every node sends a mail", func() bool { held, _ := p.state(); return held == 3 })
		killed.end(syscall.SIGKILL)
		paused.cmd.Process.Signal(syscall.SIGSTOP)
		// The lease of the killed node ends after two minutes. They are over for this mail.
		c.query(t, `UPDATE mails SET leased_to = 0 WHERE address = $1 RETURNING id`, <-p.gone)
		time.Sleep(4 * time.Second) // longer than a transaction may be idle
		close(p.open)
		invite("late", 12)
		until(t, "mails are not sent", func() bool { _, sent := p.state(); return sent == mails })
		time.Sleep(2 * time.Second)
		paused.cmd.Process.Signal(syscall.SIGCONT)
		until(t, "sent mails are not marked", func() bool {
			return len(c.query(t, `SELECT id FROM mails WHERE sent_at IS NULL`)) == 0
		})
		if _, sent := p.state(); sent != mails || len(p.accepted) != mails {
			t.Fatalf("%d mails were sent to %d addresses, and %d were asked for", sent, len(p.accepted), mails)
		}
		p.follow(t, steady)
		paused.alive()
		steady.end(syscall.SIGTERM)
		paused.end(syscall.SIGTERM)
	}
	t.Logf("%d nodes killed and %d paused while they sent a mail, in %v: %d mails, none lost, none doubled, every link works",
		rounds, rounds, time.Since(begun).Round(time.Second), mails)
}

// follow opens the link in each mail.
func (p *postOffice) follow(t *testing.T, s *server) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for to, list := range p.accepted {
		m, err := mail.ReadMessage(strings.NewReader(list[0]))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(quotedprintable.NewReader(m.Body))
		link := linkInMail.FindSubmatch(body)
		if err != nil || link == nil {
			t.Fatalf("the mail to %s has no link (%v):\n%s", to, err, body)
		}
		resp, err := http.Get(s.url + string(link[1]))
		if err != nil {
			t.Fatal(err)
		}
		page, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK || !strings.Contains(string(page), "accept") {
			t.Errorf("the link of %s is answered with %s: %.300s", to, resp.Status, page)
		}
	}
}
