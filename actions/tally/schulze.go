package tally

import "slices"

// schulze returns the winners by the Schulze method with winning votes (Schulze 2011, section 2). There is a link from
// i to j if more ballots prefer i to j than j to i. Its strength is the number of ballots that prefer i. The strength
// of a path is that of its weakest link. An option i beats j if the strongest path from i to j is stronger than the
// strongest path from j to i. The winners are all options that no other option beats.
//
// The order of the result begins with the winners. Among them, and among the rest, an option that beats more options
// comes first. Since beating is transitive, an option comes before all options that it beats.
func (r *Result) schulze() []int {
	in := r.remaining()
	r.Strengths = strongest(r.Matrix, in)
	winners := []int{}
	for _, i := range in {
		if !slices.ContainsFunc(in, func(j int) bool { return r.Strengths[j][i] > r.Strengths[i][j] }) {
			winners = append(winners, i)
		}
	}
	beats := r.Beats()
	r.Order = slices.Clone(in)
	slices.SortStableFunc(r.Order, func(a, b int) int { return beats[b] - beats[a] })
	r.lead(winners)
	return winners
}

// Beats returns the number of options that each option beats by the Schulze method.
func (r *Result) Beats() []int {
	beats := make([]int, len(r.Strengths))
	for i, row := range r.Strengths {
		for j, strength := range row {
			if strength > r.Strengths[j][i] {
				beats[i]++
			}
		}
	}
	return beats
}

// strongest returns the strength of the strongest path between each pair of options, by the Floyd–Warshall algorithm.
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

// condorcet returns the given option that beats each of the others in a comparison of the two, or nil.
func condorcet(matrix [][]int, in []int) *int {
	for _, i := range in {
		wins := !slices.ContainsFunc(in, func(j int) bool { return j != i && matrix[i][j] <= matrix[j][i] })
		if wins {
			return &i
		}
	}
	return nil
}
