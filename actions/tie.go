package actions

import (
	"encoding/json"
	"slices"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/actions/tally"
	"samepage/store"
	"samepage/store/governance"
)

// CastDecidingVote breaks a tie with the casting vote.
var CastDecidingVote = action.New(action.Action[*governance.Decision, CastDecidingVoteParams]{
	Name:        "cast_deciding_vote",
	Title:       "Break the tie",
	Past:        "broke the tie of",
	Doc:         "Choose one of the tied options. This is the casting vote.",
	Scope:       store.ScopeGovernance,
	AllowedFor:  store.InStudio,
	HumanOnly:   true,
	Destructive: true,
	Guard:       func(by store.Actor, d *governance.Decision) error { return d.MustBeTiedFor(by) },
	Offers: func(_ store.Actor, d *governance.Decision) param.Offers {
		var tied []param.Option
		var result tally.Result
		json.Unmarshal([]byte(d.Result), &result) // CloseDecision has stored it as JSON
		all := choices(d)
		for i, at := range d.Order() {
			if slices.Contains(result.Winners, at) {
				tied = append(tied, all[i])
			}
		}
		return param.Offers{"option": {Options: tied}}
	},
	Run: func(tx *store.Tx, by store.Actor, d *governance.Decision, p CastDecidingVoteParams) (action.Done, error) {
		return action.Done{
			Message: "The tie is broken.",
			Notice:  outcomeNotice(p.Statement),
		}, governance.DecideTie(tx, by, d, p.number(), p.Statement)
	},
})

// CastDecidingVoteParams are the params of [CastDecidingVote].
type CastDecidingVoteParams struct {
	OptionParams
	CloseDecisionParams
}
