package actions

import (
	"samepage/store"
	"samepage/store/governance"
)

// caster returns the value of the casting-vote field in the form of a draft: the URL of a role or the handle of
// a member.
func caster(d *governance.Decision) string {
	if d.CasterRoleID != "" {
		return d.Studio.URL() + "/roles/" + d.CasterRoleID
	}
	return d.Caster
}

// casterOf returns the member or role that has the casting vote in a decision.
func casterOf(d *governance.Decision) governance.Caster {
	if d.CasterRoleID != "" {
		return governance.Caster{RoleID: d.CasterRoleID}
	}
	return governance.Caster{MemberID: d.CasterID}
}

// caster finds the member or the role that the casting-vote field names. It returns the zero Caster, which stands for
// the member who asks for the decision, if the field is empty. It returns [store.Invalid] if there is no such member or
// role, or if a lot breaks ties.
func (in decisionInput) caster(tx *store.Tx) (governance.Caster, error) {
	switch {
	case in.Caster == "":
		return governance.Caster{}, nil
	case in.tie() == byLot:
		return governance.Caster{}, store.Errorf(store.Invalid,
			"A tie is broken by lot here, so nobody has a casting vote. Leave this empty.")
	}
	// The last segment of the URL of a member is the handle. The last segment of the URL of a role is its id.
	name := lastSegment(in.Caster)
	id, err := tx.StudioMemberID(in.studio, name)
	if store.CodeOf(err) != store.Invalid {
		return governance.Caster{MemberID: id}, err
	}
	roles, rerr := tx.Roles(in.studio)
	for i := range roles {
		if r := &roles[i]; r.ID == name || sameTitle(r.Title, in.Caster) {
			return governance.Caster{RoleID: r.ID}, nil
		}
	}
	if rerr != nil {
		return governance.Caster{}, rerr
	}
	return governance.Caster{}, store.Errorf(store.Invalid,
		"%s has no member @%s, nor a role of that title. Name a member by @handle, or a role by its title or link.",
		in.studio.Name, name)
}
