package store_test

import (
	"slices"
	"strings"
	"testing"

	"samepage/store/pgtest"
	"samepage/store/plantest"
)

// indexes has the indexes that the plans of some statements must use, because the cost of a list depends on them.
var indexes = []plantest.Index{
	{Query: "i.org_id = ? AND i.opened_at IS NOT NULL AND i.closed_at IS NULL AND i.due_at",
		Step: "items_open_in_org (org_id=? AND due_at"},
	{Query: "PARTITION BY i.awaits", Step: "items_left_open (studio_id=?"},
	{Query: "t.org_id = ? AND t.revoked_at IS NULL AND coalesce(t.expires_at", Step: "tokens_in_force (org_id=? AND <expr>"},
	{Query: "c.org_id = ? AND c.at <= ?", Step: "calls_by_org (org_id=? AND at<?)"},
	{Query: "c.member_id = ? AND c.at <= ?", Step: "calls_by_member (member_id=? AND at<?)"},
	{Query: "c.agent_id = ? AND c.at <= ?", Step: "calls_by_agent (agent_id=? AND at<?)"},
	{Query: "SELECT 'Answer', c.title", Step: "cards_waiting (board_id=?)"},
	{Query: "SELECT 'Answer', c.title", Step: "studio_members_by_member (member_id=?)"},
	{Query: "SELECT 'Decide', s.title", Step: "sessions_at_limit (member_id=?)"},
	{Query: "SELECT 'Review', 'Review '", Step: "reviews_for_people (studio_id=? AND requested_at>?)"},
	{Query: "SELECT 'Merge', q.title", Step: "pulls_by_member (member_id=?)"},
	{Query: "AS item_id, CASE WHEN EXISTS", Step: "turns_claimed (claimed_to>?)"},
	{Query: "AS item_id, CASE WHEN EXISTS", Step: "permissions_by_turn (turn_id=?)"},
	{Query: "HAVING min(c.currency)", Step: "PRIMARY KEY (agent_id=? AND day>?)"},
	{Query: "k.seq < ? AND k.agent_id <> '' AND k.agent_id = ?", Step: "journal_by_agent (org_id=? AND agent_id=? AND seq<?)"},
}

// untraced lists functions whose statements have no trace, because their transaction has no [store.Tx].
var untraced = []string{"store.currentHeads", "store.NotedHeads", "store.CheckNotedHeads", "store.CheckWrite"}

// TestNoQueryScansATable looks at the plans of the statements of this package and of credential, which
// [world.everything] calls. No plan may scan a table, except for the scans that package plantest lists. The test with
// the same name in package web looks at the other packages.
func TestNoQueryScansATable(t *testing.T) {
	slow(t)
	w := newWorld(t)
	var trace plantest.Trace
	w.SetTrace(trace.Add)
	w.everything()
	w.SetTrace(nil)
	if pgtest.Given() != "" {
		t.Log("left out on a server: how SQLite plans each statement")
		return
	}
	trace.Check(t, w.Store, indexes)
	for _, dir := range []string{".", "credential"} {
		trace.MustCall(t, dir, func(file, function string) bool {
			return slices.Contains(untraced, function) || strings.HasPrefix(file, "search") && !fullTextBuilt(t)
		})
	}
}
