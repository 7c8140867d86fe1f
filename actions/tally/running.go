package tally

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Running is the running tally of an open decision: sums over the ballots so far, with a form in JSON. A change of
// one ballot takes at most one step for each pair of options. A copy of the struct shares the totals with the
// original.
type Running struct {
	Scale   Scale   `json:"scale"`
	Options int     `json:"options"`
	Budget  int     `json:"budget,omitempty"` // for dots: the greatest number of dots on a ballot
	Ballots int     `json:"ballots"`
	Blank   int     `json:"blank"`
	Counts  Counts  `json:"counts"`
	Matrix  [][]int `json:"matrix,omitempty"` // [i][j]: ballots that prefer i to j; for ranks and points
	Reading         // for IRV: the rules by which Counts.First was counted
}

// Running returns the empty tally of a decision with n options. Of the rules, it uses only the budget and the reading.
func (r Rules) Running(m Method, n int) (Running, error) {
	if err := checkSize(m, n); err != nil {
		return Running{}, err
	}
	if err := r.checkBudget(m); err != nil {
		return Running{}, err
	}
	if err := r.Reading.check(m); err != nil {
		return Running{}, err
	}
	empty := Running{Scale: m.Scale(), Reading: r.Reading}
	if empty.Scale == Dots {
		empty.Budget = r.Dots()
	}
	return empty, empty.Grow(n)
}

// Grow makes room for n options, because options may be added while the decision is open. The ballots so far leave them
// unmarked.
func (r *Running) Grow(n int) error {
	if n < r.Options || n > MaxOptions {
		return fmt.Errorf("%d options: a tally of %d can grow to at most %d", n, r.Options, MaxOptions)
	}
	for _, counts := range r.Counts.of(r.Scale) {
		*counts = append(*counts, make([]int, n-r.Options)...)
	}
	if r.pairwise() {
		for i, row := range r.Matrix {
			for range n - r.Options {
				row = append(row, r.Counts.Marked[i])
			}
			r.Matrix[i] = row
		}
		for range n - r.Options {
			r.Matrix = append(r.Matrix, make([]int, n))
		}
	}
	r.Options = n
	return nil
}

// Add adds a ballot to the tally, weight times.
func (r *Running) Add(b Ballot, weight int) error {
	times, err := r.times(b, weight)
	if err != nil {
		return err
	}
	if times > MaxBallots-r.Ballots {
		return fmt.Errorf("a tally holds at most %d ballots", MaxBallots)
	}
	r.apply(b, times)
	return nil
}

// Remove subtracts a ballot that was added with the same weight. It returns an error if a total would fall below zero.
// Otherwise it cannot detect that the ballot was never added.
func (r *Running) Remove(b Ballot, weight int) error {
	times, err := r.times(b, weight)
	if err != nil {
		return err
	}
	r.apply(b, -times)
	if r.negative() {
		r.apply(b, times)
		return fmt.Errorf("the ballot %s is not in the tally", b)
	}
	return nil
}

func (r *Running) times(b Ballot, weight int) (int, error) {
	if err := b.check(r.Scale, r.Options, r.Budget); err != nil {
		return 0, err
	}
	if weight < 1 || weight > MaxBallots/b.Voters() {
		return 0, fmt.Errorf("weight %d: expected 1 or more, and at most %d ballots in all", weight, MaxBallots)
	}
	return b.Voters() * weight, nil
}

func (r *Running) apply(b Ballot, times int) {
	r.Ballots += times
	if b.blank() {
		r.Blank += times
	}
	c := &r.Counts
	if r.Scale == Ranks {
		if i := r.first(b); i >= 0 {
			c.First[i] += times
		}
	}
	for i, mark := range b.Marks {
		if mark == 0 {
			continue
		}
		switch r.Scale {
		case Preferences, Times:
			c.Accepted[i] += times
			if mark == 2 {
				c.Preferred[i] += times
			}
		case Choice, Approvals:
			c.Votes[i] += times
		case Ranks:
			c.Marked[i] += times
		case Points:
			c.Marked[i] += times
			c.Points[i] += mark * times
			if mark == MaxPoints {
				c.Fives[i] += times
			}
		case Dots:
			c.Marked[i] += times
			c.Dots[i] += mark * times
		}
		if r.pairwise() {
			r.prefer(b, i, times)
		}
	}
}

