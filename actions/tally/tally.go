// Package tally counts ballots by several methods: acceptance, single choice, approval, ranked ballots by Schulze or
// instant runoff, score, STAR, dots and time polls. It also draws lots.
//
// All counts are pure functions with integer arithmetic, so the same ballots give the same [Result] on every machine
// and in every order. If the method cannot decide between several options, Winners has all of them. A casting
// vote or a [Lot] can break such a tie.
//
// [Count] counts all ballots at once. [Running] is updated with each ballot of an open decision. Both give the same
// result, except for instant runoff, which needs all ballots. [Read] reads published votes from files.
package tally

import (
	"fmt"
	"slices"
	"strings"
)

// Method is the name of a method by which ballots are counted.
type Method string

// The methods. Each comment describes the ballots and, after a colon, the winner.
const (
	Acceptance Method = "acceptance" // accept any, prefer some: most accepted, then most preferred
	Single     Method = "single"     // at most one option: most votes
	Approval   Method = "approval"   // any options: most votes
	Schulze    Method = "schulze"    // ranks: the strongest paths by winning votes (Schulze 2011)
	IRV        Method = "irv"        // ranks: the lowest options are eliminated until one has a majority
	Score      Method = "score"      // 0 to 5 points: highest total
	STAR       Method = "star"       // 0 to 5 points: of the two highest totals, the one that more voters score higher
	DotVote    Method = "dots"       // a budget of dots, spread over the options: most dots
	TimePoll   Method = "time"       // yes, if need be or no to each time: most yes or if need be, then most yes
	Lottery    Method = "lottery"    // no votes: all options win, and a [Lot] draws among them
)

// Methods returns the methods by which a decision can be made, the default first.
func Methods() []Method {
	return []Method{Acceptance, Single, Approval, Schulze, IRV, Score, STAR, DotVote, TimePoll, Lottery}
}

// Scale defines the marks on a ballot. Methods with the same scale can count the same ballots.
type Scale string

// The scales, each with its marks.
const (
	Preferences Scale = "preferences" // 0 rejected, 1 accepted, 2 accepted and preferred
	Choice      Scale = "choice"      // 1 chosen, for at most one option
	Approvals   Scale = "approvals"   // 1 approved
	Ranks       Scale = "ranks"       // 1 is first, up to MaxRank; 0 is not ranked; ties and gaps are allowed
	Points      Scale = "points"      // 0 to MaxPoints
	Dots        Scale = "dots"        // number of dots; their sum is at most the budget
	Times       Scale = "times"       // 0 no, 1 if need be, 2 yes
	Nothing     Scale = "nothing"     // always 0; a blank ballot only counts as taking part
)

// Scale returns the scale of the method's ballots, or "" for an unknown method.
func (m Method) Scale() Scale {
	switch m {
	case Acceptance:
		return Preferences
	case Single:
		return Choice
	case Approval:
		return Approvals
	case Schulze, IRV:
		return Ranks
	case Score, STAR:
		return Points
	case DotVote:
		return Dots
	case TimePoll:
		return Times
	case Lottery:
		return Nothing
	}
	return ""
}

// Limits of one count. They prevent overflow of the sums, and the exhaustion of memory by a hostile file.
const (
	MaxOptions = 200
	MaxBallots = 100_000_000 // voters, not distinct ballots
	MaxRank    = 1000
	MaxPoints  = 5
)

// Count counts all ballots on the options 0 to n-1. A ballot with fewer than n marks leaves the other options unmarked.
//
// If there are fewer ballots than the rules require, or if no ballot has marks, there are no winners and the outcome is
// [NoQuorum]. In an instant runoff, marks for dropped options do not count; a lottery needs no marks. Count returns an
// error about the first ballot or rule that is not possible for the method.
func Count(m Method, n int, ballots []Ballot, rules Rules) (Result, error) {
	running, err := rules.Running(m, n)
	if err != nil {
		return Result{}, err
	}
	for i, b := range ballots {
		if err := running.Add(b, 1); err != nil {
			return Result{}, fmt.Errorf("ballot %d: %w", i+1, err)
		}
	}
	res, err := running.Result(m, rules)
	if err != nil {
		return Result{}, err
	}
	if m == IRV && res.Outcome == Undecided {
		newRunoff(n, ballots, rules).count(&res)
	}
	return res, nil
}

func checkSize(m Method, n int) error {
	if m.Scale() == "" {
		names := make([]string, len(Methods()))
		for i, m := range Methods() {
			names[i] = string(m)
		}
		return fmt.Errorf("there is no method %q: use one of %s", m, strings.Join(names, ", "))
	}
	if n < 1 || n > MaxOptions {
		return fmt.Errorf("%d options: a count takes 1 to %d", n, MaxOptions)
	}
	return nil
}

// topmost sorts the options from 0 to n-1 by their numbers in the first key, highest first. Later keys decide between
// equal numbers, and equal options stay in ascending order. It returns the options that share the first place, and all
// in order.
func topmost(n int, keys ...[]int) (best, order []int) {
	order = make([]int, n)
	for i := range order {
		order[i] = i
	}
	compare := func(a, b int) int {
		for _, key := range keys {
			if key[a] != key[b] {
				return key[b] - key[a]
			}
		}
		return 0
	}
	slices.SortStableFunc(order, compare)
	k := 1
	for k < n && compare(order[0], order[k]) == 0 {
		k++
	}
	return slices.Clone(order[:k]), order
}
