package tally

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
)

func TestReadRefuses(t *testing.T) {
	debian := func(ballots string) string {
		return "[\n" + `{"id":"v","options":["A","B","C"],"default_option":3,"ballots":` + ballots + `}` + "\n]"
	}
	lines := func(ballots string) string { return `{"id":"v","candidates":["A","B"],"ballots":"` + ballots + `"}` }
	cases := []struct{ name, text, want string }{
		{"empty", " \n", "f: empty: expected votes"},
		{"something else", "hello", "f:1: expected JSON, starting with [ or {, or CSV"},
		{"Latin-1", "[\n\"\xe9\"]", "f:2: not UTF-8"},
		{"cut off", "[\n{\"id\":", "f:2: unexpected end of JSON input"},
		{"broken", "[\n{\"id\":\n}]", "f:3: invalid character"},
		{"no vote", "[]", "f:1: no vote in the list"},
		{"not a vote", "[3]", "f:1: vote 1: json: cannot unmarshal number"},
		{"after top-level value", debian(`{"123":1}`) + "x", "f:3: invalid character 'x' after top-level value"},
		{"two values", lines("A") + lines("A"), "after top-level value"},
		{"same vote twice", "[" + lines("A") + ",\n" + lines("A") + "]", `f:2: vote "v" is there twice`},
		{"no id", `{"options":["A"],"ballots":{}}`, "vote 1: no id"},
		{"no options", `{"id":"v","ballots":{}}`, `vote "v": 0 options: expected 1 to 200`},
		{"an option twice", `{"id":"v","options":["A","A"],"ballots":{}}`, `option "A" is listed twice`},
		{"an option without a name", `{"id":"v","options":["A",null],"ballots":{}}`, `option 2: name ""`},
		{"a terminal's control character", `{"id":"v","options":["A\u001b"],"ballots":{}}`, "control characters"},
		{"closed alone", `{"id":"v","options":["A"],"closed":"2004-03-21T00:00:00Z","ballots":{}}`, "opened and closed: expected both"},
		{"closed before it opened",
			`{"id":"v","options":["A"],"opened":"2004-03-22T00:00:00Z","closed":"2004-03-21T00:00:00Z","ballots":{}}`,
			"the close after the opening"},
		{"a day in words", `{"id":"v","options":["A"],"opened":"yesterday","ballots":{}}`, "yesterday"},
		{"no ballots", `{"id":"v","options":["A"]}`, "no ballots: expected"},
		{"default out of range", `{"id":"v","options":["A"],"default_option":2,"ballots":{}}`, "default_option 2: expected 1 to 1"},
		{"quorum without a default", `{"id":"v","options":["A"],"official":{"quorum":3},"ballots":{}}`, "needs a default_option"},
		{"official as a number", `{"id":"v","options":["A"],"official":3,"ballots":{}}`, "official: json: cannot unmarshal number"},
		{"majority below zero",
			`{"id":"v","options":["A"],"default_option":1,"official":{"majority":[{"option":1,"needs":-1}]},"ballots":{}}`,
			`majority of option 1: ratio "-1"`},
		{"quorum below zero", `{"id":"v","options":["A"],"default_option":1,"official":{"quorum":-3},"ballots":{}}`, `quorum: ratio "-3"`},
		{"majority of nobody",
			`{"id":"v","options":["A"],"default_option":1,"official":{"majority":[{"option":0,"needs":1}]},"ballots":{}}`,
			"majority of option 0"},
		{"too few ranks", debian(`{"12":1}`), `f:2: vote "v": ballot "12": 2 ranks for 3 options`},
		{"a rank that is none", debian(`{"1x2":1}`), `rank 'x' of option 2`},
		{"voters as text", debian(`{"123":"4"}`), `voters "\"4\"": expected a whole number`},
		{"half a voter", debian(`{"123":0.5}`), `voters "0.5": expected a whole number`},
		{"fewer than no voters", debian(`{"123":-1}`), "-1 voters: expected 1 or more"},
		{"too many voters", debian(`{"123":99999999,"321":2}`), `ballot "321": 2 voters`},
		{"a ballot twice", debian(`{"123":1,"123":2}`), `ballot "123": is there twice`},
		{"voters do not add up", `{"id":"v","options":["A"],"voters":2,"ballots":{"1":1}}`, "voters is 2, but the ballots are of 1"},
		{"unknown option", lines(`A\nA > X`), `line 2 of the ballots: "X" is not an option`},
		{"ranked twice", lines("A > B > A"), `"A" is ranked twice`},
		{"nothing between", lines("A > > B"), `"" is not an option`},
		{"times what", lines("A * many"), `"many" after *: expected a number of voters`},
		{"times nothing", lines("A * 0"), "0 voters"},
		{"one mark too few", `{"id":"v","options":["A","B"],"ballots":[[1,[5]]]}`, "ballot 1: expected a list of points for each of 2"},
		{"points without voters", `{"id":"v","options":["A"],"ballots":[[[5]]]}`, "ballot 1: expected [voters, [points per option]]"},
		{"points without a list", `{"id":"v","options":["A"],"ballots":[3]}`, "ballots: json: cannot unmarshal number"},
		{"points of voters as text", `{"id":"v","options":["A"],"ballots":[["1",[5]]]}`, `ballot 1: voters "\"1\"": expected a whole`},
		{"six points", `{"id":"v","options":["A"],"ballots":[[1,[6]]]}`, "ballot 1: option 1 is marked 6: expected 0 to 5"},
		{"null points", `{"id":"v","options":["A"],"ballots":[[1,[null]]]}`, `points of option 1: "null"`},
		{"another heading", "count,first\n1,A\n", `f:1: heading "first": expected rank1`},
		{"heading alone", "count,rank1\n", "no ballots after the heading"},
		{"one field too many", "count,rank1\n1,A\n1,A,B\n", "f:3: wrong number of fields"},
		{"count of none", "count,rank1\n0,A\n", "f:2: 0 voters"},
		{"count as a word", "count,rank1\n1,A\nmany,A\n", `f:3: count "many"`},
		{"open quote", "count,rank1\n1,\"A\n", "f:2: extraneous"},
		{"empty name", "count,rank1\n1,\n", `f:2: rank 1: name ""`},
		{"nobody named", "count,rank1\n1,undervote\n", "no ballot names an option"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := Read("f", strings.NewReader(c.text))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// TestReadCutOff expects no votes from a file whose end cannot be read.
func TestReadCutOff(t *testing.T) {
	text := strings.NewReader(`{"id":"v","options":["A"],"ballots":{}}`)
	got, err := Read("f", io.MultiReader(text, iotest.ErrReader(io.ErrUnexpectedEOF)))
	if !errors.Is(err, io.ErrUnexpectedEOF) || got != nil {
		t.Errorf("read %+v: %v", got, err)
	}
}

func TestReadLimits(t *testing.T) {
	many := "count,rank1\n" + strings.Repeat("1,A\n", 50_001)
	for i := range MaxOptions - 1 {
		many += "1," + strings.Repeat("B", i+1) + "\n"
	}
	for name, text := range map[string]string{
		"larger than 16 MiB":                    strings.Repeat(" ", MaxFile+1),
		"a file holds 10000000 marks":           many,
		`"` + strings.Repeat("B", 200) + `" is`: many + "1," + strings.Repeat("B", MaxOptions) + "\n",
		"more than 1000 votes":                  "[" + manyVotes(MaxElections+1) + "]",
	} {
		if _, err := Read("f", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("error %v, want %q", err, name)
		}
	}
}

func manyVotes(n int) string {
	var list []string
	for i := range n {
		list = append(list, `{"id":"v`+strings.Repeat("i", i)+`","options":["A"],"ballots":{}}`)
	}
	return strings.Join(list, ",")
}

func TestReadCSV(t *testing.T) {
	text := "\ufeffcount,rank1,rank2,rank3,rank4\r\n3,A,A,undervote,B\r\n1,undervote,overvote,B,C\r\n2,\"B, Jr.\",undervote,undervote,A\r\n"
	elections, err := Read("dir/city.csv", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	e := elections[0]
	if e.ID != "city" || e.Method != IRV || e.Voters != 6 || strings.Join(e.Options, ";") != "A;B, Jr.;B;C" {
		t.Errorf("read %+v", e)
	}
	for k, want := range []string{"1,-,3,-", "-,-,3,4!2", "4,1,-,-"} {
		if got := e.Ballots[k].String(); got != want {
			t.Errorf("ballot %d is %s, want %s", k, got, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"ranked-examples.json", "star-examples.json"} {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	f.Add(`[{"id":"v","options":["A","B"],"default_option":2,"voters":3,` +
		`"ballots":{"12":2,"-1":1},"official":{"quorum":1.5,"majority":[{"option":1,"needs":3.0}]}}]`)
	f.Add("count,rank1,rank2\n3,A,B\n1,overvote,A\n2,undervote,undervote\n")
	f.Fuzz(func(t *testing.T, text string) {
		elections, err := Read("f", strings.NewReader(text))
		if err != nil {
			return
		}
		for _, e := range elections {
			for _, m := range Methods() {
				if m.Scale() != e.Scale || len(e.Ballots) > 100 {
					continue
				}
				res, err := e.Count(m)
				if err != nil {
					t.Fatalf("%s was read, but %v", e.ID, err)
				}
				if res.Ballots != e.Voters || (len(res.Winners) == 0) != (res.Outcome == NoQuorum) {
					t.Fatalf("%+v", res)
				}
				res.Report(e)
			}
		}
	})
}
