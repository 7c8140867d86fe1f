package work_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"samepage/store"
	"samepage/web/webtest"
)

// TestSessionsHaveFamilies makes a family of sessions over four generations, and then a large one. The page of a
// session has all sessions of the small family, and the nearest ones of the large family.
func TestSessionsHaveFamilies(t *testing.T) {
	w := webtest.Of(t, "work")
	var is []string
	if err := w.Store.Read(t.Context(), func(tx *store.Tx) error {
		return tx.Select(&is, `SELECT s.id FROM sessions s JOIN studios h ON h.id = s.studio_id WHERE h.handle = 'team'
			AND s.parent_id IS NULL AND NOT EXISTS (SELECT 1 FROM sessions c WHERE c.parent_id = s.id) ORDER BY s.id`)
	}); err != nil || len(is) < 6 {
		t.Fatal(is, err)
	}
	write := func(statement string, args ...any) {
		t.Helper()
		if err := w.Store.Write(t.Context(), func(tx *store.Tx) error { return tx.Exec(statement, args...) }); err != nil {
			t.Fatal(err)
		}
	}
	// root > parent > self > child > grandchild, and root > other
	root, parent, self, child, grandchild, other := is[0], is[1], is[2], is[3], is[4], is[5]
	for below, above := range map[string]string{parent: root, other: root, self: parent, child: self, grandchild: child} {
		write(`UPDATE sessions SET parent_id = ?, relation = 'spawn' WHERE id = ?`, above, below)
	}
	family := func(id string) (list []string) {
		t.Helper()
		var page struct {
			Data struct {
				Family []struct{ ID, Parent, URL string }
			}
		}
		r := w.As("alice").Get("/studios/team/sessions/"+id, "application/json")
		if err := json.Unmarshal([]byte(r.Body), &page); err != nil {
			t.Fatal(r.Status, err)
		}
		for _, s := range page.Data.Family {
			if s.URL != "/studios/team/sessions/"+s.ID {
				t.Errorf("the session %s is at %s", s.ID, s.URL)
			}
			list = append(list, s.ID)
		}
		slices.Sort(list)
		return list
	}
	for _, id := range []string{root, self, grandchild} {
		want := slices.DeleteFunc(slices.Clone(is[:6]), func(other string) bool { return other == id })
		if list := family(id); !slices.Equal(list, want) {
			t.Errorf("the family of %s is %v, want %v", id, list, want)
		}
	}
	for n := range 60 {
		write(`INSERT INTO sessions (id, org_id, studio_id, worktree_id, manifest_id, member_id, parent_id, relation, title, created_at,
			moved_at) SELECT ?, org_id, studio_id, worktree_id, manifest_id, member_id, id, 'spawn', title, created_at, moved_at + ?
			FROM sessions WHERE id = ?`, fmt.Sprintf("!%02d", n), n, root)
	}
	list := family(self)
	for _, id := range []string{root, parent, child} {
		if !slices.Contains(list, id) {
			t.Errorf("the large family of %s lacks %s: %v", self, id, list)
		}
	}
	if len(list) < 30 || len(list) > 50 {
		t.Errorf("the large family has %d sessions", len(list))
	}
}
