package tally

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// TestAtTheLimit expects values exactly at a limit to be accepted, and a few larger ones to be refused.
func TestAtTheLimit(t *testing.T) {
	for _, c := range []struct {
		name    string
		method  Method
		n       int
		ballots []Ballot
		rules   Rules
	}{
		{"options", Single, MaxOptions, []Ballot{{Marks: []int{1}}}, Rules{}},
		{"voters of a ballot", Single, 1, []Ballot{{Marks: []int{1}, Count: MaxBallots}}, Rules{}},
		{"voters of all ballots", Single, 1, []Ballot{{Marks: []int{1}, Count: MaxBallots - 1}, {}}, Rules{}},
		{"a rank with several options", IRV, 1, []Ballot{{Marks: []int{1}, Overvotes: []int{2, MaxRank}}}, Rules{}},
		{"percent", Single, 1, []Ballot{{Marks: []int{1}}}, Rules{ParticipationPercent: 100}.For(1)},
		{"dots of a budget", DotVote, 1, []Ballot{{Marks: []int{MaxBudget}}}, Rules{Budget: MaxBudget}},
	} {
		if _, err := Count(c.method, c.n, c.ballots, c.rules); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	full := Rules{ParticipationPercent: 101}.For(4)
	if err := full.check(Single, 1); err == nil || !strings.Contains(err.Error(), "101 percent: expected 0 to 100") {
		t.Errorf("101 percent became %+v: %v", full, err)
	}
	if zero := (Rules{Participation: 2}).For(9); zero.Participation != 2 {
		t.Errorf("two ballots became %+v", zero)
	}
	if err := (Rules{ParticipationPercent: 100}).check(Single, 1); err == nil || !strings.Contains(err.Error(), "how many voters") {
		t.Errorf("100 percent of nobody knows how many: %v", err)
	}
	rules := Rules{Default: 2, Quorum: Ratio{1, 1}}
	if _, err := Count(Schulze, 2, nil, rules); err == nil || !strings.Contains(err.Error(), "default option 2") {
		t.Errorf("a default option that is not there: %v", err)
	}
}

// TestRunningFits expects a running tally to refuse rules, options and ballots for which no result could be computed.
func TestRunningFits(t *testing.T) {
	fresh := func() Running {
		r, err := Rules{}.Running(Single, 2)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := fresh()
	made := func(_ Running, err error) error { return err }
	counted := func(_ Result, err error) error { return err }
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"no options", made(Rules{}.Running(Single, 0)), "0 options"},
		{"a budget too small", made(Rules{Budget: MinBudget - 1}.Running(DotVote, 1)), "budget of 2 dots"},
		{"ranks read for points", made(Rules{Reading: Reading{Overvote: "skip"}}.Running(Score, 1)), "score"},
		{"an unknown rule on ranks", made(Rules{Reading: Reading{Overvote: "pass"}}.Running(IRV, 1)), "pass"},
		{"a ballot never added", r.Remove(Ballot{Marks: []int{1}}, 1), "is not in the tally"},
		{"a ballot removed no times", r.Remove(Ballot{Marks: []int{1}}, 0), "weight 0"},
		{"marks for options that are not there", r.Remove(Ballot{Marks: []int{0, 0, 1}}, 1), "3 marks for 2 options"},
		{"a result of nothing", counted(Running{}.Result("", Rules{})), `there is no method ""`},
		{"a result with a budget", counted(fresh().Result(Single, Rules{Budget: 5})), "a budget is for dots"},
		{"a result of ranks", counted(fresh().Result(Single, Rules{Reading: Reading{Overvote: "skip"}})), "single"},
		{"a quorum below zero", (Rules{Quorum: Ratio{-1, 1}}).check(Schulze, 1), "quorum: ratio -1/1"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, c.err, c.want)
		}
	}
	if !reflect.DeepEqual(r, fresh()) {
		t.Errorf("what is refused changes the tally: %+v", r)
	}
}

