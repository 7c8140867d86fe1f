package web_test

import (
	"path/filepath"
	"testing"

	"samepage/store"
	"samepage/store/pgtest"
	"samepage/store/plantest"
	"samepage/web/webtest"
)

// TestNoQueryScansATable looks at the plans of the statements of the packages below store. The story of a site and the
// steps of plan_site_test.go together call every function that runs a statement. No plan may scan a table, except for the
// scans that package plantest lists. The test with the same name in package store looks at the statements of store
// itself.
func TestNoQueryScansATable(t *testing.T) {
	slow(t)
	pgtest.Folder(t, "it is about the plans of SQLite")
	var trace plantest.Trace
	if err := webtest.Tell(filepath.Join(t.TempDir(), "story"), func(st *store.Store) { st.SetTrace(trace.Add) }); err != nil {
		t.Fatal(err)
	}
	site := webtest.New(t)
	site.Store.SetTrace(trace.Add)
	takeActions(t, site)
	readPages(t, site)
	doDue(t, site)
	send(t, site)
	sendOwn(t, site)
	callRest(t, site)
	site.Store.SetTrace(nil)
	trace.Check(t, site.Store, plantest.OfSite)
	for _, dir := range []string{"governance", "notice", "work"} {
		trace.MustCall(t, filepath.Join("..", "store", dir), func(string, string) bool { return false })
	}
}
