package actions

import (
	"slices"
	"strings"
	"time"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
)

// CreateToken makes a token for one of the member's agents.
var CreateToken = action.New(action.Action[*store.Tokens, CreateTokenParams]{
	Name:      "create_token",
	Title:     "Make a token",
	Doc:       "Let an agent act for you under a label. The token is shown once; keep it like a password.",
	Scope:     store.ScopeGovernance,
	Who:       store.Self,
	HumanOnly: true,
	Guard:     func(store.Actor, *store.Tokens) error { return nil },
	Check: func(_ *store.Tx, _ store.Actor, _ *store.Tokens, p CreateTokenParams, _ param.Errors) param.Errors {
		if p.ExpiresIn > MaxTokenLife {
			return param.Errors{{Field: "expires_in", Message: "A token lives at most a year. Write 365d or less."}}
		}
		return nil
	},
	Run: func(tx *store.Tx, _ store.Actor, t *store.Tokens, p CreateTokenParams) (action.Done, error) {
		if p.ExpiresIn == 0 {
			p.ExpiresIn = DefaultTokenLife
		}
		expires := tx.Now.Add(p.ExpiresIn + time.Minute - 1).Truncate(time.Minute) // what the clock changes, it changes by the minute
		scopes := store.Set[store.Scope]{store.ScopeRead}
		for _, s := range store.Scopes() {
			if s != store.ScopeRead && slices.Contains(p.Scopes, string(s)) {
				scopes = append(scopes, s)
			}
		}
		token, secret, err := tx.CreateToken(t.Member, store.Grant{Label: strings.TrimSpace(p.Label), Scopes: scopes, Public: true, Expires: store.At(expires)})
		if err != nil {
			return action.Done{}, err
		}
		return action.Done{Message: "The token is made.", Made: []action.Subject{token}, Secret: secret}, nil
	},
})

// How long a token lives: if its maker does not say, and at most.
const (
	DefaultTokenLife = 30 * 24 * time.Hour
	MaxTokenLife     = 365 * 24 * time.Hour
)

// CreateTokenParams are what a new token takes.
type CreateTokenParams struct {
	Label     string        `param:"label,text" max:"40" doc:"The agent's name, shown beside everything it does, such as Scribe."`
	Scopes    []string      `param:"scopes,choices" options:"read=Read,write=Take part: comment and vote and ask,governance=Govern: change how things are decided" doc:"What it may do. Some things stay for people, whatever it carries."`
	ExpiresIn time.Duration `param:"expires_in,duration,optional" doc:"How long it lives, such as 1h or 30d. 30 days if you do not say, at most a year."`
}

// RevokeToken ends a token at once.
var RevokeToken = action.New(action.Action[*store.Tokens, RevokeTokenParams]{
	Name:        "revoke_token",
	Title:       "Revoke a token",
	Doc:         "End a token. The very next request with it is refused.",
	Scope:       store.ScopeGovernance,
	Who:         store.Self,
	HumanOnly:   true,
	Destructive: true,
	Guard: func(_ store.Actor, t *store.Tokens) error {
		switch {
		case len(active(t)) > 0:
			return nil
		case len(t.List) > 0:
			return store.Errorf(store.Conflict, "You have no active token. Each of yours has expired or been revoked already.")
		default:
			return store.Errorf(store.Conflict, "You have no active token.")
		}
	},
	Offers: func(_ store.Actor, t *store.Tokens) param.Offers {
		return param.Offers{"token": {Options: active(t), Refused: ended(t)}}
	},
	Run: func(tx *store.Tx, _ store.Actor, t *store.Tokens, p RevokeTokenParams) (action.Done, error) {
		token, err := tx.RevokeToken(t.Member, p.Token)
		if err != nil {
			return action.Done{}, err
		}
		return action.Done{Message: "The token is revoked.", Made: []action.Subject{token}}, nil
	},
})

// RevokeTokenParams name one of the member's tokens.
type RevokeTokenParams struct {
	Token string `param:"token,choice" doc:"Which token."`
}

// ended says of each token that is no longer active why that is.
func ended(t *store.Tokens) map[string]string {
	why := map[string]string{}
	for i := range t.List {
		switch t.List[i].State() {
		case "expired":
			why[t.List[i].ID] = "has expired already"
		case "revoked":
			why[t.List[i].ID] = "has been revoked already"
		}
	}
	return why
}

func active(t *store.Tokens) []param.Option {
	var list []param.Option
	for i := range t.List {
		if t.List[i].State() == "active" {
			list = append(list, param.Option{Value: t.List[i].ID, Label: t.List[i].Label})
		}
	}
	return list
}
