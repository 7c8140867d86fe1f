package account

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"samepage/store"
	"samepage/store/credential"
	"samepage/web/wire"
)

// A passkey (WebAuthn) is used in two steps. The script of the page asks the server for options, has the authenticator
// answer them, and sends the answer to the server. The server checks the answer against a session, which the browser
// holds sealed in the meantime and which can be used once.

const (
	toSignIn = "sign in with a passkey"
	toAddKey = "add a passkey"
)

// errPasskey is the answer to a passkey that is unknown or fails verification. The log has the reason.
var errPasskey = store.Errorf(store.Forbidden,
	"That passkey does not sign in here. Use your password, or another passkey.")

var errNoPasskeys = store.Errorf(store.Conflict, "Passkeys need HTTPS and a host with a name, or localhost.")

// relyingParty returns the WebAuthn configuration for the host by which the caller reaches the site. It returns false
// if passkeys cannot be used: the host is an IP address, or the site is reached without HTTPS at another host than
// localhost.
func (s *Server) relyingParty(r *http.Request) (*webauthn.WebAuthn, bool) {
	u, err := url.Parse(s.Origin(r))
	if err != nil {
		return nil, false
	}
	if _, err := netip.ParseAddr(u.Hostname()); err == nil || u.Scheme != "https" && u.Hostname() != "localhost" {
		return nil, false
	}
	yes := true
	wa, err := webauthn.New(&webauthn.Config{RPID: u.Hostname(), RPDisplayName: s.Name,
		RPOrigins: []string{u.Scheme + "://" + u.Host}, AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{ResidentKey: protocol.ResidentKeyRequirementRequired,
			RequireResidentKey: &yes, UserVerification: protocol.VerificationRequired}})
	return wa, err == nil
}

// withPasskeys returns a handler that calls handle with the WebAuthn configuration, or answers with an error if
// passkeys cannot be used.
func (s *Server) withPasskeys(
	handle func(w http.ResponseWriter, r *http.Request, wa *webauthn.WebAuthn)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		wa, ok := s.relyingParty(r)
		if !ok {
			s.Fail(w, r, errNoPasskeys)
			return
		}
		handle(w, r, wa)
	}
}

// keyholder makes an account a user of the WebAuthn library.
type keyholder struct{ *credential.Account }

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

// ceremony is the JSON that the script exchanges with the server: the server's options and the authenticator's answer.
// The sealed session goes both ways.
type ceremony struct {
	Options any             `json:"options,omitempty"`
	Sealed  string          `json:"sealed"`
	Answer  json.RawMessage `json:"answer,omitempty"`
	session webauthn.SessionData
}

func (s *Server) writeOptions(w http.ResponseWriter, r *http.Request, purpose string, options any,
	session *webauthn.SessionData) {
	text, err := s.seal(purpose, session)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	w.Header()["Cache-Control"] = wire.NoStore
	wire.WriteJSON(w, r, http.StatusOK, ceremony{Options: options, Sealed: text})
}

func (s *Server) readCeremony(w http.ResponseWriter, r *http.Request, purpose string) (c ceremony, err error) {
	if media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); media != "application/json" {
		return c, wire.ErrMediaType
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, wire.MaxBody))
	if err != nil {
		return c, wire.TooLarge(err)
	}
	if json.Unmarshal(body, &c) != nil || !s.unseal(purpose, c.Sealed, &c.session) {
		return c, store.Errorf(store.Conflict, "That took too long. Try again.")
	}
	return c, nil
}

type passkeyAnswer = protocol.ParsedCredentialAssertionData

// beginPasskeyLogin answers with options that accept any passkey that the device has for this site.
func (s *Server) beginPasskeyLogin(w http.ResponseWriter, r *http.Request, wa *webauthn.WebAuthn) {
	options, session, err := wa.BeginDiscoverableLogin()
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.writeOptions(w, r, toSignIn, options, session)
}

