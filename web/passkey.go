package web

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"samepage/store"
	"samepage/web/wire"
)

// Passkeys (WebAuthn): the browser's script asks for options, has the authenticator answer, and sends the answer. What is to be
// answered is sealed and stays with the browser; it is used once.

// The purposes of what is sealed.
const (
	toSignIn  = "sign in with a passkey"
	toAddKeys = "add a passkey"
)

// errPasskey is the one answer to every passkey that does not sign in.
var errPasskey = store.Errorf(store.Forbidden, "That passkey does not sign in here. Use your password, or another passkey.")

// authenticators is how passkeys are used where the site is reached now; false where they cannot be: they belong to a host
// with a name.
func (s *Site) authenticators(r *http.Request) (*webauthn.WebAuthn, bool) {
	u, err := url.Parse(s.origin(r))
	if err != nil {
		return nil, false
	}
	if _, err := netip.ParseAddr(u.Hostname()); err == nil || u.Scheme != "https" && u.Hostname() != "localhost" {
		return nil, false
	}
	yes := true
	wa, err := webauthn.New(&webauthn.Config{RPID: u.Hostname(), RPDisplayName: s.config.Name, RPOrigins: []string{u.Scheme + "://" + u.Host},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{ResidentKey: protocol.ResidentKeyRequirementRequired, RequireResidentKey: &yes,
			UserVerification: protocol.VerificationRequired}})
	return wa, err == nil
}

// keyholder is an account as the library wants it.
type keyholder struct{ *store.Account }

func (k keyholder) WebAuthnID() []byte          { return []byte(k.UserID) }
func (k keyholder) WebAuthnName() string        { return k.Email }
func (k keyholder) WebAuthnDisplayName() string { return k.Email }
func (k keyholder) WebAuthnCredentials() []webauthn.Credential {
	var list []webauthn.Credential
	for i := range k.Passkeys {
		var c webauthn.Credential
		if json.Unmarshal([]byte(k.Passkeys[i].Record), &c) == nil {
			list = append(list, c)
		}
	}
	return list
}

// ceremony is what the script is given, and sends back with the authenticator's answer.
type ceremony struct {
	Options  any             `json:"options,omitempty"`
	Sealed   string          `json:"sealed"`
	Answer   json.RawMessage `json:"answer,omitempty"`
	answered webauthn.SessionData
}

// begin hands out options, and what they are checked against.
func (s *Site) begin(w http.ResponseWriter, r *http.Request, purpose string, options any, session *webauthn.SessionData, err error) {
	var text string
	if err == nil {
		text, err = s.sealUp(purpose, session)
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	w.Header()["Cache-Control"] = wire.NoStore
	wire.WriteJSON(w, http.StatusOK, ceremony{Options: options, Sealed: text})
}

// answered reads what the script sends back.
func (s *Site) answered(w http.ResponseWriter, r *http.Request, purpose string) (c ceremony, err error) {
	if media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); media != "application/json" {
		return c, wire.ErrMediaType
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, wire.MaxBody))
	if err != nil {
		return c, wire.TooLarge(err)
	}
	if json.Unmarshal(body, &c) != nil || !s.unseal(purpose, c.Sealed, &c.answered) {
		return c, store.Errorf(store.Conflict, "That took too long. Try again.")
	}
	return c, nil
}

var errNoPasskeys = store.Errorf(store.Conflict, "Passkeys need HTTPS and a host with a name, or localhost.")

// withPasskeys answers where passkeys can be used, and says so where they cannot.
func (s *Site) withPasskeys(answer func(w http.ResponseWriter, r *http.Request, wa *webauthn.WebAuthn)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		wa, ok := s.authenticators(r)
		if !ok {
			s.fail(w, r, errNoPasskeys)
			return
		}
		answer(w, r, wa)
	}
}

// passkeyOptions answers whoever wants to sign in with a passkey: any that their device knows for this site.
func (s *Site) passkeyOptions(w http.ResponseWriter, r *http.Request, wa *webauthn.WebAuthn) {
	options, session, err := wa.BeginDiscoverableLogin()
	s.begin(w, r, toSignIn, options, session, err)
}

