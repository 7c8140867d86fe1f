package governance

import (
	"path"

	"samepage/actions"
	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/governance"
)

// Policy is the subject of the actions on one policy.
type Policy = governance.Policy

var _ = action.Describe[*Policy]("A numbered text that holds in the whole organization and that the holder of one role changes.",
	governance.PolicyKind.States...)

// CommonPolicy has the actions of [actions.CommonOpen] on a policy.
var CommonPolicy = actions.CommonOpen[*Policy]()

func policyAction[S action.Subject, P any](a action.Action[S, P]) *action.Spec[S] {
	a.Scope, a.AllowedFor, a.HumanOnly = store.ScopeGovernance, store.InOrganization, true
	return action.New(a)
}

const (
	editPolicy      = "edit_policy"
	retirePolicy    = "retire_policy"
	reinstatePolicy = "reinstate_policy"
)

// PolicyParams has the texts of a policy.
type PolicyParams struct {
	Title    string `param:"title,text" doc:"What it is about, such as Spending money."`
	Abstract string `param:"abstract,text,optional" max:"300" doc:"What it says, in a sentence or two, for lists."`
	Text     string `param:"text,markdown" max:"20000" doc:"What holds."`
}

func (p PolicyParams) policy() governance.NewPolicy {
	return governance.NewPolicy{Title: p.Title, Abstract: p.Abstract, Body: p.Text}
}

// CreatePolicy creates a policy that belongs to a role.
var CreatePolicy = policyAction(action.Action[*governance.StudioPolicies, CreatePolicyParams]{
	Name:       "create_policy",
	Effects:    []action.Effect{action.Makes(governance.PolicyKind.Name), action.Opens(governance.PolicyKind.Name)},
	Undo:       "Change: " + editPolicy + ". End it: " + retirePolicy + ".",
	Title:      "Write a policy",
	Past:       "wrote the policy",
	Doc:        "Say what holds in the whole organization. It gets a number, and who holds its role changes it.",
	Structural: true,
	Aliases:    []string{"write_policy", "publish_policy"},
	Guard:      func(by store.Actor, v *governance.StudioPolicies) error { return v.MustWrite(by) },
	Offers: func(by store.Actor, v *governance.StudioPolicies) param.Offers {
		var list []param.Option
		for _, r := range v.Mine(by) {
			list = append(list, param.Option{Value: r.ID, Label: r.Title})
		}
		return param.Offers{"role": {Options: list}}
	},
	Run: func(tx *store.Tx, by store.Actor, v *governance.StudioPolicies, p CreatePolicyParams) (action.Done, error) {
		for _, r := range v.Mine(by) {
			if r.ID != p.Role {
				continue
			}
			made, err := governance.CreatePolicy(tx, by, &r, p.policy())
			if err != nil {
				return action.Done{}, err
			}
			return action.Done{
				Message: "The policy is in force.",
				URL:     made.URL(),
				Made:    []action.Subject{made},
				As:      v.AsRole(r.ID),
				Notice:  made.OpeningNotice(),
			}, nil
		}
		return action.Done{}, store.Missing()
	},
})

// CreatePolicyParams has the fields of a new policy.
type CreatePolicyParams struct {
	Role string `param:"role,choice" doc:"The role that owns it."`
	PolicyParams
}

// EditPolicy changes the texts of a policy.
var EditPolicy = policyAction(action.Action[*Policy, EditPolicyParams]{
	Name:      editPolicy,
	Effects:   []action.Effect{action.Edits(governance.PolicyKind.Name)},
	Undo:      "Change again: " + editPolicy + ". Earlier versions are kept.",
	Title:     "Edit the policy",
	Past:      "changed",
	Doc:       "Change what this policy says, and say why. What you leave out stays; every version is kept.",
	Carried:   true,
	Versioned: true,
	Aliases:   []string{"update_policy", "amend_policy"},
	Guard:     func(by store.Actor, p *Policy) error { return p.MustBeEditableBy(by) },
	Offers: func(_ store.Actor, p *Policy) param.Offers {
		return param.Offers{"title": {Value: p.Title}, "abstract": {Value: p.Abstract}, "text": {Value: p.Body}}
	},
	Run: func(tx *store.Tx, by store.Actor, p *Policy, in EditPolicyParams) (action.Done, error) {
		if p.Says(in.policy()) {
			return action.Done{Message: "The policy says that already. It has no new version.", Unchanged: true}, nil
		}
		return action.Done{
			Message: "The policy is changed.",
			Notice:  &store.Notice{Reason: store.ReasonChange, Text: in.Text, Was: p.Body},
		}, governance.EditPolicy(tx, by, p, in.policy(), in.Reason)
	},
})

