package tally

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// votes parses ballots in text form. A number of voters may precede the marks, as in "3x1,2,-".
func votes(t testing.TB, n int, texts ...string) []Ballot {
	t.Helper()
	var ballots []Ballot
	for _, text := range texts {
		number, marks, many := strings.Cut(text, "x")
		if !many {
			number, marks = "1", text
		}
		b, err := ParseMarks(marks, n)
		if err != nil {
			t.Fatal(err)
		}
		b.Count = parse[int](t, []byte(number))
		ballots = append(ballots, b)
	}
	return ballots
}

func TestCount(t *testing.T) {
	debian := Rules{Default: 2, Quorum: Ratio{5, 2}, Majority: []Ratio{{3, 1}, {1, 1}, {}}}
	cases := []struct {
		name    string
		method  Method
		rules   Rules
		ballots []string
		winners []int
		outcome Outcome
	}{
		{"no ballots", Acceptance, Rules{}, nil, []int{}, NoQuorum},
		{"only blank ballots", Approval, Rules{}, []string{"9x-,-,-"}, []int{}, NoQuorum},
		{"too few ballots", Single, Rules{Participation: 3}, []string{"2x1,-,-"}, []int{}, NoQuorum},
		{"a blank ballot takes part", Single, Rules{Participation: 3}, []string{"2x1,-,-", "-,-,-"}, []int{0}, Decided},
		{"preferred breaks equal acceptance", Acceptance, Rules{}, []string{"1,2,-", "1,1,2"}, []int{1}, Decided},
		{"accepted by more beats preferred by more", Acceptance, Rules{}, []string{"1,2,-", "1,2,-", "1,-,-"}, []int{0}, Decided},
		{"equal on both", Acceptance, Rules{}, []string{"2,1,-", "1,2,-"}, []int{0, 1}, Tied},
		{"all tied for most votes", Single, Rules{}, []string{"1,-,-", "-,-,1"}, []int{0, 2}, Tied},
		{"three to one is enough where it takes three", Schulze, debian, []string{"3x1,3,2", "-,2,1"}, []int{0}, Decided},
		{"below three to one", Schulze, debian, []string{"5x1,3,2", "2x-,2,1"}, []int{2}, Decided},
		{"as many against the default as for it", Schulze, debian, []string{"3x-,1,2", "3x-,2,1"}, []int{2}, Decided},
		{"quorum of two and a half", Schulze, debian, []string{"2x-,1,-"}, []int{2}, Decided},
		{"rules without ratios", Schulze, Rules{Quorum: Ratio{1, 1}}, []string{"3x2,1,-", "2x1,-,2"}, []int{1}, Decided},
		{"dropped options leave a runoff too", IRV, debian, []string{"2x1,2,-", "2x-,1,2"}, []int{1}, Decided},
		{"nobody but dropped options is ranked", IRV, debian, []string{"2x1,-,-"}, []int{}, NoQuorum},
		{"too few for a runoff", IRV, Rules{Participation: 3}, []string{"2x1,-,-"}, []int{}, NoQuorum},
		{"majority in the first round", IRV, Rules{}, []string{"3x1,-,-", "2x-,1,2"}, []int{0}, Decided},
		{"an overvote ends the ballot", IRV, Rules{}, []string{"3x1,1,2", "-,-,1"}, []int{2}, Decided},
		{"only overvotes", IRV, Rules{}, []string{"3x1,1,-", "-,-,-!1"}, []int{}, NoQuorum},
		{"two blank ranks end the ballot", IRV, Rules{}, []string{"3x3,-,-", "-,2,-"}, []int{1}, Decided},
		{"the pair decides between totals", STAR, Rules{}, []string{"4x5,4,-", "5x3,4,-"}, []int{1}, Decided},
		{"points alone", Score, Rules{}, []string{"4x5,4,-", "5x2,3,-"}, []int{1}, Decided},
		{"three equal finalists", STAR, Rules{}, []string{"5,3,1", "1,5,3", "3,1,5"}, []int{0, 1, 2}, Tied},
		{"most dots, from fewer voters", DotVote, Rules{}, []string{"9,-,1", "-,3,-", "-,3,2"}, []int{0}, Decided},
		{"as many dots", DotVote, Rules{Budget: 3}, []string{"2x1,1,-", "-,-,1"}, []int{0, 1}, Tied},
		{"dots that nobody spends", DotVote, Rules{}, []string{"4x-,-,-"}, []int{}, NoQuorum},
		{"who can at all before who likes to", TimePoll, Rules{}, []string{"2,1,-", "2,1,-", "-,1,-"}, []int{1}, Decided},
		{"as many can, more say yes", TimePoll, Rules{}, []string{"1,2,-", "1,1,2"}, []int{1}, Decided},
		{"nobody can", TimePoll, Rules{}, []string{"3x-,-,-"}, []int{}, NoQuorum},
		{"a lottery needs no votes", Lottery, Rules{}, nil, []int{0, 1, 2}, Tied},
		{"a lottery for those who are there", Lottery, Rules{Participation: 2}, []string{"-,-,-"}, []int{}, NoQuorum},
		{"enough are there", Lottery, Rules{Participation: 2}, []string{"2x-,-,-"}, []int{0, 1, 2}, Tied},
		{"half of five voters are three", Single, Rules{ParticipationPercent: 50}.For(5), []string{"2x1,-,-"}, []int{}, NoQuorum},
		{"all three", Single, Rules{ParticipationPercent: 50}.For(5), []string{"3x1,-,-"}, []int{0}, Decided},
		{"three equal totals, by pairs", STAR, Rules{}, []string{"3,2,1", "3,2,1", "3,2,1", "-,3,5", "-,-,1"}, []int{0}, Decided},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			res, err := Count(c.method, 3, votes(t, 3, c.ballots...), c.rules)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(res.Winners, c.winners) || res.Outcome != c.outcome {
				t.Errorf("%s %v, want %s %v", res.Outcome, res.Winners, c.outcome, c.winners)
			}
		})
	}
}

