package actions_test

import (
	"fmt"
	"maps"
	"slices"

	"samepage/actions/param"
	"samepage/actions/tally"
	"samepage/store"
	"samepage/store/governance"
)

// marks returns the ballot that a step casts.
func (m *model) marks(s step) []int {
	marks := make([]int, m.options)
	marks[s.N%m.options] = 1
	if s.Do == castTwo && m.method != tally.Single {
		marks[(s.N/7)%m.options] = 2
		if m.method == tally.Approval {
			marks[(s.N/7)%m.options] = 1
		}
	}
	return marks
}

// params converts a ballot to the params of cast_vote for the model's method.
func (m *model) params(marks []int) param.Input {
	cells, least := map[string]any{}, func(k int) (list []any) {
		for i, mark := range marks {
			if mark >= k {
				list = append(list, fmt.Sprint(i+1))
			}
		}
		return list
	}
	for i, mark := range marks {
		if mark > 0 {
			cells[fmt.Sprint(i+1)] = fmt.Sprint(mark)
		}
	}
	switch m.method.Scale() {
	case tally.Choice:
		return param.Input{"option": least(1)[0]}
	case tally.Approvals:
		return param.Input{"accept": least(1)}
	case tally.Ranks:
		return param.Input{"ranking": cells}
	case tally.Points:
		return param.Input{"points": cells}
	case tally.Dots:
		return param.Input{"dots": cells}
	}
	return param.Input{"accept": least(1), "prefer": least(2)}
}

// end closes the vote in the model: it computes the result from all ballots at once.
func (m *model) end(d *governance.Decision, percent int) {
	ballots := []tally.Ballot{}
	for _, who := range slices.Sorted(maps.Keys(m.ballots)) {
		b, err := tally.ParseMarks(m.ballots[who], m.options)
		if err != nil {
			panic(err)
		}
		ballots = append(ballots, b)
	}
	r, err := tally.Count(m.method, max(m.options, 1), ballots,
		tally.Rules{Default: tally.NoDefault, ParticipationPercent: percent}.For(d.Electorate))
	if err != nil {
		panic(err)
	}
	m.state = string(r.Outcome)
	m.decided = m.byLot && r.Outcome == tally.Tied
}

// compare compares the stored decision with the model.
func (m *model) compare(tx *store.Tx, by store.Actor, d *governance.Decision) error {
	m.now = tx.Now
	m.settle()
	got, err := governance.FindDecision(tx, by, "team", d.ID)
	if err != nil {
		return err
	}
	profiles, err := governance.Profiles(tx, got)
	if err != nil {
		return err
	}
	cast, want := map[string]int{}, map[string]int{}
	for _, p := range profiles {
		cast[p.Marks] += p.Count
	}
	for _, marks := range m.ballots {
		want[marks]++
	}
	switch {
	case got.State() != m.state:
		return fmt.Errorf("it is %s, should be %s", got.State(), m.state)
	case got.Options != m.options || len(got.Choice) != m.options:
		return fmt.Errorf("%d options, should be %d", got.Options, m.options)
	case got.Ballots != len(m.ballots) || !maps.Equal(cast, want):
		return fmt.Errorf("%d ballots, %v, should be %v", got.Ballots, cast, want)
	case (got.Deciding != nil) != m.decided:
		return fmt.Errorf("decided: %v, should be %v", got.Deciding != nil, m.decided)
	case (got.Commitment != "") != (m.byLot && m.state != governance.DecisionDraft):
		return fmt.Errorf("the lot of a decision in state %s: %q", m.state, got.Commitment)
	case (got.Secret != "") != (got.Commitment != "" && !got.ClosedAt.IsZero()):
		return fmt.Errorf("the secret of a lot in state %s: %q", m.state, got.Secret)
	case m.anonymous && got.Tally != "":
		return fmt.Errorf("an anonymous vote keeps a running tally")
	}
	return nil
}
