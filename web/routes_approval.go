package web

import (
	"samepage/actions"
	"samepage/actions/action"
	"samepage/store"
	"samepage/views"
	"samepage/views/page"
)

// approvalRoutes are the pages of agents' held calls.
func (s *Site) approvalRoutes() []*boundRoute {
	return []*boundRoute{
		route[here, *store.ApprovalsPage]{
			pattern: "/approvals",
			version: byJournals,
			query:   []string{"show", "after"},
			find:    signedIn,
			show: func(tx *store.Tx, by store.Actor, _ here, at *location) (*store.ApprovalsPage, error) {
				return tx.ShowApprovals(by, at.query.Get("show") == "answered", at.query.Get("after"))
			},
			view: views.Approvals,
		}.close(),
		route[*actions.Held, *actions.Held]{
			pattern: approvalPattern,
			find:    s.findHeld,
			show:    same[*actions.Held],
			view:    func(by store.Actor, h *actions.Held) page.Page { return views.Approval(by, h.Approval) },
			actions: []*action.Spec[*actions.Held]{actions.Approve, actions.Reject, actions.Withdraw, actions.Expire},
		}.close(),
	}
}

const approvalPattern = "/approvals/{id}"

func (s *Site) findHeld(tx *store.Tx, by store.Actor, at *location) (*actions.Held, error) {
	a, err := tx.FindApproval(by, at.arg("id"))
	return &actions.Held{Approval: a, Replay: func(tx *store.Tx, by store.Actor) (actions.Replayed, error) {
		return s.replay(tx, by, a)
	}}, err
}
