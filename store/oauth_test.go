package store_test

import (
	"strings"
	"testing"
	"time"

	"samepage/store"
	"samepage/store/credential"
)

// agree lets Alice grant access to a new client, and returns the client, the token and the code of the grant.
func (w *world) agree() (c *credential.OAuthClient, t *store.Token, code string) {
	w.t.Helper()
	w.write(func(tx *store.Tx) (err error) {
		if c, err = credential.RegisterClient(tx, "Robot",
			[]string{"http://127.0.0.1/callback", "https://robot.example/back"}); err != nil {
			return err
		}
		t, code, err = credential.GrantAccess(tx, w.alice.Member,
			credential.Consent{Client: c, Host: "127.0.0.1", Redirect: c.Redirects[0], Challenge: "c",
				Grant: store.Grant{Label: "Robbie", Scopes: store.Scopes(),
					Expires: store.At(tx.Now.Add(credential.MaxGrantLife))}})
		return err
	})
	return c, t, code
}

// everyOAuth is the part of [world.everything] about OAuth.
func (w *world) everyOAuth(must func(...error) error) {
	c, _, code := w.agree()
	w.write(func(tx *store.Tx) error {
		_, err := credential.FindClient(tx, c.ID)
		g, gerr := credential.FindGrant(tx, code)
		if err := must(err, gerr); err != nil {
			return err
		}
		by, refresh, rerr := credential.RedeemCode(tx, g)
		_, superr := credential.SupersededTokens(tx, by)
		_, _, serr := credential.RefreshGrant(tx, refresh, "next")
		_, oerr := credential.RefreshOwner(tx, refresh)
		_, lerr := credential.LastConsent(tx, w.alice.Member, c.ID, "127.0.0.1")
		kerr := credential.AddSigningKey(tx, credential.SigningKey{ID: "k", Sealed: []byte("p"), MadeAt: store.At(tx.Now),
			SignsAt: store.At(tx.Now)}, store.At(tx.Now))
		_, keyserr := credential.SigningKeys(tx)
		return must(rerr, superr, serr, oerr, lerr, kerr, keyserr, credential.RemoveSigningKeys(tx))
	})
}

// TestGrantAccess expects a grant to end when its authorization code expires or, if the code was redeemed, at the
// agreed time.
func TestGrantAccess(t *testing.T) {
	w := newWorld(t)
	_, token, code := w.agree()
	works := func() (ok bool) {
		w.read(func(tx *store.Tx) error {
			by, err := tx.ActorByGrant(token.ID)
			ok = err == nil && by.Name() == "Robbie, agent of @alice"
			return nil
		})
		return ok
	}
	redeem := func() (refresh string, err error) {
		w.write(func(tx *store.Tx) error {
			g, ferr := credential.FindGrant(tx, code)
			if ferr != nil {
				return ferr
			}
			_, refresh, err = credential.RedeemCode(tx, g)
			return nil
		})
		return refresh, err
	}
	if !strings.HasPrefix(code, credential.CodePrefix) || len(code) < 43 || !works() {
		t.Errorf("code %q, works: %v", code, works())
	}
	w.clock.advance(credential.CodeLife - time.Millisecond)
	refresh, err := redeem()
	if err != nil || !strings.HasPrefix(refresh, credential.RefreshPrefix) {
		t.Fatal(refresh, err)
	}
	if _, err := redeem(); store.CodeOf(err) != store.NotFound {
		t.Errorf("again: %v", err)
	}
	w.clock.advance(credential.MaxGrantLife - credential.CodeLife)
	if !works() {
		t.Error("it ends early")
	}
	w.clock.advance(time.Millisecond)
	if works() {
		t.Error("it does not end")
	}
	_, token, code = w.agree()
	w.clock.advance(credential.CodeLife)
	if _, err := redeem(); store.CodeOf(err) != store.NotFound || works() {
		t.Errorf("late: %v, works: %v", err, works())
	}
	var left int
	w.read(func(tx *store.Tx) error { return tx.Get(&left, `SELECT count(*) FROM oauth_refreshes`) })
	if left != 0 {
		t.Errorf("%d refresh tokens outlive their grants", left)
	}
}
