package tally

import (
	"crypto/sha256"
	"fmt"
	"slices"
)

// naiveRunoff is a second implementation of the instant runoff, written from the text of its rules. It passes ballots
// on rank by rank, and tries every order without a limit.
func naiveRunoff(n int, ballots []Ballot, rules Rules) []int {
	c := naive{ballots, rules, make([]bool, n)}
	in := make([]bool, n)
	for i := range in {
		in[i] = true
	}
	c.round(in, nil, false)
	winners := []int{}
	for i, w := range c.won {
		if w {
			winners = append(winners, i)
		}
	}
	return winners
}

type naive struct {
	ballots []Ballot
	rules   Rules
	won     []bool
}

// round marks in c.won the options that can win. The argument history has the counts of earlier rounds. If frozen is
// true, a tie has split the count into several orders, and no more rounds are added to history.
func (c naive) round(in []bool, history [][]int, frozen bool) {
	counts, active := make([]int, len(in)), 0
	for _, b := range c.ballots {
		if i := naiveTop(b, in, c.rules.Reading); i >= 0 {
			counts[i] += b.Voters()
			active += b.Voters()
		}
	}
	if active == 0 {
		return
	}
	var remaining []int
	for i := range in {
		if counts[i]*2 > active {
			c.won[i] = true
			return
		}
		if in[i] {
			remaining = append(remaining, i)
		}
	}
	losers := naiveFewest(remaining, counts)
	for k := len(history) - 1; k >= 0; k-- {
		losers = naiveFewest(losers, history[k])
	}
	safe := naiveSafe(remaining, counts)
	if !frozen {
		history = append(slices.Clone(history), counts)
	}
	switch {
	case len(safe) > 0 && c.rules.Batch:
		c.round(naiveWithout(in, safe[len(safe)-1]), history, frozen)
	case len(safe) > 0 && len(losers) > 1:
		c.round(naiveWithout(in, safe[0]), history, frozen)
	default:
		for _, i := range losers {
			c.round(naiveWithout(in, []int{i}), history, frozen || len(losers) > 1)
		}
	}
}

// naiveSafe lists the groups of lowest options, smallest group first, that together have fewer ballots than each option
// outside the group.
func naiveSafe(remaining, counts []int) (groups [][]int) {
	for most := range slices.Max(counts) {
		var group []int
		sum, next := 0, MaxBallots
		for _, i := range remaining {
			if counts[i] <= most {
				group = append(group, i)
				sum += counts[i]
			} else {
				next = min(next, counts[i])
			}
		}
		if len(group) > 0 && sum < next {
			groups = append(groups, group)
		}
	}
	return groups
}

func naiveWithout(in []bool, out []int) []bool {
	in = slices.Clone(in)
	for _, i := range out {
		in[i] = false
	}
	return in
}

func naiveFewest(options, counts []int) (fewest []int) {
	for _, i := range options {
		if !slices.ContainsFunc(options, func(j int) bool { return counts[j] < counts[i] }) {
			fewest = append(fewest, i)
		}
	}
	return fewest
}

func naiveTop(b Ballot, in []bool, by Reading) int {
	blanks, tolerated := 0, map[string]int{"": 1, "one": 1, "none": 0, "any": MaxRank}[by.Skipped]
	for rank := 1; rank <= slices.Max(append(b.Overvotes, b.Marks...)); rank++ {
		var here []int
		for i, mark := range b.Marks {
			if mark == rank {
				here = append(here, i)
			}
		}
		switch {
		case (len(here) > 1 || slices.Contains(b.Overvotes, rank)) && by.Overvote == "skip":
		case len(here) > 1 || slices.Contains(b.Overvotes, rank):
			return -1
		case len(here) == 0:
			if blanks++; blanks > tolerated {
				for _, later := range append(b.Overvotes, b.Marks...) {
					if later > rank {
						return -1
					}
				}
			}
			continue
		case in[here[0]]:
			return here[0]
		}
		blanks = 0
	}
	return -1
}

// naiveSchulze returns the winners by the Schulze method. It finds the strongest path of each pair by trying all paths,
// instead of by the Floyd–Warshall algorithm.
func naiveSchulze(matrix [][]int) []int {
	n := len(matrix)
	var walk func(at, to, strength int, seen []bool) int
	walk = func(at, to, strength int, seen []bool) int {
		if at == to {
			return strength
		}
		best := 0
		for next := range n {
			if seen[next] || matrix[at][next] <= matrix[next][at] {
				continue
			}
			seen[next] = true
			best = max(best, walk(next, to, min(strength, matrix[at][next]), seen))
			seen[next] = false
		}
		return best
	}
	path := func(from, to int) int {
		seen := make([]bool, n)
		seen[from] = true
		return walk(from, to, MaxBallots, seen)
	}
	winners := []int{}
	for i := range n {
		beaten := false
		for j := range n {
			beaten = beaten || j != i && path(j, i) > path(i, j)
		}
		if !beaten {
			winners = append(winners, i)
		}
	}
	return winners
}

// naiveDots lists every single dot by its option, and returns the options that occur most often.
func naiveDots(n int, ballots []Ballot) []int {
	var dots []int
	for _, b := range ballots {
		for range b.Voters() {
			for i, mark := range b.Marks {
				dots = append(dots, slices.Repeat([]int{i}, mark)...)
			}
		}
	}
	return naiveUnbeaten(n, len(dots), func(i, j int) bool {
		lead := 0
		for _, dot := range dots {
			switch dot {
			case i:
				lead++
			case j:
				lead--
			}
		}
		return lead > 0
	})
}

// naiveTimes compares every pair of proposed times voter by voter, and returns the times that no other time beats.
func naiveTimes(n int, ballots []Ballot) []int {
	marks := 0
	for _, b := range ballots {
		for _, mark := range b.Marks {
			marks += mark
		}
	}
	return naiveUnbeaten(n, marks, func(i, j int) bool {
		can, sure := 0, 0
		for _, b := range ballots {
			can += b.Voters() * ((b.Marks[i]+1)/2 - (b.Marks[j]+1)/2)
			sure += b.Voters() * (b.Marks[i]/2 - b.Marks[j]/2)
		}
		return can > 0 || can == 0 && sure > 0
	})
}

func naiveUnbeaten(n, marks int, beats func(i, j int) bool) []int {
	winners := []int{}
	for j := range n {
		if marks > 0 && !slices.ContainsFunc(first(n), func(i int) bool { return i != j && beats(i, j) }) {
			winners = append(winners, j)
		}
	}
	return winners
}

// naiveDraw computes HMAC by the definition of RFC 2104, H(K xor opad, H(K xor ipad, text)), and returns the indices of
// the ids, sorted by the hexadecimal text of their HMACs.
func naiveDraw(l Lot, ids []string) []int {
	inner, outer := make([]byte, 64), make([]byte, 64)
	for i := range 64 {
		inner[i], outer[i] = 0x36, 0x5c
		if i < len(l) {
			inner[i], outer[i] = inner[i]^l[i], outer[i]^l[i]
		}
	}
	var lines []string
	at := map[string]int{}
	for i, id := range ids {
		sum := sha256.Sum256(append(slices.Clone(inner), id...))
		line := fmt.Sprintf("%x", sha256.Sum256(append(slices.Clone(outer), sum[:]...)))
		lines, at[line] = append(lines, line), i
	}
	slices.Sort(lines)
	var order []int
	for _, line := range lines {
		order = append(order, at[line])
	}
	return order
}
