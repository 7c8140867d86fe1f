package clients

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"

	"samepage/store/pgtest"
)

// TestPasskey checks that Bob can add a passkey and sign in with it without a password, and that he
// cannot sign in with it after its removal. A device that does not verify him, or that signs
// wrongly, must not sign him in.
func TestPasskey(t *testing.T) {
	t.Parallel()
	pgtest.Folder(t, "the tests of web/account run on a server")
	w := newWorld(t)
	w.url = strings.Replace(w.url, "127.0.0.1", "localhost", 1) // a passkey belongs to a host name
	b := open(t)
	var device webauthn.AuthenticatorID
	b.do(command(
		webauthn.Enable, webauthn.EnableParams{},
	), func(ctx context.Context, tab *chromedp.Target) (v chromedp.Void, err error) {
		made, err := cdp.Call(ctx, tab, webauthn.AddVirtualAuthenticator,
			webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
				Protocol:                    "ctap2",
				Transport:                   "internal",
				HasResidentKey:              true,
				HasUserVerification:         true,
				IsUserVerified:              true,
				AutomaticPresenceSimulation: true,
			}})
		device = made.AuthenticatorID
		return v, err
	})
	b.login(w, "bob")
	b.visit(w.url + "/settings/account")
	b.press("Add a passkey")
	b.sees("The passkey is added", "Chrome on Linux", "never")
	b.quiet("adding a passkey")

	b.logout("Bob Baker")
	b.press("Sign in with a passkey")
	if b.address() != w.url+"/" {
		t.Errorf("it leads to %s", b.address())
	}
	b.visit(w.url + "/settings/account")
	b.sees("bob@")
	if strings.Contains(b.text(), "never used") {
		t.Error("it was used, and the page does not say so")
	}
	b.visit(w.url + "/login?again=1&next=/settings/tokens/actions/create_token?label=Lens")
	b.press("Sign in with a passkey")
	if !strings.HasSuffix(b.address(), "/settings/tokens/actions/create_token?label=Lens") {
		t.Errorf("having shown who he is, he is at %s", b.address())
	}
	b.quiet("signing in with a passkey")

	refused := func(why string) {
		t.Helper()
		b.visit(w.url + "/login")
		b.do(chromedp.Click(chromedp.Search(`//button[normalize-space()="Sign in with a passkey"]`)),
			chromedp.WaitVisible(chromedp.Search(`//p[@role="alert" and contains(., "does not sign in here")]`)))
		if !strings.HasSuffix(b.address(), "/login") {
			t.Errorf("%s: signed in", why)
		}
		b.mu.Lock()
		b.troubles = nil // the console reports the refused request
		b.mu.Unlock()
	}
	b.visit(w.url + "/")
	b.logout("Bob Baker")
	yes, no := true, false
	b.do(command(webauthn.SetResponseOverrideBits,
		webauthn.SetResponseOverrideBitsParams{AuthenticatorID: device, IsBogusSignature: &yes}))
	refused("a wrong signature")
	b.do(command(webauthn.SetResponseOverrideBits, webauthn.SetResponseOverrideBitsParams{
		AuthenticatorID:  device,
		IsBogusSignature: &no,
		IsBadUV:          &yes,
	}))
	refused("a person who was not verified")
	b.do(command(webauthn.SetResponseOverrideBits,
		webauthn.SetResponseOverrideBitsParams{AuthenticatorID: device, IsBadUV: &no}))

	b.login(w, "bob")
	b.visit(w.url + "/settings/account/actions/remove_passkey")
	b.tick("Passkey", "Chrome on Linux")
	b.press("Remove a passkey")
	b.sees("The passkey is removed")
	b.logout("Bob Baker")
	refused("a passkey that was removed")
}
