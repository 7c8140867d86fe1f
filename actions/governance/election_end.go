package governance

import (
	"fmt"

	"samepage/actions"
	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/governance"
)

// electionPhased declares an action that moves an election to another phase. The function `to` returns the new phase,
// and `do` stores it.
func electionPhased(name, title, past, undo, doc string, guard func(*Election, store.Actor) error,
	to func(*Election) string,
	do func(*store.Tx, *Election) error,
) *action.Spec[*Election] {
	return phaseAction(name, title, past, undo, doc, guard,
		func(e *Election) action.Done {
			done := action.Done{Message: "The election is in the phase " + governance.PhaseWords[to(e)] + ".",
				Notice: &store.Notice{Reason: store.ReasonChange, Studio: true}}
			if e.Secret() {
				done.Message, done.Undo = "The nominations are revealed.", "What is revealed stays revealed."
			}
			return done
		}, do)
}

// AdvanceElection begins the discussion or the change round.
var AdvanceElection = electionPhased(advanceElection, "Begin the next phase", "began the next phase of",
	"Go back: step_back. What is revealed stays revealed.",
	"Begin the next phase: the discussion, which reveals all nominations with their reasons, or the round in which members "+
		"may change theirs.",
	(*Election).MustBeAdvancedBy, (*Election).NextElectionPhase, governance.AdvanceElection)

// StepBackElection returns an election to the previous phase.
var StepBackElection = electionPhased(stepBack, "Back to the phase before", "took back a phase",
	"Forward again: advance_election, or propose_candidate after the change round.",
	"Go back to the change round or to the discussion. Responses on the candidate do not count in another round.",
	(*Election).MustBeSteppedBackBy, (*Election).PreviousElectionPhase, governance.StepBackElection)

// ProposeCandidate proposes a nominee and asks the studio for consent.
var ProposeCandidate = action.New(action.Action[*Election, CandidateParams]{
	Name:  "propose_candidate",
	Undo:  "Propose another: propose_candidate. Go back: step_back.",
	Title: "Propose a candidate",
	Past:  "proposed a candidate in",
	Doc: "Choose one of the nominees by what was said for them, not by their number, and ask everybody in the studio whether " +
		"anything stands against them. Responses on an earlier candidate do not count.",
	Scope:      store.ScopeGovernance,
	AllowedFor: store.Chair,
	HumanOnly:  true,
	Guard:      func(by store.Actor, e *Election) error { return e.MustTakeCandidateFrom(by) },
	Offers: func(_ store.Actor, e *Election) param.Offers {
		var list []param.Option
		for _, n := range e.Electable() {
			list = append(list, param.Option{Value: n.Handle, Label: fmt.Sprintf("@%s, nominated by %d", n.Handle, n.Count)})
		}
		return param.Offers{"candidate": {Options: list}}
	},
	Run: func(tx *store.Tx, by store.Actor, e *Election, p CandidateParams) (action.Done, error) {
		for _, n := range e.Electable() {
			if n.Handle == p.Candidate {
				return action.Done{
					Message: "@" + n.Handle + " is proposed. Everybody in the studio is asked.",
					Notice:  &store.Notice{Reason: store.ReasonChange, Text: p.Reason, Studio: true},
				}, governance.ProposeCandidate(tx, by, e, n.ID, p.Reason)
			}
		}
		return action.Done{}, store.Errorf(store.Conflict, "That member is no nominee any more.")
	},
})

// CandidateParams has the candidate and the reason for proposing them.
type CandidateParams struct {
	Candidate string `param:"candidate,choice" doc:"Which nominee."`
	Reason    string `param:"reason,markdown" max:"2000" doc:"What speaks for them."`
}

// RespondToElection takes a position on the candidate.
var RespondToElection = respond[*Election](respondToElection, "responded to the candidate in",
	"Say whether anything stands against this candidate in this role, not whether you like them best.",
	"Nobody can be elected until your objection is settled.")

