package tally

import "slices"

// schulze counts by the Schulze method with winning votes: a link from i to j exists where more
// ballots prefer i to j than j to i and is as strong as the ballots that prefer i; a path is as
// strong as its weakest link; i beats j if the strongest path from i to j is stronger than the
// one back (Schulze 2011, section 2). All options beaten by none are potential winners and all of
// them are returned. The relation is transitive, so sorting by how many options each one beats is
// one linear order that respects it.
func (r *Result) schulze() []int {
	in := r.remaining()
	r.Strengths = strongest(r.Matrix, in)
	n := len(r.Matrix)
	beats := make([]int, n)
	winners := []int{}
	for _, i := range in {
		beaten := false
		for _, j := range in {
			switch p := r.Strengths; {
			case p[i][j] > p[j][i]:
				beats[i]++
			case p[i][j] < p[j][i]:
				beaten = true
			}
		}
		if !beaten {
			winners = append(winners, i)
		}
	}
	r.Order = slices.Clone(in)
	slices.SortStableFunc(r.Order, func(a, b int) int { return beats[b] - beats[a] })
	return winners
}

// strongest finds the strength of the strongest path between each two of the options in, by Floyd
// and Warshall.
func strongest(matrix [][]int, in []int) [][]int {
	p := make([][]int, len(matrix))
	for i := range p {
		p[i] = make([]int, len(matrix))
	}
	for _, i := range in {
		for _, j := range in {
			if matrix[i][j] > matrix[j][i] {
				p[i][j] = matrix[i][j]
			}
		}
	}
	for _, via := range in {
		for _, i := range in {
			if i == via {
				continue
			}
			row, onward, reach := p[i], p[via], p[i][via]
			for _, j := range in {
				if j != i {
					row[j] = max(row[j], min(reach, onward[j]))
				}
			}
		}
	}
	return p
}

// condorcet returns the option that a majority prefers to each other option, or nil.
func condorcet(matrix [][]int, in []int) *int {
	for _, i := range in {
		wins := !slices.ContainsFunc(in, func(j int) bool { return j != i && matrix[i][j] <= matrix[j][i] })
		if wins {
			return &i
		}
	}
	return nil
}
