package tally

import "slices"

// star counts score then automatic runoff: the two options with the highest totals are finalists,
// and the one that more ballots score above the other wins.
//
// Options tied for a place among the finalists are put in order by how many of each other they
// beat in pairs (for two options: by the pair), then by how many fives they have. In the runoff a
// tied pair is decided by the higher total, then by fives. This is the order of the Equal Vote
// Coalition without its lot: where a tie remains, every choice of finalists, or both finalists,
// are counted and the winners of all are returned.
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

// finalists returns the options that are in the runoff in any case, and those tied for the
// remaining places.
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
	if len(sure)+len(tied) == 2 {
		return append(sure, tied...), nil
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
	if len(sure)+len(open) == 2 {
		return append(sure, open...), nil
	}
	return sure, open
}

// pairs lists the possible runoffs.
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

// runoff returns the winner of two finalists, or both.
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

// lead moves the winners, then the other finalists, before the rest of the order, which is by
// total.
func (r *Result) lead(winners []int) {
	place := func(i int) int {
		switch {
		case slices.Contains(winners, i):
			return 0
		case slices.Contains(r.Finalists, i):
			return 1
		}
		return 2
	}
	slices.SortStableFunc(r.Order, func(a, b int) int { return place(a) - place(b) })
}
