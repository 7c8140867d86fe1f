package plantest

import (
	"flag"
	"regexp"
	"slices"
	"strings"
	"testing"

	"samepage/store"
	"samepage/store/db"
)

var plans = flag.Bool("plans", false, "print the plan of every query")

// Indexes lists statements, each with an index that the statement's plan must use.
type Indexes []indexed

type indexed struct {
	query string // part of the statements
	step  string // part of a step of each plan
}

// OfStore has the indexes that the plans of statements must use, for statements that the tests of package store run.
// OfSite has those for statements that only the tests of package web run.
var (
	OfStore = Indexes{
		{query: "i.org_id = ? AND i.opened_at IS NOT NULL AND i.closed_at IS NULL AND i.due_at",
			step: "items_open_in_org (org_id=? AND due_at"},
		{query: "PARTITION BY i.awaits", step: "items_left_open (studio_id=?"},
		{query: "t.org_id = ? AND t.revoked_at IS NULL AND coalesce(t.expires_at", step: "tokens_in_force (org_id=? AND <expr>"},
		{query: "c.org_id = ? AND c.at <= ?", step: "calls_by_org (org_id=? AND at<?)"},
		{query: "c.member_id = ? AND c.at <= ?", step: "calls_by_member (member_id=? AND at<?)"},
		{query: "c.agent_id = ? AND c.at <= ?", step: "calls_by_agent (agent_id=? AND at<?)"},
		{query: "SELECT 'Answer', c.title", step: "cards_waiting (board_id=?)"},
		{query: "SELECT 'Answer', c.title", step: "studio_members_by_member (member_id=?)"},
		{query: "SELECT 'Decide', s.title", step: "sessions_at_limit (member_id=?)"},
		{query: "SELECT 'Review', 'Review '", step: "reviews_for_people (studio_id=? AND requested_at>?)"},
		{query: "SELECT 'Merge', q.title", step: "pulls_by_member (member_id=?)"},
		{query: "AS item_id, CASE WHEN EXISTS", step: "turns_claimed (claimed_to>?)"},
		{query: "AS item_id, CASE WHEN EXISTS", step: "permissions_by_turn (turn_id=?)"},
		{query: "HAVING min(c.currency)", step: "PRIMARY KEY (agent_id=? AND day>?)"},
		{query: "k.seq < ? AND k.agent_id <> '' AND k.agent_id = ?", step: "journal_by_agent (org_id=? AND agent_id=? AND seq<?)"},
	}
	OfSite = Indexes{
		{query: "i.replied_at >= ?", step: "items_replied (studio_id=? AND replied_at>?)"},
		{query: "c.board_id AS item_id, w.waits", step: "cards_by_page (page=?)"},
		{query: "c.board_id AS item_id, w.waits", step: "sessions_by_worktree (worktree_id=?)"},
		{query: "AS awaited FROM worktrees", step: "jobs_open_by_worktree (worktree_id=?)"},
		{query: "ORDER BY j.ended_at IS NOT NULL", step: "jobs_by_runner (runner_id=?)"},
		{query: "SELECT t.n, t.head_before", step: "turns_past (worktree_id=?)"},
	}
)

