package tally

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// electorates calls check with many small random electorates, the same in every run. Small electorates have many ties.
// About half of the ranked electorates have neither ties nor gaps on their ballots.
func electorates(t *testing.T, s Scale, check func(n int, ballots []Ballot)) {
	t.Helper()
	random := rand.New(rand.NewPCG(2013, 80101))
	for range 6000 {
		n := 1 + random.IntN(6)
		ballots := make([]Ballot, random.IntN(14))
		strict := s == Ranks && random.IntN(2) == 0
		for k := range ballots {
			ballots[k] = Ballot{Marks: make([]int, n), Count: 1 + random.IntN(2)}
			if strict {
				for rank, i := range random.Perm(n)[:random.IntN(n+1)] {
					ballots[k].Marks[i] = rank + 1
				}
				continue
			}
			if s == Dots {
				for range random.IntN(5) {
					ballots[k].Marks[random.IntN(n)]++
				}
				continue
			}
			for i := range n {
				ballots[k].Marks[i] = random.IntN(min(s.highest(), n+1) + 1)
			}
			if s == Ranks && random.IntN(9) == 0 {
				ballots[k].Overvotes = []int{1 + random.IntN(n)}
				if random.IntN(2) == 0 {
					ballots[k].Overvotes = append(ballots[k].Overvotes, n+1)
				}
			}
		}
		check(n, ballots)
		if t.Failed() {
			t.Fatalf("n = %d, ballots %v", n, ballots)
		}
	}
}

func TestRunoffAgreesWithNaive(t *testing.T) {
	ties, list, at := map[TieBreak]int{}, readings(), 0
	for _, batch := range []bool{false, true} {
		electorates(t, Ranks, func(n int, ballots []Ballot) {
			at++
			rules := Rules{Batch: batch, Reading: list[at%len(list)]}
			res, err := Count(IRV, n, ballots, rules)
			if err != nil {
				t.Fatal(err)
			}
			if want := naiveRunoff(n, ballots, rules); !slices.Equal(res.Winners, want) {
				t.Errorf("batch %v, %v: winners %v, want %v", batch, rules.Reading, res.Winners, want)
			}
			if len(res.Rounds) > 0 && !slices.Equal(res.Rounds[0].Counts, res.Counts.First) {
				t.Errorf("%v: first preferences %v, but the first round has %v", rules.Reading, res.Counts.First,
					res.Rounds[0].Counts)
			}
			for _, r := range res.Rounds {
				ties[r.Tie]++
				if sum := r.Active + r.Overvotes + r.Skipped + r.Exhausted; sum != res.Ballots-res.Blank {
					t.Errorf("%d ballots in a round, want %d", sum, res.Ballots-res.Blank)
				}
			}
			if res.Outcome == Decided && (len(res.Order) != n || res.Order[0] != res.Winners[0]) {
				t.Errorf("order %v, winner %v", res.Order, res.Winners)
			}
		})
	}
	for _, how := range []TieBreak{EarlierRound, Together, EveryOrder} {
		if ties[how] < 100 {
			t.Errorf("only %d rounds with %s", ties[how], how)
		}
	}
}

func TestSchulzeAgreesWithNaive(t *testing.T) {
	electorates(t, Ranks, func(n int, ballots []Ballot) {
		res, err := Count(Schulze, n, ballots, Rules{})
		if err != nil {
			t.Fatal(err)
		}
		if res.Outcome == NoQuorum {
			return
		}
		if want := naiveSchulze(res.Matrix); !slices.Equal(res.Winners, want) {
			t.Errorf("winners %v, want %v", res.Winners, want)
		}
		if res.Condorcet != nil && !slices.Equal(res.Winners, []int{*res.Condorcet}) {
			t.Errorf("winners %v, Condorcet winner %d", res.Winners, *res.Condorcet)
		}
		if !slices.Equal(ascending(res.Order[:len(res.Winners)]), res.Winners) {
			t.Errorf("order %v, winners %v", res.Order, res.Winners)
		}
		for k, i := range res.Order {
			for _, j := range res.Order[k:] {
				if res.Strengths[j][i] > res.Strengths[i][j] {
					t.Errorf("order %v, but %d beats %d", res.Order, j, i)
				}
			}
		}
	})
}

func TestSTARAgreesWithNaive(t *testing.T) {
	open := 0
	electorates(t, Points, func(n int, ballots []Ballot) {
		res, err := Count(STAR, n, ballots, Rules{})
		if err != nil {
			t.Fatal(err)
		}
		if res.Outcome == NoQuorum {
			return
		}
		if len(res.Finalists) > 2 {
			open++
		}
		if want := naiveSTAR(n, ballots); !slices.Equal(res.Winners, want) {
			t.Errorf("winners %v, want %v", res.Winners, want)
		}
		if !slices.Equal(ascending(res.Order[:len(res.Winners)]), res.Winners) {
			t.Errorf("order %v, winners %v", res.Order, res.Winners)
		}
	})
	if open < 20 {
		t.Errorf("only %d open choices of finalists", open)
	}
}

func TestTotalsAgreeWithNaive(t *testing.T) {
	for m, naive := range map[Method]func(int, []Ballot) []int{DotVote: naiveDots, TimePoll: naiveTimes} {
		ties := 0
		electorates(t, m.Scale(), func(n int, ballots []Ballot) {
			res, err := Count(m, n, ballots, Rules{})
			if err != nil {
				t.Fatal(err)
			}
			if want := naive(n, ballots); !slices.Equal(res.Winners, want) {
				t.Errorf("%s: winners %v, want %v", m, res.Winners, want)
			}
			if res.Outcome == Tied {
				ties++
			}
			if res.Outcome != NoQuorum && !slices.Equal(ascending(res.Order[:len(res.Winners)]), res.Winners) {
				t.Errorf("%s: order %v, winners %v", m, res.Order, res.Winners)
			}
		})
		if ties < 100 {
			t.Errorf("%s: only %d ties", m, ties)
		}
	}
}

// naiveSTAR tries every pair of options as finalists. From the ballots alone, it keeps the pairs in which no other
// option should have displaced a finalist.
func naiveSTAR(n int, ballots []Ballot) []int {
	total, fives := make([]int, n), make([]int, n)
	prefer := func(a, b int) (d int) {
		for _, v := range ballots {
			d += v.Voters() * cmp.Compare(v.Marks[a], v.Marks[b])
		}
		return d
	}
	for _, b := range ballots {
		for i, mark := range b.Marks {
			total[i] += mark * b.Voters()
			fives[i] += mark / MaxPoints * b.Voters()
		}
	}
	sorted := slices.Sorted(slices.Values(total))
	wins := make([]int, n)
	for a := range n {
		for b := range n {
			if n > 1 && total[a] == sorted[n-2] && total[b] == sorted[n-2] && prefer(a, b) > 0 {
				wins[a]++
			}
		}
	}
	better := func(a, b int) int {
		return cmp.Or(total[a]-total[b], wins[a]-wins[b], fives[a]-fives[b])
	}
	if n == 1 {
		return []int{0}
	}
	won := map[int]bool{}
	for a := range n {
		for b := range a {
			displaced := slices.ContainsFunc(first(n), func(c int) bool {
				return c != a && c != b && (better(c, a) > 0 || better(c, b) > 0)
			})
			if displaced {
				continue
			}
			d := cmp.Or(prefer(a, b), total[a]-total[b], fives[a]-fives[b])
			won[a], won[b] = won[a] || d >= 0, won[b] || d <= 0
		}
	}
	return slices.DeleteFunc(first(n), func(i int) bool { return !won[i] })
}
