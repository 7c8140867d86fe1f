package actions

import (
	"errors"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
)

var _ = action.Describe[*Held](
	"The request of an agent to take one action, which waits until a person approves or rejects it.",
	store.ApprovalStates()...)

// Held is an action that an agent has asked for and that waits for a person's answer. Replay takes the action on behalf
// of the agent, with the agent's present permissions.
type Held struct {
	*store.Approval
	Replay  func(tx *store.Tx, by store.Actor) (Replayed, error)
	Refusal error // the reason why the action cannot be taken now, if the request is pending; nil if it can
}

// Replayed is the result of an action that was taken after its approval.
type Replayed struct{ Message, URL, Secret string }

// Approve takes the action that an agent has asked for.
var Approve = action.New(action.Action[*Held, AnswerParams]{
	Name:  "approve_request",
	Past:  "approved",
	Slot:  "answer",
	Undo:  "What was done is undone on its own page.",
	Title: "Approve",
	Doc: "Let it be done now, as the agent asked and in its name. It is done once, and only if it " +
		"is still possible.",
	Scope:      store.ScopeGovernance,
	AllowedFor: store.Self | store.Owner,
	HumanOnly:  true,
	Guard: func(by store.Actor, h *Held) error {
		if err := h.MustBeAnswerableBy(by); err != nil {
			return err
		}
		return h.Refusal
	},
	Run: func(tx *store.Tx, by store.Actor, h *Held, p AnswerParams) (action.Done, error) {
		a := *h.Approval
		a.Verdict, a.Comment = "approved", p.Comment
		done, err := h.Replay(tx, by)
		if err != nil {
			if !isFinal(err) {
				return action.Done{}, err
			}
			a.Failure = err.Error()
			return action.Done{Message: "Approved, but it could not be done: " + a.Failure,
				Undo: "Nothing was done. The agent can ask again."}, tx.SettleApproval(by, &a)
		}
		a.Outcome, a.OutcomeURL = done.Message, done.URL
		return action.Done{
			Message: "Approved and done: " + done.Message,
			Secret:  done.Secret,
		}, tx.SettleApproval(by, &a)
	},
})

// isFinal reports whether the same action would be refused again with this error. An error of the database is not
// final.
func isFinal(err error) bool {
	if _, ok := errors.AsType[param.Errors](err); ok {
		return true
	}
	switch store.CodeOf(err) {
	case store.Invalid, store.Unauthenticated, store.Forbidden, store.NotFound, store.Conflict, store.TooLarge:
		return true
	}
	return false
}

// Reject refuses the action that an agent has asked for.
var Reject = action.New(action.Action[*Held, AnswerParams]{
	Name:       "reject_request",
	Past:       "rejected",
	Slot:       "answer",
	Undo:       "The agent can ask again.",
	Title:      "Reject",
	Doc:        "Refuse it. Nothing is done; the agent reads your comment here.",
	Scope:      store.ScopeGovernance,
	AllowedFor: store.Self | store.Owner,
	HumanOnly:  true,
	Guard:      func(by store.Actor, h *Held) error { return h.MustBeAnswerableBy(by) },
	Run: func(tx *store.Tx, by store.Actor, h *Held, p AnswerParams) (action.Done, error) {
		return settle(tx, by, h, "rejected", p.Comment, "Rejected. Nothing was done.")
	},
})

func settle(tx *store.Tx, by store.Actor, h *Held, verdict, comment, message string) (action.Done, error) {
	a := *h.Approval
	a.Verdict, a.Comment = verdict, comment
	return action.Done{Message: message}, tx.SettleApproval(by, &a)
}

// AnswerParams are the params of [Approve] and [Reject].
type AnswerParams struct {
	Comment string `param:"comment,markdown,optional" max:"2000" doc:"What the agent should know, such as why not."`
}

// Withdraw lets an agent take back a request of its own.
var Withdraw = action.New(action.Action[*Held, struct{}]{
	Name:       "withdraw_request",
	Past:       "withdrew",
	Undo:       "Ask again by the same call.",
	Title:      "Withdraw",
	Doc:        "Take back what you asked for. Nobody needs to answer any more.",
	Scope:      store.ScopeRead,
	AllowedFor: store.Self,
	Guard:      func(by store.Actor, h *Held) error { return h.MustBeWithdrawableBy(by) },
	Run: func(tx *store.Tx, by store.Actor, h *Held, _ struct{}) (action.Done, error) {
		return settle(tx, by, h, "withdrawn", "", "Withdrawn. Nothing was done.")
	},
})

// Expire ends a request that nobody has answered in time. Only the scheduler takes this action.
var Expire = action.New(action.Action[*Held, struct{}]{
	Name:       "expire_request",
	Past:       "let expire",
	Title:      "Expire",
	Doc:        "End the wait for an answer. The scheduler does it after seven days.",
	Scope:      store.ScopeWrite,
	AllowedFor: store.Clock,
	ByClock:    true,
	Guard:      func(by store.Actor, h *Held) error { return h.MustBeDueFor(by) },
	Run: func(tx *store.Tx, by store.Actor, h *Held, _ struct{}) (action.Done, error) {
		return settle(tx, by, h, "expired", "", "Nobody answered in time.")
	},
})
