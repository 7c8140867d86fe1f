package clients

import (
	"database/sql"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"samepage/store/pgtest"
)

// secretBallot is an election. Each nomination in it has a reason with a word that occurs nowhere else.
type secretBallot struct {
	*world
	page, approval string
	own            map[string]string // by member, the word of the nomination that the member may read
	sent, mailed   *letterbox
	people         map[string]*person
	agents         map[string]string // tokens of agents, by member
}

// These words occur in no other text. The list revealed has the words of the nominations that are revealed later. The
// list gone has the words of nominations that nobody ever reads.
var (
	revealed = []string{"quokkalantern", "numbatlantern", "dingolantern"}
	gone     = []string{"wombatlantern", "possumlantern"}
)

// TestNominationsAreSecretEverywhere fills a role by election with the built program. People and agents nominate in
// secret. Dave replaces his nomination, Frank's nomination is refused, and the agent Bat needs Carol's approval.
// Until the nominations are revealed, their words are nowhere: in no page, search, file of the journal, notification,
// webhook, mail, log, export, backup or file of the database. Then everybody reads them. Electing changes the role,
// its mirror and the election in one transaction.
func TestNominationsAreSecretEverywhere(t *testing.T) {
	t.Parallel()
	pgtest.Folder(t, "it reads the files of the database and of a backup")
	s := newSecretBallot(t)
	s.nominates()
	s.isSecret("while a nomination waits for Carol")
	s.people["carol"].does(s.approval, "approve_request", nil)
	s.own["carol"] = revealed[2]
	s.isSecret("before the reveal")
	s.people["bob"].does(s.page, "advance_election", nil)
	for name, p := range s.people {
		for _, form := range forms {
			text := p.reads(s.page, form)
			contains(t, "what "+name+" reads once they are revealed, as "+form, text, revealed...)
			lacks(t, "what "+name+" reads once they are revealed, as "+form, text, gone...)
		}
	}
	s.elects()
}

var forms = []string{"text/html", "text/markdown", "application/json"}

// newSecretBallot serves a world with an election for a role that the leader of a child studio mirrors. The
// organization has a webhook. Each person gets mails at once, and has a webhook of their own.
func newSecretBallot(t *testing.T) *secretBallot {
	t.Helper()
	s := &secretBallot{world: unserved(t), own: map[string]string{}, people: map[string]*person{},
		agents: map[string]string{}}
	hooks, sent := newReceiver(t)
	post, mailed := newSink(t)
	s.sent, s.mailed = sent, mailed
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	s.serve("--listen="+address, "--origin=http://"+address, "--outgoing-allow=127.0.0.0/8", "--smtp=smtp://"+post,
		"--mail-from=samepage@meadow.example")
	for _, l := range s.demo.Logins {
		p := s.signIn(l.Member)
		s.people[l.Member] = p
		p.does("/settings/notifications", "choose_notifications",
			map[string]any{"mail_at_once": []string{"mention", "assignment",
				"approval", "security", "reply", "outcome", "due", "message", "change"}})
		p.does("/settings/notifications", "set_webhook", map[string]any{"address": hooks})
	}
	s.people["alice"].does("/orgs/meadow/webhooks", "create_webhook", map[string]any{"address": hooks})
	bob := s.people["bob"]
	role := bob.does("/studios/team/roles", "create_role", map[string]any{"title": "Night watch",
		"mission": "Sleeps by day."}).URL
	bob.does("/orgs/meadow", "create_studio", map[string]any{"handle": "watch", "name": "Watch", "parent": "team"})
	leader := links(bob.reads("/studios/watch/roles", "text/markdown"))["Leader"]
	bob.does(strings.TrimPrefix(leader, s.url), "mirror_role",
		map[string]any{"source": role[strings.LastIndexByte(role, '/')+1:]})
	s.page = bob.does("/studios/team", "create_election", map[string]any{"role": "Night watch",
		"qualifications": "Somebody who is awake at night.", "term": "365d"}).URL
	return s
}

