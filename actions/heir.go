package actions

import (
	"fmt"

	"samepage/actions/action"
	"samepage/store"
)

// ChangePolicyOwner is the name of the action that gives a policy to another role. Journal entries have it too when a
// policy's role is deleted and another role inherits the policy.
const ChangePolicyOwner = "change_policy_owner"

// policyOrphaned is the event that a policy's role was deleted and no other role inherits the policy.
var policyOrphaned = store.DeclareEvent("orphan_policy", "left without an owner")

// handedOver returns a journal entry about each policy that a deleted role owned. It notifies the holder of the
// inheriting role, or else the organization's owner, but not the actor.
func handedOver(by store.Actor, list []store.Handed) (also []action.Also) {
	for _, h := range list {
		if h.To == nil {
			also = append(also, action.Also{Subject: h.Item, Before: h.Before, Action: policyOrphaned,
				Told:   "left without an owner",
				Notice: assignmentNotice(by, h.OwnerID)})
		} else {
			also = append(also, action.Also{Subject: h.Item, Before: h.Before, Action: ChangePolicyOwner,
				Told:   "gave to your role",
				Notice: assignmentNotice(by, h.To.HolderID)})
		}
	}
	return also
}

// heirs returns a sentence on the new owner of a deleted role's policies, or "" if the role owned none.
func heirs(list []store.Handed) string {
	switch {
	case len(list) == 0:
		return ""
	case list[0].To == nil && len(list) == 1:
		return " Neither the studio nor one above has a leader's role, so its policy stays as it is until the organization's owner " +
			"gives it to a role."
	case list[0].To == nil:
		return fmt.Sprintf(" Neither the studio nor one above has a leader's role, so its %d policies stay as they are until the "+
			"organization's owner gives them to a role.", len(list))
	case len(list) == 1:
		return " Its policy belongs to " + list[0].To.Title + " of " + list[0].To.Studio.Name + " now."
	}
	return fmt.Sprintf(" Its %d policies belong to %s of %s now.", len(list), list[0].To.Title, list[0].To.Studio.Name)
}
