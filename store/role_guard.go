package store

import "slices"

// The guards of a role follow. An actor may change a role if the actor may change the structure of its studio.

// MustBeChangeableBy refuses an actor that may not change the structure of the studio. It also refuses a
// deleted role.
func (r *Role) MustBeChangeableBy(by Actor) error {
	if err := r.Studio.MustBeGovernedBy(by); err != nil {
		return err
	}
	if r.State() == RoleDeleted {
		return Errorf(Conflict, "This role was deleted. Create another.")
	}
	return nil
}

// MustBeAssignableBy refuses the same as [Role.MustBeChangeableBy], and also a role that mirrors another.
func (r *Role) MustBeAssignableBy(by Actor) error {
	if err := r.MustBeChangeableBy(by); err != nil {
		return err
	}
	return r.MustStandAlone()
}

// MustStandAlone refuses a role that mirrors another, since its text and holder change only with its source.
func (r *Role) MustStandAlone() error {
	if r.Mirrored() {
		return Errorf(Conflict, "This role mirrors one of the studio above, and is changed there.")
	}
	return nil
}

// MustMirror refuses a role that cannot mirror another. Only a leader's role can, and only if the studio above
// has roles and the actor may see them.
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

// MustBeHeldFor refuses the same as [Role.MustBeAssignableBy], and also a vacant role.
func (r *Role) MustBeHeldFor(by Actor) error {
	if err := r.MustBeAssignableBy(by); err != nil {
		return err
	}
	if r.HolderID == "" {
		return Errorf(Conflict, "This role is vacant already.")
	}
	return nil
}

// MustBeOver refuses to notify a studio of the end of a role's term, unless the term is over and the studio was
// not notified before.
func (r *Role) MustBeOver() error {
	if r.HolderID == "" || !r.Over() || !r.ToldAt.IsZero() || r.Mirrored() {
		return Errorf(Conflict, "There is nothing to tell of this role's term.")
	}
	return r.Studio.MustBeActive()
}

// MustEndSoon refuses the reminder before the end of a term, unless the term ends within [TermSoon] and nobody was
// reminded before.
func (r *Role) MustEndSoon() error {
	if r.HolderID == "" || r.EndsAt.IsZero() || r.Over() || r.EndsAt.Sub(r.Now) > TermSoon || !r.WarnedAt.IsZero() ||
		r.Mirrored() {
		return Errorf(Conflict, "There is nothing to remind of.")
	}
	return r.Studio.MustBeActive()
}

// mayUse reports whether the actor may use a role, given by its id, that the acting member holds. A person may
// use every such role. A token may use only those that its grant permits.
func (a Actor) mayUse(role string) bool {
	return a.Grant == nil || a.Grant.Roles == nil || slices.Contains(a.Grant.Roles, role)
}

// Relation returns the relation of the actor to the role's studio.
func (r *Role) Relation(by Actor) Relation { return r.Studio.Relation(by) }
