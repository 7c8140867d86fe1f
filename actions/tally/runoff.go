package tally

import "slices"

// universes limits the number of sets of remaining options that a count examines to find all winners after a tie for
// elimination. It suffices for a first tie with up to ten options left. The problem is NP-complete (Conitzer, Rognlie
// and Xia 2009).
const universes = 1024

// runoff is one count by instant runoff. In each round, a ballot counts for the highest of its options that were not
// eliminated. An option wins if it has more than half of the ballots that count. Otherwise the lowest option, which has
// the fewest ballots, is eliminated. If batch is true, the lowest options are eliminated at once if together they
// have fewer ballots than the next option.
//
// If several options are tied as the lowest, the first of these rules that decides is applied:
//
//  1. The latest earlier round in which the tied options differ decides between them.
//  2. The tied options are eliminated together, with as few of the next options as necessary, if all these options
//     together have fewer ballots than the option that follows. In any order, all of them would be eliminated before
//     the option that follows.
//  3. Every order is tried, and every option that wins in one of the orders is a winner. Within these counts, rule 1
//     uses only the rounds up to this tie, because those are the same in all orders.
//  4. If rule 3 needs more than universes sets of options, the tied options are eliminated together. If no other
//     option is left, all of them win.
//
// The result never depends on the order of the options or ballots.
type runoff struct {
	ballots []preference
	options int
	batch   bool
	rounds  []Round
	common  []Round     // rounds up to the first tie that rule 3 resolves; rule 1 uses only these
	reached map[set]set // winners for each set of remaining options, given the common rounds
	untried int         // number of sets of options that may still be examined
	// resolved means that rule 3 has found a single winner. The remaining rounds only show one of the orders in which
	// it wins.
	resolved bool
}

func newRunoff(n int, ballots []Ballot, rules Rules) *runoff {
	return &runoff{ballots: rules.preferences(ballots), options: n, batch: rules.Batch, untried: universes}
}

// count adds the rounds, the winners and the order to a result that is otherwise complete.
func (c *runoff) count(res *Result) {
	in := setOf(res.remaining())
	winners := c.run(in)
	res.Rounds = c.rounds
	res.decide(winners)
	if len(winners) == 1 {
		res.Order = c.order(res.remaining())
	}
}

// run counts rounds for the options in the set. It returns one winner, several after a tie, or none if no ballot counts
// for any option.
func (c *runoff) run(in set) []int {
	for {
		round := c.round(in)
		if round.Active == 0 {
			c.rounds = append(c.rounds, round)
			return nil
		}
		if i := round.majority(); i >= 0 {
			c.rounds = append(c.rounds, round)
			return []int{i}
		}
		step := c.step(in, round)
		round.Tied, round.Tie, round.Eliminated = step.tied, step.how, step.out
		c.rounds = append(c.rounds, round)
		if !c.resolved {
			c.common = c.rounds
		}
		last := &c.rounds[len(c.rounds)-1]
		if step.out == nil {
			winners, known := c.resolve(in, step.open)
			switch {
			case known && len(winners) > 1:
				last.Tie = EveryOrder
				return winners
			case known:
				last.Tie, last.Eliminated = EveryOrder, step.open[:1]
			case len(step.open) == len(in.members()):
				last.Tie = Unbroken
				return step.open
			default:
				last.Tie, last.Eliminated = Removed, step.open
			}
		}
		in = in.without(last.Eliminated...)
	}
}

func (c *runoff) round(in set) Round {
	r := Round{Counts: make([]int, c.options)}
	for _, p := range c.ballots {
		i := slices.IndexFunc(p.options, func(o uint8) bool { return in.has(int(o)) })
		switch {
		case i >= 0:
			r.Counts[p.options[i]] += p.count
			r.Active += p.count
		case p.end == overvoted:
			r.Overvotes += p.count
		case p.end == skipped:
			r.Skipped += p.count
		default:
			r.Exhausted += p.count
		}
	}
	r.Threshold = r.Active/2 + 1
	return r
}

func (r Round) majority() int {
	return slices.IndexFunc(r.Counts, func(n int) bool { return n >= r.Threshold })
}

