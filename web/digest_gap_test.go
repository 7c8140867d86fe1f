package web_test

import (
	"strings"
	"testing"

	"samepage/store"
	"samepage/web/webtest"
)

// TestDigestAfterAGap removes the row of the first message that Bob has not read. The digest begins with the next one.
func TestDigestAfterAGap(t *testing.T) {
	w := webtest.New(t)
	digest := func() string { return w.As("bob").Get("/studios/team/channel/digest", "text/markdown").Body }
	var unread int
	if err := w.Store.Write(t.Context(), func(tx *store.Tx) error {
		if err := tx.Exec(`UPDATE studio_members SET heard = 0
			WHERE member_id = (SELECT id FROM members WHERE handle = 'bob')`); err != nil {
			return err
		}
		if err := tx.Exec(`UPDATE messages SET n = n + 100000 WHERE n = 1
			AND studio_id = (SELECT id FROM studios WHERE handle = 'team')`); err != nil {
			return err
		}
		return tx.Get(&unread, `SELECT count(*) FROM messages WHERE studio_id = (SELECT id FROM studios WHERE handle = 'team')`)
	}); err != nil {
		t.Fatal(err)
	}
	if got := digest(); strings.Contains(got, "1970") || !strings.Contains(got, "the first that you have not read") || unread < 2 {
		t.Errorf("%d unread messages:\n%s", unread, got)
	}
}
