package web_test

import (
	"strings"
	"testing"

	"samepage/web/webtest"
)

// TestHomeSumsTheCost checks the sum of what a member's sessions have cost within a week. A turn reports the cost of its
// session so far.
func TestHomeSumsTheCost(t *testing.T) {
	t.Parallel()
	w := webtest.Of(t, "work")
	said := func(who string) string {
		_, part, _ := strings.Cut(w.As(who).Get("/", "text/html").Body, `<section id="spent" data-extra>`)
		part, _, _ = strings.Cut(part, "</section>")
		_, part, _ = strings.Cut(part, "<p>")
		part, _, _ = strings.Cut(part, "</p>")
		return part
	}
	var session string
	w.Query(&session, `SELECT session_id FROM turns WHERE cost IS NOT NULL`)
	set := func(n int, value string) {
		t.Helper()
		db := w.Database()
		if _, err := db.Exec(db.Rebind(`UPDATE turns SET `+value+` WHERE session_id = ? AND n = ?`), session, n); err != nil {
			t.Fatal(err)
		}
	}
	if got := said("bob"); got != "0.41 EUR in the last 7 days." {
		t.Errorf("one turn: %q", got)
	}
	if got := said("alice"); got != "" {
		t.Errorf("a member without a turn that tells its cost: %q", got)
	}
	for _, c := range []struct{ name, second, want string }{
		{"of the same conversation", "fresh = 0, cost = 1000000, currency = 'EUR'", "1.00 EUR"},
		{"of a new conversation", "fresh = 1, cost = 1000000, currency = 'EUR'", "1.41 EUR"},
		{"with less than before", "fresh = 0, cost = 200000, currency = 'EUR'", "0.61 EUR"},
		{"in another currency", "fresh = 0, cost = 1000000, currency = 'USD'", "1.00 USD and 0.41 EUR"},
		{"that tells none", "fresh = 0, cost = NULL, currency = ''", "0.41 EUR"},
	} {
		set(2, c.second)
		if got := said("bob"); got != c.want+" in the last 7 days." {
			t.Errorf("a second turn %s: %q, not %s", c.name, got, c.want)
		}
	}
	set(2, "fresh = 0, cost = 1000000, currency = 'EUR'")
	set(1, "ended_at = ended_at - 8 * 86400000000")
	if got := said("bob"); got != "0.59 EUR in the last 7 days." {
		t.Errorf("the first turn was before the last week: %q", got)
	}
}
