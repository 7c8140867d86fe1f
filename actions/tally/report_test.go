package tally

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestReport(t *testing.T) {
	const debian = `{"id":"v","options":["A","B","No"],"default_option":3,"ballots":{"132":1,"213":2},"official":{"quorum":1.5}}`
	cases := []struct {
		name   string
		text   string
		method Method
		want   []string
	}{
		{"schulze", debian, Schulze, []string{
			`"winners":["B"]`, `"matrix":[[0,1,3],[2,0,2],[0,1,0]]`,
			`"strengths":{"A":{"B":0,"No":3},"B":{"A":2,"No":2},"No":{"A":0,"B":0}}`,
			`"dropped":[]`, `"quorum":{"required":"1.5","default":"No","reached":["A","B"]}`, `"condorcet":"B"`,
		}},
		{"dropped", strings.Replace(debian, "1.5", "2.5", 1), Schulze, []string{
			`"winners":["A"]`, `"dropped":["B"]`,
			`"drops":[{"option":"B","reason":"quorum","for":2,"against":1,"needs":"1"}]`,
			`"strengths":{"A":{"No":3},"No":{"A":0}}`, `"reached":["A"]`,
		}},
		{"majorities without a quorum", strings.Replace(debian, `"official":{"quorum":1.5}`, `"official":{}`, 1), Schulze,
			[]string{`"winners":["B"]`, `"dropped":[]`, `no "quorum"`}},
		{"irv", "count,rank1,rank2\n3,A,B\n2,B,A\n2,C,B\n", IRV, []string{
			`"winners":["A","B"]`, `"outcome":"tie"`, `no "dropped"`,
			`"rounds":[{"counts":{"A":3,"B":2,"C":2},"active":7,"threshold":4,` +
				`"overvotes":0,"skipped":0,"exhausted":0,"eliminated":[],"tied":["B","C"],"tie":"every_order"}]`,
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			elections, err := Read("f", strings.NewReader(c.text))
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.Marshal(count(t, elections[0], c.method).Report(elections[0]))
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range c.want {
				want, not := strings.CutPrefix(want, "no ")
				if strings.Contains(string(got), want) == not {
					t.Errorf("%s is there: %v, in\n%s", want, !not, got)
				}
			}
		})
	}
}
