package actions

import (
	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
)

// UpdateProfile changes what a member is called.
var UpdateProfile = action.New(action.Action[*store.Member, UpdateProfileParams]{
	Name:      "update_profile",
	Title:     "Change your profile",
	Doc:       "Change the name that people see. Your handle stays.",
	Scope:     store.ScopeGovernance,
	Who:       store.Self,
	HumanOnly: true,
	Versioned: true,
	Guard: func(by store.Actor, m *store.Member) error {
		if !by.Is(m.ID) {
			return store.Errorf(store.Forbidden, "Only @%s can change this profile.", m.Handle)
		}
		return nil
	},
	Offers: func(_ store.Actor, m *store.Member) param.Offers { return param.Offers{"name": {Value: m.Name}} },
	Run: func(tx *store.Tx, _ store.Actor, m *store.Member, p UpdateProfileParams) (action.Done, error) {
		return action.Done{Message: "Your profile is changed."}, tx.RenameMember(m, p.Name)
	},
})

// UpdateProfileParams are a member's profile.
type UpdateProfileParams struct {
	Name string `param:"name,text" max:"80" doc:"Your name."`
}
