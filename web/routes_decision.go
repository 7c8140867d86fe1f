package web

import (
	"slices"

	"samepage/actions"
	"samepage/actions/action"
	"samepage/store"
	"samepage/store/governance"
	"samepage/views"
)

var decisionNoun = Noun{
	Kind:   governance.DecisionKind,
	Routes: decisionRoutes,
	Create: actions.CreateDecision,
	Answer: map[string]views.Verb{store.WaitsForVote: ButtonOf(actions.CastVote)},
}

func decisionRoutes() []*BoundRoute {
	return slices.Concat([]*BoundRoute{
		Route[*governance.Decision, *governance.BallotsPage]{
			Pattern: ItemPattern(governance.DecisionKind) + "/ballots",
			Kind:    governance.DecisionKind,
			Query:   []string{"after"},
			Find:    findCounted,
			Show:    From("after", governance.ShowBallots),
			View:    views.Ballots,
		}.Close(),
		Route[*governance.Decision, *governance.Decision]{
			Pattern: ItemPattern(governance.DecisionKind) + "/count",
			Kind:    governance.DecisionKind,
			Find:    findCounted,
			Show:    Same[*governance.Decision],
			View:    views.Count,
		}.Close(),
		Route[*governance.Decision, *governance.Decision]{
			Pattern: ItemPattern(governance.DecisionKind) + "/verify",
			Kind:    governance.DecisionKind,
			Find:    findDrawn,
			Show:    Same[*governance.Decision],
			View:    views.Lot,
		}.Close(),
	},
		Items(Route[*governance.Decision, *governance.DecisionPage]{
			Kind:    governance.DecisionKind,
			Due:     actions.CloseDecision,
			Find:    findDecision,
			Show:    Whole(actions.ShowDecision),
			View:    views.Decision,
			Preview: views.DecisionPreview,
			Actions: []*action.Spec[*governance.Decision]{actions.CastVote, actions.OpenDecision, actions.CastDecidingVote,
				actions.AddOption, actions.UpdateDecision, actions.RemoveOption, actions.RetractVote, actions.Extend,
				actions.ChangeResults, actions.ImportBallots, actions.CloseDecision},
		}, actions.CommonDecision),
	)
}

var findDecision = ByID(governance.FindDecision)

// findDrawn finds a decision with a lot, which may only break ties. For a draft, for a removed decision and for any
// other, the error is [store.Missing].
func findDrawn(tx *store.Tx, by store.Actor, at *Location) (*governance.Decision, error) {
	d, err := findDecision(tx, by, at)
	if err == nil && (d.Commitment == "" || d.Removed()) {
		err = store.Missing()
	}
	return d, err
}

// findCounted finds a decision with results that the actor may see. For any other decision the error is
// [store.Missing].
func findCounted(tx *store.Tx, by store.Actor, at *Location) (*governance.Decision, error) {
	d, err := findDecision(tx, by, at)
	if err == nil && !d.ShowsResults() {
		err = store.Missing()
	}
	return d, err
}
