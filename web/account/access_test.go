package account_test

import (
	"testing"

	"samepage/actions/param"
)

// TestMailNeedsAccess lets a person lose sight of a studio between the event and the mail.
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
	x.do("bob", "/orgs/acme", "create_studio", param.Input{"name": "Annex", "handle": "annex", "visibility": "organization"})
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
