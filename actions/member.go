package actions

import (
	"cmp"

	"golang.org/x/text/secure/precis"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
)

var _ = action.Describe[*store.Member](
	"A person in an organization, with the roles that they hold and the studios that they are in.")

// UpdateProfile changes a member's name, handle and contact.
var UpdateProfile = action.New(action.Action[*store.Member, UpdateProfileParams]{
	Name:       "update_profile",
	Past:       "changed the profile of",
	Undo:       "Change again: update_profile.",
	Title:      "Change your profile",
	Doc:        "Change your name, handle and contact. Links to your old handle still lead to you, and nobody else can take it.",
	Scope:      store.ScopeGovernance,
	AllowedFor: store.Self,
	HumanOnly:  true,
	Versioned:  true,
	Guard: func(by store.Actor, m *store.Member) error {
		if !by.Is(m.ID) {
			return store.Errorf(store.Forbidden, "Only @%s can change this profile.", m.Handle)
		}
		return nil
	},
	Offers: func(_ store.Actor, m *store.Member) param.Offers {
		return param.Offers{"name": {Value: m.Name}, "handle": {Value: m.Handle}, "contact": {Value: m.Contact}}
	},
	Check: func(
		tx *store.Tx, _ store.Actor, m *store.Member, p UpdateProfileParams, _ param.Errors,
	) (errs param.Errors) {
		if _, err := PersonName(p.Name); err != nil {
			errs = param.Bad("name", err)
		} else if p.Name != m.Name {
			if err := tx.MustNotBeLabel(m.OrgID, p.Name); store.CodeOf(err) == store.Conflict {
				errs = param.Bad("name", err)
			}
		}
		return append(errs, badHandle("handle", p.handle(m),
			func(handle string) error { return tx.MemberHandleFree(m.OrgID, m.ID, handle) })...)
	},
	Run: func(tx *store.Tx, _ store.Actor, m *store.Member, p UpdateProfileParams) (action.Done, error) {
		handle, err := store.Handle(p.handle(m))
		if err != nil {
			return action.Done{}, err
		}
		name, err := PersonName(p.Name)
		if err != nil {
			return action.Done{}, err
		}
		err = tx.RenameMember(m, handle, name, p.Contact)
		if store.CodeOf(err) == store.Conflict {
			err = param.Bad("handle", err)
		}
		return action.Done{Message: "Your profile is changed.", URL: store.MemberURL(m.Org, handle)}, err
	},
})

// UpdateProfileParams has a member's name, handle and contact.
type UpdateProfileParams struct {
	Name    string   `param:"name,text" max:"80" doc:"Your name."`
	Handle  string   `param:"handle,text,optional" max:"40" doc:"Your handle: lower-case letters, digits and hyphens."`
	Contact string   `param:"contact,text,optional" max:"200" doc:"How members reach you, such as an address or a number."`
	_       struct{} `doc:"They do not see the address that you sign in with."`
}

func (p UpdateProfileParams) handle(m *store.Member) string {
	return cmp.Or(p.Handle, m.Handle)
}

// PersonName normalizes a name by the rules for nicknames (RFC 8266), which replace unusual spaces. The error is
// [store.Invalid] for control or unassigned characters, and for a name that looks like an agent's.
func PersonName(s string) (string, error) {
	name, err := precis.Nickname.String(s)
	if err != nil || name == "" {
		return "", store.Errorf(store.Invalid,
			"A name is made of letters, digits, spaces and signs that can be seen. Write it without others.")
	}
	return name, store.MustBePersonal(name)
}

// LeaveOrganization ends the actor's own membership.
var LeaveOrganization = action.New(action.Action[*store.Member, struct{}]{
	Name:  "leave_organization",
	Past:  "ended the membership of",
	Title: "Leave the organization",
	Doc: "Stop being a member. Your words and ballots stay; open consents and elections go on without your answers. " +
		"Your agents' tokens end, and you can be invited again.",
	Scope:       store.ScopeGovernance,
	AllowedFor:  store.Self,
	HumanOnly:   true,
	Destructive: true,
	Guard:       func(by store.Actor, m *store.Member) error { return m.MustBeLeavableBy(by) },
	Run: func(tx *store.Tx, by store.Actor, m *store.Member, _ struct{}) (action.Done, error) {
		given, err := tx.EndMembership(by, m)
		return action.Done{Message: "You have left.", URL: "/", Also: RoleChanges(given)}, err
	},
})

// RemoveMember ends the membership of another member.
var RemoveMember = action.New(action.Action[*store.Member, struct{}]{
	Name:  "remove_member",
	Title: "Remove from the organization",
	Doc: "End this membership at once, with the tokens of this member's agents. Their words and ballots stay; open " +
		"consents and elections go on without their answers. They can be invited again.",
	Past:        "removed",
	Scope:       store.ScopeGovernance,
	AllowedFor:  store.Owner,
	HumanOnly:   true,
	Destructive: true,
	Guard:       func(by store.Actor, m *store.Member) error { return m.MustBeRemovableBy(by) },
	Run: func(tx *store.Tx, by store.Actor, m *store.Member, _ struct{}) (action.Done, error) {
		given, err := tx.EndMembership(by, m)
		return action.Done{Message: "The membership has ended.", Also: RoleChanges(given)}, err
	},
})

// EraseMember erases the name, the handle and the address of a former member.
var EraseMember = action.New(action.Action[*store.Member, struct{}]{
	Name:  "erase_member",
	Past:  "erased the name of",
	Title: "Erase the name",
	Doc: "Take the name, handle and address of this former member away, here and in the journal, " +
		"and their login if they are in no other organization. What they wrote stays, and so do the " +
		"texts of others that name them: search for the name first, and remove what must go.",
	Scope:       store.ScopeGovernance,
	AllowedFor:  store.Owner,
	HumanOnly:   true,
	Destructive: true,
	Guard:       func(by store.Actor, m *store.Member) error { return m.MustBeErasableBy(by) },
	Run: func(tx *store.Tx, _ store.Actor, m *store.Member, _ struct{}) (action.Done, error) {
		if err := tx.EraseMember(m); err != nil { // also clears the name in m
			return action.Done{}, err
		}
		return action.Done{Message: "The name is erased.", URL: m.URL(), Before: m.Record(), After: m.Record()}, nil
	},
})
