package store_test

import (
	"context"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"samepage/store"
	"samepage/store/db"
	"samepage/store/pgtest"
	"samepage/web/webtest"
)

// seen has every statement that a test ran, with the arguments of one run and the functions that ran the
// statement.
type seen struct {
	queries map[string][]any
	callers map[string]bool
}

func (s *seen) see(query string, args []any) {
	s.queries[strings.Join(strings.Fields(query), " ")] = args
	var pc [12]uintptr
	frames := runtime.CallersFrames(pc[:runtime.Callers(2, pc[:])])
	for {
		f, more := frames.Next()
		s.callers[f.Function[strings.LastIndex(f.Function, ".")+1:]] = true
		if !more {
			return
		}
	}
}

// scans lists the scans that are accepted. They are lists for the operator, and tables that are small or
// limited.
var scans = []struct{ query, step, why string }{
	{"FROM tokens t JOIN members m ON m.id = t.member_id JOIN agents a ON a.id = t.agent_id ORDER BY", "SCAN t",
		"the operator's list of all tokens"},
	{"FROM organizations o JOIN members w ON w.id = o.owner_id ORDER BY", "SCAN o",
		"the operator's list of all organizations"},
	{"SELECT DISTINCT zone FROM organizations", "SCAN organizations", "the scheduler's list of time zones"},
	{"FROM (SELECT 1 FROM users LIMIT 1) sub", "SCAN users", "one row"},
	{"indexed_at IS NULL", "SCAN documents USING INDEX documents_waiting", "what waits to be indexed, bounded"},
	{"WHERE visibility = 'public' ORDER BY handle", "SCAN studios USING", "public studios, bounded"},
	{"AS forever", "SCAN", "what the operator's doctor counts"},
	{"search MATCH", "SCAN search VIRTUAL TABLE INDEX", "the full-text index"},
	{"DELETE FROM search WHERE rowid", "SCAN search VIRTUAL TABLE INDEX 0:=", "one row of the full-text index"},
	{"WITH c (n, a, z)", "SCAN c", "the cycles of one page"},
	{"WITH c (n, a, z)", "SCAN x", "what is counted, which is limited"},
	{"AS starting", "SCAN due", "limited"},
	{"AS starting", "SCAN starting", "limited"},
	{"AS later", "SCAN still", "limited"},
	{"AS later", "SCAN later", "limited"},
	{") AS newest ORDER BY n", "SCAN newest", "limited"},
	{"AS told", "SCAN told", "the turns of a member's sessions of one week"},
	{"WITH RECURSIVE up", "SCAN up", "the studios above one"},
	{"WITH RECURSIVE down", "SCAN down", "the roles that mirror one"},
	{`" FROM `, "SCAN", "all that an organization has, for its export"},
	{"oauth_keys", "SCAN oauth_keys", "two or three keys"},
	{"FROM goose_db_version", "SCAN goose_db_version", "a row for each migration"},
}

// foundBy has the indexes that the plans of some statements must use, because the cost of a list depends on them.
var foundBy = []struct{ query, index string }{
	{"i.org_id = ? AND i.opened_at IS NOT NULL AND i.closed_at IS NULL AND i.due_at",
		"items_open_in_org (org_id=? AND due_at"},
	{"PARTITION BY i.awaits", "items_left_open (studio_id=?"},
	{"i.replied_at >= ?", "items_replied (studio_id=? AND replied_at>?)"},
	{"t.org_id = ? AND t.revoked_at IS NULL AND coalesce(t.expires_at", "tokens_in_force (org_id=? AND <expr>"},
	{"c.org_id = ? AND c.at <= ?", "calls_by_org (org_id=? AND at<?)"},
	{"c.member_id = ? AND c.at <= ?", "calls_by_member (member_id=? AND at<?)"},
	{"c.agent_id = ? AND c.at <= ?", "calls_by_agent (agent_id=? AND at<?)"},
	{"SELECT 'Answer', c.title", "cards_waiting (board_id=?)"},
	{"SELECT 'Answer', c.title", "studio_members_by_member (member_id=?)"},
	{"SELECT 'Decide', s.title", "sessions_at_limit (member_id=?)"},
	{"AS told", "sessions_by_studio (studio_id=? AND moved_at>?)"},
	{"AS awaited FROM worktrees", "jobs_open_by_worktree (worktree_id=?)"},
	{"ORDER BY j.ended_at IS NOT NULL", "jobs_by_runner (runner_id=?)"},
	{"SELECT t.n, t.head_before", "turns_past (worktree_id=?)"},
	{"k.seq < ? AND k.agent_id <> '' AND k.agent_id = ?", "journal_by_agent (org_id=? AND agent_id=? AND seq<?)"},
}

var plans = flag.Bool("plans", false, "print the plan of every query")

