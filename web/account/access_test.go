package account_test

import (
	"strings"
	"testing"
	"time"

	"samepage/actions/param"
)

// TestMailNeedsAccess takes away a person's access to a studio between an event and its mail, and expects no mail about
// the event.
func TestMailNeedsAccess(t *testing.T) {
	x := newTold(t)
	x.do("carol", choices, "choose_notifications", param.Input{"mail_at_once": []string{"mention"}})
	vault := "/studios/vault"
	x.do("bob", "/orgs/acme", "create_studio", param.Input{"name": "Vault", "handle": "vault", "visibility": "members"})
	x.do("bob", vault, "add_member", param.Input{"member": "carol"})
	x.do("bob", vault, "create_note", param.Input{"title": "Kept walnut", "text": "@carol, look"})
	x.do("bob", vault, "create_note", param.Input{"title": "Plain walnut", "text": "@carol, look again"})
	var unread int
	x.Query(&unread, `SELECT count(*) FROM notifications WHERE reason = 'mention' AND title LIKE '% walnut'`)
	if x.do("bob", vault+"/members", "remove_from_studio", param.Input{"member": "carol"}); unread != 2 {
		t.Fatalf("%d notifications", unread)
	}
	for _, m := range x.arrived("carol@acme.example") {
		t.Errorf("a mail tells of it: %s\n%s", m.subject, m.body)
	}
	// A studio that everybody saw becomes secret.
	annex := "/studios/annex"
	x.do("bob", "/orgs/acme", "create_studio", param.Input{"name": "Annex", "handle": "annex",
		"visibility": "organization"})
	told := func() int {
		x.do("bob", annex, "create_note", param.Input{"title": "Shared walnut", "text": "@carol, look"})
		return len(x.arrived("carol@acme.example"))
	}
	if n := told(); n != 1 {
		t.Fatalf("%d mails while Carol sees the studio", n)
	}
	x.do("bob", annex, "create_note", param.Input{"title": "Shared walnut", "text": "@carol, look"})
	x.do("bob", annex, "change_visibility", param.Input{"visibility": "members"})
	if list := x.arrived("carol@acme.example"); len(list) > 0 {
		t.Errorf("a mail tells of a studio that became secret: %s\n%s", list[0].subject, list[0].body)
	}
}

// TestDigestOfLostPages expects a digest to leave out pages that the person can no longer read or that no longer
// exist. If the server fails to find out whether a page can be read, the digest is not sent yet.
func TestDigestOfLostPages(t *testing.T) {
	x := newTold(t)
	x.do("carol", choices, "set_digest", param.Input{"every": "daily", "at": "10:30"})
	for handle, title := range map[string]string{"vault": "Kept walnut", "lounge": "Moved walnut",
		"boardroom": "Plain board"} {
		x.do("bob", "/orgs/acme", "create_studio", param.Input{"name": handle, "handle": handle,
			"visibility": "members"})
		x.do("bob", "/studios/"+handle, "add_member", param.Input{"member": "carol"})
		x.do("bob", "/studios/"+handle, "create_note", param.Input{"title": title, "text": "@carol, look"})
	}
	x.do("bob", "/studios/vault/members", "remove_from_studio", param.Input{"member": "carol"})
	var url string
	x.Query(&url, `UPDATE notifications SET url = '/nothing/is/here' WHERE title = 'Moved walnut' RETURNING url`)
	arrives := func() (list []letter) {
		x.Clock.Advance(5 * 24 * time.Hour)
		return x.arrived("carol@acme.example")
	}
	db := x.Database()
	rename := func(from, to string) {
		if _, err := db.ExecContext(t.Context(), "ALTER TABLE "+from+" RENAME TO "+to); err != nil {
			t.Fatal(err)
		}
	}
	rename("notes", "kept_notes")
	list := arrives()
	rename("kept_notes", "notes")
	if len(list) != 0 {
		t.Errorf("a digest leaves out what the server could not read:\n%s", list[0].body)
	}
	if list = arrives(); len(list) != 1 || !strings.Contains(list[0].body, "Plain board") ||
		strings.Contains(list[0].body, "walnut") ||
		strings.Contains(list[0].body, url) {
		t.Errorf("the digests: %+v", list)
	}
}