// prefer adds a ballot to row i of the matrix, in the columns of the options that the ballot puts below option i.
// Options without a mark are below all options with marks (for ranks: Debian constitution 1.9, A.5.1).
func (r *Running) prefer(b Ballot, i, times int) {
	row, mark := r.Matrix[i], b.Marks[i]
	for j := range row {
		other := b.mark(j)
		if other == 0 || r.Scale == Ranks && mark < other || r.Scale == Points && mark > other {
			row[j] += times
		}
	}
}

func (r *Running) pairwise() bool { return r.Scale == Ranks || r.Scale == Points }

func (r *Running) negative() bool {
	low := min(r.Ballots, r.Blank, r.Ballots-r.Blank)
	for _, counts := range r.Counts.of(r.Scale) {
		low = min(low, slices.Min(*counts))
	}
	for _, row := range r.Matrix {
		low = min(low, slices.Min(row))
	}
	return low < 0
}

// Result returns the result of the ballots so far, which is that of [Count]. An instant runoff needs the ballots
// themselves: its result has the first preferences and the matrix, no winners, and the outcome [NoQuorum] or
// [Undecided].
func (r Running) Result(m Method, rules Rules) (Result, error) {
	if err := checkSize(m, r.Options); err != nil {
		return Result{}, err
	}
	if m.Scale() != r.Scale {
		return Result{}, fmt.Errorf("%s counts %s, but these ballots have %s", m, m.Scale(), r.Scale)
	}
	if err := rules.check(m, r.Options); err != nil {
		return Result{}, err
	}
	if r.Scale == Dots && r.Budget != rules.Dots() {
		return Result{}, fmt.Errorf("a budget of %d dots, but these ballots had %d", rules.Dots(), r.Budget)
	}
	if m == IRV && r.Reading.Named() != rules.Reading.Named() {
		return Result{}, fmt.Errorf("rules: %s But these ballots were read by others: %s", rules.Sentence(), r.Sentence())
	}
	res := Result{Method: m, Ballots: r.Ballots, Blank: r.Blank, Winners: []int{}, Counts: r.Counts}
	for _, counts := range res.Counts.of(r.Scale) {
		*counts = slices.Clone(*counts)
	}
	for _, row := range r.Matrix {
		res.Matrix = append(res.Matrix, slices.Clone(row))
	}
	res.Dropped = rules.drop(res.Matrix)
	if r.Ballots < rules.Participation || r.Ballots == r.Blank && m != Lottery {
		res.Outcome = NoQuorum
		return res, nil
	}
	if r.pairwise() {
		res.Condorcet = condorcet(res.Matrix, res.remaining())
	}
	var winners []int
	switch m {
	case Acceptance, TimePoll:
		winners, res.Order = topmost(r.Options, res.Counts.Accepted, res.Counts.Preferred)
	case Single, Approval:
		winners, res.Order = topmost(r.Options, res.Counts.Votes)
	case Score:
		winners, res.Order = topmost(r.Options, res.Counts.Points)
	case DotVote:
		winners, res.Order = topmost(r.Options, res.Counts.Dots)
	case Lottery:
		winners, _ = topmost(r.Options)
	case Schulze:
		winners = res.schulze()
	case STAR:
		winners = res.star()
	case IRV:
		return res, nil
	}
	res.decide(winners)
	return res, nil
}

// UnmarshalJSON returns an error for a tally with inconsistent parts, so that the other methods need not check them.
func (r *Running) UnmarshalJSON(data []byte) error {
	type plain Running
	var read plain
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	t := Running(read)
	rows := 0
	if t.pairwise() {
		rows = t.Options
	}
	fits := t.Scale.known() && t.Options >= 1 && t.Options <= MaxOptions && len(t.Matrix) == rows
	for _, counts := range t.Counts.of(t.Scale) {
		fits = fits && len(*counts) == t.Options
	}
	for _, row := range t.Matrix {
		fits = fits && len(row) == t.Options
	}
	if t.Scale == Dots {
		fits = fits && t.Budget >= MinBudget && t.Budget <= MaxBudget
	} else {
		fits = fits && t.Budget == 0
	}
	if t.Reading != (Reading{}) {
		fits = fits && t.Scale == Ranks && t.Reading.check(IRV) == nil
	}
	if !fits || t.Ballots > MaxBallots || t.negative() {
		return fmt.Errorf("tally of %d %s options does not fit together", t.Options, t.Scale)
	}
	*r = t
	return nil
}

func (s Scale) known() bool {
	switch s {
	case Preferences, Choice, Approvals, Ranks, Points, Dots, Times, Nothing:
		return true
	}
	return false
}
