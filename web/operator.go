package web

import (
	"context"
	"strings"

	"samepage/actions"
	"samepage/actions/param"
	"samepage/store"
)

// What the operator of an installation does at the command line: in a member's name, through the one write path.

// Person is the member with this handle as one who acts in person. The organization may be left out where there is one.
func (s *Site) Person(ctx context.Context, org, handle string) (by store.Actor, err error) {
	err = s.store.Read(ctx, func(tx *store.Tx) error {
		if org == "" {
			list, err := tx.Organizations()
			if err != nil {
				return err
			}
			if len(list) != 1 {
				return store.Errorf(store.Invalid, "There are %d organizations. Name one with --org.", len(list))
			}
			org = list[0].Handle
		}
		m, err := tx.FindMember(store.System(), org, strings.TrimPrefix(handle, "@"))
		if store.KindOf(err) == store.NotFound {
			return store.Errorf(store.Invalid, "There is no member %s in %s.", handle, org)
		}
		if err != nil {
			return err
		}
		by = store.Actor{UserID: m.UserID, Members: []store.Member{*m}}
		by.Member = &by.Members[0]
		return nil
	})
	return by, err
}

// BadParams reports that an action was refused because of its params.
func BadParams(err error) bool { return fieldErrors(err) != nil }

const tokensURL = "/settings/tokens"

// IssueToken makes a token for the member and returns it. Scopes are joined by commas; expires is a duration such as 30d.
func (s *Site) IssueToken(ctx context.Context, by store.Actor, label, scopes, expires string) (string, error) {
	list := []any{}
	for _, scope := range strings.FieldsFunc(scopes, func(r rune) bool { return r == ',' || r == ' ' }) {
		list = append(list, scope)
	}
	out, err := s.Do(ctx, As(by), Call{URL: tokensURL, Action: actions.CreateToken.Name, Why: "at the command line",
		Params: param.Input{"label": label, "scopes": list, "expires_in": expires}})
	return out.Secret, err
}

// RevokeToken ends the token with this id, in the name of its member.
func (s *Site) RevokeToken(ctx context.Context, id string) error {
	var by store.Actor
	err := s.store.Read(ctx, func(tx *store.Tx) error {
		m, err := tx.TokenMember(id)
		if store.KindOf(err) == store.NotFound {
			return store.Errorf(store.Invalid, "There is no token with this id. samepage token list prints them.")
		}
		if err == nil {
			by = store.Actor{UserID: m.UserID, Members: []store.Member{*m}}
			by.Member = &by.Members[0]
		}
		return err
	})
	if err != nil {
		return err
	}
	_, err = s.Do(ctx, As(by), Call{URL: tokensURL, Action: actions.RevokeToken.Name, Why: "at the command line", Params: param.Input{"token": id}})
	return err
}

// ImportDecisions makes closed decisions of a file's votes and returns their URLs.
func (s *Site) ImportDecisions(ctx context.Context, by store.Actor, studio, method, name string, data []byte) ([]string, error) {
	in := param.Input{"file": param.Upload{Name: name, Data: data}}
	if method != "" {
		in["method"] = method
	}
	if err := s.store.Read(ctx, func(tx *store.Tx) error {
		_, err := tx.FindStudio(by, studio)
		if store.KindOf(err) == store.NotFound {
			return store.Errorf(store.Invalid, "There is no studio %s that @%s can see.", studio, by.Member.Handle)
		}
		return err
	}); err != nil {
		return nil, err
	}
	out, err := s.Do(ctx, As(by), Call{URL: "/studios/" + studio, Action: actions.ImportDecisions.Name, Params: in})
	return out.Made, err
}
