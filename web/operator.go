package web

import (
	"context"
	"reflect"
	"strings"

	"samepage/actions"
	"samepage/actions/param"
	"samepage/store"
)

// What the operator of an installation does at the command line: in a member's name, through the one write path.

// atCommandLine is why, in the journal.
const atCommandLine = "at the command line"

// FoundOrganization makes an organization with its owner. Known reports that the owner's email could sign in before: it
// keeps its password.
func (s *Site) FoundOrganization(ctx context.Context, f Founding) (known bool, err error) {
	in := param.Input{"organization": f.Organization, "handle": f.Handle, "zone": f.Zone, "name": f.Name, "member": f.Member, "email": f.Email, "password": f.Password}
	if err := param.Decode(param.Fields(reflect.TypeFor[Founding]()), in, param.Clock{Now: s.store.Now()}, &f); err != nil {
		return false, err
	}
	f.Why = atCommandLine
	err = s.store.Write(ctx, func(tx *store.Tx) error {
		if known, err = canSignIn(tx, f.Email); err != nil {
			return err
		}
		if _, _, err := Found(tx, f); err != nil {
			return err
		}
		return tx.DeleteInstance(setupKey)
	})
	return known, err
}

// Joining is what the operator says of a new member.
type Joining struct {
	Handle   string `param:"handle,text" max:"40" doc:"Their handle: lower-case letters, digits and hyphens."`
	Name     string `param:"name,text" max:"80" doc:"Their name."`
	Email    string `param:"email,text" max:"254" doc:"Their email address, to sign in with."`
	Password string `param:"password,secret" doc:"A password of at least 8 characters."`
}

// EnrollMember makes somebody a member of the organization, in the name of its owner. The organization may be left out
// where there is one. Known reports that the email could sign in before: it keeps its password.
func (s *Site) EnrollMember(ctx context.Context, org string, j Joining) (known bool, err error) {
	in := param.Input{"handle": j.Handle, "name": j.Name, "email": j.Email, "password": j.Password}
	if err := param.Decode(param.Fields(reflect.TypeFor[Joining]()), in, param.Clock{Now: s.store.Now()}, &j); err != nil {
		return false, err
	}
	err = s.store.Write(ctx, func(tx *store.Tx) error {
		o, err := theOrganization(tx, org)
		if err != nil {
			return err
		}
		owner, err := tx.FindMember(store.System(), o.Handle, o.Owner)
		if err != nil {
			return err
		}
		if known, err = canSignIn(tx, j.Email); err != nil {
			return err
		}
		_, err = enroll(tx, inPerson(owner), j.Handle, j.Name, j.Email, j.Password, atCommandLine)
		return err
	})
	return known, err
}

func canSignIn(tx *store.Tx, email string) (bool, error) {
	email, err := store.Email(email)
	if err != nil {
		return false, param.Errors{{Field: "email", Message: err.Error()}}
	}
	_, err = tx.UserByEmail(email)
	if store.CodeOf(err) == store.NotFound {
		return false, nil
	}
	return err == nil, err
}

// theOrganization is the one with this handle, or the only one if none is named.
func theOrganization(tx *store.Tx, handle string) (*store.Organization, error) {
	if handle == "" {
		list, err := tx.Organizations()
		if err != nil {
			return nil, err
		}
		switch len(list) {
		case 0:
			return nil, store.Errorf(store.Invalid, "There is no organization yet. Make one with samepage org create.")
		case 1:
			return &list[0], nil
		}
		return nil, store.Errorf(store.Invalid, "There are %d organizations. Name one with --org.", len(list))
	}
	o, err := tx.FindOrganization(store.System(), handle)
	if store.CodeOf(err) == store.NotFound {
		return nil, store.Errorf(store.Invalid, "There is no organization %s. samepage org list prints them.", handle)
	}
	return o, err
}

func inPerson(m *store.Member) store.Actor {
	by := store.Actor{UserID: m.UserID, Members: []store.Member{*m}}
	by.Member = &by.Members[0]
	return by
}

// Person is the member with this handle as one who acts in person. The organization may be left out where there is one.
func (s *Site) Person(ctx context.Context, org, handle string) (by store.Actor, err error) {
	err = s.store.Read(ctx, func(tx *store.Tx) error {
		if org == "" {
			o, err := theOrganization(tx, org)
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
		by = inPerson(m)
		return nil
	})
	return by, err
}

// Dismiss ends the membership of the member with this handle, in the name of the owner.
func (s *Site) Dismiss(ctx context.Context, org, handle string) error {
	by, err := s.Person(ctx, org, handle)
	if err != nil {
		return err
	}
	var owner store.Actor
	if err := s.store.Read(ctx, func(tx *store.Tx) error {
		o, err := theOrganization(tx, by.Member.Org)
		if err != nil {
			return err
		}
		m, err := tx.FindMember(store.System(), o.Handle, o.Owner)
		if err == nil {
			owner = inPerson(m)
		}
		return err
	}); err != nil {
		return err
	}
	_, err = s.Do(ctx, As(owner), Call{URL: by.Member.URL(), Action: actions.RemoveMember.Name, Why: atCommandLine})
	return err
}

// ResetPassword gives whoever signs in with this address another password, and ends all of their logins.
func (s *Site) ResetPassword(ctx context.Context, email, password string) error {
	hash, err := HashPassword(password)
	if err != nil {
		return err
	}
	return s.store.Write(ctx, func(tx *store.Tx) error {
		known, err := canSignIn(tx, email)
		if err != nil {
			return err
		}
		if !known {
			return store.Errorf(store.Invalid, "Nobody signs in with that address. samepage member list prints the members.")
		}
		return tx.ResetPassword(email, hash)
	})
}

// BadParams reports that an action was refused because of its params.
func BadParams(err error) bool { return param.ErrorsOf(err) != nil }

// Issue is what the operator says of a new token. Lists are joined by commas; Expires is a duration such as 30d.
type Issue struct {
	Label, Scopes, Expires string
	Kinds, Asks            string
	Public                 bool
}

// IssueToken makes a token for the member and returns it.
func (s *Site) IssueToken(ctx context.Context, by store.Actor, i Issue) (string, error) {
	list := func(text string) []any {
		names := []any{}
		for _, name := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
			names = append(names, name)
		}
		return names
	}
	out, err := s.Do(ctx, As(by), Call{URL: store.TokensURL, Action: actions.CreateToken.Name, Why: atCommandLine,
		Params: param.Input{"label": i.Label, "scopes": list(i.Scopes), "expires_in": i.Expires, "kinds": list(i.Kinds), "asks": list(i.Asks), "public": i.Public}})
	return out.Secret, err
}

// RevokeToken ends the token with this id, in the name of its member.
func (s *Site) RevokeToken(ctx context.Context, id string) error {
	var by store.Actor
	err := s.store.Read(ctx, func(tx *store.Tx) error {
		m, err := tx.TokenMember(id)
		if store.CodeOf(err) == store.NotFound {
			return store.Errorf(store.Invalid, "There is no token with this id. samepage token list prints them.")
		}
		if err == nil {
			by = inPerson(m)
		}
		return err
	})
	if err != nil {
		return err
	}
	_, err = s.Do(ctx, As(by), Call{URL: store.TokensURL, Action: actions.RevokeToken.Name, Why: atCommandLine, Params: param.Input{"token": id}})
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
