package tally

import "slices"

// star returns the winners by STAR (score then automatic runoff). The two options with the highest totals are the
// finalists. The finalist that more ballots score above the other one wins.
//
// If options are tied for a place among the finalists, the option that beats more of the other tied options in pairs
// goes first, and then the option with more fives (ballots that give it the highest score). If the finalists are tied
// in the runoff, the higher total wins, and then more fives. These are the rules of the Equal Vote Coalition, except
// for its last step, a lot. Instead, if a tie remains, every possible pair of finalists is counted, and the winners of
// all pairs are returned.
func (r *Result) star() []int {
	n := r.Counts.Points
	_, order := topmost(len(n), n)
	r.Order = order
	if len(order) == 1 {
		r.Finalists = []int{0}
		return []int{0}
	}
	sure, open := r.finalists(order)
	r.Finalists = slices.Sorted(slices.Values(slices.Concat(sure, open)))
	var winners []int
	for _, pair := range pairs(sure, open) {
		winners = append(winners, r.runoff(pair[0], pair[1])...)
	}
	slices.Sort(winners)
	winners = slices.Compact(winners)
	r.lead(winners)
	return winners
}

// finalists returns the sure finalists, and the options that are tied for the remaining places.
func (r *Result) finalists(order []int) (sure, open []int) {
	points := r.Counts.Points
	second := points[order[1]]
	var tied []int
	for _, i := range order {
		switch {
		case points[i] > second:
			sure = append(sure, i)
		case points[i] == second:
			tied = append(tied, i)
		}
	}
	wins := make([]int, len(points))
	for _, i := range tied {
		for _, j := range tied {
			if r.Matrix[i][j] > r.Matrix[j][i] {
				wins[i]++
			}
		}
	}
	compare := func(a, b int) int {
		if wins[a] != wins[b] {
			return wins[b] - wins[a]
		}
		return r.Counts.Fives[b] - r.Counts.Fives[a]
	}
	slices.SortStableFunc(tied, compare)
	last := tied[1-len(sure)]
	for _, i := range tied {
		switch c := compare(i, last); {
		case c < 0:
			sure = append(sure, i)
		case c == 0:
			open = append(open, i)
		}
	}
	return sure, open
}

func pairs(sure, open []int) [][2]int {
	var list [][2]int
	switch len(sure) {
	case 2:
		list = append(list, [2]int{sure[0], sure[1]})
	case 1:
		for _, i := range open {
			list = append(list, [2]int{sure[0], i})
		}
	case 0:
		for k, i := range open {
			for _, j := range open[k+1:] {
				list = append(list, [2]int{i, j})
			}
		}
	}
	return list
}

// runoff returns the winner of the runoff between two finalists, or both if they are tied.
func (r *Result) runoff(a, b int) []int {
	ladder := [][2]int{
		{r.Matrix[a][b], r.Matrix[b][a]},
		{r.Counts.Points[a], r.Counts.Points[b]},
		{r.Counts.Fives[a], r.Counts.Fives[b]},
	}
	for _, step := range ladder {
		if step[0] > step[1] {
			return []int{a}
		}
		if step[0] < step[1] {
			return []int{b}
		}
	}
	return []int{a, b}
}

// lead sets Winners, and sorts Order: first the winners, then other finalists. Within each group the options keep their
// order.
func (r *Result) lead(winners []int) {
	r.Winners = winners
	slices.SortStableFunc(r.Order, func(a, b int) int { return r.place(a) - r.place(b) })
}

func (r *Result) place(i int) int {
	switch {
	case slices.Contains(r.Winners, i):
		return 0
	case slices.Contains(r.Finalists, i):
		return 1
	}
	return 2
}
