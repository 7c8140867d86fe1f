package tally

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestStored(t *testing.T) {
	ballots := []Ballot{{Marks: []int{2, 1, 0}}, {Marks: []int{0, 1, 1}}}
	running, err := Rules{}.Running(Acceptance, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range ballots {
		if err := running.Add(b, 1); err != nil {
			t.Fatal(err)
		}
	}
	text, err := json.Marshal(running)
	if err != nil {
		t.Fatal(err)
	}
	want, err := running.Result(Acceptance, Rules{Default: NoDefault})
	if err != nil {
		t.Fatal(err)
	}
	stored := Stored{Method: Acceptance, Rules: `{"default":-1}`, Tally: string(text), Electorate: 8}
	for range 2 { // the first call parses the text, and the second one uses the cache
		if got := stored.Result(); got == nil || !reflect.DeepEqual(*got, want) {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	quorum := stored
	quorum.Rules = `{"default":-1,"participation_percent":50}`
	if got := quorum.Result(); got == nil || got.Outcome != NoQuorum {
		t.Errorf("2 ballots of 8, where half are needed: %+v", got)
	}
	outcome, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if got := (Stored{Method: Acceptance, Outcome: string(outcome), Tally: "{}"}).Result(); got ==
		nil || !reflect.DeepEqual(*got, want) {
		t.Errorf("as recorded: %+v, want %+v", got, want)
	}
	for _, s := range []Stored{{Method: Acceptance}, {Method: Acceptance, Tally: `{"scale":"x"}`},
		{Method: Acceptance, Outcome: "x"}, {Method: Schulze, Tally: string(text)}} {
		if got := s.Result(); got != nil {
			t.Errorf("%+v: %+v", s, got)
		}
	}
	rules := ReadRules(`{"default":1,"majority":["2","1"]}`)
	if len(rules.Majority) != 2 {
		t.Fatalf("%+v", rules)
	}
	if more := append(rules.Majority, Ratio{}); len(
		ReadRules(`{"default":1,"majority":["2","1"]}`).Majority,
	) != 2 || &more[0] == &rules.Majority[0] {
		t.Error("what is remembered was changed")
	}
	for _, text := range []rulesText{"x", `{"participation":3,"budget":"many"}`} {
		if got := ReadRules(string(text)); !reflect.DeepEqual(got, Rules{Default: NoDefault}) {
			t.Errorf("of %s, which cannot be read: %+v", text, got)
		}
	}
}

// TestStoredSize checks that the sizes are at least the bytes of the cached texts, so that the limits of the caches
// hold.
func TestStoredSize(t *testing.T) {
	text := `{"method":"single"` + strings.Repeat(" ", 9000) + "}"
	tally := `{"scale":"choice","options":1,"counts":{"votes":[1]},"ballots":1` + strings.Repeat(" ", 9000) + "}"
	majority := Rules{Majority: make([]Ratio, MaxOptions)}
	for name, c := range map[string][2]int{
		"all texts of a count": {Stored{Rules: "1", Tally: "22", Outcome: "333"}.Size(), 6},
		"a recorded result":    {results.Get(Stored{Method: Single, Outcome: text}).Size(), len(text)},
		"a running tally":      {results.Get(Stored{Method: Single, Tally: tally}).Size(), len(tally)},
		"majorities":           {majority.Size(), 16 * MaxOptions},
	} {
		if c[0] < c[1] {
			t.Errorf("%s: size %d, want %d or more", name, c[0], c[1])
		}
	}
}
