package tally

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// draw returns random ballots of a scale over n options, with at most DefaultBudget dots each. There are few voters and
// options, so that ties are frequent.
func draw(t *rapid.T, s Scale, n int) []Ballot {
	highest := s.highest()
	if s == Ranks {
		highest = n + 1
	}
	one := rapid.Custom(func(t *rapid.T) Ballot {
		b := Ballot{Count: rapid.IntRange(1, 3).Draw(t, "count")}
		if s == Choice {
			b.Marks = make([]int, n)
			if i := rapid.IntRange(-1, n-1).Draw(t, "choice"); i >= 0 {
				b.Marks[i] = 1
			}
			return b
		}
		if s == Dots {
			b.Marks = make([]int, n)
			for _, i := range rapid.SliceOfN(rapid.IntRange(0, n-1), 0, DefaultBudget).Draw(t, "dots") {
				b.Marks[i]++
			}
			return b
		}
		b.Marks = rapid.SliceOfN(rapid.IntRange(0, highest), n, n).Draw(t, "marks")
		if s == Ranks && rapid.IntRange(0, 9).Draw(t, "over") == 0 {
			b.Overvotes = []int{rapid.IntRange(1, n).Draw(t, "overvote")}
		}
		return b
	})
	return rapid.SliceOfN(one, 0, 9).Draw(t, "ballots")
}

func first(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

func drawRules(t *rapid.T, m Method, n int) Rules {
	rules := Rules{Participation: rapid.IntRange(0, 3).Draw(t, "participation")}
	if rapid.Bool().Draw(t, "of an electorate") {
		rules.ParticipationPercent = rapid.IntRange(0, 100).Draw(t, "percent")
		rules = rules.For(rapid.IntRange(0, 9).Draw(t, "electorate"))
	}
	if m == DotVote && rapid.Bool().Draw(t, "budget") {
		rules.Budget = rapid.IntRange(DefaultBudget, MaxBudget).Draw(t, "dots")
	}
	if m.Scale() == Ranks && rapid.Bool().Draw(t, "debian") {
		rules.Default = rapid.IntRange(0, n-1).Draw(t, "default")
		rules.Quorum = Ratio{int64(rapid.IntRange(0, 5).Draw(t, "quorum")), 2}
		rules.Majority = make([]Ratio, n)
		for i := range n {
			rules.Majority[i] = Ratio{int64(rapid.IntRange(1, 3).Draw(t, "majority")), 1}
		}
	}
	return rules
}

func tally(t *rapid.T, m Method, n int, ballots []Ballot, rules Rules) Result {
	res, err := Count(m, n, ballots, rules)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// every lists all methods that Count supports.
var every = []Method{Acceptance, Single, Approval, Schulze, IRV, Score, STAR, DotVote, TimePoll, Lottery}

var method = rapid.SampledFrom(every)

func TestRunningAgreesWithCount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := method.Draw(t, "method")
		early, n := rapid.IntRange(1, 3).Draw(t, "early"), rapid.IntRange(3, 5).Draw(t, "n")
		rules := drawRules(t, m, n)
		running, err := rules.Running(m, early)
		must(t, err)
		old := draw(t, m.Scale(), early)
		for _, b := range old {
			must(t, running.Add(b, 1))
		}
		must(t, running.Grow(n))
		kept := slices.Clone(old)
		var gone []Ballot
		for _, b := range draw(t, m.Scale(), n) {
			must(t, running.Add(b, 2))
			if rapid.Bool().Draw(t, "withdrawn") {
				gone = append(gone, b)
				continue
			}
			kept = append(kept, b, b)
		}
		for _, b := range gone {
			must(t, running.Remove(b, 2))
		}
		data, err := json.Marshal(running)
		must(t, err)
		var stored Running
		must(t, json.Unmarshal(data, &stored))
		got, err := stored.Result(m, rules)
		must(t, err)
		want := tally(t, m, n, kept, rules)
		if m == IRV {
			if want.Outcome != NoQuorum && rules.Majority == nil &&
				!slices.Equal(got.Counts.First, want.Rounds[0].Counts) {
				t.Fatalf("first preferences %v, want %v", got.Counts.First, want.Rounds[0].Counts)
			}
			want.Rounds, want.Order, want.Winners, want.Outcome = nil, nil, got.Winners, got.Outcome
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("running\n%+v\ncount\n%+v", got, want)
		}
		must(t, removeAll(&stored, kept))
		if empty, _ := rules.Running(m, n); !reflect.DeepEqual(stored, empty) {
			t.Fatalf("after removing every ballot: %+v", stored)
		}
	})
}

