package actions

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/actions/tally"
	"samepage/store"
	"samepage/store/governance"
)

// ChangeResults changes which members see the interim results of an open decision.
var ChangeResults = action.New(action.Action[*governance.Decision, ChangeResultsParams]{
	Name:    "change_results",
	Effects: editsDecision,
	Title:   "Change who sees how it stands",
	Undo:    "Change again: change_results; after ballots only to hide more.",
	Doc: "Say who sees how the vote stands before it is closed. After the first ballot it can " +
		"only be hidden from more people, because those who voted trusted the rule.",
	Past:       "changed who sees the results of",
	Scope:      store.ScopeWrite,
	AllowedFor: store.Chair,
	Aliases:    []string{"tighten_results", "hide_results"},
	Guard:      func(by store.Actor, d *governance.Decision) error { return d.MustTakeResultsBy(by) },
	Offers: func(_ store.Actor, d *governance.Decision) param.Offers {
		others := d.OtherResults()
		return param.Offers{"results": {Options: slices.DeleteFunc(resultOptions(),
			func(o param.Option) bool { return !slices.Contains(others, o.Value) })}}
	},
	Run: func(tx *store.Tx, _ store.Actor, d *governance.Decision, p ChangeResultsParams) (action.Done, error) {
		return action.Done{
			Message: "The rule is changed.",
			Notice:  &store.Notice{Reason: store.ReasonChange},
		}, governance.ChangeResults(tx, d, p.Results)
	},
})

// ChangeResultsParams are the params of [ChangeResults].
type ChangeResultsParams struct {
	Results string `param:"results,choice" doc:"Who sees how it stands before it is closed."`
}

func resultOptions() []param.Option {
	for _, f := range param.Fields(reflect.TypeFor[RuleParams]()) {
		if f.Name == "results" {
			return slices.Clone(f.Options)
		}
	}
	return nil
}

// headline returns the outcome of a decision in one line: the winners and, if the method counts votes and there is no
// tie, the number of votes for the winner. It returns "" without a winner or without a quorum.
func headline(d *governance.Decision, result tally.Result) string {
	if result.Outcome == tally.NoQuorum || len(result.Winners) == 0 {
		return ""
	}
	var titles []string
	for _, w := range result.Winners {
		titles = append(titles, d.Choice[w].Title)
	}
	line := strings.Join(titles, ", ")
	counts := result.Counts.Votes
	if result.Method == tally.Acceptance || result.Method == tally.TimePoll {
		counts = result.Counts.Accepted
	}
	if result.Outcome == tally.Tied || counts == nil {
		return line
	}
	return fmt.Sprintf("%s, %d of %d", line, counts[result.Winners[0]], result.Ballots)
}
