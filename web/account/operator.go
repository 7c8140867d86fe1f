package account

import (
	"context"
	"reflect"

	"samepage/actions/param"
	"samepage/store"
	"samepage/store/credential"
)

// These functions serve the operator at the command line.

// AtCommandLine is the journal's reason for a change that the operator made.
const AtCommandLine = "at the command line"

// FoundOrganization makes an organization with its owner. If there was an account with the owner's address, the account
// keeps its password and known is true. The error is [param.Errors] for wrong fields.
func FoundOrganization(ctx context.Context, st *store.Store, f Founding) (known bool, err error) {
	in := param.Input{"organization": f.Organization, "handle": f.Handle, "zone": f.Zone, "name": f.Name,
		"member": f.Member, "email": f.Email, "password": f.Password}
	if err := param.Decode(foundingFields(), in, param.Clock{Now: st.Now()}, &f); err != nil {
		return false, err
	}
	f.Why = AtCommandLine
	err = st.Write(ctx, func(tx *store.Tx) error {
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

// EnrollMember makes a person a member of an organization, as an act of its owner. The argument org is the handle of
// the organization, or empty if there is only one. If there was an account with the address, the account keeps its
// password and known is true. The error is [param.Errors] for wrong fields.
func EnrollMember(ctx context.Context, st *store.Store, org string, j Joining) (known bool, err error) {
	in := param.Input{"handle": j.Handle, "name": j.Name, "email": j.Email, "password": j.Password}
	if err := param.Decode(param.Fields(reflect.TypeFor[Joining]()), in, param.Clock{Now: st.Now()}, &j); err != nil {
		return false, err
	}
	err = st.Write(ctx, func(tx *store.Tx) error {
		o, err := FindOrganization(tx, org)
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
		_, err = enroll(tx, owner.InPerson(), j, AtCommandLine)
		return err
	})
	return known, err
}

// ResetPassword gives the user with this address another password and ends all of the user's logins.
func ResetPassword(ctx context.Context, st *store.Store, email, password string) error {
	hash, err := hashPassword(password)
	if err != nil {
		return err
	}
	return st.Write(ctx, func(tx *store.Tx) error {
		known, err := canSignIn(tx, email)
		if err != nil {
			return err
		}
		if !known {
			return store.Errorf(store.Invalid,
				"Nobody signs in with that address. samepage member list prints the members.")
		}
		return credential.ResetPassword(tx, email, hash)
	})
}

func canSignIn(tx *store.Tx, email string) (bool, error) {
	email, err := store.Email(email)
	if err != nil {
		return false, param.Bad("email", err)
	}
	_, err = tx.UserByEmail(email)
	if store.CodeOf(err) == store.NotFound {
		return false, nil
	}
	return err == nil, err
}

// FindOrganization returns the organization with the handle. If the handle is empty, it returns the only organization
// there is. If there is no such organization, the error tells the operator which flag or command helps.
func FindOrganization(tx *store.Tx, handle string) (*store.Organization, error) {
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
