package actions_test

import (
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"pgregory.net/rapid"

	"samepage/actions"
	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/actions/tally"
	"samepage/store"
	"samepage/web/webtest"
)

// step is one thing that somebody tries.
type step struct {
	Do, Who, N int // what, who, and a number that it may need
}

// The things tried; most of them by somebody who may not, or too late.
const (
	castOne = iota
	castTwo
	retract
	open
	close
	clockCloses
	addOption
	removeOption
	extend
	decide
	pass // time does
	leave
	join
	things
)

// model is what a decision should be, in the fewest words.
type model struct {
	now, opened, due time.Time
	method           tally.Method
	anonymous        bool
	byLot            bool
	caster           string
	state            string
	options          int
	added            int // how often, so that titles differ
	ballots          map[string]string
	joined           map[string]time.Time // who is in the studio, and since when
	receipts         map[string]string
	decided          bool
}

const author, chair = "bob", "alice"

var people = []string{"alice", "bob", "erin", "dave"}

func (m *model) settle() {
	if m.state == store.DecisionOpen && !m.due.IsZero() && !m.now.Before(m.due) {
		m.state = store.DecisionDue
	}
}

// may says whether a step should succeed.
func (m *model) may(s step, who string) bool {
	since, in := m.joined[who]
	chaired := in && (who == author || who == chair)
	switch s.Do {
	case castOne, castTwo:
		return in && m.state == store.DecisionOpen && !since.After(m.opened) && m.method != tally.Lottery && m.options > 0
	case retract:
		return in && m.state == store.DecisionOpen && m.ballots[who] != ""
	case open:
		return in && who == author && m.state == store.DecisionDraft && (m.options >= 2 || m.method == tally.Acceptance) && (m.due.IsZero() || m.due.After(m.now))
	case close:
		return chaired && (m.state == store.DecisionOpen || m.state == store.DecisionDue)
	case clockCloses:
		return m.state == store.DecisionDue
	case addOption:
		switch {
		case !in:
			return false
		case m.state == store.DecisionDraft:
			return who == author
		case m.state != store.DecisionOpen || m.method == tally.Lottery:
			return false
		}
		return m.method == tally.Acceptance && !(m.anonymous && len(m.ballots) > 0) || who == author && len(m.ballots) == 0
	case removeOption:
		return in && who == author && m.state == store.DecisionDraft && m.options > 0
	case extend:
		return chaired && m.state == store.DecisionOpen && !m.due.IsZero()
	case decide:
		decider := author
		if m.caster != "" {
			decider = m.caster
		}
		if _, still := m.joined[decider]; !still {
			return chaired && m.state == store.DecisionTie && !m.decided
		}
		return in && who == decider && m.state == store.DecisionTie && !m.decided
	}
	return true
}

var errUndo = errors.New("this is over")

