package web_test

import (
	"fmt"
	"strings"
	"testing"

	"samepage/store"
	"samepage/web/webtest"
)

// TestManyNominations has 600 nominations of Dave after those of the fixture. The page counts all of them, and says how
// many it does not show.
func TestManyNominations(t *testing.T) {
	w := webtest.Of(t, "election")
	url := w.URL("election discussion")
	const many = 600
	if err := w.Store.Write(t.Context(), func(tx *store.Tx) error {
		for i := range many {
			id := fmt.Sprintf("many%d", i)
			if err := tx.Exec(`INSERT INTO users (id, email, password, created_at) VALUES (?, ?, '', 0)`, id,
				id+"@acme.example"); err != nil {
				return err
			}
			if err := tx.Exec(`INSERT INTO members (id, org_id, user_id, handle, name, joined_at)
				SELECT ?, id, ?, ?, ?, 0 FROM organizations WHERE handle = 'acme'`, id, id, id, id); err != nil {
				return err
			}
			if err := tx.Exec(`INSERT INTO nominations (election_id, member_id, org_id, nominee_id, reason, at)
				SELECT ?, ?, org_id, id, 'Because.', 0 FROM members WHERE handle = 'dave'`,
				url[strings.LastIndex(url, "/")+1:], id); err != nil {
				return err
			}
		}
		return tx.Exec(`UPDATE elections SET nominations = nominations + ?`, many)
	}); err != nil {
		t.Fatal(err)
	}
	page := w.As("alice").Get(url, "text/markdown").Body
	for _, want := range []string{"| @dave | 601 |", "The first 500 of 602 nominations, with their reasons:"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%.3000s", want, page)
		}
	}
}
