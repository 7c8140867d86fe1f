package web

import (
	"slices"

	"samepage/actions"
	"samepage/actions/action"
	"samepage/store"
	"samepage/store/governance"
	"samepage/views"
)

var commitmentNoun = Noun{
	Kind:   governance.CommitmentKind,
	Routes: commitmentRoutes,
	Create: actions.CreateCommitment,
	Answer: map[string]views.Verb{store.WaitsForMark: ButtonOf(actions.MarkDone)},
}

func commitmentRoutes() []*BoundRoute {
	return slices.Concat([]*BoundRoute{
		Route[*governance.Commitment, *governance.ParticipantsPage]{
			Pattern: ItemPattern(governance.CommitmentKind) + "/participants",
			Kind:    governance.CommitmentKind,
			Query:   []string{"after"},
			Find:    findCommitment,
			Show:    From("after", governance.ShowParticipants),
			View:    views.Participants,
		}.Close(),
	},
		Items(Route[*governance.Commitment, *governance.CommitmentPage]{
			Kind:    governance.CommitmentKind,
			Due:     actions.CloseCommitment,
			Find:    findCommitment,
			Show:    Whole(governance.ShowCommitment),
			View:    views.Commitment,
			Preview: views.CommitmentPreview,
			file:    file[*governance.Commitment]{".ics", "text/calendar; charset=utf-8", views.Calendar},
			Actions: []*action.Spec[*governance.Commitment]{actions.JoinCommitment, actions.MarkDone,
				actions.OpenCommitment, actions.LeaveCommitment, actions.UpdateCommitment, actions.CloseCommitment},
		}, actions.CommonCommitment),
	)
}

var findCommitment = ByID(governance.FindCommitment)
