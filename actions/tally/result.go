package tally

import "slices"

// Outcome is the outcome of a count.
type Outcome string

// The outcomes. An instant runoff that is still open has none yet.
const (
	Undecided Outcome = ""
	Decided   Outcome = "result"    // one winner
	Tied      Outcome = "tie"       // several, for a casting vote or a lot; a lottery of several always
	NoQuorum  Outcome = "no_quorum" // too few ballots, or no ballot that marks a possible winner
)

// Result is everything that a count finds. Options are indices from 0. Numbers of ballots are
// numbers of voters, not of lines.
type Result struct {
	Method  Method  `json:"method"`
	Ballots int     `json:"ballots"` // cast, blank ones included
	Blank   int     `json:"blank"`   // without marks
	Outcome Outcome `json:"outcome"`
	Winners []int   `json:"winners"` // the full set, ascending; empty without quorum
	Counts  Counts  `json:"counts"`
	Matrix  [][]int `json:"matrix,omitempty"` // [i][j]: ballots that prefer i to j; for ranks and points
	// the option that beats every other in pairs, dropped ones aside; for ranks and points
	Condorcet *int `json:"condorcet,omitempty"`
	// Schulze: [i][j] is the weakest link of the strongest path; 0 for dropped options
	Strengths [][]int `json:"strengths,omitempty"`
	Dropped   []Drop  `json:"dropped,omitempty"`
	Rounds    []Round `json:"rounds,omitempty"`    // IRV
	Finalists []int   `json:"finalists,omitempty"` // STAR; more than two if a tie leaves the pair open
	// Order lists options best first, without the dropped ones, and equal options in option
	// order. A tied IRV and a lottery have none.
	Order []int `json:"order,omitempty"`
}

// Counts are the totals of each option. Which totals are set depends on the scale.
type Counts struct {
	Accepted  []int `json:"accepted,omitempty"`  // preferences: accepted, preferred included; times: yes or if need be
	Preferred []int `json:"preferred,omitempty"` // preferences; times: yes
	Votes     []int `json:"votes,omitempty"`     // choice and approvals
	Marked    []int `json:"marked,omitempty"`    // ranks, points and dots: ballots that rank it, or give it any
	First     []int `json:"first,omitempty"`     // ranks: ballots it would have in a first IRV round
	Points    []int `json:"points,omitempty"`    // points: sum
	Fives     []int `json:"fives,omitempty"`     // points: ballots that give it the highest score
	Dots      []int `json:"dots,omitempty"`      // dots: sum
}

// of returns the totals that a scale uses.
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

// Round is one round of an instant runoff. Counts has every option, with 0 for eliminated ones.
type Round struct {
	Counts     []int `json:"counts"`
	Active     int   `json:"active"`    // ballots that count for an option
	Threshold  int   `json:"threshold"` // more than half of them
	Overvotes  int   `json:"overvotes"` // ballots that ended at several options of one rank
	Skipped    int   `json:"skipped"`   // ballots that ended at too many blank ranks in a row
	Exhausted  int   `json:"exhausted"` // ballots with no option left
	Eliminated []int `json:"eliminated,omitempty"`
	// Tied lists the options that were lowest together, if there were several; Tie is the rule
	// that was applied.
	Tied []int    `json:"tied,omitempty"`
	Tie  TieBreak `json:"tie,omitempty"`
}

// TieBreak is the rule applied to several options tied for elimination.
type TieBreak string

// The tie breaks, in the order they are tried.
const (
	EarlierRound TieBreak = "earlier_round" // the one with fewest ballots in the latest earlier round that differs left
	Together     TieBreak = "together"      // all left: together they have fewer ballots than the next option
	EveryOrder   TieBreak = "every_order"   // each was tried as the one to leave; the winners of any order win
	Removed      TieBreak = "removed"       // all left, because there are too many orders to try
	Unbroken     TieBreak = "unbroken"      // there are too many orders to try and no other option is left: all win
)

// Answers returns, for each moment of a time poll, the ballots with yes, if need be and no. A
// blank ballot is a no to all. It is nil for other methods.
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

// decide records the winners and the outcome.
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
