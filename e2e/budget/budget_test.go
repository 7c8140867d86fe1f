// Package budget limits those costs of a page that can be measured without a clock: SQL statements,
// bytes and allocations. The command e2e/bench measures times. A test in store checks that no
// statement scans a whole table.
package budget

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"samepage/store"
	"samepage/web"
	"samepage/web/demo"
	_ "samepage/web/governance"
	_ "samepage/web/work"
)

const (
	longest   = 10_000  // maximum number of characters of a page in markdown
	typical   = 4 << 10 // bytes; at least half of the kinds of pages must not be larger
	decisions = 8       // maximum number of SQL statements for the page of a decision
	// slack is the factor by which allocations may exceed the table, because the number of allocations of the Go
	// runtime varies.
	slack = 1.15
)

// kinds lists all kinds of pages. Each has the exact numbers of SQL statements that an agent's request for markdown
// may take, and the number of allocations. A commit that changes a number must give the reason. The numbers in the
// comments are numbers of statements too. For example, "one for roles" means that one of the statements reads roles,
// and "one more for questions" means that a page with questions takes one statement more.
var kinds = []struct {
	path       string // a star stands for any one segment
	statements []int
	allocs     int
}{
	// six for the options of the first three votes, and one for the news, which are grouped by page
	{"/", []int{13}, 1490},
	{"/inbox", []int{2}, 1640},
	{"/whoami", []int{3}, 230}, // one for roles, and one to find the work of a token that expires
	{"/help", []int{1}, 112},
	{"/help/agents", []int{1}, 112},
	{"/help/keyboard", []int{1}, 112},
	{"/help/work", []int{1}, 112},
	{"/help/clients", []int{1}, 112},
	{"/help/people", []int{1}, 112},
	{"/help/voting", []int{1}, 112},
	{"/help/links", []int{1}, 112},
	{"/help/security", []int{1}, 112},
	{"/help/commands", []int{1}, 120},
	{"/help/nouns", []int{1}, 1400}, // the nouns include boards, cards, runners and repositories
	{"/help/nouns/*", []int{1}, 1300},
	{"/help/catalogue", []int{1}, 1800}, // each page has a part of the catalogue, which includes the actions of runners
	{"/help/errors", []int{1}, 216},
	{"/help/backups", []int{1}, 112},
	{"/help/self-hosting", []int{1}, 112},
	{"/help/self-hosting/settings", []int{1}, 300},
	{"/help/self-hosting/metrics", []int{1}, 282},
	{"/settings/notifications", []int{7}, 373},
	{"/settings/tokens", []int{3}, 250}, // shows limits, journals, the last use of each token, and the actions for people
	{"/approvals", []int{2}, 160},
	{"/studios", []int{2}, 256},
	{"/studios/*", []int{11, 14}, 1582}, // one for a parent studio; three more for the rights of other people
	{"/studios/*/roles", []int{4}, 326},
	{"/studios/*/roles/*", []int{7, 8}, 421},  // one more for a role that mirrors another role, or that may do so
	{"/studios/*/policies", []int{5, 8}, 451}, // three more for the rights of other people
	{"/studios/*/templates", []int{3}, 178},
	{"/studios/*/members", []int{4}, 383},
	{"/studios/*/decisions", []int{3}, 949},
	{"/studios/*/notes", []int{3}, 320},
	{"/studios/*/n/*", []int{3, 5, 6}, 640}, // more with rows, versions and comments, and for the rights of other people
	{"/studios/*/n/*/readers", []int{3}, 242},
	{"/studios/*/n/*/versions", []int{3}, 234},
	{"/studios/*/n/*/versions/*", []int{3}, 273},
	{"/studios/*/n/*/comments", []int{3}, 243},
	{"/studios/*/d/*", []int{4, 5, 6, 8}, 1000}, // more with comments and links to the page; three more for the rights of other people
	{"/studios/*/d/*/actions/*", []int{3}, 250},
	{"/studios/*/d/*/ballots", []int{4}, 3103},
	{"/studios/*/d/*/verify", []int{3}, 339},
	{"/studios/*/d/*/comments", []int{4}, 302},
	{"/studios/*/commitments", []int{3}, 289},
	{"/studios/*/c/*", []int{4}, 401}, // two for participants; a page with comments would take more
	{"/studios/*/c/*/participants", []int{3}, 280},
	{"/studios/*/c/*/comments", []int{3}, 222},
	{"/studios/*/topics", []int{3}, 300},
	{"/studios/*/t/*", []int{4, 6, 15}, 897},         // most in the consent phase, with versions, reactions and names in comments
	{"/studios/*/t/*/actions/*", []int{3, 4}, 280},   // one more for questions or changes
	{"/studios/*/t/*/comments", []int{4}, 260},       // one for open objections
	{"/studios/*/t/*/briefing", []int{2, 4, 5}, 430}, // more for versions and missing responses
	{"/studios/*/t/*/versions", []int{4}, 250},
	{"/studios/*/t/*/versions/*", []int{4}, 300},
	{"/studios/*/elections", []int{3}, 300},
	{"/studios/*/e/*/comments", []int{4}, 260},      // one for nominations
	{"/studios/*/e/*", []int{3, 6}, 771},            // three more for nominations, responses and comments
	{"/studios/*/e/*/briefing", []int{2, 3}, 430},   // one more for nominations or members without a response
	{"/studios/*/channel", []int{5, 7}, 900},        // two more for the reactions to messages and the items in messages
	{"/studios/*/channel/digest", []int{7, 8}, 900}, // one more for the time of the first unread message
	{"/studios/*/m/*", []int{5, 6}, 500},            // one more for comments
	{"/studios/*/m/*/comments", []int{4}, 260},
	{"/studios/*/sessions", []int{3}, 300},
	{"/studios/*/reviews", []int{3}, 300},
	{"/studios/*/pulls", []int{3}, 300},
	{"/studios/*/boards", []int{3}, 300},
	{"/studios/*/boards/*", []int{6}, 520},
	{"/studios/*/boards/*/cards/*", []int{6}, 380},
	{"/studios/*/boards/*/comments", []int{5}, 300},
	{"/studios/*/repos", []int{3}, 219},
	{"/studios/*/worktrees", []int{3}, 236},
	{"/search", []int{3, 4, 5, 6, 8, 9}, 272}, // words alone need few statements; each filter needs one or two more
	{"/studios/*/cycles", []int{3}, 249},
	{"/studios/*/cycles/*", []int{4, 6, 9}, 1381}, // few for the next part of one list, more for future cycles, and most for others
	{"/orgs/*", []int{5}, 976},
	{"/orgs/*/studios", []int{3}, 314},
	{"/orgs/*/roles", []int{4}, 542},
	{"/orgs/*/policies", []int{7, 10}, 449},  // three more to filter by a role
	{"/orgs/*/policies/*", []int{5, 6}, 479}, // one more for versions
	{"/orgs/*/policies/*/versions", []int{3}, 273},
	{"/orgs/*/policies/*/versions/*", []int{3}, 334},
	{"/orgs/*/open", []int{5, 6, 7}, 792}, // fewest with only the approvals or the tied decisions, most with all groups
	{"/orgs/*/tokens", []int{3}, 236},
	{"/orgs/*/activity", []int{4}, 1221},
	{"/orgs/*/members", []int{3}, 322},
	{"/orgs/*/settings", []int{3}, 269},
	{"/orgs/*/invitations", []int{3}, 240},
	{"/orgs/*/briefing", []int{8}, 970}, // one for the policies of the reader's roles
	{"/help/webhooks", []int{1}, 112},
	{"/orgs/*/members/*", []int{10, 13}, 1400}, // three for contact, commitments and authored pages; three more for the rights of others
	{"/orgs/*/agents", []int{3}, 268},
	{"/orgs/*/runners", []int{3}, 200},
	{"/orgs/*/agents/*", []int{4, 9}, 987},      // fewer for another member's agent than for an own agent
	{"/orgs/*/journal", []int{3, 4, 5}, 1914},   // one more to filter by a member, and one more for roles in records
	{"/orgs/*/journal/verify", []int{6}, 17400}, // one more for each thousand entries; also the digests of people and addresses
	{"/orgs/*/journal/*", []int{3, 4}, 305},     // one more for a role in a record
}

