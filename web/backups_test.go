package web_test

import (
	"strings"
	"testing"
	"time"

	"samepage/store"
	"samepage/web"
	"samepage/web/webtest"
)

// TestBackupsOnSettings shows the state of the backups to the owner, and to nobody else.
func TestBackupsOnSettings(t *testing.T) {
	var state store.Backups
	w := webtest.New(t, func(c *web.Config) { c.Backups = func() *store.Backups { return &state } })
	at := store.At(time.Date(2026, 1, 2, 3, 4, 0, 0, time.UTC))
	for _, c := range []struct {
		state store.Backups
		says  []string
	}{
		{store.Backups{Every: 24 * time.Hour}, []string{"There is no backup yet", "between two is 24 hours"}},
		{store.Backups{Every: time.Hour, Newest: at}, []string{"The newest backup of this server is of", "is 1 hour."}},
		{store.Backups{Every: 90 * time.Minute, Newest: at, Overdue: true}, []string{"is 90 minutes", "older than it should be"}},
		{store.Backups{Every: time.Hour, Newest: at, Failed: at}, []string{"The latest try to make a backup failed"}},
		{store.Backups{Every: time.Hour, Failed: at, Overdue: true}, []string{"There is no backup yet", "Backups fail, the last time"}},
		{store.Backups{Every: time.Hour, Newest: at, Lacks: 1}, []string{"lacks 1 attached file,"}},
	} {
		state = c.state
		page := w.As("alice").Get("/orgs/acme/settings", "").Body
		for _, says := range append(c.says, "/help/backups") {
			if !strings.Contains(page, says) {
				t.Errorf("%+v: no %q:\n%s", c.state, says, page)
			}
		}
		if other := w.As("bob").Get("/orgs/acme/settings", "").Body; strings.Contains(other, "ackup") {
			t.Errorf("a member sees it:\n%s", other)
		}
	}
}
