package tally

import "slices"

// Outcome is how a count ended.
type Outcome string

// The outcomes. An instant runoff that is still open has none yet.
const (
	Undecided Outcome = ""
	Decided   Outcome = "result"    // one winner
	Tied      Outcome = "tie"       // several, for a casting vote or a lot; a lottery of several always
	NoQuorum  Outcome = "no_quorum" // too few ballots, or none that marks what can win
)

// Result is everything a count found. Options are indices from 0; ballots are voters, not lines.
type Result struct {
	Method    Method  `json:"method"`
	Ballots   int     `json:"ballots"` // cast, blank ones included
	Blank     int     `json:"blank"`   // marking nothing
	Outcome   Outcome `json:"outcome"`
	Winners   []int   `json:"winners"` // the full set, ascending; empty without quorum
	Counts    Counts  `json:"counts"`
	Matrix    [][]int `json:"matrix,omitempty"`    // [i][j]: ballots that prefer i to j; for ranks and points
	Condorcet *int    `json:"condorcet,omitempty"` // the option that beats every other in pairs, dropped ones aside; for ranks and points
	Strengths [][]int `json:"strengths,omitempty"` // Schulze: [i][j] is the weakest link of the strongest path; 0 for dropped options
	Dropped   []Drop  `json:"dropped,omitempty"`
	Rounds    []Round `json:"rounds,omitempty"`    // IRV
	Finalists []int   `json:"finalists,omitempty"` // STAR; more than two if a tie leaves open which
	// Order lists options best first, dropped ones left out and equal ones in option order. A tied IRV and a lottery have
	// none.
	Order []int `json:"order,omitempty"`
}

// Counts are the totals of each option, those that the scale has.
type Counts struct {
	Accepted  []int `json:"accepted,omitempty"`  // preferences: accepted, preferred included; times: yes or if need be
	Preferred []int `json:"preferred,omitempty"` // preferences; times: yes
	Votes     []int `json:"votes,omitempty"`     // choice and approvals
	Marked    []int `json:"marked,omitempty"`    // ranks, points and dots: ballots that rank it, or give it any
	First     []int `json:"first,omitempty"`     // ranks: ballots it would have in a first IRV round
	Points    []int `json:"points,omitempty"`    // points: sum
	Fives     []int `json:"fives,omitempty"`     // points: ballots that give it the most
	Dots      []int `json:"dots,omitempty"`      // dots: sum
}

// of lists the totals that a scale has.
func (c *Counts) of(s Scale) []*[]int {
	switch s {
	case Preferences, Times:
		return []*[]int{&c.Accepted, &c.Preferred}
	case Ranks:
		return []*[]int{&c.Marked, &c.First}
	case Points:
		return []*[]int{&c.Marked, &c.Points, &c.Fives}
	case Dots:
		return []*[]int{&c.Marked, &c.Dots}
	case Nothing:
		return nil
	}
	return []*[]int{&c.Votes}
}

// Round is one round of an instant runoff. Counts has every option, with 0 for those that are out.
type Round struct {
	Counts     []int `json:"counts"`
	Active     int   `json:"active"`    // ballots that count for an option
	Threshold  int   `json:"threshold"` // more than half of them
	Overvotes  int   `json:"overvotes"` // ballots that ended at several options of one rank
	Skipped    int   `json:"skipped"`   // ballots that ended at two blank ranks in a row
	Exhausted  int   `json:"exhausted"` // ballots with no option left
	Eliminated []int `json:"eliminated,omitempty"`
	// Tied lists the options that were lowest together, if there were several; Tie says what was done.
	Tied []int    `json:"tied,omitempty"`
	Tie  TieBreak `json:"tie,omitempty"`
}

// TieBreak says what was done about several options tied for elimination.
type TieBreak string

// The tie breaks, in the order they are tried.
const (
	EarlierRound TieBreak = "earlier_round" // the one with fewest ballots in the latest earlier round that differs left
	Together     TieBreak = "together"      // all left: together they could not catch the next
	EveryOrder   TieBreak = "every_order"   // each was taken as the one who leaves; the winners are those of all these counts
	Removed      TieBreak = "removed"       // all left, because there are too many orders to try
	Unbroken     TieBreak = "unbroken"      // there are too many orders to try and nobody else is left: all win
)

// Answers are the ballots that say yes, if need be and no to each moment of a time poll, a blank ballot saying no to all;
// nil of any other method.
func (r Result) Answers() (yes, maybe, no []int) {
	if r.Method.Scale() != Times {
		return nil, nil, nil
	}
	for i, can := range r.Counts.Accepted {
		sure := r.Counts.Preferred[i]
		yes, maybe, no = append(yes, sure), append(maybe, can-sure), append(no, r.Ballots-can)
	}
	return yes, maybe, no
}

// decide records the winners and what that makes of the count.
func (r *Result) decide(winners []int) {
	r.Winners, r.Outcome = winners, Decided
	switch {
	case len(winners) == 0:
		r.Winners, r.Outcome = []int{}, NoQuorum
	case len(winners) > 1:
		r.Outcome = Tied
	}
}

// remaining lists the options that were not dropped.
func (r *Result) remaining() []int {
	var in []int
	for i := range r.Matrix {
		if !slices.ContainsFunc(r.Dropped, func(d Drop) bool { return d.Option == i }) {
			in = append(in, i)
		}
	}
	return in
}
