package account_test

import (
	"errors"
	"testing"
	"time"

	"samepage/actions/param"
	"samepage/store"
	"samepage/web/webtest"
)

// TestMailThatCannotBeWritten expects the other mails to be sent, and this one as soon as it can be written.
func TestMailThatCannotBeWritten(t *testing.T) {
	x := newTold(t)
	x.do("alice", choices, "choose_notifications", param.Input{"mail_at_once": []string{"mention"}})
	x.mention("standups")
	a := x.Site.Account()
	may := a.MayRead
	a.MayRead = func(*store.Tx, store.Actor, string) (bool, error) { return false, errors.New("it fails") }
	x.none("the page cannot be read")
	x.Clock.Advance(time.Minute)
	if r := webtest.RequestBody(x.As("anonymous"), "POST", "/forgot", "email=bob%40acme.example",
		webtest.FormMedia); r.Status != 200 {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	if list := x.arrived("bob@acme.example"); len(list) != 1 {
		t.Errorf("%d mails came after the one that cannot be written", len(list))
	}
	a.MayRead = may
	x.one("the page can be read")
}