func TestRunoffTies(t *testing.T) {
	cases := []struct {
		name    string
		n       int
		ballots []string
		winners []int
		ties    []TieBreak
	}{
		{"a cycle", 3, []string{"1,2,-", "-,1,2", "2,-,1"}, []int{0, 1, 2}, []TieBreak{EveryOrder}},
		{"the last two, equal throughout", 2, []string{"2x1,-", "2x-,1"}, []int{0, 1}, []TieBreak{EveryOrder}},
		{"an earlier round decides", 4, []string{"6x1,-,-,-", "3x-,1,-,-", "2x-,-,1,-", "-,-,2,1"},
			[]int{0}, []TieBreak{"", EarlierRound, ""}},
		{"together below the next", 4, []string{"6x1,-,-,-", "5x-,1,-,-", "2x-,-,1,-", "2x-,-,-,1"}, []int{0}, []TieBreak{Together, ""}},
		{"every order gives one winner", 4,
			[]string{"5x1,-,-,-", "4x2,1,-,-", "2x2,-,1,-", "2x2,-,-,1"}, []int{0},
			[]TieBreak{EveryOrder, ""}},
		{"nobody else is left", 12, alone(12), first(12), []TieBreak{Unbroken}},
		{"too many orders", 16, append(alone(15), "3x-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,1"), []int{15}, []TieBreak{Removed, ""}},
		{"as many orders as are tried", 11, append(alone(10), "3x-,-,-,-,-,-,-,-,-,-,1"), []int{10},
			append(slices.Repeat([]TieBreak{EveryOrder}, 8), "")},
		{"too many orders after the second option leaves", 14, latecomers(), []int{2},
			append([]TieBreak{Removed, Removed}, slices.Repeat([]TieBreak{""}, 6)...)},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			res, err := Count(IRV, c.n, votes(t, c.n, c.ballots...), Rules{})
			if err != nil {
				t.Fatal(err)
			}
			var ties []TieBreak
			for _, r := range res.Rounds {
				ties = append(ties, r.Tie)
			}
			if !slices.Equal(res.Winners, c.winners) || !slices.Equal(ties, c.ties) {
				t.Errorf("%v by %q, want %v by %q", res.Winners, ties, c.winners, c.ties)
			}
		})
	}
}

// alone returns one ballot for each option. The ballot for an option ranks only that option.
func alone(n int) []string {
	var texts []string
	for i := range n {
		b := Ballot{Marks: make([]int, n)}
		b.Marks[i] = 1
		texts = append(texts, b.String())
	}
	return texts
}

