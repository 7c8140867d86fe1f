package store_test

import (
	"slices"
	"testing"
)

// TestPublicStudiosOfOthersAreFound searches by tags alone, as a member of an organization with more public studios than
// a search has tags for. The search must find what is in a public studio of another organization.
func TestPublicStudiosOfOthersAreFound(t *testing.T) {
	mustSearch(t)
	w := newWorld(t)
	d := w.decision(w.oscar, w.studio("zoo", "public", w.oscar), "Giraffe", "One")
	w.raw(`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1001)
		INSERT INTO studios (id, org_id, handle, name, visibility, tempo, created_by, created_at)
		SELECT 'a' || n, org_id, 'a' || n, name, 'public', tempo, created_by, created_at FROM studios, numbers
		WHERE id = '` + w.team.ID + `'`)
	if got := w.search(w.alice, "-zebra"); !slices.Contains(got, d.URL()) {
		t.Errorf("%s is not among %d results", d.URL(), len(got))
	}
}
