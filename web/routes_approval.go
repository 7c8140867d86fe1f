package web

import (
	"samepage/actions"
	"samepage/actions/action"
	"samepage/store"
	"samepage/views"
)

func (s *Site) approvalRoutes() []*BoundRoute {
	return []*BoundRoute{
		Route[noSubject, *store.ApprovalsPage]{
			Pattern: "/approvals",
			Version: ByJournals,
			Query:   []string{"show=answered", "after"},
			Find:    signedIn,
			Show: func(tx *store.Tx, by store.Actor, _ noSubject, at *Location) (*store.ApprovalsPage, error) {
				return tx.ShowApprovals(by, at.Query.Get("show") == "answered", at.Query.Get("after"))
			},
			View: views.Approvals,
		}.Close(),
		Route[*actions.Held, *views.ApprovalPage]{
			Pattern: approvalPattern,
			Find:    s.findHeld,
			Show: func(tx *store.Tx, by store.Actor, h *actions.Held, _ *Location) (*views.ApprovalPage, error) {
				work, err := tx.ErrandOf(by, h.TokenID)
				return &views.ApprovalPage{Approval: h.Approval, Work: work, Refusal: h.Refusal}, err
			},
			View:    views.Approval,
			Actions: []*action.Spec[*actions.Held]{actions.Approve, actions.Reject, actions.Withdraw, actions.Expire},
		}.Close(),
	}
}

const approvalPattern = "/approvals/{id}"

func (s *Site) findHeld(tx *store.Tx, by store.Actor, at *Location) (*actions.Held, error) {
	a, err := tx.FindApproval(by, at.Arg("id"))
	if err != nil {
		return nil, err
	}
	h := &actions.Held{Approval: a, Replay: func(tx *store.Tx, by store.Actor) (actions.Replayed, error) {
		return s.replay(tx, by, a)
	}}
	if h.Refusal = s.refusal(tx, a); store.CodeOf(h.Refusal) != store.Conflict {
		err = h.Refusal
	}
	return h, err
}
