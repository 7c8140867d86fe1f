package governance

import "samepage/store"

// The guards below check whether the policy's state permits an action, and whether the actor may take it.

// WhyLost returns [store.Conflict] with the reason if the policy's role was deleted or the role's studio is archived.
// Such a policy can only be given to another role.
func (p *Policy) WhyLost() error {
	switch o := &p.Owner; {
	case !o.DeletedAt.IsZero():
		return store.Errorf(store.Conflict, "The role of this policy was deleted, and neither its studio nor one above has a leader's "+
			"role. So it stays as it is until the owner of %s gives it to another role.", p.Studio.OrgName)
	case !o.ArchivedAt.IsZero():
		return store.Errorf(store.Conflict, "The studio of this policy's role is archived. So it stays as it is until the holder "+
			"of the role, or the owner of %s, gives it to a role of another studio.", p.Studio.OrgName)
	}
	return nil
}

// WhyOrphaned returns [store.Conflict] with the reason and the remedy if no member can edit the policy, because its
// role was deleted or is vacant, or the role's studio is archived.
func (p *Policy) WhyOrphaned() error {
	if err := p.WhyLost(); err != nil || p.Owner.HolderID != "" {
		return err
	}
	return store.Errorf(store.Conflict, "The role of this policy is vacant, so nobody can edit it now. That ends when somebody gets "+
		"the role, or when the owner of %s gives the policy to another role. An accepted topic of the role's studio can change it, too.",
		p.Studio.OrgName)
}

// RuledIn returns the id of the studio with the accepted topics that can change the policy: the studio of its role. If
// [Policy.WhyLost] returns an error, it is the general studio, and a topic can only give the policy to another role.
func (p *Policy) RuledIn() string {
	if p.WhyLost() != nil {
		return p.StudioID
	}
	return p.Owner.StudioID
}

// RuledBy reports whether accepted topics of the studio can change the policy.
func (p *Policy) RuledBy(s *store.Studio) bool { return s.OrgID == p.OrgID && s.ID == p.RuledIn() }

// MustBeEditableBy returns [store.Conflict] for a retired policy, and the errors of [Policy.WhyOrphaned]. It returns
// [store.Forbidden] unless the actor holds the policy's role. An accepted topic of the role's studio can edit the
// policy even if the role is vacant.
func (p *Policy) MustBeEditableBy(by store.Actor) error {
	if !p.RetiredAt.IsZero() {
		return store.Errorf(store.Conflict, "This policy is retired, and stays as it is. Reinstate it to change it.")
	}
	return p.mustBeHeldBy(by)
}

// MustBeReinstatedBy returns [store.Conflict] unless the policy is retired, and the errors of [Policy.WhyOrphaned]. It
// returns [store.Forbidden] unless the actor holds the policy's role. An accepted topic of the role's studio can
// reinstate the policy even if the role is vacant.
func (p *Policy) MustBeReinstatedBy(by store.Actor) error {
	if p.RetiredAt.IsZero() {
		return store.Errorf(store.Conflict, "This policy is in force.")
	}
	return p.mustBeHeldBy(by)
}

// MustBeGivenBy returns [store.Forbidden] unless the actor holds the role, or acts by the consent of the studio of
// [Policy.RuledIn]. If [Policy.WhyOrphaned] returns an error, the organization's owner may give the policy, too, even
// if it is retired. Otherwise MustBeGivenBy returns [store.Conflict] for a retired policy.
func (p *Policy) MustBeGivenBy(by store.Actor) error {
	orphaned := p.WhyOrphaned()
	switch {
	case orphaned == nil:
		return p.MustBeEditableBy(by)
	case by.ByConsent != "":
		return p.mustBeRuledBy(by)
	case p.Owner.heldBy(by) || by.Owns():
		return nil
	}
	return store.Errorf(store.Forbidden, "%s", orphaned)
}

func (p *Policy) mustBeHeldBy(by store.Actor) error {
	if by.ByConsent != "" && p.WhyLost() == nil {
		return p.mustBeRuledBy(by)
	}
	if err := p.WhyOrphaned(); err != nil {
		return err
	}
	switch {
	case p.Owner.heldBy(by):
		return nil
	case !p.Owner.Visible:
		return store.Errorf(store.Forbidden, "Only the member who holds its role can do this.")
	}
	return store.Errorf(store.Forbidden, "Only @%s can do this, who holds %s.", p.Owner.Holder, p.Owner.Name())
}

// heldBy reports whether the acting member holds the role. If so, it records the role as the member's authority.
func (o *PolicyOwner) heldBy(by store.Actor) bool {
	visibility := ""
	if o.Private {
		visibility = "members"
	}
	return by.Note(by.Is(o.HolderID), (&store.Studio{ID: o.StudioID, Visibility: visibility}).AsRole(o.ID))
}

func (p *Policy) mustBeRuledBy(by store.Actor) error {
	if by.ByConsent != p.RuledIn() {
		return store.Errorf(store.Forbidden, "Only a topic of the studio of its role can change this policy.")
	}
	return nil
}

// MustTakePolicies returns [store.Conflict] if the role was deleted or its studio is archived.
func MustTakePolicies(r *store.Role) error {
	if err := r.Studio.MustBeActive(); err != nil {
		return err
	}
	if r.State() == store.RoleDeleted {
		return store.Errorf(store.Conflict, "This role was deleted.")
	}
	return nil
}

// MustWrite returns [store.Forbidden] if the actor cannot write policies for any role of the studio, and
// [store.Conflict] for an archived studio.
func (v *StudioPolicies) MustWrite(by store.Actor) error {
	if err := v.MustBeActive(); err != nil {
		return err
	}
	if len(v.Mine(by)) == 0 {
		return store.Errorf(store.Forbidden, "Only who holds a role in %s can write a policy of that role. The roles are at %s.",
			v.Name, store.Address(v.URL()+"/roles"))
	}
	return nil
}
