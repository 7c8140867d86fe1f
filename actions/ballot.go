package actions

import (
	"encoding/json"
	"fmt"
	"strconv"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/actions/tally"
	"samepage/store"
	"samepage/store/governance"
)

// CastVote records the actor's whole ballot on a decision.
var CastVote = action.New(action.Action[*governance.Decision, CastVoteParams]{
	Name:       "cast_vote",
	Past:       "voted on",
	Slot:       "options",
	Undo:       "Change: cast_vote. Take back: retract_vote.",
	Title:      "Cast your vote",
	Button:     "Vote",
	Doc:        "Give your whole ballot. Voting again replaces it.",
	Scope:      store.ScopeWrite,
	AllowedFor: store.InStudio,
	Aliases:    []string{"vote", "submit_vote", "cast_ballot"},
	Guard:      func(by store.Actor, d *governance.Decision) error { return d.MustBeVotableBy(by) },
	Offers:     ballotFields,
	Discreet:   true,
	Ballot:     true,
	Check: func(tx *store.Tx, _ store.Actor, d *governance.Decision, p CastVoteParams, bad param.Errors) param.Errors {
		errs := append(checkReceipt(tx, d, p.ReceiptParams, bad), p.unsaid(d, bad)...)
		if spent, budget := sum(p.Dots), Rules(d).Dots(); spent > budget {
			errs = append(errs, param.Error{
				Field:   "dots",
				Message: fmt.Sprintf("These are %d dots. Give at most %d in all.", spent, budget),
			})
		}
		return errs
	},
	Run: func(tx *store.Tx, by store.Actor, d *governance.Decision, p CastVoteParams) (action.Done, error) {
		ballot := p.ballot(d)
		if d.Anonymous {
			return castSealed(tx, by, d, ballot, p)
		}
		running, err := Running(d)
		if err != nil {
			return action.Done{}, err
		}
		if err := subtractBallot(&running, d); err != nil {
			return action.Done{}, err
		}
		if err := running.Add(ballot, 1); err != nil {
			return action.Done{}, fmt.Errorf("count ballot: %w", err)
		}
		text, err := marshal(running)
		if err != nil {
			return action.Done{}, err
		}
		message := "Your ballot is replaced."
		if d.Mine.Voter == "" {
			message = nthBallot(d)
		}
		return action.Done{Message: message, Echo: echo(d, ballot)}, governance.CastBallot(tx, by, d, ballot.String(), p.Reason, text)
	},
})

func nthBallot(d *governance.Decision) string {
	n := d.Ballots + 1
	if n >= d.Electorate {
		return "Your ballot is cast. Everybody who may vote has voted."
	}
	return fmt.Sprintf("Your ballot is cast. %d of %d have voted.", n, d.Electorate)
}

func sum(cells map[string]int) (n int) {
	for _, x := range cells {
		n += x
	}
	return n
}

// CastVoteParams has the fields of a ballot for all methods of voting. A form has only those of the decision's method.
type CastVoteParams struct {
	Accept  []string       `param:"accept,choices,optional" doc:"The options you can live with; none rejects them all."`
	Prefer  []string       `param:"prefer,choices,optional" doc:"Those you like best; each is accepted too."`
	Option  string         `param:"option,choice,optional" doc:"The one you choose."`
	Ranking map[string]int `param:"ranking,grid,optional" min:"1" max:"200" doc:"What you leave out ranks last."`
	Points  map[string]int `param:"points,grid,optional" min:"0" max:"5" doc:"What you leave out gets 0."`
	Dots    map[string]int `param:"dots,grid,optional" min:"0" max:"20" doc:"Your dots for each option, up to the budget in all."`
	Yes     []string       `param:"yes,choices,optional" doc:"The times that suit you."`
	Maybe   []string       `param:"maybe,choices,optional"`
	_       struct{}       `doc:"Those you can make if need be. What is also under yes counts as yes; what you leave out means no."`
	Reason  string         `param:"reason,markdown,optional" max:"2000" doc:"Why, in a sentence or two."`
	ReceiptParams
}

// unsaid refuses a ballot that leaves out accept and prefer, or yes and maybe, because it would reject all options. An
// empty list of accept or yes rejects them on purpose (see [param.Field.Explicit]).
func (p CastVoteParams) unsaid(d *governance.Decision, bad param.Errors) param.Errors {
	switch tally.Method(d.Method).Scale() {
	case tally.Preferences, tally.Approvals:
		if p.Accept == nil && len(p.Prefer) == 0 && !bad.Has("prefer") {
			return param.Errors{{Field: "accept", Message: "is required: name options, or send [] to reject them all"}}
		}
	case tally.Times:
		if p.Yes == nil && len(p.Maybe) == 0 && !bad.Has("maybe") {
			return param.Errors{{Field: "yes", Message: "is required: name times, or send [] if none suits you"}}
		}
	}
	return nil
}

var omitted = &param.Offered{Omit: true}