// These actions settle objections to a candidate.
var (
	WithdrawElectionObjection = withdrawObjection[*Election](respondToElection)
	MarkElectionIntegrated    = markIntegrated[*Election](respondToElection)
	RuleElectionInvalid       = ruleInvalid[*Election](respondToElection,
		"it names no harm, or none that this candidate in this role causes.")
)

// Elect gives the role to the candidate.
var Elect = action.New(action.Action[*Election, StatementParams]{
	Name:  "elect_candidate",
	Title: "Elect the candidate",
	Past:  "filled by election:",
	Doc: "Give the role to the candidate: no objection is open, enough have responded, and all have or the time is over. The " +
		"roles that mirror it change with it.",
	Scope:       store.ScopeGovernance,
	AllowedFor:  store.Chair,
	HumanOnly:   true,
	Destructive: true,
	Guard:       func(by store.Actor, e *Election) error { return e.MustBeElectableBy(by) },
	Run: func(tx *store.Tx, by store.Actor, e *Election, p StatementParams) (action.Done, error) {
		changes, err := governance.Elect(tx, by, e, p.Statement)
		if err != nil {
			return action.Done{}, err
		}
		n := outcome(p.Statement)
		n.Studio = true
		also := actions.RoleChanges(changes)
		also[0].Told = "elected you as"
		also[0].Notice = &store.Notice{Reason: store.ReasonAssignment, To: []string{e.CandidateID}}
		return action.Done{Message: "@" + e.Candidate + " is elected, and holds the role.", Notice: n, Also: also}, nil
	},
})

// electionEnd declares an action that ends an election without filling the role. The argument became is the outcome.
func electionEnd(name, title, past, doc, message, became string, guard func(*Election, store.Actor) error,
) *action.Spec[*Election] {
	return action.New(action.Action[*Election, StatementParams]{
		Name:        name,
		Title:       title,
		Past:        past,
		Doc:         doc,
		Scope:       store.ScopeGovernance,
		AllowedFor:  store.Chair,
		HumanOnly:   true,
		Destructive: true,
		Guard:       func(by store.Actor, e *Election) error { return guard(e, by) },
		Run: func(tx *store.Tx, by store.Actor, e *Election, p StatementParams) (action.Done, error) {
			return action.Done{Message: message, Notice: outcome(p.Statement)},
				governance.EndElection(tx, by, e, became, p.Statement, "")
		},
	})
}

const (
	endElection    = "end_election"
	cancelElection = "cancel_election"
)

// EndElection ends an election without filling the role. The nominations stay readable.
var EndElection = electionEnd(endElection, "End without a choice", "ended without a choice:",
	"End the election without filling the role. It stays readable, with all nominations.",
	"The election has ended without a choice.", governance.NoElection, (*Election).MustBeGivenUpBy)

// CancelElection cancels an election. Nominations that are still secret are deleted.
var CancelElection = electionEnd(cancelElection, "Cancel the election", "cancelled",
	"Take the election back. Nominations that are not revealed are deleted and never shown.",
	"The election is cancelled.", governance.Cancelled, (*Election).MustBeFacilitatedBy)

// EndElectionPeriod records that the time to respond to a candidate is over. Only the scheduler may take this action.
var EndElectionPeriod = action.New(action.Action[*Election, struct{}]{
	Name:       endPeriod,
	Title:      "End the time to respond",
	Past:       "ended the time to respond to",
	Doc:        "Tell that the time to respond is over. A person elects the candidate, or proposes another. The scheduler does it.",
	Scope:      store.ScopeGovernance,
	AllowedFor: store.Clock,
	ByClock:    true,
	Guard:      func(by store.Actor, e *Election) error { return e.MustBeEndableBy(by) },
	Run: func(tx *store.Tx, _ store.Actor, e *Election, _ struct{}) (action.Done, error) {
		return action.Done{Message: "The time to respond is over.", Notice: outcome("")}, governance.EndElectionPeriod(tx, e)
	},
})
