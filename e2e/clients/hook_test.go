package clients

import (
	"database/sql"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync/atomic"
	"testing"
)

// newWorldWithWebhooks returns a world in which Alice has a webhook of her own and one of the organization. The log of
// each has an accepted delivery, one that was given up, and one that failed and waits for its next attempt.
func newWorldWithWebhooks(t *testing.T) (w *world, own, org string) {
	t.Helper()
	w = unserved(t)
	w.serve("SAMEPAGE_OUTGOING_ALLOW=127.0.0.0/8")
	var refuses atomic.Bool
	receiver := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		if refuses.Load() {
			rw.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(receiver.Close)
	alice := w.signIn("alice")
	own = alice.does("/settings/notifications", "set_webhook", map[string]any{"address": receiver.URL}).URL
	org = alice.does("/orgs/meadow/webhooks", "create_webhook",
		map[string]any{"address": receiver.URL, "kinds": []string{"decision"}}).URL
	for page, table := range map[string]string{own: "own_deliveries", org: "deliveries"} {
		refuses.Store(false)
		alice.does(page, "send_test", nil)
		alice.hears(page, "accepted, 1 try")
		refuses.Store(true)
		alice.does(page, "send_test", nil)
		alice.hears(page, "answered 503")
		w.lastAttempts(table)
		alice.does(page, "send_test", nil) // wakes the sender
		alice.hears(page, "given up after")
		contains(t, page, alice.hears(page, "waiting after 1 try"), "Active.", "accepted, 1 try", "given up after")
	}
	return w, own, org
}

// lastAttempts makes the next attempt of every waiting delivery in a table due at once. This attempt becomes the last
// one of its delivery.
func (w *world) lastAttempts(table string) {
	w.t.Helper()
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(w.data, "samepage.db")+"?_busy_timeout=10000")
	if err != nil {
		w.t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(w.t.Context(), `UPDATE `+table+` SET attempts = 8, due_at = 0
		WHERE due_at IS NOT NULL`); err != nil {
		w.t.Fatal(err)
	}
}
