package web

import (
	"context"
	"strings"

	"samepage/actions"
	"samepage/actions/param"
	"samepage/store"
	"samepage/web/account"
)

// The methods in this file serve the operator at the command line. All changes are actions in the name of a member,
// through [Site.Do].

// Person returns the member with this handle as an actor. The organization may be empty if there is only one.
func (s *Site) Person(ctx context.Context, org, handle string) (by store.Actor, err error) {
	err = s.store.Read(ctx, func(tx *store.Tx) error {
		if org == "" {
			o, err := account.FindOrganization(tx, org)
			if err != nil {
				return err
			}
			org = o.Handle
		}
		m, err := tx.FindMember(store.System(), org, strings.TrimPrefix(handle, "@"))
		if store.CodeOf(err) == store.NotFound || err == nil && m.Ended() {
			return store.Errorf(store.Invalid, "There is no member %s in %s.", handle, org)
		}
		if err != nil {
			return err
		}
		by = m.InPerson()
		return nil
	})
	return by, err
}

// Dismiss ends the membership of the member with this handle, as an action of the organization's owner.
func (s *Site) Dismiss(ctx context.Context, org, handle string) error {
	by, err := s.Person(ctx, org, handle)
	if err != nil {
		return err
	}
	var owner store.Actor
	if err := s.store.Read(ctx, func(tx *store.Tx) error {
		o, err := account.FindOrganization(tx, by.Member.Org)
		if err != nil {
			return err
		}
		m, err := tx.FindMember(store.System(), o.Handle, o.Owner)
		if err == nil {
			owner = m.InPerson()
		}
		return err
	}); err != nil {
		return err
	}
	_, err = s.Do(ctx, As(owner), Call{URL: by.Member.URL(), Action: actions.RemoveMember.Name,
		Why: account.AtCommandLine})
	return err
}

// Issue holds the operator's input for a new token. Scopes, Kinds and Asks are lists separated by commas or spaces.
// Expires is a duration such as 30d.
type Issue struct {
	Label, Scopes, Expires string
	Kinds, Asks            string
	Public                 bool
}

// IssueToken creates a token for the member and returns its secret. The errors are those of [Site.Do].
func (s *Site) IssueToken(ctx context.Context, by store.Actor, i Issue) (string, error) {
	list := func(text string) []any {
		names := []any{}
		for _, name := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
			names = append(names, name)
		}
		return names
	}
	out, err := s.Do(ctx, As(by), Call{URL: store.TokensURL, Action: actions.CreateToken.Name,
		Why: account.AtCommandLine,
		Params: param.Input{"label": i.Label, "scopes": list(i.Scopes), "expires_in": i.Expires,
			"kinds": list(i.Kinds), "asks": list(i.Asks), "public": i.Public}})
	return out.Secret, err
}

// RevokeToken revokes the token with this ID, as an action of the token's member.
func (s *Site) RevokeToken(ctx context.Context, id string) error {
	var by store.Actor
	err := s.store.Read(ctx, func(tx *store.Tx) error {
		m, err := tx.TokenMember(id)
		if store.CodeOf(err) == store.NotFound {
			return store.Errorf(store.Invalid, "There is no token with this id. samepage token list prints them.")
		}
		if err == nil {
			by = m.InPerson()
		}
		return err
	})
	if err != nil {
		return err
	}
	_, err = s.Do(ctx, As(by), Call{URL: store.TokensURL, Action: actions.RevokeToken.Name,
		Why: account.AtCommandLine, Params: param.Input{"token": id}})
	return err
}

// Votes holds a file of votes and the options of its import. An empty option means the default.
type Votes struct {
	Name                      string
	Data                      []byte
	Method, Overvote, Skipped string
}

// ImportDecisions creates closed decisions in the studio from a file of votes and returns their URLs.
func (s *Site) ImportDecisions(ctx context.Context, by store.Actor, studio string, v Votes) ([]string, error) {
	in := param.Input{"file": param.Upload{Name: v.Name, Data: v.Data}}
	for name, value := range map[string]string{"method": v.Method, "overvote": v.Overvote, "skipped": v.Skipped} {
		if value != "" {
			in[name] = value
		}
	}
	if err := s.store.Read(ctx, func(tx *store.Tx) error {
		_, err := tx.FindStudio(by, studio)
		if store.CodeOf(err) == store.NotFound {
			return store.Errorf(store.Invalid, "There is no studio %s that @%s can see.", studio, by.Member.Handle)
		}
		return err
	}); err != nil {
		return nil, err
	}
	out, err := s.Do(ctx, As(by), Call{URL: "/studios/" + studio, Action: actions.ImportDecisions.Name, Params: in})
	return out.Made, err
}
