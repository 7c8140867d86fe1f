package account

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"samepage/actions"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/credential"
)

type agreement struct {
	May   []string `param:"it_may,choices,optional" options:"write=Take part" doc:"Write lets it comment, vote and ask."`
	_     struct{} `options:"governance=Govern" doc:"Governance lets it change how things are decided."`
	_     struct{} `doc:"What it may do beside reading. Leave out what it does not need."`
	Lasts string   `param:"lasts,choice" options:"1=A day,7=A week,30=30 days"`
	_     struct{} `doc:"How long this holds, if you do not end it before."`
	Label string   `param:"label,text" max:"40" doc:"The agent's name, shown beside everything it does."`
	actions.TokenRestrictions
}

var scopeIcons = map[string]string{string(store.ScopeWrite): "edit", string(store.ScopeGovernance): "topic"}

func (a *agreement) life() time.Duration {
	n, err := strconv.Atoi(a.Lasts)
	if err != nil {
		return 0 // every option is a number
	}
	return time.Duration(n) * 24 * time.Hour
}

// fields returns the fields of the form, without the scopes that the program did not ask for.
func (q *consentRequest) fields() []param.Field {
	scopes := slices.DeleteFunc(strings.Fields(q.Scopes.String()), func(s string) bool {
		return s == string(store.ScopeRead)
	})
	label := q.label
	if q.before != nil {
		label = q.before.Label
	}
	offers := actions.RestrictionOffers(q.roles)
	offers["it_may"] = &param.Offered{Values: scopes}
	offers["lasts"] = &param.Offered{Value: "30"}
	offers["label"] = &param.Offered{Value: label}
	if len(scopes) == 0 { // a program that only reads has nothing to restrict
		for _, name := range []string{"it_may", "public", "kinds", "roles", "asks"} {
			offers[name] = &param.Offered{Omit: true}
		}
	}
	fields := slices.Clone(param.Apply(param.Fields(reflect.TypeFor[agreement]()), offers))
	for i := range fields {
		if f := &fields[i]; f.Name == "it_may" {
			f.Options = slices.DeleteFunc(slices.Clone(f.Options), func(o param.Option) bool {
				return !slices.Contains(scopes, o.Value)
			})
			for k := range f.Options {
				f.Options[k].Icon = scopeIcons[f.Options[k].Value]
			}
		}
	}
	return fields
}

func clipRunes(s string, n int) string {
	r := []rune(s)
	return string(r[:min(len(r), n)])
}

// grant makes the grant and journals it. It returns the authorization code. The error is [param.Errors] for a label that
// no agent can have.
func (q *consentRequest) grant(tx *store.Tx, a agreement) (string, error) {
	g := a.Grant(a.Label, a.May, tx.Now.Add(a.life()))
	t, code, err := credential.GrantAccess(tx, q.by.Member, q.Consent(g))
	if store.CodeOf(err) == store.Invalid {
		return "", param.Bad("label", err)
	}
	if err != nil {
		return "", err
	}
	_, err = tx.Journal(q.by, store.Change{Action: actions.CreateToken.Name, Target: t.Ref(), After: t.Record(),
		Why: "asked for by " + q.Client.Name + " at " + q.Host})
	return code, err
}
