package actions

import (
	"fmt"

	"samepage/actions/action"
	"samepage/store"
)

// ChangePolicyOwner is the name of the action that gives a policy to another role. The journal also uses this name
// when a policy goes to another role because the role that owned the policy was deleted.
const ChangePolicyOwner = "change_policy_owner"

// policyOrphaned is the event that a policy's role was deleted and no other role can inherit the policy.
var policyOrphaned = store.DeclareEvent("orphan_policy", "left without an owner")

// handedOver returns a journal entry about each policy that a deleted role owned. The holder of the inheriting role
// is notified. If no role inherits the policy, the organization's owner is notified, because the owner can give the
// policy to a role.
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

// heirs returns a sentence that names the new owner of the policies of a deleted role, or says that there is none. It
// returns "" if the role owned no policies.
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