func must(t *rapid.T, err error) {
	if err != nil {
		t.Fatal(err)
	}
}

func removeAll(r *Running, ballots []Ballot) error {
	for _, b := range ballots {
		if err := r.Remove(b, 1); err != nil {
			return err
		}
	}
	return nil
}

// TestNeutralAndAnonymous expects that renaming options renames the winners. The order of the ballots must not matter,
// nor whether equal ballots are counted together or one by one.
func TestNeutralAndAnonymous(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, n := method.Draw(t, "method"), rapid.IntRange(1, 6).Draw(t, "n")
		ballots, rules := draw(t, m.Scale(), n), drawRules(t, m, n)
		if m == IRV {
			rules.Batch = rapid.Bool().Draw(t, "batch")
			rules.Reading = rapid.SampledFrom(readings()).Draw(t, "reading")
		}
		to := rapid.Permutation(first(n)).Draw(t, "to")
		renamed, other := rules, []Ballot{}
		renamed.Default = to[rules.Default]
		renamed.Majority = slices.Clone(rules.Majority)
		for i, ratio := range rules.Majority {
			renamed.Majority[to[i]] = ratio
		}
		for _, b := range slices.Backward(ballots) {
			moved := Ballot{Marks: make([]int, n), Overvotes: b.Overvotes}
			for i, mark := range b.Marks {
				moved.Marks[to[i]] = mark
			}
			for range b.Count {
				other = append(other, moved)
			}
		}
		var want []int
		res := tally(t, m, n, ballots, rules)
		for _, i := range res.Winners {
			want = append(want, to[i])
		}
		slices.Sort(want)
		if got := tally(t, m, n, other, renamed); !slices.Equal(got.Winners, want) || got.Outcome != res.Outcome {
			t.Fatalf("winners %v %s, want %v %s", got.Winners, got.Outcome, want, res.Outcome)
		}
	})
}

// TestUnrankedIsLast expects the same result for Schulze if the unranked options are ranked last instead.
func TestUnrankedIsLast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 6).Draw(t, "n")
		ballots, rules := draw(t, Ranks, n), drawRules(t, Schulze, n)
		full := make([]Ballot, len(ballots))
		for k, b := range ballots {
			full[k] = Ballot{Marks: slices.Clone(b.Marks), Count: b.Count}
			for i, mark := range b.Marks {
				if mark == 0 && !b.blank() {
					full[k].Marks[i] = MaxRank
				}
			}
		}
		a, b := tally(t, Schulze, n, ballots, rules), tally(t, Schulze, n, full, rules)
		if !slices.Equal(a.Winners, b.Winners) || !reflect.DeepEqual(a.Strengths, b.Strengths) {
			t.Fatalf("winners %v, ranked last %v", a.Winners, b.Winners)
		}
	})
}

// TestMonotonic expects a sole winner to stay the winner when a voter moves this option to the top. Instant runoff does
// not have this property.
func TestMonotonic(t *testing.T) {
	methods := rapid.SampledFrom([]Method{Acceptance, Approval, Schulze, Score, DotVote, TimePoll})
	rapid.Check(t, func(t *rapid.T) {
		m, n := methods.Draw(t, "method"), rapid.IntRange(2, 5).Draw(t, "n")
		ballots := draw(t, m.Scale(), n)
		res := tally(t, m, n, ballots, Rules{})
		if len(res.Winners) != 1 {
			return
		}
		w := res.Winners[0]
		k := rapid.IntRange(0, len(ballots)-1).Draw(t, "voter")
		b := Ballot{Marks: slices.Clone(ballots[k].Marks), Count: ballots[k].Count}
		switch m {
		case Schulze:
			for i := range b.Marks {
				if b.Marks[i] != 0 {
					b.Marks[i]++
				}
			}
			b.Marks[w] = 1
		case DotVote: // the dots of the other options are taken away
			clear(b.Marks)
			b.Marks[w] = DefaultBudget
		default:
			b.Marks[w] = m.Scale().highest()
		}
		ballots[k] = b
		if got := tally(t, m, n, ballots, Rules{}); !slices.Equal(got.Winners, res.Winners) {
			t.Fatalf("%d won, after being raised %v do", w, got.Winners)
		}
	})
}
