package governance

import (
	"slices"

	"samepage/actions/action"
	actions "samepage/actions/governance"
	"samepage/store"
	"samepage/store/governance"
	view "samepage/views/governance"
	"samepage/web"
)

var _ = web.DeclareNoun(web.Noun{Kind: governance.PolicyKind, Routes: policyRoutes})

var findPolicy = web.ByID(governance.FindPolicy)

func policyRoutes() []*web.BoundRoute {
	return slices.Concat([]*web.BoundRoute{
		web.Route[*store.Organization, *governance.PoliciesPage]{
			Pattern: store.NumberedURL("{org}", governance.PolicyKind),
			Version: web.ByJournals,
			Query:   []string{"show=" + governance.PolicyRetired, "role", "after"},
			Find:    web.FindOrganization,
			Show: func(tx *store.Tx, by store.Actor, o *store.Organization, at *web.Location) (*governance.PoliciesPage, error) {
				return governance.ShowPolicies(tx, by, o, governance.PolicyQuery{Retired: at.Query.Get("show") == governance.PolicyRetired,
					Role: at.Query.Get("role"), After: at.Query.Get("after")})
			},
			View: view.PolicyList{Write: web.VerbOf(actions.CreatePolicy)}.Policies,
		}.Close(),
		web.Route[*governance.StudioPolicies, *governance.StudioPoliciesPage]{
			Pattern: "/studios/{studio}" + view.PolicyNoun.Path,
			Version: web.ByJournals,
			Find:    web.ByArg("studio", governance.FindStudioPolicies),
			Show:    web.Whole(governance.ShowStudioPolicies),
			View:    view.StudioPolicies,
			Actions: []*action.Spec[*governance.StudioPolicies]{actions.CreatePolicy},
		}.Close(),
	}, web.Versions(governance.PolicyKind, findPolicy), web.SpokenItems(web.Route[*governance.Policy, *governance.PolicyPage]{
		Kind: governance.PolicyKind,
		Find: findPolicy,
		Show: web.Whole(governance.ShowPolicy),
		View: view.Policy,
		Actions: []*action.Spec[*governance.Policy]{actions.EditPolicy, actions.ChangePolicyOwner, actions.RetirePolicy,
			actions.ReinstatePolicy},
	}, actions.CommonPolicy))
}
