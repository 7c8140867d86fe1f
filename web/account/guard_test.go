package account_test

import (
	"strings"
	"testing"

	"samepage/store"
	"samepage/store/faulttest"
	"samepage/store/pgtest"
	"samepage/web/account"
	"samepage/web/webtest"
)

// TestSetupTokens checks that only the token of the latest link sets up an installation, and only while nobody can sign
// in.
func TestSetupTokens(t *testing.T) {
	where := webtest.Where(t)
	st, err := store.Open(t.Context(), where, store.Options{Keys: pgtest.Keys(where)})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	check := func(state, token string, want store.Code) {
		t.Helper()
		err := st.Read(t.Context(), func(tx *store.Tx) error { return account.MustBeSetupToken(tx, token) })
		if (err == nil) != (want == "") || err != nil && store.CodeOf(err) != want {
			t.Errorf("%s: %v, want %q", state, err, want)
		}
	}
	check("before the first link", "", store.NotFound)
	link := func() string { return strings.TrimPrefix(setupURL(t, st), "/setup?token=") }
	old, token := link(), link()
	check("the link", token, "")
	check("an earlier link", old, store.NotFound)
	check("another token", token+"x", store.NotFound)
	check("no token", "", store.NotFound)
	faulttest.EachStatement(t, st, "the link", func(tx *store.Tx) error { return account.MustBeSetupToken(tx, token) })
	if err := st.Write(t.Context(), func(tx *store.Tx) error {
		_, _, err := tx.CreateOrganization("acme", "Acme", "UTC",
			store.NewMember{Handle: "alice", Name: "Alice", Email: "alice@acme.example", PasswordHash: "-"})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	check("somebody can sign in", token, store.NotFound)
}

// TestMayTell checks that it is an error if the notifications of a mail, or the pages that they are about, cannot
// be read. Otherwise the mail would seem to have nothing to tell, and would be dropped.
func TestMayTell(t *testing.T) {
	x := newTold(t)
	x.mention("standups")
	var alice string
	x.Query(&alice, `SELECT id FROM users WHERE email = 'alice@acme.example'`)
	m := &store.Mail{ID: "mail"}
	if err := x.Store.Write(t.Context(), func(tx *store.Tx) error {
		return tx.Exec(`UPDATE notifications SET mail_id = ? WHERE member_id IN (SELECT id FROM members WHERE user_id = ?)
			AND reason = 'mention'`, m.ID, alice)
	}); err != nil {
		t.Fatal(err)
	}
	faulttest.EachStatement(t, x.Store, "a mail", func(tx *store.Tx) error {
		by, err := tx.PersonOf(alice)
		if err != nil {
			return err
		}
		list, _, err := x.Site.Account().MayTell(tx, by, m)
		if err == nil && len(list) == 0 {
			t.Error("the mail has no notification")
		}
		return err
	})
}
