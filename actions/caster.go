package actions

import (
	"samepage/store"
	"samepage/store/governance"
)

// caster returns the value of the casting-vote field of a draft: the URL of a role or the handle of a member.
func caster(d *governance.Decision) string {
	if d.CasterRoleID != "" {
		return d.Studio.URL() + "/roles/" + d.CasterRoleID
	}
	return d.Caster
}

func casterOf(d *governance.Decision) governance.Caster {
	if d.CasterRoleID != "" {
		return governance.Caster{RoleID: d.CasterRoleID}
	}
	return governance.Caster{MemberID: d.CasterID}
}

// caster returns the member or role that the casting-vote field names. The zero Caster stands for the author of the
// decision. The error is [store.Invalid] if there is no such member or role, or if a lot breaks ties.
func (in decisionInput) caster(tx *store.Tx) (governance.Caster, error) {
	switch {
	case in.Caster == "":
		return governance.Caster{}, nil
	case in.tie() == byLot:
		return governance.Caster{}, store.Errorf(store.Invalid,
			"A tie is broken by lot here, so nobody has a casting vote. Leave this empty.")
	}
	// The last segment of a member's URL is the handle, and that of a role's URL is the id.
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