// TestWeight expects the weight of a ballot to be multiplied by its number of voters, with a product of at most
// MaxBallots.
func TestWeight(t *testing.T) {
	r, err := Rules{}.Running(Single, 1)
	if err != nil {
		t.Fatal(err)
	}
	pair := Ballot{Marks: []int{1}, Count: 2}
	if err := r.Add(pair, MaxBallots/2+1); err == nil || !strings.Contains(err.Error(), "weight 50000001") {
		t.Errorf("a weight beyond the limit: %v", err)
	}
	if err := r.Add(pair, MaxBallots/2); err != nil || r.Ballots != MaxBallots || r.Counts.Votes[0] != MaxBallots {
		t.Errorf("%d ballots, %v: %v", r.Ballots, r.Counts.Votes, err)
	}
	if err := r.Add(Ballot{}, 1); err == nil {
		t.Error("one ballot beyond the limit is taken")
	}
	if err := r.Grow(MaxOptions); err != nil {
		t.Error(err)
	}
	if err := r.Grow(MaxOptions + 1); err == nil {
		t.Error("a tally grows beyond the limit of options")
	}
}

// TestFirstRank expects a ballot with only the last possible rank to count in the first round of an instant runoff. A
// ballot with equal points for two options must prefer neither of them to the other.
func TestFirstRank(t *testing.T) {
	res, err := Count(IRV, 1, []Ballot{{Marks: []int{MaxRank}}}, Rules{Reading: Reading{Skipped: "any"}})
	if err != nil || !reflect.DeepEqual(res.Counts.First, []int{1}) {
		t.Errorf("first preferences %v: %v", res.Counts.First, err)
	}
	res, err = Count(Score, 3, votes(t, 3, "3,3,-"), Rules{})
	if want := [][]int{{0, 0, 1}, {0, 0, 1}, {0, 0, 0}}; err != nil || !reflect.DeepEqual(res.Matrix, want) {
		t.Errorf("matrix %v, want %v: %v", res.Matrix, want, err)
	}
}

// TestStoredTally expects a stored tally to be read only if its parts fit together, also at the limits.
func TestStoredTally(t *testing.T) {
	zeros := strings.TrimSuffix(strings.Repeat("0,", MaxOptions), ",")
	read := func(text string) (r Running, err error) { return r, json.Unmarshal([]byte(text), &r) }
	for _, text := range []string{
		`{"scale":"choice","options":200,"counts":{"votes":[` + zeros + `]}}`,
		`{"scale":"nothing","options":1,"ballots":100000000,"blank":100000000}`,
		`{"scale":"dots","options":1,"budget":3,"counts":{"marked":[0],"dots":[0]}}`,
		`{"scale":"dots","options":1,"budget":20,"counts":{"marked":[0],"dots":[0]}}`,
		`{"scale":"ranks","options":1,"counts":{"marked":[0],"first":[0]},"matrix":[[0]],"overvote":"skip","skipped":"any"}`,
	} {
		if _, err := read(text); err != nil {
			t.Errorf("%.99s: %v", text, err)
		}
	}
	for _, text := range []string{
		`{"scale":"choice","options":201,"counts":{"votes":[0,` + zeros + `]}}`,
		`{"scale":"choice","options":0,"counts":{"votes":[]}}`,
		`{"scale":"nothing","options":1,"ballots":100000001}`,
		`{"scale":"nothing","options":1,"ballots":1,"blank":2}`,
		`{"scale":"dots","options":1,"budget":21,"counts":{"marked":[0],"dots":[0]}}`,
		`{"scale":"ranks","options":1,"counts":{"marked":[0],"first":[0]},"matrix":[[0]],"overvote":"pass"}`,
		`{"scale":"choice","options":1,"counts":{"votes":[0]},"overvote":"skip"}`,
		`{"scale":"choice","options":1,"counts":{"votes":[0]},"ballots":"many"}`,
		`{"scale":"ranks","options":1,"counts":{"marked":[0],"first":[0]},"matrix":[[0,0]]}`,
	} {
		if r, err := read(text); err == nil {
			t.Errorf("%.99s was read as %+v", text, r)
		}
	}
}

