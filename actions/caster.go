package actions

import "samepage/store"

// caster is how a draft's form names who has the casting vote.
func caster(d *store.Decision) string {
	if d.CasterRoleID != "" {
		return d.Studio.URL() + "/roles/" + d.CasterRoleID
	}
	return d.Caster
}

// casterOf is who was named for the casting vote of a decision.
func casterOf(d *store.Decision) store.Caster {
	if d.CasterRoleID != "" {
		return store.Caster{RoleID: d.CasterRoleID}
	}
	return store.Caster{MemberID: d.CasterID}
}

// caster is who is to have the casting vote; nobody in particular leaves it to who asks.
func (q question) caster(tx *store.Tx) (store.Caster, error) {
	switch {
	case q.Caster == "":
		return store.Caster{}, nil
	case q.tie() == byLot:
		return store.Caster{}, store.Errorf(store.Invalid, "A tie is broken by lot here, so nobody has a casting vote. Leave this empty.")
	}
	name := lastSegment(q.Caster) // the page of a member ends in the handle, that of a role in its id
	id, err := tx.StudioMemberID(q.studio, name)
	if store.CodeOf(err) != store.Invalid {
		return store.Caster{MemberID: id}, err
	}
	roles, rerr := tx.Roles(q.studio)
	for i := range roles {
		if r := &roles[i]; r.ID == name || sameTitle(r.Title, q.Caster) {
			return store.Caster{RoleID: r.ID}, nil
		}
	}
	if rerr != nil {
		return store.Caster{}, rerr
	}
	return store.Caster{}, store.Errorf(store.Invalid, "%s has no member @%s, nor a role of that title. Name a member by @handle, or a role by its title or link.", q.studio.Name, name)
}
