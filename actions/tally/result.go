package tally

import "slices"

// Outcome says how a count ended: with one winner, with a tie, or without a quorum.
type Outcome string

// The outcomes. The running tally of an instant runoff with a quorum is Undecided, because rounds are counted only at
// the end.
const (
	Undecided Outcome = ""
	Decided   Outcome = "result"    // one winner
	Tied      Outcome = "tie"       // several winners; a casting vote or a lot decides
	NoQuorum  Outcome = "no_quorum" // too few ballots, or no marks; see [Count]
)

// Result is the result of a count. Options are indices, from 0. Numbers of ballots are numbers of voters.
type Result struct {
	Method  Method  `json:"method"`
	Ballots int     `json:"ballots"` // all ballots, including blank ones
	Blank   int     `json:"blank"`   // ballots without marks
	Outcome Outcome `json:"outcome"`
	Winners []int   `json:"winners"` // in ascending order; empty without a quorum
	Counts  Counts  `json:"counts"`
	Matrix  [][]int `json:"matrix,omitempty"` // [i][j]: ballots that prefer i to j; for ranks and points
	// Condorcet is the option that beats every other option in a comparison of the two, without dropped options. It is
	// nil if there is none, without a quorum, and for all scales except ranks and points.
	Condorcet *int `json:"condorcet,omitempty"`
	// Strengths is for Schulze: [i][j] is the strength of the strongest path from i to j, or 0 for dropped options. The
	// strength of a path is that of its weakest link.
	Strengths [][]int `json:"strengths,omitempty"`
	Dropped   []Drop  `json:"dropped,omitempty"`
	Rounds    []Round `json:"rounds,omitempty"`    // for IRV
	Finalists []int   `json:"finalists,omitempty"` // for STAR; more than two if a tie leaves the pair open
	// Order lists the options, best first, without dropped options. Equal options are in the order of their indices.
	// Order is empty without a quorum, for a lottery, and for an instant runoff without a single winner.
	Order []int `json:"order,omitempty"`
}

// Counts has totals for each option. Totals that the scale of the ballots does not have are nil.
type Counts struct {
	// Accepted counts the ballots that accept or prefer the option, and for time polls those with yes or if need be.
	Accepted  []int `json:"accepted,omitempty"`
	Preferred []int `json:"preferred,omitempty"` // ballots that prefer the option; for time polls: yes
	Votes     []int `json:"votes,omitempty"`     // choice and approvals: ballots for the option
	Marked    []int `json:"marked,omitempty"`    // ranks, points and dots: ballots that mark the option
	First     []int `json:"first,omitempty"`     // ranks: ballots on which IRV reads the option first, dropped or not
	Points    []int `json:"points,omitempty"`    // points: sum of points
	Fives     []int `json:"fives,omitempty"`     // points: ballots that give the option the highest score
	Dots      []int `json:"dots,omitempty"`      // dots: sum of dots
}

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

// Round is one round of an instant runoff. Counts is 0 for options that were dropped or eliminated earlier.
type Round struct {
	Counts     []int `json:"counts"`
	Active     int   `json:"active"`    // ballots that count for an option in this round
	Threshold  int   `json:"threshold"` // the least number that is more than half of Active
	Overvotes  int   `json:"overvotes"` // ballots that ended at a rank with several options
	Skipped    int   `json:"skipped"`   // ballots that ended at too many blank ranks in a row
	Exhausted  int   `json:"exhausted"` // ballots on which all ranked options are eliminated
	Eliminated []int `json:"eliminated,omitempty"`
	// Tied lists the options that shared the lowest count, if there were several, and Tie is the rule that broke the
	// tie.
	Tied []int    `json:"tied,omitempty"`
	Tie  TieBreak `json:"tie,omitempty"`
}

// TieBreak is a rule for several options that are tied for elimination.
type TieBreak string

// The rules for a tie, in the order in which they are tried.
const (
	// EarlierRound eliminates the lowest of the tied options in the latest earlier round in which their counts differ.
	// If several are the lowest there, still earlier rounds decide between these.
	EarlierRound TieBreak = "earlier_round"
	// Together eliminates the tied options, and as few of the next lowest options as necessary, if in sum they have
	// fewer ballots than the option that follows.
	Together TieBreak = "together"
	// EveryOrder repeats the count for each of the tied options, with that option eliminated. Each winner of these
	// counts is a winner.
	EveryOrder TieBreak = "every_order"
	// Removed eliminates all options that are still tied, because there are too many orders to try.
	Removed TieBreak = "removed"
	// Unbroken lets all tied options win, because there are too many orders to try and no other option is left.
	Unbroken TieBreak = "unbroken"
)

// Answers returns the numbers of ballots with yes, if need be, and no for each option of a time poll. A blank ballot
// counts as no to all options. The results are nil for other methods.
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

func (r *Result) decide(winners []int) {
	r.Winners, r.Outcome = winners, Decided
	switch {
	case len(winners) == 0:
		r.Winners, r.Outcome = []int{}, NoQuorum
	case len(winners) > 1:
		r.Outcome = Tied
	}
}

func (r *Result) remaining() []int {
	var in []int
	for i := range r.Matrix {
		if !slices.ContainsFunc(r.Dropped, func(d Drop) bool { return d.Option == i }) {
			in = append(in, i)
		}
	}
	return in
}

// Ranks returns the rank of each of n options by Order, from 1. Options that the voting method does not tell apart
// share a rank. The rank is 0 for options that are not in Order.
func (r *Result) Ranks(n int) []int {
	c := &r.Counts
	keys := [][]int{c.Accepted, c.Preferred, c.Votes, c.Points, c.Dots}
	switch {
	case len(r.Strengths) > 0:
		keys = [][]int{r.Beats()}
	case len(r.Rounds) > 0:
		keys = r.left()
	}
	ranks := make([]int, n)
	for k, i := range r.Order {
		if i < 0 || i >= n {
			continue
		}
		ranks[i] = k + 1
		if k == 0 {
			continue
		}
		before := r.Order[k-1]
		differ := func(key []int) bool { return len(key) > max(before, i) && key[before] != key[i] }
		if before < n && r.place(before) == r.place(i) && !slices.ContainsFunc(keys, differ) {
			ranks[i] = ranks[before]
		}
	}
	return ranks
}

// left returns two numbers for each option: the round of an instant runoff in which the option was eliminated, or 0 for
// a remaining option, and its votes in that round or in the last one.
func (r *Result) left() [][]int {
	round, votes := make([]int, len(r.Rounds[0].Counts)), slices.Clone(r.Rounds[len(r.Rounds)-1].Counts)
	for k := range r.Rounds {
		for _, i := range r.Rounds[k].Eliminated {
			round[i], votes[i] = k+1, r.Rounds[k].Counts[i]
		}
	}
	return [][]int{round, votes}
}
