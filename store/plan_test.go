package store_test

import (
	"slices"
	"strings"
	"testing"

	"samepage/store/effort"
	"samepage/store/pgtest"
	"samepage/store/plantest"
)

// untraced lists functions whose statements have no trace, because their transaction has no [store.Tx].
var untraced = []string{"store.currentHeads", "store.NotedHeads", "store.CheckNotedHeads", "store.CheckWrite"}

// TestNoQueryScansATable looks at the plans of the statements of this package and of credential, which
// [world.everything] calls. No plan may scan a table, except for the scans that package plantest lists. The test with
// the same name in package web looks at the other packages.
func TestNoQueryScansATable(t *testing.T) {
	effort.Slow(t)
	w := newWorld(t)
	var trace plantest.Trace
	w.SetTrace(trace.Add)
	w.everything()
	w.SetTrace(nil)
	if pgtest.Given() != "" {
		t.Log("left out on a server: how SQLite plans each statement")
		return
	}
	trace.Check(t, w.Store, plantest.OfStore)
	for _, dir := range []string{".", "credential"} {
		trace.MustCall(t, dir, func(file, function string) bool {
			return slices.Contains(untraced, function) || strings.HasPrefix(file, "search") && !fullTextBuilt(t)
		})
	}
}
