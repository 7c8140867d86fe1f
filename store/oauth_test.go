package store

import (
	"strings"
	"testing"
	"time"
)

// agree makes a grant of Alice's to a registered client, and its code.
func (w *world) agree() (c *OAuthClient, t *Token, code string) {
	w.t.Helper()
	w.write(func(tx *Tx) (err error) {
		if c, err = tx.RegisterClient("Robot",
			[]string{"http://127.0.0.1/callback", "https://robot.example/back"}); err != nil {
			return err
		}
		t, code, err = tx.GrantAccess(w.alice.Member,
			Consent{Client: c, Host: "127.0.0.1", Redirect: c.Redirects[0], Challenge: "c",
				Grant: Grant{Label: "Robbie", Scopes: Scopes(), Expires: At(tx.Now.Add(MaxGrantLife))}})
		return err
	})
	return c, t, code
}

// everyOAuth calls every method that runs statements about OAuth.
func (w *world) everyOAuth(must func(...error) error) {
	c, _, code := w.agree()
	w.write(func(tx *Tx) error {
		_, err := tx.FindClient(c.ID)
		g, gerr := tx.FindGrant(code)
		if err := must(err, gerr); err != nil {
			return err
		}
		by, refresh, rerr := tx.RedeemCode(g)
		_, superr := tx.SupersededTokens(by)
		_, _, serr := tx.RefreshGrant(refresh, "next")
		_, oerr := tx.RefreshOwner(refresh)
		_, lerr := tx.LastConsent(w.alice.Member, c.ID, "127.0.0.1")
		kerr := tx.AddSigningKey(SigningKey{ID: "k", Private: []byte("p"), MadeAt: At(tx.Now),
			SignsAt: At(tx.Now)}, At(tx.Now))
		_, keyserr := tx.SigningKeys()
		return must(rerr, superr, serr, oerr, lerr, kerr, keyserr, tx.RemoveSigningKeys())
	})
}

// TestGrantAccess ends a grant with its code unless that is redeemed, and then at the agreed time.
func TestGrantAccess(t *testing.T) {
	w := newWorld(t)
	_, token, code := w.agree()
	works := func() (ok bool) {
		w.read(func(tx *Tx) error {
			by, err := tx.ActorByGrant(token.ID)
			ok = err == nil && by.Name() == "Robbie, agent of @alice"
			return nil
		})
		return ok
	}
	redeem := func() (refresh string, err error) {
		w.write(func(tx *Tx) error {
			g, ferr := tx.FindGrant(code)
			if ferr != nil {
				return ferr
			}
			_, refresh, err = tx.RedeemCode(g)
			return nil
		})
		return refresh, err
	}
	if !strings.HasPrefix(code, CodePrefix) || len(code) < 43 || !works() {
		t.Errorf("code %q, works: %v", code, works())
	}
	w.clock.advance(CodeLife - time.Millisecond)
	refresh, err := redeem()
	if err != nil || !strings.HasPrefix(refresh, RefreshPrefix) {
		t.Fatal(refresh, err)
	}
	if _, err := redeem(); CodeOf(err) != NotFound {
		t.Errorf("again: %v", err)
	}
	w.clock.advance(MaxGrantLife - CodeLife)
	if !works() {
		t.Error("it ends early")
	}
	w.clock.advance(time.Millisecond)
	if works() {
		t.Error("it does not end")
	}
	_, token, code = w.agree()
	w.clock.advance(CodeLife)
	if _, err := redeem(); CodeOf(err) != NotFound || works() {
		t.Errorf("late: %v, works: %v", err, works())
	}
	var left int
	w.read(func(tx *Tx) error { return tx.Get(&left, `SELECT count(*) FROM oauth_refreshes`) })
	if left != 0 {
		t.Errorf("%d refresh tokens outlive their grants", left)
	}
}
