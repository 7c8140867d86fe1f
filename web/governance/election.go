package governance

import (
	"samepage/actions/action"
	actions "samepage/actions/governance"
	"samepage/store/governance"
	"samepage/views"
	view "samepage/views/governance"
	"samepage/web"
)

var _ = web.DeclareNoun(web.Noun{
	Kind:   governance.ElectionKind,
	Routes: electionRoutes,
	Create: actions.CreateElection,
	Fill:   actions.ElectRole,
	Answer: map[string]views.Verb{
		governance.WaitsForCandidate:  web.ButtonOf(actions.RespondToElection),
		governance.WaitsForNomination: web.ButtonOf(actions.Nominate),
	},
})

var findElection = web.ByID(governance.FindElection)

func electionRoutes() []*web.BoundRoute {
	own := web.Route[*governance.Election, *governance.ElectionPage]{
		Kind: governance.ElectionKind,
		Due:  actions.EndElectionPeriod,
		Find: findElection,
		Show: web.Whole(governance.ShowElection),
		View: view.Election,
		Actions: []*action.Spec[*governance.Election]{actions.Nominate, actions.RespondToElection, actions.ChangeNomination,
			actions.OpenElection, actions.AdvanceElection, actions.ProposeCandidate, actions.MarkElectionIntegrated,
			actions.WithdrawElectionObjection, actions.RuleElectionInvalid, actions.UpdateElection, actions.StepBackElection,
			actions.Elect, actions.EndElection, actions.CancelElection, actions.EndElectionPeriod},
	}
	return append(web.Items(own, actions.CommonElection),
		web.Briefing(own, governance.BriefElection, view.ElectionBriefing))
}
