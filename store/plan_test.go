package store_test

import (
	"context"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"samepage/store"
	"samepage/store/db"
	"samepage/store/pgtest"
	"samepage/web/webtest"
)

// seen has every statement that a test ran, with the arguments of one run and the functions that ran the
// statement.
type seen struct {
	mu      sync.Mutex
	queries map[string][]any
	callers map[string]bool
}

func (s *seen) see(query string, args []any) {
	var pc [32]uintptr
	frames := runtime.CallersFrames(pc[:runtime.Callers(2, pc[:])])
	f, more := frames.Next()
	for ; strings.HasPrefix(f.Function, "samepage/store/db."); f, more = frames.Next() {
	}
	if strings.HasPrefix(f.Function, "samepage/web/webtest.") {
		return // a fixture's own statement
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for ; more; f, more = frames.Next() {
		s.callers[caller(f.Function)] = true
	}
	s.queries[strings.Join(strings.Fields(query), " ")] = args
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
	{"SELECT count(*) FROM (SELECT 1 AS n FROM journal", "SCAN found", "the entries of a short journal"},
	{"DELETE FROM search WHERE rowid", "SCAN search VIRTUAL TABLE INDEX 0:=", "one row of the full-text index"},
	{"WITH c (n, a, z)", "SCAN c", "the cycles of one page"},
	{"WITH c (n, a, z)", "SCAN x", "what is counted, which is limited"},
	{"WITH c (id, a, z)", "SCAN c", "the studios of one reader"},
	{"WITH c (id, a, z)", "SCAN x", "what is counted, which is limited"},
	{"AS starting", "SCAN due", "limited"},
	{"AS starting", "SCAN starting", "limited"},
	{"AS later", "SCAN still", "limited"},
	{"AS later", "SCAN later", "limited"},
	{"SELECT count(*) FROM (SELECT 1 FROM (SELECT id FROM (SELECT a.id FROM approvals", "SCAN a", "limited"},
	{"SELECT count(*) FROM deliveries WHERE", "SCAN deliveries USING COVERING INDEX", "waiting and failed ones, for the operator"},
	{"FROM own_deliveries WHERE", "SCAN own_deliveries USING COVERING INDEX", "waiting and failed ones, for the operator"},
	{") AS newest ORDER BY n", "SCAN newest", "limited"},
	{"WITH RECURSIVE up", "SCAN up", "the studios above one"},
	{"s.id IN (WITH RECURSIVE up", "SCAN top", "one session"},
	{"s.id IN (WITH RECURSIVE up", "SCAN down", "the family of a session, which is limited"},
	{"s.id IN (WITH RECURSIVE up", "SCAN near", "limited"},
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
	{"SELECT 'Review', 'Review '", "reviews_for_people (studio_id=? AND requested_at>?)"},
	{"SELECT 'Merge', q.title", "pulls_by_member (member_id=?)"},
	{"AS item_id, CASE WHEN EXISTS", "turns_claimed (claimed_to>?)"},
	{"AS item_id, CASE WHEN EXISTS", "permissions_by_turn (turn_id=?)"},
	{"c.board_id AS item_id, w.waits", "cards_by_page (page=?)"},
	{"c.board_id AS item_id, w.waits", "sessions_by_worktree (worktree_id=?)"},
	{"AS awaited FROM worktrees", "jobs_open_by_worktree (worktree_id=?)"},
	{"ORDER BY j.ended_at IS NOT NULL", "jobs_by_runner (runner_id=?)"},
	{"SELECT t.n, t.head_before", "turns_past (worktree_id=?)"},
	{"HAVING min(c.currency)", "PRIMARY KEY (agent_id=? AND day>?)"},
	{"k.seq < ? AND k.agent_id <> '' AND k.agent_id = ?", "journal_by_agent (org_id=? AND agent_id=? AND seq<?)"},
}

// unseen lists functions whose statements a spy does not see, because their transaction has no [store.Tx].
var unseen = []string{"store.currentHeads", "store.NotedHeads", "store.CheckNotedHeads", "store.CheckWrite"}

var plans = flag.Bool("plans", false, "print the plan of every query")

// TestNoQueryScansATable looks at the plans of all statements. [world.everything], the story of a site, and the steps
// of plan_site_test.go together call every function that runs a statement. No plan may scan a table, except for the
// scans listed above.
func TestNoQueryScansATable(t *testing.T) {
	slow(t)
	w := newWorld(t)
	s := seen{queries: map[string][]any{}, callers: map[string]bool{}}
	w.SetSpy(s.see)
	w.everything()
	w.SetSpy(nil)
	if pgtest.Given() != "" {
		t.Log("left out on a server: how SQLite plans each statement")
		return
	}
	found := make([]bool, len(foundBy))
	s.check(t, w.Store, found)
	s.queries = map[string][]any{}
	if err := webtest.Tell(filepath.Join(t.TempDir(), "story"), func(st *store.Store) { st.SetSpy(s.see) }); err != nil {
		t.Fatal(err)
	}
	site := webtest.New(t)
	site.Store.SetSpy(s.see)
	takeActions(t, site)
	readPages(t, site)
	doDue(t, site)
	send(t, site)
	sendOwn(t, site)
	callRest(t, site)
	site.Store.SetSpy(nil)
	s.check(t, site.Store, found)
	for _, name := range statementFunctions(t) {
		if !s.callers[name] && !slices.Contains(unseen, name) {
			t.Errorf("%s runs statements and was not called", name)
		}
	}
	for i, f := range foundBy {
		if !found[i] {
			t.Errorf("no statement has %q", f.query)
		}
	}
}

// check reports the statements that scan a table, or that do not use the index of an entry of [foundBy]. For each entry
// of [foundBy] that fits a statement, it sets the element of the parameter found with the same index.
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
			t.Errorf("%s\n\tis planned anew each time: end it with AtMost", query)
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
				!scanOfValues.MatchString(detail) && !strings.HasPrefix(detail, "SCAN w") && detail != "SCAN sub" && !meant(query, detail) {
				t.Errorf("%s\n\t%s", query, detail)
			}
		}
		rows.Close()
		if n := strings.Count(query, "i.opened_at IS NOT NULL AND i.closed_at IS NULL"); n == 2 &&
			strings.Count(plan, "USING INDEX items_open")+strings.Count(plan, "USING INDEX items_left_open")+
				strings.Count(plan, "USING INDEX items_starting") < 2 {
			t.Errorf("what is open is not found by its index:\n%s%s", query, plan)
		}
		for i, f := range foundBy {
			if strings.Contains(query, f.query) {
				found[i] = true
				if !strings.Contains(plan, " "+f.index) {
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

// scanOfValues matches the step that reads the rows of an INSERT statement.
var scanOfValues = regexp.MustCompile(`^SCAN \d+-ROW VALUES CLAUSE$`)

func meant(query, step string) bool {
	for _, s := range scans {
		if strings.Contains(query, s.query) && strings.HasPrefix(step, s.step) {
			return true
		}
	}
	return false
}

// closure matches the end of the name of a function literal, after the name of the function that has it.
var closure = regexp.MustCompile(`(\.func\d+|\.\d+|-range\d+|\[\.\.\.\])+$`)

// caller returns the package and the function of a frame's function name, for example "work.FindRepo". For a function
// literal, it returns the function that contains the literal.
func caller(function string) string {
	function = closure.ReplaceAllString(path.Base(function), "")
	pkg, _, _ := strings.Cut(function, ".")
	return pkg + function[strings.LastIndex(function, "."):]
}

// statementFunctions returns the functions that call a statement method of Tx, as [caller] names them. It reads this
// package and the packages below it that have SQL statements.
func statementFunctions(t *testing.T) (names []string) {
	t.Helper()
	files := token.NewFileSet()
	for _, dir := range []string{".", "credential", "governance", "notice", "work"} {
		paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(paths) == 0 {
			t.Fatal(dir, "has no files:", err)
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "search") && !fullTextBuilt(t) {
				continue
			}
			file, err := parser.ParseFile(files, path, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, decl := range file.Decls {
				if fn, ok := decl.(*ast.FuncDecl); ok && hasStatement(fn) {
					names = append(names, file.Name.Name+"."+fn.Name.Name)
				}
			}
		}
	}
	return names
}

// hasStatement reports whether the function calls a statement method of a variable tx, or [store.One] or [store.All].
func hasStatement(fn *ast.FuncDecl) (found bool) {
	ast.Inspect(fn, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return !found
		}
		switch f := call.Fun.(type) {
		case *ast.SelectorExpr:
			x, ok := f.X.(*ast.Ident)
			found = found || ok && x.Name == "tx" && slices.Contains(
				[]string{"Get", "GetLocked", "Select", "EachRow", "Exec", "Changed", "Each"}, f.Sel.Name)
		case *ast.IndexExpr:
			name, ok := f.X.(*ast.Ident)
			if sel, of := f.X.(*ast.SelectorExpr); of {
				name, ok = sel.Sel, true
			}
			found = found || ok && (name.Name == "One" || name.Name == "All")
		}
		return !found
	})
	return found
}
