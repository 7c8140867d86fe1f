package actions

import (
	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/actions/password"
	"samepage/store"
	"samepage/store/credential"
)

var _ = action.Describe[*credential.Account](
	"The login of a person: the address, the password, passkeys, and where they are signed in.")

// accountAction declares an action of a person on their own account. An account belongs to no organization, so the
// journal has no entries about such actions.
func accountAction[P any](a action.Action[*credential.Account, P]) *action.Spec[*credential.Account] {
	a.Scope, a.AllowedFor, a.HumanOnly, a.Silent, a.Discreet = store.ScopeGovernance, store.Self, true, true, true
	if a.Guard == nil {
		a.Guard = func(store.Actor, *credential.Account) error { return nil }
	}
	return action.New(a)
}

// ChangePassword sets a new password and ends the account's other logins.
var ChangePassword = accountAction(action.Action[*credential.Account, ChangePasswordParams]{
	Name:  "change_password",
	Past:  "changed the password of",
	Undo:  "Change: change_password.",
	Title: "Change your password",
	Doc: "Choose another password. Your other logins end, and so does a change of your address that is not confirmed; " +
		"your agents go on until you revoke their tokens.",
	Sensitive: true,
	Offers: func(_ store.Actor, a *credential.Account) param.Offers {
		return param.Offers{"current": {Omit: a.Password == "", Required: true}}
	},
	Prepare: func(_ *store.Store, a *credential.Account, p *ChangePasswordParams) (err error) {
		if password.Matches(p.Current, a.Password) {
			p.Proves = a.Password
		}
		if password.Wrong(p.Password, append(a.Names, a.Email)...) == "" {
			p.Hash, err = password.Hash(p.Password)
		}
		return err
	},
	Check: func(
		_ *store.Tx, _ store.Actor, a *credential.Account, p ChangePasswordParams, bad param.Errors,
	) (errs param.Errors) {
		if a.Password != "" && !bad.Has("current") && p.Proves != a.Password {
			errs = append(errs, param.Error{Field: "current", Message: "That is not your password."})
		}
		if why := password.Wrong(p.Password, append(a.Names, a.Email)...); why != "" {
			errs = append(errs, param.Error{Field: "password", Message: why})
		}
		return errs
	},
	Run: func(tx *store.Tx, by store.Actor, a *credential.Account, p ChangePasswordParams) (action.Done, error) {
		if err := credential.SetPassword(tx, a.UserID, p.Hash); err != nil {
			return action.Done{}, err
		}
		// The call is Unlinked, because the password could be guessed from the input's digest.
		return action.Done{
			Message:  "Your password is changed, and your other logins have ended." + addressStays(a),
			Unlinked: true,
		}, credential.EndLogins(tx, a.UserID, by.Login)
	},
})

// ChangePasswordParams are the params of [ChangePassword].
type ChangePasswordParams struct {
	Current  string   `param:"current,secret,optional" fill:"current-password" doc:"Your password until now."`
	Password string   `param:"password,secret"`
	_        struct{} `doc:"The new one: 8 characters or more, better 15."`
	_        struct{} `doc:"Several words that have nothing to do with each other are easy to keep."`

	// Prepare sets these fields before the transaction, because hashing is slow.
	Proves string `param:"-"` // the account's stored hash if Current is the present password; else empty
	Hash   string `param:"-"` // hash of Password; empty if Password is too easy to guess
}

// ChangeEmail changes the address with which the person signs in. If the server sends mail, the person must first open
// a link that is mailed to the new address.
var ChangeEmail = accountAction(action.Action[*credential.Account, ChangeEmailParams]{
	Name:  "change_email",
	Past:  "changed the email address of",
	Undo:  "Change: change_email.",
	Title: "Change your email address",
	Doc: "Sign in with another address. Where this server sends mail, that counts once you open " +
		"the link that goes there, and the address until now is told.",
	Sensitive: true,
	Check: func(_ *store.Tx, _ store.Actor, a *credential.Account, p ChangeEmailParams, bad param.Errors) param.Errors {
		email, err := store.Email(p.Email)
		switch {
		case bad.Has("email"):
		case err != nil:
			return param.Bad("email", err)
		case email == a.Email:
			return param.Errors{{Field: "email", Message: "You sign in with that address already."}}
		}
		return nil
	},
	Run: func(tx *store.Tx, _ store.Actor, a *credential.Account, p ChangeEmailParams) (action.Done, error) {
		if a.Mails {
			return action.Done{
				Message: "A link is on its way to " + p.Email + ". Open it within a day; until then nothing changes.",
			}, credential.RequestAddress(tx, a.UserID, a.Email, p.Email)
		}
		return action.Done{Message: "You sign in with that address now."}, credential.SetEmail(tx, a.UserID, p.Email)
	},
})

