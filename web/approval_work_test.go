package web_test

import (
	"strings"
	"testing"

	"samepage/store"
	"samepage/web/webtest"
)

// TestApprovalNamesTheWork gives a turn of a session the token that made a held call. The page of the approval then
// links to the session, for readers who may see its studio.
func TestApprovalNamesTheWork(t *testing.T) {
	w := webtest.New(t)
	url, session := w.URL("approval pending"), w.URL("session done")
	exec := func(statement string, args ...any) {
		t.Helper()
		if err := w.Store.Write(t.Context(), func(tx *store.Tx) error { return tx.Exec(statement, args...) }); err != nil {
			t.Fatal(err)
		}
	}
	named := func(as string, want bool) {
		t.Helper()
		for _, form := range media {
			if r := w.As(as).Get(url, form); r.Status != 200 || strings.Contains(r.Body, session) != want {
				t.Errorf("%s gets %d as %s, with the session: %t, want %t\n%s", as, r.Status, form, !want, want, r.Body)
			}
		}
	}
	named("erin", false)
	exec(`UPDATE turns SET token_id = (SELECT token_id FROM approvals WHERE id = ?) WHERE session_id = ? AND n = 1`,
		url[strings.LastIndex(url, "/")+1:], session[strings.LastIndex(session, "/")+1:])
	named("erin", true)
	named("alice", true)
	exec(`UPDATE approvals SET studio_id = NULL`) // so that Alice, the owner, still sees it
	exec(`UPDATE roles SET holder_id = NULL WHERE holder_id = (SELECT owner_id FROM organizations WHERE handle = 'acme')`)
	exec(`DELETE FROM studio_members WHERE studio_id = (SELECT id FROM studios WHERE handle = 'team')
		AND member_id = (SELECT owner_id FROM organizations WHERE handle = 'acme')`)
	named("alice", false)
	named("erin", true)
}
