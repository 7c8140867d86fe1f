package web

import (
	"slices"

	"samepage/actions"
	"samepage/actions/action"
	"samepage/store"
	"samepage/views"
)

var decisionNoun = noun{
	routes: decisionRoutes,
	create: actions.CreateDecision,
	begin:  views.ToAsk,
	answer: map[string]views.Verb{store.WaitsForVote: verbOf(actions.CastVote)},
}

// decisionRoutes are the decisions of a studio.
func decisionRoutes() []*boundRoute {
	return slices.Concat([]*boundRoute{
		route[*store.Studio, *store.DecisionsPage]{
			pattern: "/studios/{studio}/decisions",
			query:   []string{"after"},
			find:    findStudio,
			show:    from("after", (*store.Tx).ShowDecisions),
			view:    views.Decisions,
		}.close(),
		route[*store.Decision, *store.BallotsPage]{
			pattern: "/studios/{studio}/d/{id}/ballots",
			kind:    store.DecisionKind.Name,
			query:   []string{"after"},
			find:    findCounted,
			show:    from("after", (*store.Tx).ShowBallots),
			view:    views.Ballots,
		}.close(),
		route[*store.Decision, *store.Decision]{
			pattern: "/studios/{studio}/d/{id}/count",
			kind:    store.DecisionKind.Name,
			find:    findCounted,
			show:    same[*store.Decision],
			view:    views.Count,
		}.close(),
		route[*store.Decision, *store.Decision]{
			pattern: "/studios/{studio}/d/{id}/verify",
			kind:    store.DecisionKind.Name,
			find:    findDrawn,
			show:    same[*store.Decision],
			view:    views.Lot,
		}.close(),
	},
		items(route[*store.Decision, *store.DecisionPage]{
			pattern: "/studios/{studio}/d/{id}",
			kind:    store.DecisionKind.Name,
			due:     actions.CloseDecision,
			find:    findDecision,
			show:    whole(actions.ShowDecision),
			view:    views.Decision,
			preview: views.DecisionPreview,
			actions: []*action.Spec[*store.Decision]{actions.CastVote, actions.OpenDecision, actions.CastDecidingVote,
				actions.AddOption, actions.UpdateDecision, actions.RemoveOption, actions.RetractVote, actions.Extend,
				actions.ChangeResults, actions.ImportBallots, actions.CloseDecision},
		}, actions.CommonDecision),
	)
}

func findDecision(tx *store.Tx, by store.Actor, at *location) (*store.Decision, error) {
	return tx.FindDecision(by, at.arg("studio"), at.arg("id"))
}

// findDrawn finds a decision that has a lot.
func findDrawn(tx *store.Tx, by store.Actor, at *location) (*store.Decision, error) {
	d, err := findDecision(tx, by, at)
	if err == nil && (d.Commitment == "" || d.Removed()) {
		err = store.Missing()
	}
	return d, err
}

// findCounted finds a decision if the actor may see its results.
func findCounted(tx *store.Tx, by store.Actor, at *location) (*store.Decision, error) {
	d, err := findDecision(tx, by, at)
	if err == nil && !d.ShowsResults() {
		err = store.Missing()
	}
	return d, err
}