// CancelEmailChange cancels a change of the address that is not confirmed yet.
var CancelEmailChange = accountAction(action.Action[*credential.Account, struct{}]{
	Name:  "cancel_email_change",
	Past:  "cancelled a change of the email address of",
	Undo:  "Change: change_email.",
	Title: "Cancel the change of your email address",
	Doc:   "Go on signing in with your present address. The link that was mailed to the other one becomes invalid.",
	Guard: func(_ store.Actor, a *credential.Account) error {
		if a.Next == "" {
			return store.Errorf(store.Conflict, "No change of your address waits to be confirmed.")
		}
		return nil
	},
	Run: func(tx *store.Tx, _ store.Actor, a *credential.Account, _ struct{}) (action.Done, error) {
		return action.Done{Message: "Cancelled." + addressStays(a)}, credential.CancelAddress(tx, a.UserID)
	},
})

// addressStays returns a sentence, with a space before it, for a message about an action that cancels a change of the
// address. It is empty if there was none to cancel.
func addressStays(a *credential.Account) string {
	if a.Next == "" {
		return ""
	}
	return " You still sign in as " + a.Email + "; the link for " + a.Next + " is invalid."
}

// ChangeEmailParams are the params of [ChangeEmail].
type ChangeEmailParams struct {
	Email string `param:"email,text" max:"254" as:"email" doc:"Your email address, to sign in with."`
}

// EndLogin signs the person out on one other browser.
var EndLogin = accountAction(action.Action[*credential.Account, EndLoginParams]{
	Name:  "end_login",
	Past:  "ended a login of",
	Undo:  "Sign in there again.",
	Title: "End a login",
	Doc:   "Sign out on another browser. Its very next request is refused.",
	Guard: hasOthers,
	Offers: func(_ store.Actor, a *credential.Account) param.Offers {
		var list []param.Option
		for _, l := range a.Others() {
			list = append(list, param.Option{Value: l.ID(), Label: l.Browser.Name()})
		}
		return param.Offers{"login": {Options: list}}
	},
	Run: func(tx *store.Tx, _ store.Actor, a *credential.Account, p EndLoginParams) (action.Done, error) {
		for _, l := range a.Others() {
			if l.ID() == p.Login {
				return action.Done{Message: "That login has ended."}, credential.EndLogin(tx, a.UserID, l.Hash)
			}
		}
		return action.Done{}, store.Missing()
	},
})

// EndLoginParams are the params of [EndLogin].
type EndLoginParams struct {
	Login string `param:"login,choice" doc:"Which login."`
}

// EndOtherLogins signs the person out on all browsers except the present one.
var EndOtherLogins = accountAction(action.Action[*credential.Account, struct{}]{
	Name:  "end_other_logins",
	Past:  "ended logins of",
	Undo:  "Sign in there again.",
	Title: "End all other logins",
	Doc:   "Sign out on every browser but this one. A change of your address that is not confirmed is cancelled.",
	Guard: hasOthers,
	Run: func(tx *store.Tx, by store.Actor, a *credential.Account, _ struct{}) (action.Done, error) {
		return action.Done{Message: "All other logins have ended." + addressStays(a)},
			credential.EndLogins(tx, a.UserID, by.Login)
	},
})

func hasOthers(_ store.Actor, a *credential.Account) error {
	if len(a.Others()) == 0 {
		return store.Errorf(store.Conflict, "You are signed in on this browser only. To sign out here, log out.")
	}
	return nil
}
