package actions

import (
	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/credential"
)

// RenamePasskey changes the name of a passkey.
var RenamePasskey = accountAction(action.Action[*credential.Account, RenamePasskeyParams]{
	Name:   "rename_passkey",
	Past:   "renamed a passkey of",
	Undo:   "Change again: rename_passkey.",
	Title:  "Rename a passkey",
	Doc:    "Call a passkey by where it is kept.",
	Guard:  hasPasskeys,
	Offers: offerPasskeys,
	Run: func(tx *store.Tx, _ store.Actor, a *credential.Account, p RenamePasskeyParams) (action.Done, error) {
		return action.Done{Message: "The passkey is renamed."},
			credential.RenamePasskey(tx, a.UserID, p.Passkey, p.Name)
	},
})

// RenamePasskeyParams are the params of [RenamePasskey].
type RenamePasskeyParams struct {
	Passkey string `param:"passkey,choice" doc:"Which passkey."`
	Name    string `param:"name,text" max:"60" doc:"Its new name, such as Phone."`
}

// RemovePasskey removes a passkey.
var RemovePasskey = accountAction(action.Action[*credential.Account, RemovePasskeyParams]{
	Name:        "remove_passkey",
	Past:        "removed a passkey of",
	Title:       "Remove a passkey",
	Doc:         "Let a passkey sign in no more. Remove it on your device, too.",
	Sensitive:   true,
	Destructive: true,
	Guard: func(by store.Actor, a *credential.Account) error {
		if err := hasPasskeys(by, a); err != nil {
			return err
		}
		if len(a.Passkeys) == 1 && a.Password == "" {
			return store.Errorf(store.Conflict, "Without it you could not sign in any more: you have no "+
				"password. Set one, or add another passkey first.")
		}
		return nil
	},
	Offers: offerPasskeys,
	Run: func(tx *store.Tx, _ store.Actor, a *credential.Account, p RemovePasskeyParams) (action.Done, error) {
		return action.Done{Message: "The passkey is removed."}, credential.RemovePasskey(tx, a.UserID, p.Passkey)
	},
})

// RemovePasskeyParams are the params of [RemovePasskey].
type RemovePasskeyParams struct {
	Passkey string `param:"passkey,choice" doc:"Which passkey."`
}

// RemovePassword removes the password of an account that has a passkey.
var RemovePassword = accountAction(action.Action[*credential.Account, struct{}]{
	Name:        "remove_password",
	Past:        "removed the password of",
	Title:       "Remove your password",
	Doc:         "Sign in with your passkeys only: nobody can guess those. Have two of them, on two devices.",
	Sensitive:   true,
	Destructive: true,
	Guard: func(by store.Actor, a *credential.Account) error {
		if a.Password == "" {
			return store.Errorf(store.Conflict, "You have no password.")
		}
		return hasPasskeys(by, a)
	},
	Run: func(tx *store.Tx, _ store.Actor, a *credential.Account, _ struct{}) (action.Done, error) {
		return action.Done{
			Message: "Your password is removed. You sign in with a passkey." + addressStays(a),
		}, credential.SetPassword(tx, a.UserID, "")
	},
})

func hasPasskeys(_ store.Actor, a *credential.Account) error {
	if len(a.Passkeys) == 0 {
		return store.Errorf(store.Conflict, "You have no passkey. Add one in a browser.")
	}
	return nil
}

func offerPasskeys(_ store.Actor, a *credential.Account) param.Offers {
	var list []param.Option
	for i := range a.Passkeys {
		list = append(list, param.Option{Value: a.Passkeys[i].ID, Label: a.Passkeys[i].Name})
	}
	return param.Offers{"passkey": {Options: list}}
}
