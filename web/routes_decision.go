package web

import (
	"slices"

	"samepage/actions"
	"samepage/actions/action"
	"samepage/store"
	"samepage/views"
)

var decisionNoun = Noun{
	Kind:   store.DecisionKind,
	Routes: decisionRoutes,
	Create: actions.CreateDecision,
	Answer: map[string]views.Verb{store.WaitsForVote: VerbOf(actions.CastVote)},
}

// decisionRoutes are the decisions of a studio.
func decisionRoutes() []*BoundRoute {
	return slices.Concat([]*BoundRoute{
		Route[*store.Decision, *store.BallotsPage]{
			Pattern: ItemPattern(store.DecisionKind) + "/ballots",
			Kind:    store.DecisionKind,
			Query:   []string{"after"},
			Find:    findCounted,
			Show:    From("after", (*store.Tx).ShowBallots),
			View:    views.Ballots,
		}.Close(),
		Route[*store.Decision, *store.Decision]{
			Pattern: ItemPattern(store.DecisionKind) + "/count",
			Kind:    store.DecisionKind,
			Find:    findCounted,
			Show:    Same[*store.Decision],
			View:    views.Count,
		}.Close(),
		Route[*store.Decision, *store.Decision]{
			Pattern: ItemPattern(store.DecisionKind) + "/verify",
			Kind:    store.DecisionKind,
			Find:    findDrawn,
			Show:    Same[*store.Decision],
			View:    views.Lot,
		}.Close(),
	},
		Items(Route[*store.Decision, *store.DecisionPage]{
			Kind:    store.DecisionKind,
			Due:     actions.CloseDecision,
			Find:    findDecision,
			Show:    Whole(actions.ShowDecision),
			View:    views.Decision,
			Preview: views.DecisionPreview,
			Actions: []*action.Spec[*store.Decision]{actions.CastVote, actions.OpenDecision, actions.CastDecidingVote,
				actions.AddOption, actions.UpdateDecision, actions.RemoveOption, actions.RetractVote, actions.Extend,
				actions.ChangeResults, actions.ImportBallots, actions.CloseDecision},
		}, actions.CommonDecision),
	)
}

var findDecision = ByID((*store.Tx).FindDecision)

// findDrawn finds a decision that has a lot.
func findDrawn(tx *store.Tx, by store.Actor, at *Location) (*store.Decision, error) {
	d, err := findDecision(tx, by, at)
	if err == nil && (d.Commitment == "" || d.Removed()) {
		err = store.Missing()
	}
	return d, err
}

// findCounted finds a decision if the actor may see its results.
func findCounted(tx *store.Tx, by store.Actor, at *Location) (*store.Decision, error) {
	d, err := findDecision(tx, by, at)
	if err == nil && !d.ShowsResults() {
		err = store.Missing()
	}
	return d, err
}
