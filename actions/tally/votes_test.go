package tally

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func read(t testing.TB, name string) []Election {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	elections, err := Read(name, file)
	if err != nil {
		t.Fatal(err)
	}
	return elections
}

func parse[T any](t testing.TB, data []byte) (v T) {
	t.Helper()
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func count(t testing.TB, e Election, m Method) Result {
	t.Helper()
	res, err := e.Count(m)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// TestDebian checks the published figures of 25 Debian votes: matrix, quorum, majorities and
// winners.
func TestDebian(t *testing.T) {
	elections := read(t, "debian-2002-2010.json")
	if len(elections) != 25 {
		t.Fatalf("read %d votes, want 25", len(elections))
	}
	for _, e := range elections {
		t.Run(e.ID, func(t *testing.T) { checkDebian(t, e, count(t, e, "")) })
	}
}

func checkDebian(t *testing.T, e Election, res Result) {
	type official struct {
		Matrix   [][]int      `json:"beat_matrix"`
		Quorum   *json.Number `json:"quorum"`
		Reached  []int        `json:"quorum_reached"`
		Majority []struct {
			Option, For, Against int
			Passes               bool
		} `json:"majority"`
		Winners []int `json:"winners"`
	}
	want := parse[official](t, e.Expect)
	for i, row := range want.Matrix {
		for j, n := range row {
			if res.Matrix[i][j] != n {
				t.Errorf("matrix[%d][%d] = %d, want %d", i, j, res.Matrix[i][j], n)
			}
		}
	}
	if want.Quorum != nil {
		if got := e.Rules.Quorum.String(); got != want.Quorum.String() {
			t.Errorf("quorum = %s, want %s", got, want.Quorum)
		}
		var reached []int
		for i := range e.Options {
			if i != e.Rules.Default && !dropped(res, i, ByQuorum) {
				reached = append(reached, i+1)
			}
		}
		if !slices.Equal(reached, want.Reached) {
			t.Errorf("quorum reached by %v, want %v", reached, want.Reached)
		}
	}
	for _, m := range want.Majority {
		i := m.Option - 1
		if passes := !dropped(res, i, ByMajority); passes != m.Passes {
			t.Errorf("option %d passes its majority: %v, want %v", i, passes, m.Passes)
		}
		if got := [2]int{
			res.Matrix[i][e.Rules.Default], res.Matrix[e.Rules.Default][i],
		}; got != [2]int{m.For, m.Against} {
			t.Errorf("option %d against the default: %v, want %d to %d", i, got, m.For, m.Against)
		}
	}
	var winners []int
	for _, i := range res.Winners {
		winners = append(winners, i+1)
	}
	if !slices.Equal(winners, want.Winners) || res.Outcome != Decided {
		t.Errorf("%s: winners = %v, want %v", res.Outcome, winners, want.Winners)
	}
	if res.Condorcet == nil || *res.Condorcet != want.Winners[0]-1 {
		t.Errorf("Condorcet winner is %v, want %d", res.Condorcet, want.Winners[0]-1)
	}
}

func dropped(res Result, option int, reason Reason) bool {
	return slices.ContainsFunc(res.Dropped, func(d Drop) bool { return d.Option == option && d.Reason == reason })
}

// TestDebian2003Pairs compares the counts of all pairs of options in the leader election of 2003. Debian's page about
// it gives the counts pair by pair and not as a matrix, so TestDebian does not compare them.
func TestDebian2003Pairs(t *testing.T) {
	e := read(t, "debian-2002-2010.json")[1]
	res := count(t, e, "")
	for _, p := range [][4]int{
		{1, 5, 228, 202}, {2, 1, 428, 34}, {2, 3, 238, 221}, {2, 5, 449, 29}, {3, 1, 385, 66},
		{3, 5, 405, 65}, {4, 1, 397, 38}, {4, 2, 228, 224}, {4, 3, 237, 226}, {4, 5, 424, 39},
	} {
		a, b := p[0]-1, p[1]-1
		if res.Matrix[a][b] != p[2] || res.Matrix[b][a] != p[3] {
			t.Errorf("%d>%d = %d:%d, want %d:%d", p[0], p[1], res.Matrix[a][b], res.Matrix[b][a], p[2], p[3])
		}
	}
}

func TestRankedExamples(t *testing.T) {
	for _, e := range read(t, "ranked-examples.json") {
		t.Run(e.ID, func(t *testing.T) {
			want := parse[struct {
				Winners []string                  `json:"schulze_winners"`
				Paths   map[string]map[string]int `json:"schulze_paths"`
				Tie     []string                  `json:"irv_tie"`
			}](t, e.Expect)
			if want.Winners == nil && want.Tie == nil {
				t.Fatal("nothing is expected")
			}
			if want.Winners != nil {
				report := count(t, e, Schulze).Report(e)
				if !slices.Equal(report.Winners, want.Winners) {
					t.Errorf("winners = %v, want %v", report.Winners, want.Winners)
				}
				for from, row := range want.Paths {
					if !maps.Equal(report.Strengths[from], row) {
						t.Errorf("paths from %s = %v, want %v", from, report.Strengths[from], row)
					}
				}
			}
			if want.Tie != nil {
				report := count(t, e, IRV).Report(e)
				if report.Outcome != Tied || !slices.Equal(report.Winners, want.Tie) {
					t.Errorf("%s: winners = %v, want a tie of %v", report.Outcome, report.Winners, want.Tie)
				}
			}
		})
	}
}

func TestSTARExamples(t *testing.T) {
	for _, e := range read(t, "star-examples.json") {
		t.Run(e.ID, func(t *testing.T) {
			want := parse[struct {
				Totals    map[string]int
				Finalists []string
				Winner    string
			}](t, e.Expect)
			report := count(t, e, "").Report(e)
			if !slices.Equal(report.Winners, []string{want.Winner}) {
				t.Errorf("winners = %v, want %s", report.Winners, want.Winner)
			}
			if want.Totals != nil && !maps.Equal(report.Counts["points"], want.Totals) {
				t.Errorf("totals = %v, want %v", report.Counts["points"], want.Totals)
			}
			if want.Finalists != nil && !slices.Equal(report.Finalists, want.Finalists) {
				t.Errorf("finalists = %v, want %v", report.Finalists, want.Finalists)
			}
		})
	}
}

// TestMinneapolis compares the first and the last round with the published rounds. The other rounds differ, because
// the city removed the undeclared write-ins first and continued in another order.
func TestMinneapolis(t *testing.T) {
	e := read(t, "minneapolis-2013-mayor.csv")[0]
	data, err := os.ReadFile("testdata/minneapolis-2013-mayor.expected.json")
	if err != nil {
		t.Fatal(err)
	}
	want := parse[struct{ Rounds []map[string]any }](t, data).Rounds
	res := count(t, e, "")
	report := res.Report(e)
	if res.Ballots != 80_101 || res.Blank != 639 || len(e.Options) != 36 {
		t.Errorf("%d ballots, %d blank, %d options, want 80101, 639, 36", res.Ballots, res.Blank, len(e.Options))
	}
	if !slices.Equal(report.Winners, []string{"BETSY HODGES"}) {
		t.Errorf("winners = %v", report.Winners)
	}
	compareRound(t, e, report.Rounds[0], want[0])
	compareRound(t, e, report.Rounds[len(report.Rounds)-1], want[len(want)-1])
	if !slices.Equal(res.Rounds[0].Counts, res.Counts.First) {
		t.Error("first preferences are not the counts of the first round")
	}
}

func compareRound(t *testing.T, e Election, got RoundReport, want map[string]any) {
	t.Helper()
	figures := map[string]int{
		"Active Ballots":                        got.Active,
		"Current Round Threshold":               got.Threshold,
		"Inactive Ballots by Overvotes":         got.Overvotes,
		"Inactive Ballots by Skipped Rankings":  got.Skipped,
		"Inactive Ballots by Exhausted Choices": got.Exhausted,
		"Inactive Ballots Total":                got.Overvotes + got.Skipped + got.Exhausted,
	}
	for _, name := range e.Options {
		figure := name
		if name == "UWI" {
			figure = "Undeclared Write-ins"
		}
		figures[figure] = got.Counts[name]
	}
	for name, n := range figures {
		if want[name] != float64(n) {
			t.Errorf("%s: %d, want %v", name, n, want[name])
		}
	}
}
