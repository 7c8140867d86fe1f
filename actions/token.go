package actions

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
)

var _ = action.Describe[*store.Tokens]("The tokens with which agents act for a member.")

// CreateToken creates a token for an agent of the acting member.
var CreateToken = action.New(action.Action[*store.Tokens, CreateTokenParams]{
	Name:  "create_token",
	Past:  "made",
	Undo:  "End it: revoke_token.",
	Title: "Make a token",
	Doc: "Let an agent act for you under a label, with a part of what you may do. The token is " +
		"shown once; keep it like a password.",
	Scope:      store.ScopeGovernance,
	AllowedFor: store.Self,
	HumanOnly:  true,
	Sensitive:  true,
	Guard:      func(store.Actor, *store.Tokens) error { return nil },
	Offers: func(by store.Actor, t *store.Tokens) param.Offers {
		o := RestrictionOffers(t.Roles)
		if len(by.Members) > 1 {
			o["label"] = &param.Offered{Doc: "The name of the agent, which acts in " + t.Member.OrgName +
				" alone. It is shown beside everything it does."}
		}
		o["scopes"] = &param.Offered{Values: []string{string(store.ScopeRead), string(store.ScopeWrite)}}
		return o
	},
	Check: func(_ *store.Tx, _ store.Actor, _ *store.Tokens, p CreateTokenParams, _ param.Errors) (errs param.Errors) {
		if p.ExpiresIn > MaxTokenLife {
			errs = append(errs, param.Error{
				Field:   "expires_in",
				Message: "A token lives at most a year. Write 365d or less.",
			})
		}
		return append(errs, p.TokenRestrictions.Check()...)
	},
	Run: func(tx *store.Tx, _ store.Actor, t *store.Tokens, p CreateTokenParams) (action.Done, error) {
		p.ExpiresIn = cmp.Or(p.ExpiresIn, DefaultTokenLife)
		// Rounded up to a whole minute.
		expires := tx.Now.Add(p.ExpiresIn + time.Minute - 1).Truncate(time.Minute)
		token, secret, err := tx.CreateToken(t.Member, p.Grant(p.Label, p.Scopes, expires))
		if store.CodeOf(err) == store.Invalid {
			return action.Done{}, param.Bad("label", err)
		}
		if err != nil {
			return action.Done{}, err
		}
		return action.Done{Message: "The token is made.", Made: []action.Subject{token}, Secret: secret, Token: true}, nil
	},
})

func kindOptions() (kinds []param.Option) {
	for _, kind := range store.GrantKinds() {
		label := strings.ToUpper(kind[:1]) + kind[1:] + "s"
		if stem, ok := strings.CutSuffix(label, "ys"); ok {
			label = stem + "ies"
		}
		kinds = append(kinds, param.Option{Value: kind, Label: label})
	}
	return kinds
}

// checkAsks returns an error about the first name that is neither an action open to agents nor an effect of such an
// action.
func checkAsks(field string, names []string) (errs param.Errors) {
	for _, name := range names {
		if !action.Askable(name) {
			return param.Errors{{Field: field, Message: fmt.Sprintf("%q is no action that an agent can "+
				"take, and no effect of one. Write names as /help/catalogue lists them, such as cast_vote or opens:decision.", name)}}
		}
	}
	return nil
}

// DefaultTokenLife is the lifetime of a token if none is chosen, and MaxTokenLife is the longest.
const (
	DefaultTokenLife = 30 * 24 * time.Hour
	MaxTokenLife     = 365 * 24 * time.Hour
)

// CreateTokenParams has the fields of a new token.
type CreateTokenParams struct {
	Label     string        `param:"label,text" max:"40" doc:"The agent's name, shown beside everything it does, such as Scribe."`
	Scopes    []string      `param:"scopes,choices" options:"read=Read,write=Take part: comment and vote and ask"`
	_         struct{}      `options:"governance=Govern: change how things are decided"`
	_         struct{}      `doc:"What it may do. Some things stay for people, whatever it carries."`
	ExpiresIn time.Duration `param:"expires_in,duration,optional"`
	_         struct{}      `doc:"How long it lives, such as 1h or 30d: 30 days unless set, at most a year."`
	TokenRestrictions
}

// TokenRestrictions has the fields that restrict an agent in addition to its scopes, for new tokens and for OAuth
// clients.
type TokenRestrictions struct {
	Public bool     `param:"public,flag,optional" doc:"It may also write on pages that everybody in the world can read."`
	Kinds  []string `param:"kinds,choices,more"`
	_      struct{} `doc:"The only kinds it may act on; all kinds if you choose none. It reads all that you can read."`
	Roles  []string `param:"roles,choices,more"`
	_      struct{} `doc:"The only roles of yours that it may use; all of them if you choose none."`
	Asks   []string `param:"asks,lines,more" max:"50"`
	_      struct{} `doc:"What it asks you for first, one a line: an action such as cast_vote, or an effect such as opens:decision."`
}

// Check returns an error about the first name in Asks that is neither an action open to agents nor an effect of such an
// action.
func (r TokenRestrictions) Check() param.Errors { return checkAsks("asks", r.Asks) }

// Grant returns a grant with these restrictions. It always permits reading, and unknown scopes are ignored.
func (r TokenRestrictions) Grant(label string, scopes []string, expires time.Time) store.Grant {
	g := store.Grant{
		Label:   strings.TrimSpace(label),
		Scopes:  store.Set[store.Scope]{store.ScopeRead},
		Asks:    r.Asks,
		Public:  r.Public,
		Expires: store.At(expires),
	}
	for _, s := range store.Scopes() {
		if s != store.ScopeRead && slices.Contains(scopes, string(s)) {
			g.Scopes = append(g.Scopes, s)
		}
	}
	if len(r.Kinds) > 0 {
		g.Kinds = r.Kinds
	}
	if len(r.Roles) > 0 {
		g.Roles = r.Roles
	}
	return g
}

