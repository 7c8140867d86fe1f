//go:build linux

package durability

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"io"
	"math/rand/v2"
	"mime/quotedprintable"
	"net"
	"net/http"
	"net/mail"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// postOffice is a mail server that accepts mails only while it is open.
type postOffice struct {
	addr string
	gone chan string // addresses of the mails whose sender disconnected before the mail was accepted

	mu       sync.Mutex
	held     int                 // number of mails that have arrived and are not accepted yet
	open     chan struct{}       // closed while the office accepts mails
	accepted map[string][]string // texts of the accepted mails, by address
}

func newPostOffice(t *testing.T) *postOffice {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	p := &postOffice{addr: l.Addr().String(), gone: make(chan string, 100), open: make(chan struct{}),
		accepted: map[string][]string{}}
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

// shut holds back all mails that arrive after this call.
func (p *postOffice) shut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open = make(chan struct{})
}

// state returns the number of mails that are held back, and the number of accepted mails.
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

// take reads a mail and accepts it when the office is open, unless the sender has disconnected by then.
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
		conn.SetReadDeadline(time.Unix(1, 0)) // ends the goroutine that waits for the end of the connection
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
	addr := freeAddress(t)
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
	for deadline := time.Now().Add(hangs); !met(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after %v: %s", hangs, what)
		}
	}
}

var linkInMail = regexp.MustCompile(`http://\S+(/invitations/\S+)`)

// TestNodesSendMail runs three nodes. While each node is sending a mail to a slow mail server, one node is killed and
// one is paused. Each invitation must be mailed once, and its link must work.
func TestNodesSendMail(t *testing.T) {
	t.Parallel()
	p := newPostOffice(t)
	c := onServer(t, seeded(t))
	mails, begun := 0, time.Now()
	rounds := count(t, *rounds, 1, 3, 20)
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
		// End the lease of the killed node for this mail, which would otherwise last two minutes.
		c.query(t, `UPDATE mails SET leased_to = 0 WHERE address = $1 RETURNING id`, <-p.gone)
		time.Sleep(4 * time.Second) // after 3 s, the database server ends an idle transaction (store/db/postgres.go)
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

// follow opens the link in each accepted mail.
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

var noticeLink = regexp.MustCompile(`http://\S+?(/\S+#c\d+)`)

// TestKillWhileMailingNotices kills the server while it mails notifications: between the claim of a mail and its
// sending, and after the mail server has accepted it. No notification may be lost: after the restart and the end of
// the lease, each notification must be in an accepted mail. The server cannot know whether a mail was accepted at the
// moment of the kill, so it may send such a mail again. The test counts these mails.
func TestKillWhileMailingNotices(t *testing.T) {
	t.Parallel()
	w, p := seeded(t), newPostOffice(t)
	r := rand.New(rand.NewPCG(*seed, 5))
	dir, begun := w.folder(t), time.Now()
	addr := freeAddress(t)
	serve := func() *server {
		s := serveAt(t, dir, addr, "SAMEPAGE_ORIGIN=http://"+addr, "SAMEPAGE_SMTP=smtp://"+p.addr,
			"SAMEPAGE_MAIL_FROM=samepage@meadow.example")
		if s.url == "" {
			t.Fatalf("the server does not serve:\n%s", s.output)
		}
		return s
	}
	asked, held, n := 0, 0, count(t, *rounds, 1, 4, 40)
	people := []string{"alice", "carol", "dave", "erin"}
	for round := range n {
		p.shut()
		s := serve()
		if round == 0 {
			for _, name := range people {
				s.submit(s.signIn(name), "/settings/notifications/actions/choose_notifications",
					url.Values{"mail_at_once": {"mention"}})
			}
		}
		bob := s.signIn("bob")
		for i := range 3 {
			poll := w.polls[(round+i)%len(w.polls)]
			text := fmt.Sprintf("Round %d, @%s.", round, strings.Join(people, " @"))
			s.submit(bob, poll.url+"/actions/comment", url.Values{"text": {text}})
			asked += len(people)
		}
		until(t, "no mail about notifications is sent", func() bool { held, _ := p.state(); return held > 0 })
		if round%2 == 0 {
			held++
		} else { // the mail server accepts the held mails, and the kill comes before, while or after the sender learns this
			close(p.open)
			time.Sleep(time.Duration(r.IntN(3000)) * time.Microsecond)
		}
		s.end(syscall.SIGKILL)
		if round%2 == 0 {
			<-p.gone
			close(p.open)
		}
		db := open(t, filepath.Join(dir, "samepage.db"))
		if _, err := db.Exec(`UPDATE mails SET leased_to = 0 WHERE sent_at IS NULL`); err != nil { // the lease would last two minutes
			t.Fatal(err)
		}
		s = serve()
		until(t, "mails are not sent", func() bool { return untold(t, db, begun) == 0 })
		db.Close()
		s.end(syscall.SIGTERM)
	}
	told, twice := p.told(t)
	t.Logf("%d kills in %v, %d of them before the mail was accepted: %d notifications, %d told by mail, %d of them twice", n,
		time.Since(begun).Round(time.Second), held, asked, told, twice)
	if told != asked {
		t.Errorf("mails told of %d notifications of %d", told, asked)
	}
}

// untold returns the number of unsent mails, plus the number of mentions since the given time without a queued mail.
func untold(t *testing.T, db *sql.DB, since time.Time) (n int) {
	t.Helper()
	if err := db.QueryRow(`SELECT (SELECT count(*) FROM mails WHERE sent_at IS NULL) + (SELECT count(*) FROM notifications n
		JOIN notification_ways w ON w.reason = n.reason AND w.way = 'mail'
		JOIN members m ON m.id = n.member_id AND m.user_id = w.user_id
		WHERE n.mail_id IS NULL AND n.read_at IS NULL AND n.at > ?)`, since.UnixMilli()).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// told counts the notifications in accepted mails, each once per address, and those that are in two mails. Mails with
// the same notification must have the same Message-ID, because they are one mail that was sent twice.
func (p *postOffice) told(t *testing.T) (told, twice int) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for to, list := range p.accepted {
		ids := map[string]string{} // Message-ID of the first mail with each link
		for _, text := range list {
			m, err := mail.ReadMessage(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(quotedprintable.NewReader(m.Body))
			if err != nil {
				t.Fatalf("a mail to %s: %v", to, err)
			}
			inMail := map[string]bool{}
			for _, link := range noticeLink.FindAllStringSubmatch(string(body), -1) {
				inMail[link[1]] = true
			}
			id := m.Header.Get("Message-ID")
			for link := range inMail {
				switch first, ok := ids[link]; {
				case ok && (first != id || id == ""):
					t.Errorf("%s is told of %s in two mails, %s and %s", to, link, first, id)
				case ok:
					twice++
				default:
					ids[link] = id
				}
			}
		}
		told += len(ids)
	}
	return told, twice
}
