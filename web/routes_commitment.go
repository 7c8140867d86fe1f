package web

import (
	"slices"

	"samepage/actions"
	"samepage/actions/action"
	"samepage/store"
	"samepage/views"
)

var commitmentNoun = Noun{
	Kind:   store.CommitmentKind,
	Routes: commitmentRoutes,
	Create: actions.CreateCommitment,
	Answer: map[string]views.Verb{store.WaitsForMark: VerbOf(actions.MarkDone)},
}

// commitmentRoutes are the commitments of a studio.
func commitmentRoutes() []*BoundRoute {
	return slices.Concat([]*BoundRoute{
		Route[*store.Commitment, *store.ParticipantsPage]{
			Pattern: ItemPattern(store.CommitmentKind) + "/participants",
			Kind:    store.CommitmentKind,
			Query:   []string{"after"},
			Find:    findCommitment,
			Show:    From("after", (*store.Tx).ShowParticipants),
			View:    views.Participants,
		}.Close(),
	},
		Items(Route[*store.Commitment, *store.CommitmentPage]{
			Kind:    store.CommitmentKind,
			Due:     actions.CloseCommitment,
			Find:    findCommitment,
			Show:    Whole((*store.Tx).ShowCommitment),
			View:    views.Commitment,
			Preview: views.CommitmentPreview,
			file:    file[*store.Commitment]{".ics", "text/calendar; charset=utf-8", views.Calendar},
			Actions: []*action.Spec[*store.Commitment]{actions.JoinCommitment, actions.MarkDone,
				actions.OpenCommitment, actions.LeaveCommitment, actions.UpdateCommitment, actions.CloseCommitment},
		}, actions.CommonCommitment),
	)
}

var findCommitment = ByID((*store.Tx).FindCommitment)