// TestNoQueryScansATable looks at the plans of all statements that [world.everything] runs, and of the statements for
// the pages of all fixtures. No plan may scan a table, except for the scans listed above.
func TestNoQueryScansATable(t *testing.T) {
	slow(t)
	w := newWorld(t)
	s := seen{queries: map[string][]any{}, callers: map[string]bool{}}
	w.SetSpy(s.see)
	w.everything()
	w.SetSpy(nil)
	for _, name := range statementFunctions(t) {
		if !s.callers[name] {
			t.Errorf("%s runs statements and was not called: add it to everything()", name)
		}
	}
	if pgtest.Given() != "" {
		t.Log("left out on a server: how SQLite plans each statement")
		return
	}
	found := make([]bool, len(foundBy))
	s.check(t, w.Store, found)
	s = seen{queries: map[string][]any{}, callers: map[string]bool{}}
	site := webtest.New(t)
	site.Store.SetSpy(s.see)
	pages := []string{"/studios/team/channel/digest?since=30d"}
	for _, name := range site.Fixtures() {
		pages = append(pages, site.URL(name))
	}
	for _, who := range []string{"bob", "scribe"} {
		for _, path := range pages {
			site.As(who).Get(path, "text/markdown")
		}
	}
	site.Store.SetSpy(nil)
	s.check(t, site.Store, found)
	for i, f := range foundBy {
		if !found[i] {
			t.Errorf("no statement has %q", f.query)
		}
	}
}

// check reports the statements that scan a table, or that do not use the index of an entry of [foundBy]. For each entry
// of [foundBy] that fits a statement, it sets the element of found with the same index.
func (s *seen) check(t *testing.T, st *store.Store, found []bool) {
	t.Helper()
	readers := db.ProbeOf(st.DB).Readers()
	for query, args := range s.queries {
		if strings.Contains(query, "pragma_") {
			continue
		}
		if word, _, _ := strings.Cut(query, " "); !slices.Contains([]string{"SELECT", "INSERT", "UPDATE", "DELETE", "WITH"}, word) {
			continue
		}
		if strings.Contains(strings.ReplaceAll(query, store.AtMost, ""), "LIMIT ?") {
			t.Errorf("%s\n\tis planned anew each time: end it with atMost", query)
		}
		rows, err := readers.QueryxContext(context.Background(), "EXPLAIN QUERY PLAN "+query, args...)
		if err != nil {
			t.Fatal(query, err)
		}
		plan := ""
		for rows.Next() {
			var id, parent, unused int
			var detail string
			if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
				t.Fatal(err)
			}
			plan += fmt.Sprintf("\n\t%s", detail)
			if strings.HasPrefix(detail, "SCAN") && !strings.HasPrefix(detail, "SCAN CONSTANT") &&
				!strings.HasPrefix(detail, "SCAN (subquery") && !strings.HasPrefix(detail, "SCAN stretch") &&
				!strings.HasPrefix(detail, "SCAN w") && detail != "SCAN sub" && !meant(query, detail) {
				t.Errorf("%s\n\t%s", query, detail)
			}
		}
		rows.Close()
		if n := strings.Count(query, "i.opened_at IS NOT NULL AND i.closed_at IS NULL"); n == 2 &&
			strings.Count(plan, "USING INDEX items_open")+strings.Count(plan, "USING INDEX items_left_open") < 2 {
			t.Errorf("what is open is not found by its index:\n%s%s", query, plan)
		}
		for i, f := range foundBy {
			if strings.Contains(query, f.query) {
				found[i] = true
				if !strings.Contains(plan, " INDEX "+f.index) {
					t.Errorf("not found by %s:\n%s%s", f.index, query, plan)
				}
			}
		}
		if strings.Contains(query, "CROSS JOIN journal j") &&
			(!strings.Contains(plan, "SEARCH k USING COVERING INDEX journal_by_") ||
				strings.Contains(plan, "TEMP B-TREE")) {
			t.Errorf("a filtered journal does not walk an index:\n%s%s", query, plan)
		}
		if *plans {
			t.Logf("%s%s", query, plan)
		}
	}
}

func meant(query, step string) bool {
	for _, s := range scans {
		if strings.Contains(query, s.query) && strings.HasPrefix(step, s.step) {
			return true
		}
	}
	return false
}

// statementFunctions returns the names of the functions of package store that call a method of Tx that runs a
// statement.
func statementFunctions(t *testing.T) []string {
	files := token.NewFileSet()
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") || path == "tx.go" || strings.HasPrefix(path, "postgres") ||
			strings.HasPrefix(path, "search") && !fullTextBuilt(t) ||
			path == "search_sqlite.go" && pgtest.Given() != "" {
			continue
		}
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ast.Inspect(fn, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				sel, ok := call.Fun.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				x, ok := sel.X.(*ast.Ident)
				if ok && x.Name == "tx" && slices.Contains([]string{"get", "getHeld", "all", "exec", "changed"},
					sel.Sel.Name) && !slices.Contains(names, fn.Name.Name) {
					names = append(names, fn.Name.Name)
				}
				return true
			})
		}
	}
	return names
}