// EditPolicyParams has the new texts of a policy, and the reason for the change.
type EditPolicyParams struct {
	PolicyParams
	Reason string `param:"reason,text" max:"300" doc:"Why it changes, for those who read the versions."`
}

// ChangePolicyOwner makes another role the owner of a policy.
var ChangePolicyOwner = policyAction(action.Action[*Policy, PolicyOwnerParams]{
	Name:       actions.ChangePolicyOwner,
	Undo:       "Give it back: " + actions.ChangePolicyOwner + ", by who holds the new role.",
	Title:      "Give it to another role",
	Past:       "gave to another role",
	Doc:        "Let another role own this policy. Who holds that role changes it from then on.",
	Structural: true,
	Guard:      func(by store.Actor, p *Policy) error { return p.MustBeGivenBy(by) },
	Check: func(tx *store.Tx, by store.Actor, p *Policy, in PolicyOwnerParams, bad param.Errors) param.Errors {
		if bad.Has("role") {
			return nil
		}
		_, errs := in.owner(tx, by, p)
		return errs
	},
	Run: func(tx *store.Tx, by store.Actor, p *Policy, in PolicyOwnerParams) (action.Done, error) {
		r, errs := in.owner(tx, by, p)
		if errs != nil {
			return action.Done{}, errs
		}
		n := &store.Notice{Reason: store.ReasonAssignment, To: []string{}}
		for _, id := range []string{r.HolderID, p.Owner.HolderID} {
			if id != "" && !by.Is(id) {
				n.To = append(n.To, id)
			}
		}
		return action.Done{
			Message: "The policy belongs to " + r.Title + " of " + r.Studio.Name + " now.",
			Notice:  n,
		}, governance.GivePolicy(tx, p, r)
	},
})

// PolicyOwnerParams has the new owner of a policy.
type PolicyOwnerParams struct {
	Role string   `param:"role,ref"`
	_    struct{} `doc:"The role, by the address of its page, such as /studios/team/roles/0123456789,"`
	_    struct{} `doc:"or a studio, for the role of its leader."`
}

// owner returns the role that the params name as the new owner. A studio's URL stands for the role of its leader. The
// errors say why there is no such role, or why it cannot own the policy.
func (in PolicyOwnerParams) owner(tx *store.Tx, by store.Actor, p *Policy) (*store.Role, param.Errors) {
	refused := func(why string) (*store.Role, param.Errors) { return nil, param.Errors{{Field: "role", Message: why}} }
	r, err := tx.RoleByID(by, path.Base(in.Role))
	if err != nil {
		var s *store.Studio
		if s, err = tx.FindStudio(by, path.Base(in.Role)); err == nil {
			r, err = tx.LeaderOf(s)
		}
	}
	switch {
	case err != nil || r.OrgID != p.OrgID:
		return refused("You see no such role here. Give the address of its page, from /orgs/" + p.Studio.Org + "/roles.")
	case r.ID == p.Owner.ID:
		return refused("That role owns the policy already.")
	}
	if err := governance.MustTakePolicies(r); err != nil {
		return refused(err.Error())
	}
	return r, nil
}

// RetirePolicy ends the validity of a policy but keeps its text.
var RetirePolicy = policyAction(action.Action[*Policy, struct{}]{
	Name:       retirePolicy,
	Undo:       "Undo: " + reinstatePolicy + ".",
	Title:      "Retire the policy",
	Past:       "retired",
	Doc:        "Let it hold no more. It stays readable with its versions, keeps its number, and cannot be changed.",
	Structural: true,
	Guard:      func(by store.Actor, p *Policy) error { return p.MustBeEditableBy(by) },
	Run: func(tx *store.Tx, by store.Actor, p *Policy, _ struct{}) (action.Done, error) {
		return action.Done{Message: "The policy is retired.", Notice: outcome("")}, governance.RetirePolicy(tx, by, p)
	},
})

// ReinstatePolicy makes a retired policy valid again.
var ReinstatePolicy = policyAction(action.Action[*Policy, struct{}]{
	Name:       reinstatePolicy,
	Undo:       "Undo: " + retirePolicy + ".",
	Title:      "Reinstate the policy",
	Past:       "reinstated",
	Doc:        "Let this policy hold again, as it was when it was retired.",
	Structural: true,
	Guard:      func(by store.Actor, p *Policy) error { return p.MustBeReinstatedBy(by) },
	Run: func(tx *store.Tx, _ store.Actor, p *Policy, _ struct{}) (action.Done, error) {
		return action.Done{Message: "The policy is in force again.", Notice: outcome("")}, governance.ReinstatePolicy(tx, p)
	},
})