// latecomers returns ballots with two options that are tied as the lowest. If the first of the two is eliminated, its
// voters separate other options, so few orders are left to try. If the second is eliminated, its voters lift the
// first above eleven tied options, and there are too many orders.
func latecomers() []string {
	list := []string{"2x1", "30x2,1", "100x-,-,1"}
	for i := range 11 {
		alone := strings.Repeat("-,", 3+i) + "1"
		list = append(list, "31x"+alone)
		if i < 7 {
			list = append(list, fmt.Sprintf("%dx1%s", i+1, strings.Replace(alone[1:], "1", "2", 1)))
		}
	}
	return list
}

func TestCountRefuses(t *testing.T) {
	one := []Ballot{{Marks: []int{1, 0}}}
	cases := []struct {
		want    string
		method  Method
		n       int
		ballots []Ballot
		rules   Rules
	}{
		{`there is no method "borda"`, "borda", 2, one, Rules{}},
		{"0 options", Single, 0, nil, Rules{}},
		{"201 options", Single, 201, nil, Rules{}},
		{"ballot 1: 2 marks for 1 options", Single, 1, one, Rules{}},
		{"2 options are marked: expected at most one", Single, 2, []Ballot{{Marks: []int{1, 1}}}, Rules{}},
		{"option 1 is marked 2: expected 0 to 1", Approval, 2, []Ballot{{Marks: []int{2}}}, Rules{}},
		{"option 1 is marked -1", Score, 2, []Ballot{{Marks: []int{-1}}}, Rules{}},
		{"option 2 is marked 6", STAR, 2, []Ballot{{Marks: []int{0, 6}}}, Rules{}},
		{"cast by -1 voters", Single, 2, []Ballot{{Count: -1}}, Rules{}},
		{"at most 100000000 ballots", Single, 2, []Ballot{{Count: MaxBallots}, {}}, Rules{}},
		{"on ranked ballots only", Score, 2, []Ballot{{Overvotes: []int{1}}}, Rules{}},
		{"for ranked ballots, not for score", Score, 2, one, Rules{Quorum: Ratio{1, 1}}},
		{"default option -1: expected 0 to 1", Schulze, 2, one, Rules{Default: NoDefault, Quorum: Ratio{1, 1}}},
		{"1 majority ratios for 2 options", IRV, 2, one, Rules{Majority: make([]Ratio, 1)}},
		{"majority of option 1: ratio 1/0", IRV, 2, one, Rules{Majority: []Ratio{{}, {1, 0}}}},
		{"participation of -1", IRV, 2, one, Rules{Participation: -1}},
		{"participation of -1", IRV, 2, one, Rules{Participation: -1}.For(9)},
		{"11 dots are spent: expected at most 10", DotVote, 2, []Ballot{{Marks: []int{6, 5}}}, Rules{}},
		{"4 dots are spent: expected at most 3", DotVote, 2, []Ballot{{Marks: []int{4}}}, Rules{Budget: 3}},
		{"option 2 is marked 21: expected 0 to 20", DotVote, 2, []Ballot{{Marks: []int{0, 21}}}, Rules{Budget: 20}},
		{"option 1 is marked -1", DotVote, 2, []Ballot{{Marks: []int{-1, 11}}}, Rules{}},
		{"budget of 21 dots: expected 3 to 20", DotVote, 2, one, Rules{Budget: 21}},
		{"budget of -1 dots", DotVote, 2, one, Rules{Budget: -1}},
		{"a budget is for dots, not for score", Score, 2, one, Rules{Budget: 5}},
		{"option 1 is marked 3: expected 0 to 2", TimePoll, 2, []Ballot{{Marks: []int{3}}}, Rules{}},
		{"option 1 is marked 1: expected 0 to 0", Lottery, 2, one, Rules{}},
		{"201 options", Lottery, 201, nil, Rules{}},
		{"participation of 101 percent", Single, 2, one, Rules{ParticipationPercent: 101}.For(2)},
		{"participation of -1 percent", Single, 2, one, Rules{ParticipationPercent: -1}.For(2)},
		{"say of how many voters", Single, 2, one, Rules{ParticipationPercent: 1}},
		{"rules for overvotes and skipped ranks are for irv, not for schulze", Schulze, 2, one,
			Rules{Reading: Reading{Overvote: "skip"}}},
		{`overvotes by "pass": expected exhaust (an overvote ends a ballot) or skip`, IRV, 2, one,
			Rules{Reading: Reading{Overvote: "pass"}}},
		{`skipped ranks by "two": expected one`, IRV, 2, one, Rules{Reading: Reading{Skipped: "two"}}},
		{"overvotes at [2 1]", IRV, 2, []Ballot{{Overvotes: []int{2, 1}}}, Rules{}},
		{"batch elimination is for ranked ballots", Approval, 2, one, Rules{Batch: true}},
	}
	for _, c := range cases {
		_, err := Count(c.method, c.n, c.ballots, c.rules)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

func TestRunningRefuses(t *testing.T) {
	r, err := Rules{}.Running(Score, 2)
	if err != nil {
		t.Fatal(err)
	}
	before, _ := Rules{}.Running(Score, 2)
	if err := r.Remove(Ballot{Marks: []int{5, 0}}, 1); err == nil {
		t.Error("removed a ballot that was never added")
	}
	if err := r.Add(Ballot{}, 0); err == nil {
		t.Error("added a ballot no times")
	}
	if err := r.Grow(1); err == nil {
		t.Error("shrank")
	}
	if _, err := r.Result(Schulze, Rules{}); err == nil {
		t.Error("counted points as ranks")
	}
	dots, err := Rules{Budget: 3}.Running(DotVote, 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := dots.Add(Ballot{Marks: []int{2, 2}}, 1); err == nil {
		t.Error("spent four dots of three")
	}
	if _, err := dots.Result(DotVote, Rules{}); err == nil {
		t.Error("counted ballots with another budget than the rules have")
	}
	if !reflect.DeepEqual(r, before) {
		t.Errorf("refusals changed the tally: %+v", r)
	}
	for _, text := range []string{`{}`, `{"scale":"ranks","options":2}`,
		`{"scale":"choice","options":1,"counts":{"votes":[-1]}}`,
		`{"scale":"dots","options":1,"counts":{"marked":[0],"dots":[0]}}`,
		`{"scale":"nothing","options":1,"budget":3}`} {
		if err := r.UnmarshalJSON([]byte(text)); err == nil {
			t.Errorf("took %s", text)
		}
	}
}

func TestMethods(t *testing.T) {
	for _, m := range every {
		if !m.Scale().known() || m.Title() == string(m) {
			t.Errorf("%s has the scale %q and the title %q", m, m.Scale(), m.Title())
		}
	}
	for i, m := range Methods() {
		if every[i] != m {
			t.Errorf("method %d is %s, want %s", i, m, every[i])
		}
	}
	if m := Method("borda"); m.Scale().known() || m.Title() != "borda" {
		t.Errorf("%s is known", m)
	}
}

func TestNeeded(t *testing.T) {
	cases := []struct{ least, percent, electorate, want int }{
		{0, 0, 7, 0}, {0, 50, 5, 3}, {0, 50, 4, 2}, {0, 1, 1, 1}, {0, 100, 7, 7}, {0, 33, 3, 1}, {0, 34, 3, 2}, {0, 50, 0, 0},
		{3, 50, 4, 3}, {1, 50, 4, 2}, {3, 0, 0, 3}, {0, 50, -4, 0}, {0, 99, math.MaxInt, math.MaxInt/100*99 + 7},
	}
	for _, c := range cases {
		rules := Rules{Participation: c.least, ParticipationPercent: c.percent}
		if got := rules.Needed(c.electorate); got != c.want {
			t.Errorf("%d or %d%% of %d are %d, want %d", c.least, c.percent, c.electorate, got, c.want)
		}
	}
}

func TestAnswers(t *testing.T) {
	res, err := Count(TimePoll, 2, votes(t, 2, "3x2,1", "2x1,-", "-,-"), Rules{})
	if err != nil {
		t.Fatal(err)
	}
	yes, maybe, no := res.Answers()
	if !slices.Equal(yes, []int{3, 0}) || !slices.Equal(maybe, []int{2, 3}) || !slices.Equal(no, []int{1, 3}) {
		t.Errorf("yes %v, if need be %v, no %v", yes, maybe, no)
	}
	other, err := Count(Acceptance, 2, votes(t, 2, "2,1"), Rules{})
	if yes, maybe, no := other.Answers(); err != nil || yes != nil || maybe != nil || no != nil {
		t.Errorf("an acceptance has the answers %v, %v, %v of a time poll: %v", yes, maybe, no, err)
	}
	counts := res.Report(Election{Options: []string{"Monday", "Friday"}}).Counts
	if counts["yes"]["Monday"] != 3 || counts["if_need_be"]["Friday"] != 3 ||
		counts["no"]["Monday"] != 1 || counts["accepted"]["Monday"] != 5 {
		t.Errorf("reported as %v", counts)
	}
}