// TestReadingOfTally expects ballots that were tallied with one reading not to be counted with another. Schulze does
// not use the reading, so any reading is accepted there.
func TestReadingOfTally(t *testing.T) {
	r, err := Rules{Reading: Reading{Overvote: "skip"}}.Running(IRV, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Result(IRV, Rules{}); err == nil || !strings.Contains(err.Error(), "read by others") {
		t.Errorf("counted by other rules: %v", err)
	}
	if _, err := r.Result(Schulze, Rules{}); err != nil {
		t.Error(err)
	}
}

// TestRoom reads files with exactly as many marks as there is room for in all votes together, and refuses files with
// more.
func TestRoom(t *testing.T) {
	vote := func(id, ballots string) string {
		return `{"id":"` + id + `","options":["A","B"],"ballots":` + ballots + `}`
	}
	for name, ballots := range map[string][2]string{
		"ranks":  {`{"12":1,"21":1}`, `{"12":1,"21":1,"1-":1}`},
		"lines":  {`"A\nB"`, `"A\nB\nA > B"`},
		"points": {`[[1,[5,0]],[1,[0,5]]]`, `[[1,[5,0]],[1,[0,5]],[1,[1,1]]]`},
	} {
		if _, err := readJSON("f", []byte(vote("v", ballots[0])), 4); err != nil {
			t.Errorf("%s: two ballots on two options: %v", name, err)
		}
		if _, err := readJSON("f", []byte(vote("v", ballots[1])), 5); err == nil || !strings.Contains(err.Error(), "too many") {
			t.Errorf("%s: six marks where there is room for five: %v", name, err)
		}
		list := "[" + vote("v", ballots[0]) + "," + vote("w", ballots[0]) + "]"
		if _, err := readJSON("f", []byte(list), 8); err != nil {
			t.Errorf("%s: two votes of four marks: %v", name, err)
		}
		if _, err := readJSON("f", []byte(list), 7); err == nil || !strings.Contains(err.Error(), `vote "w": too many`) {
			t.Errorf("%s: the second vote has no room: %v", name, err)
		}
	}
	const two = "count,rank1,rank2\n1,A,B\n1,B,A\n"
	if _, err := readCSV("f", []byte(two), 4); err != nil {
		t.Error(err)
	}
	if _, err := readCSV("f", []byte(two), 3); err == nil || !strings.Contains(err.Error(), "too many") {
		t.Errorf("four marks where there is room for three: %v", err)
	}
}

// TestReadAtTheLimit reads files and names of exactly the greatest size. Larger files and names must be refused. The
// error about an invalid text must have the number of the line.
func TestReadAtTheLimit(t *testing.T) {
	ranks := func(n int) string {
		heading, line := "count", "1"
		for i := range n {
			heading, line = heading+fmt.Sprintf(",rank%d", i+1), line+",A"
		}
		return heading + "\n" + line + "\n"
	}
	options := func(n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf(`"%d"`, i)
		}
		return `{"id":"v","options":[` + strings.Join(list, ",") + `],"ballots":{}}`
	}
	named := func(n int) string { return `{"id":"v","options":["` + strings.Repeat("n", n) + `"],"ballots":{}}` }
	voters := func(n string) string { return `{"id":"v","options":["A"],"ballots":{"1":1,"-":` + n + `}}` }
	for name, text := range map[string]string{
		"bytes": options(1) + strings.Repeat(" ", MaxFile-len(options(1))), "ranks": ranks(MaxOptions),
		"options": options(MaxOptions), "a name": named(MaxName), "voters": voters("99999999"),
	} {
		if _, err := Read("f", strings.NewReader(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for want, text := range map[string]string{
		"201 ranks: expected at most 200": ranks(MaxOptions + 1), "name of 501 bytes": named(MaxName + 1),
		"100000000 voters: expected 1 or more": voters("100000000"), "f:1: not UTF-8": "\xe9",
		"f:2: not UTF-8": "\ufffd\n\xe9",
		`f:4: vote "w": ballot "12": 2 ranks`: "[" + options(1) + ",\n\n" + `{"id":"w","options":["A"],` + "\n" +
			`"ballots":{"12":1}}]`,
		"f:4: vote 2: json: cannot unmarshal number": "[" + options(1) + ",\n{\n" + `"title":` + "\n3}]",
	} {
		if _, err := Read("f", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestReadTitle(t *testing.T) {
	for text, want := range map[string][2]string{
		`"id":"minneapolis-2013_mayor council"`:              {"Minneapolis 2013 mayor council", ""},
		`"id":"--","source_path":"votes/1"`:                  {"--", "votes/1"},
		`"id":"v","title":"A vote","source":"https://v.org"`: {"A vote", "https://v.org"},
	} {
		list, err := Read("f", strings.NewReader(`{`+text+`,"options":["A"],"ballots":{}}`))
		if err != nil || list[0].Title != want[0] || list[0].Source != want[1] {
			t.Errorf("%s was read as %+v: %v", text, list, err)
		}
	}
}

func TestElectionCountRefuses(t *testing.T) {
	e := Election{ID: "v", Scale: Ranks, Options: []string{"A"}}
	for method, want := range map[Method]string{
		"":      "v does not say how it is counted: name a method for ranks",
		"borda": `v: there is no method "borda"`,
		Score:   "v: score counts points, but these ballots have ranks",
	} {
		if _, err := e.Count(method); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", method, err, want)
		}
	}
}

// TestReportNames expects an option without a name to be reported by its number. Only the report of an instant runoff
// has the reading.
func TestReportNames(t *testing.T) {
	for method, reads := range map[Method]bool{IRV: true, Schulze: false} {
		e := Election{Options: []string{"A"}}
		res, err := Count(method, 2, votes(t, 2, "1,-", "2x2,1"), Rules{})
		if err != nil {
			t.Fatal(err)
		}
		report := res.Report(e)
		if got := strings.Join(report.Winners, " "); got != "option 2" || (report.Reading != nil) != reads {
			t.Errorf("%s: winners %q, read by %v", method, got, report.Reading)
		}
	}
}

// TestPlaces expects error messages to number the options from 1.
func TestPlaces(t *testing.T) {
	var lot Lot
	if _, err := lot.Order([]string{"1", "\xe9"}); err == nil || !strings.Contains(err.Error(), "option 2:") {
		t.Error(err)
	}
	if _, err := lot.Pick([]int{2}, []string{"1", "2"}); err == nil || err.Error() != "winner 2 of 2 options" {
		t.Error(err)
	}
	if _, err := ParseMarks("1,x", 2); err == nil || !strings.Contains(err.Error(), "option 2:") {
		t.Error(err)
	}
	if b, err := ParseMarks("1!2!2", 1); err == nil {
		t.Errorf("a rank that is given twice was read as %s", b)
	}
}

// TestDebianRules reads a Debian vote in which the last option needs a special majority, and a ballot with rank 9. The
// other options must need a simple majority.
func TestDebianRules(t *testing.T) {
	list, err := Read("f", strings.NewReader(`{"id":"v","options":["A","B","C"],"default_option":1,"ballots":{"9-1":1},`+
		`"official":{"majority":[{"option":3,"needs":2}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []Ratio{{1, 1}, {1, 1}, {2, 1}}
	if e := list[0]; !reflect.DeepEqual(e.Rules.Majority, want) || e.Ballots[0].String() != "9,-,1" {
		t.Errorf("majorities %v, ballot %s", e.Rules.Majority, e.Ballots[0])
	}
}

// TestSTAROrder expects the losing finalist in the second place, even if an option with equal points has a smaller
// index.
func TestSTAROrder(t *testing.T) {
	res, err := Count(STAR, 3, votes(t, 3, "5,4,-", "2x5,-,2"), Rules{})
	if err != nil || !reflect.DeepEqual(res.Order, []int{0, 2, 1}) {
		t.Errorf("order %v: %v", res.Order, err)
	}
}

// TestSchulzeOrder expects options that beat the same number of others to be in the order of their indices.
func TestSchulzeOrder(t *testing.T) {
	res, err := Count(Schulze, 4, votes(t, 4, "1,2,3,4", "1,3,4,2"), Rules{})
	if err != nil || !reflect.DeepEqual(res.Order, []int{0, 1, 2, 3}) {
		t.Errorf("order %v: %v", res.Order, err)
	}
}