// finishPasskeyLogin signs the owner of the passkey in, and answers the script with the next URL.
func (s *Server) finishPasskeyLogin(w http.ResponseWriter, r *http.Request, wa *webauthn.WebAuthn) {
	if err := s.Try(r, "", ""); err != nil {
		s.Event(r, "sign-in limited")
		s.Fail(w, r, err)
		return
	}
	c, err := s.readCeremony(w, r, toSignIn)
	var answer *passkeyAnswer
	if err == nil {
		answer, err = protocol.ParseCredentialRequestResponseBytes(c.Answer)
		err = refusedKey(err)
	}
	var userID string
	if err == nil {
		userID, err = s.usePasskey(r.Context(), wa, c, answer)
	}
	if err != nil {
		if errors.Is(err, errPasskey) {
			s.Event(r, "passkey refused", "error", err.Error())
			err = errPasskey
		}
		s.Fail(w, r, err)
		return
	}
	if err := s.startLogin(w, r, userID, "", s.Store.Now()); err != nil {
		s.Fail(w, r, err)
		return
	}
	w.Header()["Cache-Control"] = wire.NoStore
	wire.WriteJSON(w, r, http.StatusOK, map[string]string{"url": s.loginOptions(r).next})
}

// refusedKey returns [errPasskey] with the reason for the log, or nil if the reason is nil.
func refusedKey(why error) error {
	if why == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", errPasskey, why)
}

// usePasskey verifies the answer of an authenticator and returns the user ID of the passkey's owner. It accepts only
// one answer to the same challenge.
func (s *Server) usePasskey(ctx context.Context, wa *webauthn.WebAuthn, c ceremony,
	answer *passkeyAnswer) (userID string, err error) {
	err = s.Store.Write(ctx, func(tx *store.Tx) error {
		key, err := credential.PasskeyByCredential(tx, answer.RawID)
		if store.CodeOf(err) == store.NotFound {
			return errPasskey
		}
		if err != nil {
			return err
		}
		owner := &credential.Account{UserID: key.UserID, Passkeys: []credential.Passkey{*key}}
		used, err := wa.ValidateDiscoverableLogin(func(_, handle []byte) (webauthn.User, error) {
			if string(handle) != key.UserID {
				return nil, errPasskey
			}
			return keyholder{owner}, nil
		}, c.session, answer)
		if err != nil {
			return refusedKey(err)
		}
		if used.Authenticator.CloneWarning {
			return refusedKey(errors.New("the counter of passkey " + key.ID + " went back: there may be a copy of it"))
		}
		record, err := json.Marshal(used)
		if err != nil {
			return err
		}
		if err := credential.SpendNonce(tx, c.session.Challenge, tx.Now.Add(sealedLife)); err != nil {
			return err
		}
		userID = key.UserID
		return credential.UsePasskey(tx, key, string(record))
	})
	return userID, err
}

func (s *Server) beginPasskey(w http.ResponseWriter, r *http.Request, wa *webauthn.WebAuthn) {
	a, err := s.findOwner(r)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	holder := keyholder{a}
	present := webauthn.Credentials(holder.WebAuthnCredentials()).CredentialDescriptors()
	options, session, err := wa.BeginRegistration(holder, webauthn.WithExclusions(present))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.writeOptions(w, r, toAddKey, options, session)
}

func (s *Server) addPasskey(w http.ResponseWriter, r *http.Request, wa *webauthn.WebAuthn) {
	c, err := s.readCeremony(w, r, toAddKey)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	made, err := protocol.ParseCredentialCreationResponseBytes(c.Answer)
	if err != nil {
		s.Event(r, "passkey refused", "error", err.Error())
		s.Fail(w, r, store.Errorf(store.Invalid, "The browser's answer cannot be read. Try again."))
		return
	}
	var a *credential.Account
	err = s.Store.Write(r.Context(), func(tx *store.Tx) (err error) {
		if a, err = s.owner(tx, r); err != nil {
			return err
		}
		added, err := wa.CreateCredential(keyholder{a}, c.session, made)
		if err != nil {
			return store.Errorf(store.Forbidden, "That passkey cannot be added: %s. Try again.",
				strings.ToLower(err.Error()))
		}
		// the maker of the device does not matter, so its attestation is dropped
		added.Attestation = webauthn.CredentialAttestation{}
		record, err := json.Marshal(added)
		if err != nil {
			return err
		}
		if err := credential.SpendNonce(tx, c.session.Challenge, tx.Now.Add(sealedLife)); err != nil {
			return err
		}
		return credential.CreatePasskey(tx, a, s.Browser(r).Name(), added.ID, string(record))
	})
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.Event(r, "passkey added", "by", "user:"+a.UserID)
	s.setFlash(w, "The passkey is added. From now on you can sign in with it.")
	wire.WriteJSON(w, r, http.StatusOK, map[string]string{"url": credential.AccountURL})
}
