package web

import (
	"slices"

	"samepage/actions"
	"samepage/actions/action"
	"samepage/store"
	"samepage/views"
)

var commitmentNoun = noun{
	routes: commitmentRoutes,
	create: actions.CreateCommitment,
	begin:  views.ToCommit,
	answer: map[string]views.Verb{store.WaitsForMark: verbOf(actions.MarkDone)},
}

// commitmentRoutes are the commitments of a studio.
func commitmentRoutes() []*boundRoute {
	return slices.Concat([]*boundRoute{
		route[*store.Studio, *store.CommitmentsPage]{
			pattern: "/studios/{studio}/commitments",
			query:   []string{"after"},
			find:    findStudio,
			show:    from("after", (*store.Tx).ShowCommitments),
			view:    views.Commitments,
		}.close(),
		route[*store.Commitment, *store.ParticipantsPage]{
			pattern: "/studios/{studio}/c/{id}/participants",
			kind:    store.CommitmentKind.Name,
			query:   []string{"after"},
			find:    findCommitment,
			show:    from("after", (*store.Tx).ShowParticipants),
			view:    views.Participants,
		}.close(),
	},
		items(route[*store.Commitment, *store.CommitmentPage]{
			pattern: "/studios/{studio}/c/{id}",
			kind:    store.CommitmentKind.Name,
			due:     actions.CloseCommitment,
			find:    findCommitment,
			show:    whole((*store.Tx).ShowCommitment),
			view:    views.Commitment,
			preview: views.CommitmentPreview,
			file:    file[*store.Commitment]{".ics", "text/calendar; charset=utf-8", views.Calendar},
			actions: []*action.Spec[*store.Commitment]{actions.JoinCommitment, actions.MarkDone,
				actions.OpenCommitment, actions.LeaveCommitment, actions.UpdateCommitment, actions.CloseCommitment},
		}, actions.CommonCommitment),
	)
}

func findCommitment(tx *store.Tx, by store.Actor, at *location) (*store.Commitment, error) {
	return tx.FindCommitment(by, at.arg("studio"), at.arg("id"))
}
