package tally

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestStored(t *testing.T) {
	ballots := []Ballot{{Marks: []int{2, 1, 0}}, {Marks: []int{0, 1, 1}}}
	running, err := NewRunning(Acceptance, 3)
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
	for range 2 { // parsed, then cached
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
		{Method: Acceptance, Outcome: "x"}} {
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
	if got := ReadRules("x"); !reflect.DeepEqual(got, Rules{Default: NoDefault}) {
		t.Errorf("of what cannot be read: %+v", got)
	}
}