// kind returns the index of a path's kind in kinds, or -1 if no kind matches the path. If several kinds match, kind
// returns the one with the fewest stars.
func kind(path string) int {
	path, _, _ = strings.Cut(path, "?")
	best := -1
	for i, k := range kinds {
		pattern := "^" + strings.ReplaceAll(regexp.QuoteMeta(k.path), `\*`, "[^/]+") + "$"
		if regexp.MustCompile(pattern).MatchString(path) &&
			(best < 0 || strings.Count(k.path, "*") < strings.Count(kinds[best].path, "*")) {
			best = i
		}
	}
	return best
}

// site is the demo workspace, with the token of one of its agents.
type site struct {
	*web.Site
	store      *store.Store
	token      string
	statements int  // number of statements for the last page
	searches   bool // whether the test was built with full-text search
}

// newSite returns the site at a fixed time on a Friday, because the rows on a cycle's page depend
// on the day of the week.
func newSite(t *testing.T) *site {
	t.Helper()
	friday := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	return newSiteAt(t, func() time.Time { return friday })
}

// newSiteAt returns the site with the given clock.
func newSiteAt(t *testing.T, clock func() time.Time) *site {
	t.Helper()
	st, err := store.Open(t.Context(), t.TempDir(), store.Options{Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	s := &site{store: st}
	if s.Site, err = web.New(t.Context(), st,
		web.Config{Unlimited: true, Observe: func(_ string, n int) { s.statements = n }}); err != nil {
		t.Fatal(err)
	}
	w, err := demo.Seed(context.Background(), s.Site, st)
	if err != nil {
		t.Fatal(err)
	}
	s.token = w.Tokens[0].Token
	err = st.Read(t.Context(), func(tx *store.Tx) error {
		state, err := tx.SearchState()
		s.searches = state.Built
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// paper is an HTTP response in memory.
type paper struct {
	header http.Header
	status int
	bytes.Buffer
}

func (p *paper) Header() http.Header    { return p.header }
func (p *paper) WriteHeader(status int) { p.status = status }

// ask requests a page as markdown and writes the response to p.
func (s *site) ask(p *paper, path string) {
	r := httptest.NewRequest("GET", path, nil)
	r.Host, r.RemoteAddr = "localhost", "127.0.0.1:4711"
	r.Header = http.Header{
		"Accept": {"text/markdown"}, "Authorization": {"Bearer " + s.token},
		"Prefer": {"relative-links"},
	}
	p.Reset()
	p.header, p.status = http.Header{}, http.StatusOK
	s.ServeHTTP(p, r)
}

// write changes the database. The next request then has to look up the actor again, because a
// cached actor is no longer valid.
func (s *site) write(t *testing.T) {
	t.Helper()
	err := s.store.Write(t.Context(), func(tx *store.Tx) error {
		_, err := tx.ShareUse("budget", tx.Now, 1)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// file matches the addresses of files for other programs, which are not pages.
var file = regexp.MustCompile(`\.(ics|csv|jsonl)$`)

var link = regexp.MustCompile(`\]\((/[^)#]*)`)

// crawl follows links and calls fn once for every page that it finds. It also visits pages to which
// only larger workspaces link.
func (s *site) crawl(t *testing.T, fn func(path, text string)) {
	t.Helper()
	queue := []string{"/", "/whoami", "/settings/tokens", "/settings/notifications", "/studios/team/members",
		"/studios/team/decisions", "/studios/team/commitments", "/studios/team/topics",
		"/studios/team/elections"}
	seen := map[string]bool{}
	var p paper
	for len(queue) > 0 {
		path := queue[0]
		queue = queue[1:]
		if seen[path] || strings.HasPrefix(path, "/static/") || file.MatchString(path) {
			continue
		}
		seen[path] = true
		s.write(t)
		if s.ask(&p, path); p.status != http.StatusOK {
			t.Errorf("%s: status %d", path, p.status)
			continue
		}
		text := p.String()
		fn(path, text)
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			queue = append(queue, m[1])
		}
		switch k := kind(path); {
		case k < 0:
		case kinds[k].path == "/studios/*/d/*", kinds[k].path == "/studios/*/n/*":
			queue = append(queue, path+"/comments")
		case kinds[k].path == "/studios/*/c/*":
			queue = append(queue, path+"/comments", path+"/participants")
		}
	}
}

func TestPages(t *testing.T) {
	s := newSite(t)
	sizes, statements := make([]int, len(kinds)), make([]map[int]bool, len(kinds))
	s.crawl(t, func(path, text string) {
		k := kind(path)
		if k < 0 {
			t.Errorf("%s is of no kind in the table: add it", path)
			return
		}
		if statements[k] == nil {
			statements[k] = map[int]bool{}
		}
		statements[k][s.statements] = true
		if kinds[k].path == "/search" && !s.searches {
			return // the page says that there is no search, and needs fewer statements
		}
		if !slices.Contains(kinds[k].statements, s.statements) {
			t.Errorf("%s takes %d statements, the table says %d", path, s.statements, kinds[k].statements)
		}
		if kinds[k].path == "/studios/*/d/*" && s.statements > decisions {
			t.Errorf("%s takes %d statements, more than %d", path, s.statements, decisions)
		}
		if strings.Contains(path, "full=1") {
			return // with full=1 the page may be longer than the limit
		}
		if n := utf8.RuneCountInString(text); n > longest {
			t.Errorf("%s has %d characters, more than %d", path, n, longest)
		}
		sizes[k] = max(sizes[k], len(text))
	})
	for k, found := range statements {
		if kinds[k].path == "/search" && !s.searches {
			continue // the page says that there is no search
		}
		if len(found) != len(kinds[k].statements) {
			t.Errorf("%s: found pages with %v statements, the table says %d", kinds[k].path, found, kinds[k].statements)
		}
		t.Logf("%-26s %5d bytes", kinds[k].path, sizes[k])
	}
	slices.Sort(sizes)
	if middle := sizes[len(sizes)/2]; middle > typical {
		t.Errorf("half of the kinds of pages have at least %d bytes, more than %d", middle, typical)
	}
}

func TestAllocations(t *testing.T) {
	if detectsRaces() {
		t.Skip("the race detector allocates too")
	}
	s := newSite(t)
	most := make([]float64, len(kinds))
	s.crawl(t, func(path, _ string) {
		k := kind(path)
		if k < 0 || strings.Contains(path, "?") || kinds[k].path == "/orgs/*/journal/*" && most[k] > 0 {
			return
		}
		var p paper
		most[k] = max(most[k], testing.AllocsPerRun(5, func() { s.ask(&p, path) }))
	})
	for k, n := range most {
		if bound := slack * float64(kinds[k].allocs); n > bound {
			t.Errorf("%s makes up to %.0f allocations, the table says %d", kinds[k].path, n, kinds[k].allocs)
		}
		t.Logf("%-26s %5.0f allocations", kinds[k].path, n)
	}
}

// detectsRaces reports whether this test was built with -race.
func detectsRaces() bool {
	self, err := os.Executable()
	if err != nil {
		return false
	}
	info, err := buildinfo.ReadFile(self)
	return err == nil && slices.ContainsFunc(info.Settings,
		func(s debug.BuildSetting) bool { return s.Key == "-race" && s.Value == "true" })
}