// nominates lets two people and two agents nominate.
func (s *secretBallot) nominates() {
	s.t.Helper()
	nominate := func(reason string) map[string]any {
		return map[string]any{"nominee": "@erin", "reason": "She carries a " + reason + "."}
	}
	dave := s.people["dave"]
	dave.does(s.page, "nominate_member", map[string]any{"nominee": "@frank", "reason": "He has a " + gone[0] + "."})
	dave.does(s.page, "nominate_member", nominate(revealed[0]))
	s.own["dave"] = revealed[0]
	if status, _, text := s.people["frank"].tries(s.page, "nominate_member",
		map[string]any{"nominee": "@nobody", "reason": "A " + gone[1] + "."}); status != 422 {
		s.t.Fatalf("somebody unknown is nominated: %d %s", status, text)
	}
	s.agents["alice"] = s.governs("alice", "Owl")
	owl := s.overHTTP("Owl", s.agents["alice"])
	said := owl.act(s.page, "nominate_member", nominate(revealed[1]), "Alice saw the "+revealed[1]+".")
	contains(s.t, "what Owl was told", said, "Your nomination is kept.")
	s.own["alice"] = revealed[1]
	s.agents["carol"] = s.governs("carol", "Bat", "nominate_member")
	s.agents["frank"] = s.governs("frank", "Moth")
	bat := s.overStdio("Bat", s.agents["carol"])
	said = bat.act(s.page, "nominate_member", nominate(revealed[2]), "Carol saw the "+revealed[2]+".")
	if s.approval = approvalLink.FindString(said); s.approval == "" {
		s.t.Fatalf("Bat is not told to wait: %s", said)
	}
	s.own["carol"] = revealed[2]
	// A mail leaves out notifications that its reader has seen on a page. So the test waits for the mails before
	// anybody reads.
	s.soon("a mail tells of the election", func() bool { return s.mailed.having("Night watch") > 0 })
	s.soon("a mail tells Carol what waits", func() bool { return s.mailed.having("asks for your approval") > 0 })
	contains(s.t, "what Carol answers", s.people["carol"].reads(s.approval, "text/markdown"), revealed[2])
	contains(s.t, "what Bat asked for", bat.navigate(s.approval), revealed[2])
}

// isSecret fails the test if anyone can read a word of another member's nomination.
func (s *secretBallot) isSecret(when string) {
	s.t.Helper()
	words := slices.Concat(revealed, gone)
	pages, found := 0, 0
	look := func(where, text, own string) {
		s.t.Helper()
		pages++
		for _, word := range words {
			if strings.Contains(text, word) && word != own {
				s.t.Errorf("%s, %s has %q", when, where, word)
			} else if strings.Contains(text, word) {
				found++
			}
		}
	}
	for name, p := range s.people {
		queries := []string{"/search?q=type:election", "/orgs/meadow/journal.csv", "/orgs/meadow/journal.jsonl",
			s.approval, "/inbox",
			"/approvals", "/orgs/meadow/activity", s.page, s.page + "/actions/nominate_member", s.page + "/briefing"}
		for _, word := range words {
			// The page repeats the query, so the query has only the beginning of the word.
			queries = append(queries, "/search?q="+url.QueryEscape(word[:4]+"*"))
		}
		for _, form := range forms {
			for _, page := range queries {
				look("what "+name+" reads on "+page+" as "+form, p.reads(page, form), s.own[name])
			}
		}
	}
	for name, token := range s.agents {
		for _, form := range forms[1:] {
			for _, page := range []string{s.page, "/inbox", "/approvals", "/orgs/meadow/journal",
				s.page + "/briefing", "/whoami"} {
				look("what the agent of "+name+" reads on "+page, s.get(page, form, token).body, s.own[name])
			}
		}
	}
	// Frank has not nominated, and Bob leads the election. Both read every page that they can reach by links.
	for _, name := range []string{"frank", "bob"} {
		s.reach(s.people[name], func(path, text string) { look("what "+name+" reads on "+path, text, "") })
	}
	if pages < 500 || found < 6 {
		s.t.Errorf("%s: %d pages were read, and the nominators read their own words %d times", when, pages, found)
	}
	s.soon("the webhook tells of the nominations",
		func() bool { return s.sent.having("election.nominate_member") >= 3 })
	s.soon("somebody's own webhook tells of the election",
		func() bool { return s.sent.having("notification.") >= 1 })
	for _, list := range []*letterbox{s.sent, s.mailed} {
		for _, text := range list.all() {
			look("a webhook or a mail", text, "")
		}
	}
	look("the log", string(s.log.bytes()), "")
	s.files(when, words)
	s.t.Logf("%s: %d pages and messages, %d events, %d mails", when, pages, len(s.sent.all()), len(s.mailed.all()))
}

