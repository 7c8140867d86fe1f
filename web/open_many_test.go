package web_test

import (
	"fmt"
	"strings"
	"testing"

	"samepage/store"
	"samepage/web/webtest"
)

// TestOpenCountsMany has more pending approvals and open notes than one count of approvals. The page says that there may
// be more approvals, and counts all items.
func TestOpenCountsMany(t *testing.T) {
	w := webtest.New(t)
	if err := w.Store.Write(t.Context(), func(tx *store.Tx) error {
		approval, note := w.URL("approval pending"), w.URL("note reminder")
		for i := range store.Many + 1 {
			if err := tx.Exec(`INSERT INTO approvals (id, org_id, studio_id, item_id, member_id, agent_id, token_id, url, query,
					action, version, digest, rule, private, discreet, asked_at, expires_at, title, target, why, params, preview)
				SELECT ?, org_id, studio_id, item_id, member_id, agent_id, token_id, url, query,
					action, version, digest, rule, private, discreet, asked_at, expires_at, title, target, why, params, preview
				FROM approvals WHERE id = ?`, fmt.Sprintf("many%d", i), approval[strings.LastIndex(approval, "/")+1:]); err != nil {
				return err
			}
			if err := tx.Exec(`INSERT INTO items (id, org_id, studio_id, kind, member_id, title, created_at, opened_at, awaits)
				SELECT ?, org_id, studio_id, kind, member_id, title, created_at, opened_at, awaits FROM items WHERE id = ?`,
				fmt.Sprintf("many%d", i), note[strings.LastIndex(note, "/")+1:]); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	page := w.As("alice").Get("/orgs/acme/open", "text/markdown").Body
	for _, want := range []string{"approval (1,000 or more)", "doing (1,0", "At least 2,0"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q: %.3000s", want, page)
		}
	}
}
