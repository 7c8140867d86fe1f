package store

import "slices"

// MustBeChangeableBy returns the errors of [Studio.MustBeGovernedBy], and [Conflict] if the role was deleted.
func (r *Role) MustBeChangeableBy(by Actor) error {
	if err := r.Studio.MustBeGovernedBy(by); err != nil {
		return err
	}
	if r.State() == RoleDeleted {
		return Errorf(Conflict, "This role was deleted. Create another.")
	}
	return nil
}

// MustBeAssignableBy returns the errors of [Role.MustBeChangeableBy] and [Role.MustStandAlone].
func (r *Role) MustBeAssignableBy(by Actor) error {
	if err := r.MustBeChangeableBy(by); err != nil {
		return err
	}
	return r.MustStandAlone()
}

// MustStandAlone returns [Conflict] for a mirroring role, since its text and holder change only with its source.
func (r *Role) MustStandAlone() error {
	if r.Mirrored() {
		return Errorf(Conflict, "This role mirrors one of the studio above, and is changed there.")
	}
	return nil
}

// MustMirror returns [Conflict] if the role cannot begin to mirror another role.
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

// MustBeHeldFor returns the errors of [Role.MustBeAssignableBy], and [Conflict] for a vacant role.
func (r *Role) MustBeHeldFor(by Actor) error {
	if err := r.MustBeAssignableBy(by); err != nil {
		return err
	}
	if r.HolderID == "" {
		return Errorf(Conflict, "This role is vacant already.")
	}
	return nil
}

// MustBeOver returns [Conflict] unless the role's term is over and its studio has still to be notified. It also returns
// [Conflict] for a mirroring role and for an archived studio.
func (r *Role) MustBeOver() error {
	if r.HolderID == "" || !r.Over() || !r.ToldAt.IsZero() || r.Mirrored() {
		return Errorf(Conflict, "There is nothing to tell of this role's term.")
	}
	return r.Studio.MustBeActive()
}

// MustEndSoon returns [Conflict] unless the role's term ends within [TermSoon] and the reminder has still to be sent.
// It also returns [Conflict] for a mirroring role and for an archived studio.
func (r *Role) MustEndSoon() error {
	if r.HolderID == "" || r.EndsAt.IsZero() || r.Over() || r.EndsAt.Sub(r.Now) > TermSoon || !r.WarnedAt.IsZero() ||
		r.Mirrored() {
		return Errorf(Conflict, "There is nothing to remind of.")
	}
	return r.Studio.MustBeActive()
}

// mayUse reports whether the actor may use the acting member's role with this id.
func (a Actor) mayUse(role string) bool {
	return a.Grant == nil || a.Grant.Roles == nil || slices.Contains(a.Grant.Roles, role)
}

// Relation returns the actor's relations to the role's studio.
func (r *Role) Relation(by Actor) Relation { return r.Studio.Relation(by) }
