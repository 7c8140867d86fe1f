package web_test

import (
	"strconv"
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/actions/work"
	"samepage/web/webtest"
)

// TestItemsAreThoseOfTheJournal checks that no item of the world differs from the journal, also after the last entry is
// about a part of the item, and that a changed title of every item is found.
func TestItemsAreThoseOfTheJournal(t *testing.T) {
	w := webtest.New(t)
	bob := w.As("bob")
	bob.Post(w.URL("board"), work.AddZone.Name, param.Input{"title": "Someday"})
	for i := range 101 {
		r := bob.PostJSON(w.URL("board workshop"), work.UpdateZone.Name, param.Input{"zone": "1",
			"title": strconv.Itoa(i)})
		if r.Status != 200 {
			t.Fatal(r.Status, r.Body)
		}
	}
	if found := w.Mismatches(); len(found) > 0 {
		t.Fatalf("an untouched world differs from its journal: %v", found)
	}
	db := w.Database()
	db.MustExec(`UPDATE items SET title = 'Another' WHERE opened_at IS NOT NULL AND removed_at IS NULL`)
	var items int
	w.Query(&items, `SELECT count(*) FROM items WHERE opened_at IS NOT NULL AND removed_at IS NULL`)
	found := w.Mismatches()
	if len(found) != items {
		t.Errorf("%d of %d items with another title are found", len(found), items)
	}
	for _, m := range found {
		if !strings.Contains(m.Reason, "title") {
			t.Error(m)
		}
	}
}