// soon waits until a condition is met.
func (s *secretBallot) soon(what string, met func() bool) {
	s.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !met(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.t.Fatalf("after 30 s not: %s. Events:\n%s\nMails:\n%s", what, strings.Join(s.sent.all(), "\n"),
				strings.Join(s.mailed.all(), "\n"))
		}
	}
}

// reach reads the pages that can be reached by links from /, as HTML, and calls read for each. It stops following
// links once it knows 1,200 addresses.
func (s *secretBallot) reach(p *person, read func(path, text string)) {
	s.t.Helper()
	queue, seen := []string{"/"}, map[string]bool{"/": true}
	for len(queue) > 0 && len(seen) < 1200 {
		path := queue[0]
		queue = queue[1:]
		text := p.reads(path, "text/html")
		read(path, text)
		for _, m := range linked.FindAllStringSubmatch(text, -1) {
			next := strings.TrimPrefix(strings.ReplaceAll(m[1], "&amp;", "&"), s.url)
			if strings.HasPrefix(next, "/") && !seen[next] && !strings.Contains(next, "/download") &&
				!strings.HasPrefix(next, "/static") {
				seen[next] = true
				queue = append(queue, next)
			}
		}
	}
}

// files checks that none of the words is in the files of the database, of a backup and of an export.
func (s *secretBallot) files(when string, words []string) {
	s.t.Helper()
	folder := s.t.TempDir()
	s.run("backup", filepath.Join(folder, "backup"))
	s.run("export", "--org", "meadow", filepath.Join(folder, "export"))
	read := 0
	for _, root := range []string{folder, s.data} {
		if err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			data, err := os.ReadFile(path)
			if len(data) > 0 {
				read++
			}
			for _, word := range words {
				if strings.Contains(string(data), word) {
					s.t.Errorf("%s, %s has %q", when, path, word)
				}
			}
			return err
		}); err != nil {
			s.t.Fatal(err)
		}
	}
	if read < 4 {
		s.t.Errorf("%s: only %d files were read", when, read)
	}
}

// elects lets Erin be elected after an objection is withdrawn. It checks that one transaction changes the election,
// the role and its mirror.
func (s *secretBallot) elects() {
	s.t.Helper()
	bob := s.people["bob"]
	bob.does(s.page, "advance_election", nil)
	bob.does(s.page, "propose_candidate", map[string]any{"candidate": "erin", "reason": "She carries lanterns."})
	objector := s.people["frank"]
	objector.does(s.page, "respond_to_election", map[string]any{"position": "objection",
		"reason": "She is afraid of the dark."})
	for name, p := range s.people {
		if name != "frank" {
			p.does(s.page, "respond_to_election", map[string]any{"position": "consent"})
		}
	}
	if status, _, text := bob.tries(s.page, "elect_candidate", nil); status != http.StatusConflict ||
		!strings.Contains(text, "An objection is open") {
		s.t.Errorf("somebody is elected over an objection: %d %s", status, text)
	}
	objector.does(s.page, "withdraw_objection", nil)
	if status, _, _ := s.people["dave"].tries(s.page, "elect_candidate", nil); status != http.StatusForbidden {
		s.t.Errorf("a member who does not facilitate elects: %d", status)
	}
	bob.does(s.page, "elect_candidate", nil)
	list := bob.reads("/studios/team/roles", "text/markdown")
	mirror := bob.reads("/studios/watch/roles", "text/markdown")
	contains(s.t, "the role", bob.reads(strings.TrimPrefix(links(list)["Night watch"], s.url), "text/markdown"),
		"Held by @erin")
	contains(s.t, "its mirror", bob.reads(strings.TrimPrefix(links(mirror)["Night watch"], s.url),
		"text/markdown"), "Held by @erin")
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(s.data, "samepage.db")+"?mode=ro&_busy_timeout=10000")
	if err != nil {
		s.t.Fatal(err)
	}
	defer db.Close()
	var kinds, times int
	var all string
	if err := db.QueryRow(`SELECT count(*), count(DISTINCT at || request), group_concat(kind) FROM (SELECT * FROM journal
		WHERE action = 'elect_candidate' AND org_id = (SELECT org_id FROM items WHERE id = ?) ORDER BY seq DESC LIMIT 3)`,
		s.page[strings.LastIndexByte(s.page, '/')+1:]).Scan(&kinds, &times, &all); err != nil {
		s.t.Fatal(err)
	}
	if got := fmt.Sprintf("%d, at %d times: %s", kinds, times, all); got != "3, at 1 times: role,role,election" {
		s.t.Errorf("electing wrote the entries %s", got)
	}
}