// TestDecisionModel lets people, the clock and time do what they like to decisions, and holds every refusal, every state and
// every result against a model.
func TestDecisionModel(t *testing.T) {
	w := webtest.New(t)
	by := map[string]store.Actor{}
	for _, name := range people {
		a, err := w.Site.Person(t.Context(), "acme", name)
		if err != nil {
			t.Fatal(err)
		}
		by[name] = a
	}
	steps, refused, reached := 0, 0, map[string]bool{}
	enough := 10_000
	if os.Getenv("SAMEPAGE_E2E") == "1" {
		enough = 100_000
	} else {
		t.Log("left out: 100000 steps instead of 10000. Set SAMEPAGE_E2E=1 for them.")
	}
	missing := func() (list []string) {
		for _, s := range store.DecisionStates() {
			if !reached[s] && s != store.Redacted { // what an owner redacts is no decision any more
				list = append(list, s)
			}
		}
		return list
	}
	for steps < enough || steps < 50*enough && len(missing()) > 0 { // some states are rare
		rapid.Check(t, func(rt *rapid.T) {
			m := &model{method: rapid.SampledFrom([]tally.Method{tally.Acceptance, tally.Single, tally.Approval, tally.Schulze, tally.IRV, tally.Score, tally.DotVote, tally.Lottery}).Draw(rt, "method"),
				state: store.DecisionDraft, options: rapid.IntRange(0, 3).Draw(rt, "options"), ballots: map[string]string{}, receipts: map[string]string{}, joined: map[string]time.Time{}}
			m.anonymous = m.method != tally.Lottery && rapid.Bool().Draw(rt, "anonymous")
			m.byLot = m.method == tally.Lottery || rapid.Bool().Draw(rt, "lot")
			if !m.byLot && rapid.Bool().Draw(rt, "caster") {
				m.caster = "erin"
			}
			hours, quorum := rapid.IntRange(0, 9).Draw(rt, "hours"), 0
			if m.method != tally.Lottery {
				quorum = rapid.IntRange(0, 80).Draw(rt, "percent")
			}
			list := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) step {
				return step{rapid.IntRange(0, things-1).Draw(rt, "do"), rapid.IntRange(0, len(people)-1).Draw(rt, "who"), rapid.IntRange(0, 1000).Draw(rt, "n")}
			}), 1, 150).Draw(rt, "steps")
			err := w.Store.Write(t.Context(), func(tx *store.Tx) error {
				for _, name := range people {
					m.joined[name] = tx.Now.Add(-time.Hour)
				}
				d, err := m.create(tx, by[author], hours, quorum)
				for i := 0; err == nil && i < len(list); i++ {
					steps++
					var ok bool
					if ok, err = m.take(tx, by, d, list[i], quorum); !ok {
						refused++
					}
					reached[m.state] = true
					if err != nil {
						err = fmt.Errorf("step %d, %+v: %w", i, list[i], err)
					}
				}
				if err == nil {
					err = errUndo
				}
				return err
			})
			if !errors.Is(err, errUndo) {
				rt.Fatal(err)
			}
		})
		if t.Failed() {
			return
		}
	}
	if list := missing(); len(list) > 0 {
		t.Errorf("no step reached %v", list)
	}
	t.Logf("%d steps, %d of them refused", steps, refused)
}

func (m *model) create(tx *store.Tx, by store.Actor, hours, quorum int) (*store.Decision, error) {
	s, err := tx.FindStudio(by, "team")
	if err != nil {
		return nil, err
	}
	in := param.Input{"question": "Which?", "method": string(m.method), "draft": true, "anonymous": m.anonymous}
	options := []any{}
	for range m.options {
		m.added++
		options = append(options, fmt.Sprint("Option ", m.added))
	}
	in["options"] = options
	if hours > 0 {
		in["closes_at"] = fmt.Sprint(hours, "h")
		m.due = tx.Now.Add(time.Duration(hours) * time.Hour).Add(time.Minute - 1).Truncate(time.Minute)
	}
	if m.byLot {
		in["tie"] = "lot"
	}
	if m.caster != "" {
		in["casting_vote"] = m.caster
	}
	if quorum > 0 {
		in["quorum"] = fmt.Sprint(quorum, "%")
	}
	done, err := actions.CreateDecision.Do(tx, by.In(s.OrgID), s, in, param.Clock{Now: tx.Now, Zone: time.UTC}, nil)
	if err != nil {
		return nil, err
	}
	return done.Made[0].(*store.Decision), nil
}

