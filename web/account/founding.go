package account

import (
	"cmp"
	"time"

	"samepage/actions"
	"samepage/actions/param"
	"samepage/actions/password"
	"samepage/store"
)

// These journal events belong to no action of a page.
var (
	foundOrganization = store.DeclareEvent("found_organization", "founded")
	foundStudio       = store.DeclareEvent("found_studio", "founded")
	joinOrganization  = store.DeclareEvent("join_organization", "began the membership of")
	askToJoin         = store.DeclareEvent("ask_to_join", "received")
	declineInvitation = store.DeclareEvent("decline_invitation", "received the refusal of")
)

// Founding holds the fields of an organization and of its first member.
type Founding struct {
	Organization string   `param:"organization,text,optional" max:"80" doc:"What your organization is called."`
	Name         string   `param:"name,text" max:"80" fill:"name" doc:"Your name."`
	Email        string   `param:"email,text" max:"254" as:"email" doc:"Your email address, to sign in with."`
	Password     string   `param:"password,secret" doc:"A password of at least 8 characters."`
	Handle       string   `param:"handle,text,more" max:"40"`
	_            struct{} `doc:"The organization's name in URLs: lower-case letters, digits and hyphens."`
	_            struct{} `doc:"Made from its name if it is empty."`
	Member       string   `param:"member,text,more" max:"40"`
	_            struct{} `doc:"Your name in URLs and mentions, such as alice. Made from your name if it is empty."`
	Zone         string   `param:"zone,text,more" max:"60" as:"zone"`
	_            struct{} `doc:"The time zone of the organization, such as Europe/Paris. UTC if it is empty."`
	Why          string   `param:"-"` // reason for the journal
}

// check returns an error for each wrong field except the names, also for fields that decoding has already refused.
func (f Founding) check() (errs param.Errors) {
	bad := func(field string, err error) { errs = append(errs, param.Bad(field, err)...) }
	handle := func(field, handle, of string) {
		if _, err := store.Handle(handle); handle == "" {
			bad(field, store.Errorf(store.Invalid, "None can be made from the name of %s. Write one such as data-team.", of))
		} else {
			bad(field, err)
		}
	}
	handle("handle", f.Handle, "the organization")
	handle("member", f.Member, "the person")
	_, err := store.Email(f.Email)
	bad("email", err)
	if _, err := time.LoadLocation(f.Zone); err != nil {
		bad("zone", store.Errorf(store.Invalid, "That is no time zone. Write one such as Europe/Paris."))
	}
	if wrong := password.Wrong(f.Password, f.Organization, f.Name, f.Member, f.Email); wrong != "" {
		errs = append(errs, param.Error{Field: "password", Message: wrong})
	}
	return errs
}

// Found makes and journals an organization with its owner, its general studio and the role of that studio's leader. It
// returns [param.Errors] for wrong fields, and otherwise the errors of [store.Tx.CreateOrganization].
func Found(tx *store.Tx, f Founding) (*store.Organization, *store.Member, error) {
	f = f.WithHandles()
	if errs := f.check(); errs != nil {
		return nil, nil, errs
	}
	hash, err := password.Hash(f.Password)
	if err != nil {
		return nil, nil, err
	}
	f.Zone = cmp.Or(f.Zone, "UTC")
	if f.Organization == "" {
		f.Organization = f.Handle
	}
	o, m, err := tx.CreateOrganization(f.Handle, f.Organization, f.Zone,
		store.NewMember{Handle: f.Member, Name: f.Name, Email: f.Email, PasswordHash: hash})
	if err != nil {
		return nil, nil, err
	}
	by := m.InPerson()
	general, err := tx.FindStudio(by, o.Handle)
	if err != nil {
		return nil, nil, err
	}
	leader, err := tx.LeaderOf(general)
	if err != nil {
		return nil, nil, err
	}
	for _, made := range []store.Change{
		{Action: foundOrganization, Target: o.Ref(), After: o.Record()},
		{Action: joinOrganization, Target: m.Ref(), After: m.Record()},
		{Action: foundStudio, Target: general.Ref(), After: general.Record()},
		{Action: actions.CreateRole.Name, Target: leader.Ref(), After: leader.Record()},
	} {
		made.Why = f.Why
		if _, err := tx.Journal(by, made); err != nil {
			return nil, nil, err
		}
	}
	return o, m, nil
}

// Enroll makes a person a member of the actor's organization. It does not check that the actor is the owner. The
// journal shows the new membership as an act of the actor.
func Enroll(tx *store.Tx, by store.Actor, handle, name, email, password string) (*store.Member, error) {
	return enroll(tx, by, Joining{handle, name, email, password}, "")
}

// Joining holds the fields of a new member.
type Joining struct {
	Handle   string `param:"handle,text" max:"40" doc:"Their handle: lower-case letters, digits and hyphens."`
	Name     string `param:"name,text" max:"80" doc:"Their name."`
	Email    string `param:"email,text" max:"254" as:"email" doc:"Their email address, to sign in with."`
	Password string `param:"password,secret" doc:"A password of at least 8 characters."`
}

func enroll(tx *store.Tx, by store.Actor, j Joining, why string) (*store.Member, error) {
	hash, err := hashPassword(j.Password, j.Handle, j.Name, j.Email)
	if err != nil {
		return nil, err
	}
	m, err := tx.CreateMember(by.Member.OrgID, j.Handle, j.Name, j.Email, hash)
	if err != nil {
		return nil, err
	}
	_, err = tx.Journal(by, store.Change{Action: joinOrganization, Target: m.Ref(), After: m.Record(), Why: why})
	return m, err
}