func ballotFields(by store.Actor, d *governance.Decision) param.Offers {
	options := choices(d)
	mine := make([]int, d.Options)
	if d.Mine.Voter != "" {
		if b, err := tally.ParseMarks(d.Mine.Marks, d.Options); err == nil {
			mine = b.Marks
		}
	}
	o := make(param.Offers, 10)
	o["receipt"] = receiptOffer(d)
	for _, field := range []string{"accept", "prefer", "option", "ranking", "points", "dots", "yes", "maybe"} {
		o[field] = omitted
	}
	switch tally.Method(d.Method).Scale() {
	case tally.Preferences:
		o["accept"] = &param.Offered{Explicit: true, Options: options, Values: marked(mine, 1)}
		o["prefer"] = &param.Offered{Options: options, Values: marked(mine, 2), Proposed: true}
	case tally.Approvals:
		o["accept"] = &param.Offered{Explicit: true, Options: options, Values: marked(mine, 1)}
	case tally.Choice:
		value := ""
		if m := marked(mine, 1); len(m) > 0 {
			value = m[0]
		}
		o["option"] = &param.Offered{Options: options, Required: true, Value: value}
	case tally.Ranks:
		o["ranking"] = &param.Offered{Options: options, Required: true, Max: d.Options, Values: cells(mine)}
	case tally.Points:
		o["points"] = &param.Offered{Options: options, Required: true, Values: cells(mine)}
	case tally.Dots:
		budget := Rules(d).Dots()
		o["dots"] = &param.Offered{
			Options:  options,
			Required: true,
			Max:      budget,
			Values:   cells(mine),
			Doc:      fmt.Sprintf("Spread up to %d dots over the options.", budget),
		}
	case tally.Times:
		o["yes"] = &param.Offered{Explicit: true, Options: options, Values: marked(mine, 2)}
		o["maybe"] = &param.Offered{Options: options, Values: exactly(mine, 1), Proposed: true}
	}
	switch d.Reasons {
	case "off":
		o["reason"] = omitted
	default:
		o["reason"] = &param.Offered{Required: d.Reasons == "required", Value: d.Mine.Reason, Proposed: true}
	}
	return o
}

func marked(marks []int, least int) []string {
	var list []string
	for i, m := range marks {
		if m >= least {
			list = append(list, strconv.Itoa(i+1))
		}
	}
	return list
}

func exactly(marks []int, mark int) []string {
	var list []string
	for i, m := range marks {
		if m == mark {
			list = append(list, strconv.Itoa(i+1))
		}
	}
	return list
}

func cells(marks []int) []string {
	var list []string
	for i, m := range marks {
		if m > 0 {
			list = append(list, fmt.Sprintf("%d=%d", i+1, m))
		}
	}
	return list
}

// ballot converts the params into a ballot. Decoding has checked that every option belongs to the decision.
func (p CastVoteParams) ballot(d *governance.Decision) tally.Ballot {
	b := tally.Ballot{Marks: make([]int, d.Options)}
	mark := func(option string, m int) {
		n, _ := strconv.Atoi(option)
		b.Marks[n-1] = max(b.Marks[n-1], m)
	}
	for _, o := range p.Accept {
		mark(o, 1)
	}
	for _, o := range p.Prefer {
		mark(o, 2)
	}
	if p.Option != "" {
		mark(p.Option, 1)
	}
	for o, rank := range p.Ranking {
		mark(o, rank)
	}
	for o, points := range p.Points {
		mark(o, points)
	}
	for o, dots := range p.Dots {
		mark(o, dots)
	}
	for _, o := range p.Maybe {
		mark(o, 1)
	}
	for _, o := range p.Yes {
		mark(o, 2)
	}
	return b
}

// RetractVote deletes the actor's ballot.
var RetractVote = action.New(action.Action[*governance.Decision, ReceiptParams]{
	Name:       "retract_vote",
	Past:       "took a ballot back from",
	Undo:       "Vote again: cast_vote.",
	Title:      "Take your ballot back",
	Doc:        "Remove your ballot, as if you had not voted.",
	Scope:      store.ScopeWrite,
	AllowedFor: store.InStudio,
	Discreet:   true,
	Ballot:     true,
	Guard:      func(by store.Actor, d *governance.Decision) error { return d.MustBeRetractableBy(by) },
	Offers:     receiptField,
	Check: func(tx *store.Tx, _ store.Actor, d *governance.Decision, p ReceiptParams, bad param.Errors) param.Errors {
		return checkReceipt(tx, d, p, bad)
	},
	Run: func(tx *store.Tx, by store.Actor, d *governance.Decision, p ReceiptParams) (action.Done, error) {
		done := action.Done{Message: "Your ballot is taken back.", Unlinked: d.Anonymous}
		if d.Anonymous {
			return done, governance.RetractSealed(tx, by, d, p.Receipt)
		}
		running, err := Running(d)
		if err != nil {
			return action.Done{}, err
		}
		if err := subtractBallot(&running, d); err != nil {
			return action.Done{}, err
		}
		text, err := marshal(running)
		if err != nil {
			return action.Done{}, err
		}
		return done, governance.RetractBallot(tx, by, d, text)
	},
})

// Running returns the running tally that is stored with an open decision. If none is stored, the tally is empty.
func Running(d *governance.Decision) (tally.Running, error) {
	if d.Tally == "" {
		return Rules(d).Running(tally.Method(d.Method), max(d.Options, 1))
	}
	var r tally.Running
	if err := json.Unmarshal([]byte(d.Tally), &r); err != nil {
		return r, fmt.Errorf("tally of decision %s: %w", d.ID, err)
	}
	return r, nil
}

func subtractBallot(r *tally.Running, d *governance.Decision) error {
	if d.Mine.Voter == "" {
		return nil
	}
	b, err := tally.ParseMarks(d.Mine.Marks, d.Options)
	if err != nil {
		return fmt.Errorf("ballot of decision %s: %w", d.ID, err)
	}
	return r.Remove(b, 1)
}
