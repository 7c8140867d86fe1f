package store

import "slices"

// The guards of a role. Who changes the structure of a studio changes its roles.

// MustBeChangeableBy refuses who may not change the studio's structure, and a role that was deleted.
func (r *Role) MustBeChangeableBy(by Actor) error {
	if err := r.Studio.MustBeGovernedBy(by); err != nil {
		return err
	}
	if r.State() == RoleDeleted {
		return Errorf(Conflict, "This role was deleted. Create another.")
	}
	return nil
}

// MustBeAssignableBy refuses also a role that mirrors another.
func (r *Role) MustBeAssignableBy(by Actor) error {
	if err := r.MustBeChangeableBy(by); err != nil {
		return err
	}
	return r.MustStandAlone()
}

// MustStandAlone refuses a role that mirrors another: what it says and who holds it is decided there.
func (r *Role) MustStandAlone() error {
	if r.Mirrored() {
		return Errorf(Conflict, "This role mirrors one of the studio above, and is changed there.")
	}
	return nil
}

// MustMirror refuses a role that cannot mirror another: only a leader does, of a studio under one that the actor sees and that
// has roles.
func (r *Role) MustMirror() error {
	switch {
	case r.Mirrored():
		return Errorf(Conflict, "This role mirrors another already.")
	case r.Kind != Leader:
		return Errorf(Conflict, "Only the leader of a studio can mirror a role of the studio above.")
	case r.Studio.Parent == "":
		return Errorf(Conflict, "There is no studio above %s whose roles this could mirror.", r.Studio.Name)
	case len(r.Above) == 0:
		return Errorf(Conflict, "The studio above has no roles.")
	}
	return nil
}

// MustBeHeldFor refuses also a role that nobody holds.
func (r *Role) MustBeHeldFor(by Actor) error {
	if err := r.MustBeAssignableBy(by); err != nil {
		return err
	}
	if r.HolderID == "" {
		return Errorf(Conflict, "This role is vacant already.")
	}
	return nil
}

// MustBeOver refuses to tell of a term that goes on, or a second time.
func (r *Role) MustBeOver() error {
	if r.HolderID == "" || !r.Over() || !r.ToldAt.IsZero() || r.Mirrored() {
		return Errorf(Conflict, "There is nothing to tell of this role's term.")
	}
	return r.Studio.MustBeActive()
}

// MayUse reports whether the actor may use a role that its member holds: a person any, a token those that its grant carries.
func (a Actor) MayUse(role string) bool {
	return a.Grant == nil || a.Grant.Roles == nil || slices.Contains(a.Grant.Roles, role)
}

// Relation is what the actor is to the role: what they are to its studio.
func (r *Role) Relation(by Actor) Relation { return r.Studio.Relation(by) }
