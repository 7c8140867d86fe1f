// Package tally counts ballots: acceptance, single choice, approval, ranked by Schulze or instant
// runoff, score, STAR, dots and time polls; and it draws lots.
//
// Everything is a pure function over integers, so that the same ballots give the same [Result] on
// every machine and in every order. A result never draws a lot: Winners is the full set of
// options that the method cannot separate, and the closing of a decision breaks that tie, by a
// casting vote or with a [Lot]. [Count] takes all ballots at once; [Running] follows an open
// decision ballot by ballot and agrees with Count for every method but instant runoff, which
// needs all ballots. [Read] reads published votes from files.
package tally

import (
	"fmt"
	"slices"
	"strings"
)

// Method names a way to count.
type Method string

// The methods, each with its ballots and its winner.
const (
	Acceptance Method = "acceptance" // accept any, prefer some: most accepted, then most preferred
	Single     Method = "single"     // at most one option: most votes
	Approval   Method = "approval"   // any options: most votes
	Schulze    Method = "schulze"    // ranks: beatpaths by winning votes (Schulze 2011)
	IRV        Method = "irv"        // ranks: instant runoff, the lowest leave until one has a majority
	Score      Method = "score"      // 0 to 5 points: highest total
	STAR       Method = "star"       // 0 to 5 points: the two highest totals, then the one more voters prefer
	DotVote    Method = "dots"       // a budget of dots, spread over options: most dots
	TimePoll   Method = "time"       // yes, if need be or no to each moment: most yes or if need be, then most yes
	Lottery    Method = "lottery"    // no votes: all options win, and a [Lot] draws among them
)

// Methods lists the methods a decision can be made by, its default first. Count, Running and
// Scale know every method.
func Methods() []Method {
	return []Method{Acceptance, Single, Approval, Schulze, IRV, Score, STAR, DotVote, TimePoll, Lottery}
}

// Scale is the meaning of the marks on a ballot. Methods of the same scale can count the same
// ballots.
type Scale string

// The scales.
const (
	Preferences Scale = "preferences" // 0 rejected, 1 accepted, 2 accepted and preferred
	Choice      Scale = "choice"      // 1 chosen, on at most one option
	Approvals   Scale = "approvals"   // 1 approved
	Ranks       Scale = "ranks"       // 1 first, up to MaxRank; 0 unranked; ties and gaps allowed
	Points      Scale = "points"      // 0 to MaxPoints
	Dots        Scale = "dots"        // dots, which add up to the budget of the rules or less
	Times       Scale = "times"       // 0 no, 1 if need be, 2 yes
	Nothing     Scale = "nothing"     // 0: only a blank ballot, which takes part without a say
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

// Limits of one count. They keep every sum far from overflow and a hostile file from taking all
// memory.
const (
	MaxOptions = 200
	MaxBallots = 100_000_000 // voters, not lines
	MaxRank    = 1000
	MaxPoints  = 5
)

// Count counts all ballots over the options 0 to n-1. A ballot with fewer marks than n leaves the
// rest unmarked.
//
// If the rules require more ballots than there are, or no ballot marks a possible winner, there
// are no winners and the outcome is [NoQuorum]; a lottery needs no marks. The error names the
// first ballot or rule that does not fit the method.
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

// topmost returns the options that are highest on all keys, the first key deciding first, and all
// options best first; options equal on every key stay in option order.
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
