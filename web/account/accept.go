package account

import (
	"net/http"

	"samepage/actions"
	"samepage/actions/param"
	"samepage/actions/password"
	"samepage/store"
)

type memberFields struct {
	Name   string `param:"name,text" max:"80" doc:"Your name."`
	Handle string `param:"handle,text" max:"40" doc:"Your handle here: lower-case letters, digits and hyphens."`
}

type userFields struct {
	memberFields
	Email    string `param:"email,text" max:"254" as:"email" doc:"Your email address, to sign in with."`
	Password string `param:"password,secret" doc:"A password of at least 8 characters."`
}

// check returns an error for each wrong field, also for fields that decoding the form has already refused.
func (u userFields) check(signedIn bool) (errs param.Errors) {
	bad := func(field string, err error) { errs = append(errs, param.Bad(field, err)...) }
	_, err := actions.PersonName(u.Name)
	bad("name", err)
	_, err = store.Handle(u.Handle)
	bad("handle", err)
	if signedIn {
		return errs
	}
	_, err = store.Email(u.Email)
	bad("email", err)
	if wrong := password.Wrong(u.Password, u.Handle, u.Name, u.Email); wrong != "" {
		errs = append(errs, param.Error{Field: "password", Message: wrong})
	}
	return errs
}

// join makes the guest a member of the inviting organization, and also a user if the guest is not signed in. The error
// is [param.Errors] for wrong fields, and [store.Forbidden] if the invitation is for another address.
func (s *Server) join(r *http.Request, secret string, g guest, in param.Input) (userID string, err error) {
	if g.wrongAddress() {
		return "", store.Errorf(store.Forbidden, "This invitation is for another address.")
	}
	u, err := s.decodeGuest(r, g, in)
	if err != nil {
		return "", err
	}
	hash := ""
	if !g.signedIn() {
		if hash, err = hashPassword(u.Password, u.Handle, u.Name, u.Email); err != nil {
			return "", err
		}
	}
	err = s.Store.Write(r.Context(), func(tx *store.Tx) error {
		if _, err := tx.Serialize(store.Actor{}, g.invitation.OrgID); err != nil {
			return err
		}
		g, err := s.findGuest(tx, r, secret) // another guest may have joined first
		if err != nil {
			return err
		}
		if userID = g.by.UserID; userID == "" {
			if userID, err = createUser(tx, g.invitation, u.Email, hash); err != nil {
				return err
			}
		}
		m, err := tx.AcceptInvitation(g.invitation, userID, u.Handle, u.Name)
		if store.CodeOf(err) == store.Conflict {
			return param.Bad("handle", err)
		}
		if err != nil {
			return err
		}
		return recordJoining(tx, m, g.invitation)
	})
	return userID, err
}

// decodeGuest reads the guest's fields from the input and checks them. The error is [param.Errors] for wrong fields.
func (s *Server) decodeGuest(r *http.Request, g guest, in param.Input) (u userFields, err error) {
	fields := g.fields()
	if g.signedIn() {
		err = param.Decode(fields, in, param.Clock{Now: s.Store.Now()}, &u.memberFields)
	} else {
		u.Email = g.invitation.Email
		err = param.Decode(fields, in, param.Clock{Now: s.Store.Now()}, &u)
	}
	bad := u.check(g.signedIn())
	// a signed-in guest may be a former member, and may then take their old handle again
	if handle, herr := store.Handle(u.Handle); herr == nil && !g.signedIn() {
		herr = s.Store.Read(r.Context(), func(tx *store.Tx) error {
			return tx.MemberHandleFree(g.invitation.OrgID, "", handle)
		})
		if store.CodeOf(herr) == store.Conflict {
			bad = append(bad, param.Bad("handle", herr)...)
		}
	}
	nerr := s.Store.Read(r.Context(), func(tx *store.Tx) error { return tx.MustNotBeLabel(g.invitation.OrgID, u.Name) })
	if store.CodeOf(nerr) == store.Conflict {
		bad = append(bad, param.Bad("name", nerr)...)
	}
	if bad = param.ErrorsOf(err).Merge(fields, bad); len(bad) > 0 {
		return u, bad
	}
	u.Name, _ = actions.PersonName(u.Name)
	return u, err
}

// createUser returns the ID of the new user, or [param.Errors] if the address belongs to a user already.
func createUser(tx *store.Tx, i *store.Invitation, email, hash string) (string, error) {
	userID, err := tx.CreateUser(email, hash)
	if store.CodeOf(err) != store.Conflict {
		return userID, err
	}
	field := "email"
	if i.Email != "" {
		field = "password" // the form does not ask for the address
	}
	return "", param.Errors{{Field: field,
		Message: "Somebody signs in with this address already. If it is you, sign in first, below."}}
}

// recordJoining journals the joining as the new member's own act, and notifies the inviter, if there is one.
func recordJoining(tx *store.Tx, m *store.Member, i *store.Invitation) error {
	by := m.InPerson()
	why, to := "with an address of the organization's", []string{}
	if i.Inviter != "" {
		why, to = "by an invitation", []string{i.InvitedBy}
	}
	seq, err := tx.Journal(by, store.Change{Action: joinOrganization, Target: m.Ref(), After: m.Record(), Why: why})
	if err != nil {
		return err
	}
	_, err = tx.Notify(by, store.Event{Seq: seq, Did: "accepted your invitation as", Target: m.Ref()},
		store.Notice{Reason: store.ReasonOutcome, To: to})
	return err
}
