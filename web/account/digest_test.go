package account_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"samepage/actions/param"
	"samepage/store"
	"samepage/web/webtest"
)

// TestDigestHasAll expects the digest to have the requests that the start page lists, and to say that it counts only
// some of 600 notifications and of what waits.
func TestDigestHasAll(t *testing.T) {
	x := newTold(t)
	x.do("alice", choices, "set_digest", param.Input{"every": "daily", "at": "10:30"})
	x.mention("standups")
	var alice string
	x.Query(&alice, `SELECT id FROM users WHERE email = 'alice@acme.example'`)
	if err := x.Store.Write(t.Context(), func(tx *store.Tx) error {
		for i := range 600 {
			if err := tx.Exec(`INSERT INTO notifications (member_id, seq, org_id, reason, actor, did, url, title, at)
				SELECT id, ?, org_id, 'mention', '@bob', 'named you in', ?, 'Stand-ups', ? FROM members
				WHERE user_id = ? AND handle = 'alice'`, 1_000_000+i, x.URL("standups"), store.At(tx.Now), alice); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	x.Clock.Advance(24 * time.Hour)
	m := x.one("a digest")
	var home *store.HomePage
	if err := x.Store.Read(t.Context(), func(tx *store.Tx) error {
		by, err := tx.PersonOf(alice)
		if err == nil {
			home, err = tx.ShowHome(by)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if len(home.Wanted) == 0 || !home.More {
		t.Fatalf("%d requests wait, and more: %t", len(home.Wanted), home.More)
	}
	for _, r := range home.Wanted {
		if !strings.Contains(m.body, webtest.Origin+r.URL) {
			t.Errorf("the digest lacks %s: %s", r.Title, m.body)
		}
	}
	waits := len(home.Asked) + len(home.Wanted) + len(home.Waiting)
	if want := fmt.Sprintf("Samepage digest: at least 500 new, at least %d waiting", waits); m.subject != want {
		t.Errorf("the subject is %q, want %q", m.subject, want)
	}
	if !strings.Contains(m.body, "at least 450 more in your inbox") {
		t.Errorf("the digest: %s", m.body)
	}
}
