package actions

import (
	"fmt"

	"samepage/actions/action"
	"samepage/actions/tally"
	"samepage/store"
	"samepage/store/governance"
)

// CloseDecision ends the voting on a decision, counts the ballots, and records the result.
var CloseDecision = action.New(action.Action[*governance.Decision, CloseDecisionParams]{
	Name:        "close_decision",
	Title:       "Close the vote",
	Past:        "closed",
	Doc:         "End the voting, count the ballots and record the result. It cannot be opened again.",
	Scope:       store.ScopeGovernance,
	AllowedFor:  store.Chair,
	HumanOnly:   true,
	Destructive: true,
	ByClock:     true,
	Guard:       func(by store.Actor, d *governance.Decision) error { return d.MustBeClosableBy(by) },
	Run: func(tx *store.Tx, by store.Actor, d *governance.Decision, p CloseDecisionParams) (action.Done, error) {
		result, err := count(tx, d)
		if err != nil {
			return action.Done{}, err
		}
		text, err := marshal(result)
		if err != nil {
			return action.Done{}, err
		}
		if err := governance.CloseDecision(tx, by, d, p.Statement, string(result.Outcome), text, headline(d, result)); err != nil {
			return action.Done{}, err
		}
		return action.Done{
			Message: "The vote is closed and its result recorded.",
			Notice:  outcomeNotice(p.Statement),
		}, drawLot(tx, d, result)
	},
})

// drawLot publishes the secret of a decision's lot, and breaks a tie with it.
func drawLot(tx *store.Tx, d *governance.Decision, result tally.Result) error {
	if d.Commitment == "" {
		return nil
	}
	secret, err := governance.OpenLot(tx, d)
	if err != nil {
		return err
	}
	lot, err := tally.ParseLot(secret)
	if err != nil || result.Outcome != tally.Tied {
		return err
	}
	drawn, err := lot.Pick(result.Winners, d.LotIDs())
	if err != nil {
		return err
	}
	return governance.DecideByLot(tx, d, drawn+1)
}

// CloseDecisionParams are the params of [CloseDecision].
type CloseDecisionParams struct {
	Statement string `param:"statement,markdown,optional" max:"5000" doc:"What follows from it."`
}

// count counts the votes on a decision. IRV needs the ballots themselves because it has rounds, and anonymous votes
// have no running tally.
func count(tx *store.Tx, d *governance.Decision) (tally.Result, error) {
	method, n, rules := tally.Method(d.Method), max(d.Options, 1), Rules(d).For(d.Electorate)
	if method != tally.IRV && !d.Anonymous {
		running, err := Running(d)
		if err != nil {
			return tally.Result{}, err
		}
		return running.Result(method, rules)
	}
	profiles, err := governance.Profiles(tx, d)
	if err != nil {
		return tally.Result{}, err
	}
	ballots := make([]tally.Ballot, len(profiles))
	for i, p := range profiles {
		if ballots[i], err = tally.ParseMarks(p.Marks, n); err != nil {
			return tally.Result{}, fmt.Errorf("ballot of decision %s: %w", d.ID, err)
		}
		ballots[i].Count = p.Count
	}
	return tally.Count(method, n, ballots, rules)
}

// ShowDecision loads the page of a decision. If the deadline is over but the vote is not closed yet,
// the page already has the result.
func ShowDecision(tx *store.Tx, by store.Actor, d *governance.Decision) (*governance.DecisionPage, error) {
	if d.State() == governance.DecisionDue {
		result, err := count(tx, d)
		if err != nil {
			return nil, err
		}
		if d.Result, err = marshal(result); err != nil {
			return nil, err
		}
	}
	return governance.ShowDecision(tx, by, d)
}

func outcomeNotice(statement string) *store.Notice {
	return &store.Notice{Reason: store.ReasonOutcome, Text: statement, Studio: true}
}