// RestrictionOffers returns offers of the fields in [TokenRestrictions] for a member with these roles.
func RestrictionOffers(roles []store.Role) param.Offers {
	options := make([]param.Option, len(roles))
	for i := range roles {
		options[i] = param.Option{Value: roles[i].ID, Label: roles[i].Title + " of " + roles[i].Studio.Name}
	}
	return param.Offers{
		"kinds": {Options: kindOptions()},
		"roles": {Omit: len(roles) == 0, Options: options},
	}
}

// EndToken revokes a token without a call of the action [RevokeToken], but journals it as that action with why as the
// reason. The error is [store.NotFound] if the token is revoked already.
func EndToken(tx *store.Tx, by store.Actor, id, why string) error {
	t, err := tx.RevokeToken(by, id)
	if err != nil {
		return err
	}
	_, err = tx.Journal(by, store.Change{Action: RevokeToken.Name, Target: t.Ref(), After: t.Record(), Why: why})
	return err
}

// RevokeToken ends a token immediately.
var RevokeToken = tokenRule{
	Name:        "revoke_token",
	Past:        "revoked",
	Title:       "Revoke a token",
	Doc:         "End a token. The very next request with it is refused.",
	Message:     "The token is revoked.",
	Destructive: true,
	None:        "You have no token that is in force.",
	Refused: func(t *store.Token) string {
		switch t.State() {
		case "expired":
			return "has expired already"
		case "revoked":
			return "has been revoked already"
		}
		return ""
	},
	Do: (*store.Tx).RevokeToken,
}.declare()

// PauseToken makes the server refuse a token until it is resumed.
var PauseToken = tokenRule{
	Name:    "pause_token",
	Past:    "paused",
	Undo:    "Undo: resume_token.",
	Title:   "Pause a token",
	Doc:     "Refuse every request with a token until you resume it.",
	Message: "The token is paused.",
	None:    "You have no active token.",
	Refused: func(t *store.Token) string {
		if t.State() != "active" {
			return "is " + t.State() + " already"
		}
		return ""
	},
	Do: (*store.Tx).PauseToken,
}.declare()

// ResumeToken ends the pause of a token.
var ResumeToken = tokenRule{
	Name:    "resume_token",
	Past:    "resumed",
	Undo:    "Undo: pause_token.",
	Title:   "Resume a token",
	Doc:     "Let a paused token be used again.",
	Message: "The token is resumed.",
	None:    "You have no paused token that you may resume.",
	Refused: func(t *store.Token) string {
		switch {
		case t.State() != "paused":
			return "is not paused"
		case t.PausedBy != t.MemberID:
			return "was paused by the owner, who alone can resume it"
		}
		return ""
	},
	Do: func(tx *store.Tx, _ store.Actor, id string) (*store.Token, error) { return tx.ResumeToken(id) },
}.declare()

// tokenRule declares an action of members on one of their own tokens.
type tokenRule struct {
	Name, Title, Doc, Message string
	Past                      string
	Undo                      string
	None                      string // error if the member has no token for which the action is possible
	Destructive               bool
	// Refused returns the reason why the action is not possible for a token, such as "is not paused", or "" if it is
	// possible.
	Refused func(*store.Token) string
	Do      func(*store.Tx, store.Actor, string) (*store.Token, error)
}

func (r tokenRule) declare() *action.Spec[*store.Tokens] {
	return action.New(action.Action[*store.Tokens, TokenParams]{
		Name:        r.Name,
		Past:        r.Past,
		Undo:        r.Undo,
		Title:       r.Title,
		Doc:         r.Doc,
		Scope:       store.ScopeGovernance,
		AllowedFor:  store.Self,
		HumanOnly:   true,
		Destructive: r.Destructive,
		Guard: func(_ store.Actor, t *store.Tokens) error {
			for i := range t.List {
				if r.Refused(&t.List[i]) == "" {
					return nil
				}
			}
			return store.Errorf(store.Conflict, "%s", r.None)
		},
		Offers: func(_ store.Actor, t *store.Tokens) param.Offers {
			offered := &param.Offered{Refused: map[string]string{}}
			for i := range t.List {
				if why := r.Refused(&t.List[i]); why != "" {
					offered.Refused[t.List[i].ID] = why
				} else {
					offered.Options = append(offered.Options,
						param.Option{Value: t.List[i].ID, Label: tokenOption(&t.List[i])})
				}
			}
			return param.Offers{"token": offered}
		},
		Run: func(tx *store.Tx, by store.Actor, _ *store.Tokens, p TokenParams) (action.Done, error) {
			token, err := r.Do(tx, by, p.Token)
			if err != nil {
				return action.Done{}, err
			}
			return action.Done{Message: r.Message + stopped(token.Turns), Made: []action.Subject{token}}, nil
		},
	})
}

// stopped returns a sentence about the turns of agents that stop, which begins with a space, or "" if there are none.
func stopped(turns int) string {
	switch turns {
	case 0:
		return ""
	case 1:
		return " The turn of an agent that began with it stops."
	}
	return fmt.Sprintf(" The %d turns of agents that began with it stop.", turns)
}

// tokenOption returns a label with the agent, the OAuth client if any, the scopes and the day of a token.
func tokenOption(t *store.Token) string {
	what := t.Label
	if t.ClientName != "" {
		what += " at " + t.ClientName
	}
	return what + ": " + t.Scopes.String() + ", of " + t.CreatedAt.Format("2 Jan 2006")
}

// TokenParams has the id of one of the member's tokens.
type TokenParams struct {
	Token string `param:"token,choice" doc:"Which token."`
}