// step has the options that one round eliminates together, in out. If out is nil, rule 3 of [runoff] decides which of
// the options in open is eliminated.
type step struct {
	out  []int
	tied []int
	how  TieBreak
	open []int
}

func (c *runoff) step(in set, round Round) step {
	lowest := in.members()
	slices.SortStableFunc(lowest, func(a, b int) int { return round.Counts[a] - round.Counts[b] })
	if c.batch {
		if k := safe(lowest, round.Counts, 1, true); k > 0 {
			return step{out: ascending(lowest[:k])}
		}
	}
	tied := least(lowest, round.Counts)
	if len(tied) == 1 {
		return step{out: tied}
	}
	open := tied
	for _, earlier := range slices.Backward(c.common) {
		open = least(open, earlier.Counts)
	}
	if len(open) == 1 {
		return step{out: open, tied: tied, how: EarlierRound}
	}
	if k := safe(lowest, round.Counts, len(tied), false); k > 0 {
		return step{out: ascending(lowest[:k]), tied: tied, how: Together}
	}
	return step{tied: tied, open: open}
}

// safe returns a number of options at the start of lowest that in sum have fewer ballots than the next option. The
// number is at least from, and the greatest possible if most is true, else the least. It is 0 if no number is possible.
func safe(lowest []int, counts []int, from int, most bool) int {
	sum, found := 0, 0
	for k, i := range lowest {
		if k >= from && sum < counts[i] {
			found = k
			if !most {
				break
			}
		}
		sum += counts[i]
	}
	return found
}

func least(options, counts []int) []int {
	var list []int
	for _, i := range options {
		if len(list) > 0 && counts[i] < counts[list[0]] {
			list = list[:0]
		}
		if len(list) == 0 || counts[i] == counts[list[0]] {
			list = append(list, i)
		}
	}
	return list
}

func ascending(options []int) []int { return slices.Sorted(slices.Values(options)) }

// resolve applies rule 3 of [runoff] to a tie between the options in open, and returns every option that wins in one of
// the orders. If an earlier tie has left a single winner, it only returns the option to eliminate. If too many sets of
// options would have to be examined, known is false.
func (c *runoff) resolve(in set, open []int) (winners []int, known bool) {
	if c.resolved {
		return open[:1], true
	}
	c.reached = map[set]set{}
	var all set
	for _, i := range open {
		won, ok := c.explore(in.without(i))
		if !ok {
			return nil, false
		}
		all = all.union(won)
	}
	winners = all.members()
	c.resolved = len(winners) == 1
	return winners, true
}

// explore returns every option that can win if only the options in the set remain. If the limit untried is used up, ok
// is false.
func (c *runoff) explore(in set) (won set, ok bool) {
	if won, ok := c.reached[in]; ok {
		return won, true
	}
	if c.untried == 0 {
		return won, false
	}
	c.untried--
	round := c.round(in)
	if i := round.majority(); i >= 0 {
		won = setOf([]int{i})
		c.reached[in] = won
		return won, true
	}
	step := c.step(in, round)
	branches := []set{in.without(step.out...)}
	if step.out == nil {
		branches = branches[:0]
		for _, i := range step.open {
			branches = append(branches, in.without(i))
		}
	}
	for _, rest := range branches {
		w, ok := c.explore(rest)
		if !ok {
			return set{}, false
		}
		won = won.union(w)
	}
	c.reached[in] = won
	return won, true
}

// order sorts options by success: those of the last round come first, then the eliminated ones, the latest first.
func (c *runoff) order(in []int) []int {
	gone := make([]int, c.options)
	for k, r := range c.rounds {
		for _, i := range r.Eliminated {
			gone[i] = k + 1
		}
	}
	final := len(c.rounds)
	rank := func(i int) (round, count int) {
		if gone[i] == 0 {
			return final, c.rounds[final-1].Counts[i]
		}
		return gone[i] - 1, c.rounds[gone[i]-1].Counts[i]
	}
	slices.SortStableFunc(in, func(a, b int) int {
		roundA, countA := rank(a)
		roundB, countB := rank(b)
		if roundA != roundB {
			return roundB - roundA
		}
		return countB - countA
	})
	return in
}
