package tally

import (
	"slices"
	"testing"
)

// TestRanks checks the ranks of options. Options have the same rank only if the method does not tell them apart.
func TestRanks(t *testing.T) {
	for name, c := range map[string]struct {
		r    Result
		want []int
	}{
		"no order": {Result{Method: Lottery, Winners: []int{1}}, []int{0, 0, 0}},
		"votes": {Result{Method: Single, Winners: []int{2}, Order: []int{2, 0, 1},
			Counts: Counts{Votes: []int{1, 1, 3}}}, []int{2, 2, 1}},
		"accepted, then preferred": {Result{Method: Acceptance, Winners: []int{1}, Order: []int{1, 0, 2},
			Counts: Counts{Accepted: []int{3, 3, 1}, Preferred: []int{0, 2, 0}}}, []int{2, 1, 3}},
		"points, of which fives are no part": {Result{Method: Score, Winners: []int{0, 1}, Order: []int{0, 1, 2},
			Counts: Counts{Points: []int{9, 9, 2}, Fives: []int{1, 0, 0}, Marked: []int{2, 3, 1}}}, []int{1, 1, 3}},
		"a runoff of two with equal points": {Result{Method: STAR, Winners: []int{1}, Finalists: []int{0, 1}, Order: []int{1, 0, 2},
			Counts: Counts{Points: []int{9, 9, 9}}}, []int{2, 1, 3}},
		"options of which neither beats the other, and a dropped one": {Result{Method: Schulze, Winners: []int{0}, Order: []int{0, 1, 2},
			Strengths: [][]int{{0, 3, 3, 0}, {1, 0, 2, 0}, {1, 2, 0, 0}, {0, 0, 0, 0}}}, []int{1, 2, 2, 0}},
		"options that left in one round": {Result{Method: IRV, Winners: []int{0}, Order: []int{0, 1, 2, 3}, Rounds: []Round{
			{Counts: []int{3, 2, 1, 1}, Eliminated: []int{2, 3}}, {Counts: []int{4, 2, 0, 0}}}}, []int{1, 2, 3, 3}},
		"options that left in several rounds": {Result{Method: IRV, Winners: []int{0}, Order: []int{0, 1, 2}, Rounds: []Round{
			{Counts: []int{3, 1, 1}, Eliminated: []int{2}}, {Counts: []int{3, 1, 0}, Eliminated: []int{1}}}}, []int{1, 2, 3}},
	} {
		if got := c.r.Ranks(len(c.want)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