// take tries a step, and finds that it succeeds if it should and leaves what it should.
func (m *model) take(tx *store.Tx, by map[string]store.Actor, d *store.Decision, s step, quorum int) (ok bool, err error) {
	m.now = tx.Now
	m.settle()
	who := people[s.Who]
	actor := by[who].In(d.OrgID)
	should := m.may(s, who)
	now, err := tx.FindDecision(actor, "team", d.ID)
	if store.CodeOf(err) == store.NotFound && (m.state == store.DecisionDraft && who != author || m.joined[who].IsZero()) {
		if s.Do != pass && s.Do != join && s.Do != leave && s.Do != clockCloses {
			return false, nil // it is hidden from them
		}
		now, err = tx.FindDecision(by[author].In(d.OrgID), "team", d.ID)
		if store.CodeOf(err) == store.NotFound { // the author has left
			now, err = d, nil
		}
	}
	if err != nil {
		return false, err
	}
	do := func(spec *action.Spec[*store.Decision], by store.Actor, in param.Input) (action.Done, error) {
		return spec.Do(tx, by, now, in, param.Clock{Now: tx.Now, Zone: time.UTC}, nil)
	}
	var failed error
	switch s.Do {
	case castOne, castTwo:
		in := param.Input{}
		marks := make([]int, m.options)
		if m.options > 0 {
			marks = m.marks(s)
			in = m.params(marks)
		}
		if m.anonymous && m.ballots[who] != "" {
			in["receipt"] = m.receipts[who]
		}
		var done action.Done
		if done, failed = do(actions.CastVote, actor, in); failed == nil {
			if m.anonymous && m.ballots[who] == "" {
				m.receipts[who] = done.Secret
			}
			m.ballots[who] = tally.Ballot{Marks: marks}.String()
		}
	case retract:
		in := param.Input{}
		if m.anonymous && m.ballots[who] != "" {
			in["receipt"] = m.receipts[who]
		}
		if _, failed = do(actions.RetractVote, actor, in); failed == nil {
			delete(m.ballots, who)
		}
	case open:
		if _, failed = do(actions.OpenDecision, actor, nil); failed == nil {
			m.state, m.opened = store.DecisionOpen, tx.Now
			d.Electorate = len(m.joined)
		}
	case close:
		if _, failed = do(actions.CloseDecision, actor, nil); failed == nil {
			m.end(d, quorum)
		}
	case clockCloses:
		if _, failed = do(actions.CloseDecision, store.System(), nil); failed == nil {
			m.end(d, quorum)
		}
	case addOption:
		m.added++
		if _, failed = do(actions.AddOption, actor, param.Input{"title": fmt.Sprint("Option ", m.added)}); failed == nil {
			m.options++
		}
	case removeOption:
		if _, failed = do(actions.RemoveOption, actor, param.Input{"option": fmt.Sprint(1 + s.N%max(m.options, 1))}); failed == nil {
			m.options--
		}
	case extend:
		later := max(m.due.Sub(tx.Now), 0) + time.Hour
		if _, failed = do(actions.Extend, actor, param.Input{"closes_at": tx.Now.Add(later).Format(time.RFC3339)}); failed == nil {
			m.due = tx.Now.Add(later).Add(time.Minute - 1).Truncate(time.Minute)
		}
	case decide:
		var tied []int
		for i := range now.Choice {
			tied = append(tied, i+1)
		}
		for _, n := range tied { // one of them is among those that are tied
			if _, failed = do(actions.CastDecidingVote, actor, param.Input{"option": fmt.Sprint(n)}); failed == nil {
				m.decided = true
				break
			}
		}
		if len(tied) == 0 {
			failed = errUndo
		}
	case pass:
		tx.Now = tx.Now.Add(time.Duration(s.N%180) * time.Minute)
	case leave, join:
		if who == author || who == chair { // who would see nothing afterwards
			return true, nil
		}
		member := *actor.Member
		if s.Do == leave {
			_, err = tx.LeaveStudio(&member, now.Studio)
			delete(m.joined, who)
		} else if err = tx.JoinStudio(&member, now.Studio); m.joined[who].IsZero() {
			m.joined[who] = tx.Now
		}
		if err != nil {
			return false, err
		}
	}
	if (failed == nil) != should {
		return false, fmt.Errorf("by %s in state %s: should succeed: %v, got %v", who, m.state, should, failed)
	}
	return failed == nil, m.compare(tx, by[author].In(d.OrgID), d)
}
