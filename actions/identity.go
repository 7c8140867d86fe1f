package actions

import (
	"net/url"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/credential"
)

// Disconnect ends the connection between an account and an OpenID provider.
var Disconnect = accountAction(action.Action[*credential.Account, DisconnectParams]{
	Name:        "remove_provider",
	Past:        "disconnected a provider from",
	Title:       "Disconnect a provider",
	Doc:         "Let your account elsewhere sign you in here no more.",
	Sensitive:   true,
	Destructive: true,
	Guard: func(_ store.Actor, a *credential.Account) error {
		switch {
		case len(a.Identities) == 0:
			return store.Errorf(store.Conflict, "Your account is connected to no other.")
		case a.Password == "" && len(a.Passkeys) == 0:
			return store.Errorf(store.Conflict,
				"Without it you could not sign in any more. Set a password or add a passkey first.")
		}
		return nil
	},
	Offers: func(_ store.Actor, a *credential.Account) param.Offers {
		var list []param.Option
		for i := range a.Identities {
			list = append(list, param.Option{Value: a.Identities[i].Issuer, Label: IssuerName(a.Identities[i].Issuer)})
		}
		return param.Offers{"provider": {Options: list}}
	},
	Run: func(tx *store.Tx, _ store.Actor, a *credential.Account, p DisconnectParams) (action.Done, error) {
		return action.Done{Message: "That account signs you in here no more."}, credential.DisconnectIdentity(tx, a.UserID, p.Provider)
	},
})

// DisconnectParams has the provider to disconnect.
type DisconnectParams struct {
	Provider string `param:"provider,choice" doc:"Which provider."`
}

// IssuerName returns the host of a provider's URL, or the whole text if that has no host.
func IssuerName(issuer string) string {
	if u, err := url.Parse(issuer); err == nil && u.Host != "" {
		return u.Host
	}
	return issuer
}