// scans lists the statements that are allowed to scan a table, with the step of the plan and the reason.
var scans = []struct{ query, step, why string }{
	{"FROM tokens t JOIN members m ON m.id = t.member_id JOIN agents a ON a.id = t.agent_id ORDER BY", "SCAN t",
		"the operator's list of all tokens"},
	{"FROM organizations o JOIN members w ON w.id = o.owner_id ORDER BY", "SCAN o",
		"the operator's list of all organizations"},
	{"SELECT DISTINCT zone FROM organizations", "SCAN organizations", "the scheduler's list of time zones"},
	{"FROM (SELECT 1 FROM users LIMIT 1) sub", "SCAN users", "one row"},
	{"indexed_at IS NULL", "SCAN documents USING INDEX documents_waiting", "what waits to be indexed, bounded"},
	{"WHERE visibility = 'public' ORDER BY handle", "SCAN studios USING", "public studios, bounded"},
	{"WHERE visibility = 'public' AND org_id NOT IN", "SCAN studios USING",
		"public studios in order; those of the actor's organizations are passed over"},
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

// planned matches the statements that have a plan.
var planned = regexp.MustCompile(`^(SELECT|INSERT|UPDATE|DELETE|WITH) `)

// Check reports the statements of the trace that scan a table and are not in scans, that do not use the indexes of
// [OfStore] and [OfSite], that have a LIMIT without [store.AtMost], or that checkOpen or checkJournal report. It also
// reports each index in the argument expected for which the trace has no statement. The store must have a database
// file.
func (t *Trace) Check(tb testing.TB, st *store.Store, expected Indexes) {
	tb.Helper()
	all, missing := slices.Concat(OfStore, OfSite), slices.Clone(expected)
	for query, args := range t.queries {
		if !planned.MatchString(query) || strings.Contains(query, "pragma_") {
			continue
		}
		if strings.Contains(strings.ReplaceAll(query, store.AtMost, ""), "LIMIT ?") {
			tb.Errorf("%s\n\tis planned anew each time: end it with AtMost", query)
		}
		steps := planOf(tb, st, query, args)
		plan := "\n\t" + strings.Join(steps, "\n\t")
		for _, step := range steps {
			if strings.HasPrefix(step, "SCAN") && !isAccepted(query, step) {
				tb.Errorf("%s\n\t%s", query, step)
			}
		}
		checkOpen(tb, query, plan)
		checkJournal(tb, query, plan)
		for _, index := range all {
			if strings.Contains(query, index.query) && !strings.Contains(plan, " "+index.step) {
				tb.Errorf("not found by %s:\n%s%s", index.step, query, plan)
			}
		}
		missing = slices.DeleteFunc(missing, func(index indexed) bool { return strings.Contains(query, index.query) })
		if *plans {
			tb.Logf("%s%s", query, plan)
		}
	}
	for _, index := range missing {
		tb.Errorf("no statement has %q", index.query)
	}
}

// planOf returns the steps of the plan of a statement.
func planOf(tb testing.TB, st *store.Store, query string, args []any) (steps []string) {
	tb.Helper()
	var rows []struct {
		ID      int    `db:"id"`
		Parent  int    `db:"parent"`
		NotUsed int    `db:"notused"`
		Detail  string `db:"detail"`
	}
	if err := db.ProbeOf(st.DB).Readers().SelectContext(tb.Context(), &rows, "EXPLAIN QUERY PLAN "+query, args...); err != nil {
		tb.Fatal(query, err)
	}
	for _, row := range rows {
		steps = append(steps, row.Detail)
	}
	return steps
}

// checkOpen reports a statement that selects open items twice, unless both selections use an index of open items.
func checkOpen(tb testing.TB, query, plan string) {
	tb.Helper()
	indexed := 0
	for _, name := range []string{"open", "left_open", "starting"} {
		indexed += strings.Count(plan, "USING INDEX items_"+name)
	}
	if strings.Count(query, "i.opened_at IS NOT NULL AND i.closed_at IS NULL") == 2 && indexed < 2 {
		tb.Errorf("what is open is not found by its index:\n%s%s", query, plan)
	}
}

// checkJournal reports a statement that filters the journal, if it sorts the entries or reads them without an index.
func checkJournal(tb testing.TB, query, plan string) {
	tb.Helper()
	if strings.Contains(query, "CROSS JOIN journal j") &&
		(!strings.Contains(plan, "SEARCH k USING COVERING INDEX journal_by_") || strings.Contains(plan, "TEMP B-TREE")) {
		tb.Errorf("a filtered journal does not walk an index:\n%s%s", query, plan)
	}
}

// harmless matches the steps that read no table: constants, the rows of an INSERT statement and subqueries.
var harmless = regexp.MustCompile(`^SCAN (CONSTANT|\(subquery|stretch|w|sub$|\d+-ROW VALUES CLAUSE$)`)

// isAccepted reports whether a statement may have this scan.
func isAccepted(query, step string) bool {
	if harmless.MatchString(step) {
		return true
	}
	for _, s := range scans {
		if strings.Contains(query, s.query) && strings.HasPrefix(step, s.step) {
			return true
		}
	}
	return false
}