// passkeyLogin signs in with a passkey.
func (s *Site) passkeyLogin(w http.ResponseWriter, r *http.Request, wa *webauthn.WebAuthn) {
	if _, err := s.limits.take(s.tries(r)); err != nil {
		s.event(r, "sign-in limited")
		s.fail(w, r, err)
		return
	}
	c, err := s.answered(w, r, toSignIn)
	var answer *protocol.ParsedCredentialAssertionData
	if err == nil {
		answer, err = protocol.ParseCredentialRequestResponseBytes(c.Answer)
	}
	var userID string
	if err == nil {
		userID, err = s.verifyPasskey(r, wa, c, answer)
	}
	if err != nil {
		if store.CodeOf(err) == store.Internal || store.CodeOf(err) == store.Forbidden { // the library's are of no kind
			s.event(r, "passkey refused", "error", err.Error())
			err = errPasskey
		}
		s.fail(w, r, err)
		return
	}
	if err := s.startLogin(w, r, userID, s.store.Now()); err != nil {
		s.fail(w, r, err)
		return
	}
	w.Header()["Cache-Control"] = wire.NoStore
	wire.WriteJSON(w, http.StatusOK, map[string]string{"url": s.arrivalOf(r).next})
}

// verifyPasskey is the user whose passkey has answered, once.
func (s *Site) verifyPasskey(r *http.Request, wa *webauthn.WebAuthn, c ceremony, answer *protocol.ParsedCredentialAssertionData) (userID string, err error) {
	err = s.store.Write(r.Context(), func(tx *store.Tx) error {
		key, err := tx.PasskeyByCredential(answer.RawID)
		if err != nil {
			return errPasskey
		}
		account := &store.Account{UserID: key.UserID, Passkeys: []store.Passkey{*key}}
		credential, err := wa.ValidateDiscoverableLogin(func(_, handle []byte) (webauthn.User, error) {
			if string(handle) != key.UserID {
				return nil, errPasskey
			}
			return keyholder{account}, nil
		}, c.answered, answer)
		if err != nil {
			return err
		}
		if credential.Authenticator.CloneWarning {
			return errors.New("the counter of passkey " + key.ID + " went back: there may be a copy of it")
		}
		record, err := json.Marshal(credential)
		if err != nil {
			return err
		}
		if err := tx.Spend(c.answered.Challenge, tx.Now.Add(sealedLife)); err != nil {
			return err
		}
		userID = key.UserID
		return tx.UsePasskey(key, string(record))
	})
	return userID, err
}

// owner is the account of whoever is signed in and has proved of late who they are.
func (s *Site) owner(tx *store.Tx, r *http.Request) (*store.Account, error) {
	by, err := s.credentials(r).actor(tx)
	if err != nil {
		return nil, err
	}
	if by.Unproved(tx.Now) {
		return nil, errUnproved
	}
	return tx.FindAccount(by)
}

// newPasskeyOptions answers whoever wants to add a passkey to their account.
func (s *Site) newPasskeyOptions(w http.ResponseWriter, r *http.Request, wa *webauthn.WebAuthn) {
	var a *store.Account
	if err := s.store.Read(r.Context(), func(tx *store.Tx) (err error) { a, err = s.owner(tx, r); return err }); err != nil {
		s.fail(w, r, err)
		return
	}
	holder := keyholder{a}
	options, session, err := wa.BeginRegistration(holder, webauthn.WithExclusions(webauthn.Credentials(holder.WebAuthnCredentials()).CredentialDescriptors()))
	s.begin(w, r, toAddKeys, options, session, err)
}

// addPasskey adds what the authenticator has made to the account.
func (s *Site) addPasskey(w http.ResponseWriter, r *http.Request, wa *webauthn.WebAuthn) {
	c, err := s.answered(w, r, toAddKeys)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	made, err := protocol.ParseCredentialCreationResponseBytes(c.Answer)
	if err != nil {
		s.event(r, "passkey refused", "error", err.Error())
		s.fail(w, r, store.Errorf(store.Invalid, "The browser's answer cannot be read. Try again."))
		return
	}
	var a *store.Account
	err = s.store.Write(r.Context(), func(tx *store.Tx) (err error) {
		if a, err = s.owner(tx, r); err != nil {
			return err
		}
		credential, err := wa.CreateCredential(keyholder{a}, c.answered, made)
		if err != nil {
			return store.Errorf(store.Forbidden, "That passkey cannot be added: %s. Try again.", strings.ToLower(err.Error()))
		}
		credential.Attestation = webauthn.CredentialAttestation{} // nothing is asked of who made the device
		record, err := json.Marshal(credential)
		if err != nil {
			return err
		}
		if err := tx.Spend(c.answered.Challenge, tx.Now.Add(sealedLife)); err != nil {
			return err
		}
		return tx.CreatePasskey(a, s.browser(r).Name(), credential.ID, string(record))
	})
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.event(r, "passkey added", "by", "user:"+a.UserID)
	wire.SetFlash(w, "The passkey is added. From now on you can sign in with it.", s.secure())
	wire.WriteJSON(w, http.StatusOK, map[string]string{"url": store.AccountURL})
}
