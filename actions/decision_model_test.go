package actions_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"samepage/actions"
	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/actions/tally"
	"samepage/store"
	"samepage/store/governance"
	"samepage/web/webtest"
)

// step is one attempt at an action.
type step = webtest.Step

// These are the actions that a random step attempts. Many attempts are made by a person without permission, or too
// late.
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
	pass // time passes
	leave
	join
	things
)

// model predicts the state of a decision. The test compares the stored decision with the model.
type model struct {
	now, opened, due time.Time
	method           tally.Method
	anonymous        bool
	byLot            bool
	caster           string
	state            string
	options          int
	added            int // the number of added options, so that titles differ
	ballots          map[string]string
	joined           map[string]time.Time // the members of the studio, and when they joined
	receipts         map[string]string
	decided          bool
}

const author, chair = "bob", "alice"

var people = []string{"alice", "bob", "erin", "dave"}

func (m *model) settle() {
	if m.state == governance.DecisionOpen && !m.due.IsZero() && !m.now.Before(m.due) {
		m.state = governance.DecisionDue
	}
}

// may reports whether a step should succeed.
func (m *model) may(s step, who string) bool {
	since, in := m.joined[who]
	chaired := in && (who == author || who == chair)
	switch s.Do {
	case castOne, castTwo:
		return in && m.state == governance.DecisionOpen && !since.After(m.opened) &&
			m.method != tally.Lottery && m.options > 0
	case retract:
		return in && m.state == governance.DecisionOpen && m.ballots[who] != ""
	case open:
		return in && who == author && m.state == governance.DecisionDraft &&
			(m.options >= 2 || m.method == tally.Acceptance) && (m.due.IsZero() || m.due.After(m.now))
	case close:
		return chaired && (m.state == governance.DecisionOpen || m.state == governance.DecisionDue)
	case clockCloses:
		return m.state == governance.DecisionDue
	case addOption:
		switch {
		case !in:
			return false
		case m.state == governance.DecisionDraft:
			return who == author
		case m.state != governance.DecisionOpen || m.method == tally.Lottery:
			return false
		}
		return m.method == tally.Acceptance && !(m.anonymous && len(m.ballots) > 0) ||
			who == author && len(m.ballots) == 0
	case removeOption:
		return in && who == author && m.state == governance.DecisionDraft && m.options > 0
	case extend:
		return chaired && m.state == governance.DecisionOpen && !m.due.IsZero()
	case decide:
		decider := author
		if m.caster != "" {
			decider = m.caster
		}
		if _, still := m.joined[decider]; !still {
			return chaired && m.state == governance.DecisionTie && !m.decided
		}
		return in && who == decider && m.state == governance.DecisionTie && !m.decided
	}
	return true
}

// TestDecisionModel lets people and the scheduler act on decisions in random order, while time passes. It compares
// every refusal, state and result with a model.
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
	all := make([]int, things)
	for i := range all {
		all[i] = i
	}
	states := slices.DeleteFunc(slices.Clone(governance.DecisionKind.States),
		func(s string) bool { return s == store.Redacted }) // no step redacts a decision
	webtest.Stories{Steps: 10_000, Rare: 50, Do: all, Who: len(people), Length: 150, States: states,
		Draw: func(rt *rapid.T) webtest.Story {
			s := &decisionStory{model: drawModel(rt), by: by, hours: rapid.IntRange(0, 9).Draw(rt, "hours")}
			if s.method != tally.Lottery {
				s.quorum = rapid.IntRange(0, 80).Draw(rt, "percent")
			}
			return s
		}}.Run(t, w)
}

// decisionStory is a random story about a decision.
type decisionStory struct {
	*model
	by            map[string]store.Actor
	hours, quorum int
	d             *governance.Decision
}

func (s *decisionStory) Begin(tx *store.Tx) (err error) {
	for _, name := range people {
		s.joined[name] = tx.Now.Add(-time.Hour)
	}
	s.d, err = s.create(tx, s.by[author], s.hours, s.quorum)
	return err
}

func (s *decisionStory) Take(tx *store.Tx, next step) (bool, error) {
	return s.take(tx, s.by, s.d, next, s.quorum)
}
func (s *decisionStory) State() string { return s.state }

func drawModel(rt *rapid.T) *model {
	m := &model{
		method: rapid.SampledFrom([]tally.Method{
			tally.Acceptance, tally.Single, tally.Approval, tally.Schulze, tally.IRV,
			tally.Score, tally.DotVote, tally.Lottery,
		}).Draw(rt, "method"),
		state:    governance.DecisionDraft,
		options:  rapid.IntRange(0, 3).Draw(rt, "options"),
		ballots:  map[string]string{},
		receipts: map[string]string{},
		joined:   map[string]time.Time{},
	}
	m.anonymous = m.method != tally.Lottery && rapid.Bool().Draw(rt, "anonymous")
	m.byLot = m.method == tally.Lottery || rapid.Bool().Draw(rt, "lot")
	if !m.byLot && rapid.Bool().Draw(rt, "caster") {
		m.caster = "erin"
	}
	return m
}

func (m *model) create(tx *store.Tx, by store.Actor, hours, quorum int) (*governance.Decision, error) {
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
	return done.Made[0].(*governance.Decision), nil
}

// take attempts a step, and reports whether it succeeded. It returns an error if the model predicts another outcome or
// another state of the decision.
func (m *model) take(
	tx *store.Tx, by map[string]store.Actor, d *governance.Decision, s step, quorum int,
) (ok bool, err error) {
	m.now = tx.Now
	m.settle()
	who := people[s.Who]
	actor := by[who].In(d.OrgID)
	should := m.may(s, who)
	now, err := governance.FindDecision(tx, actor, "team", d.ID)
	if store.CodeOf(err) == store.NotFound &&
		(m.state == governance.DecisionDraft && who != author || m.joined[who].IsZero()) {
		if s.Do != pass && s.Do != join && s.Do != leave && s.Do != clockCloses {
			return false, nil // the decision is hidden from this person
		}
		now, err = governance.FindDecision(tx, by[author].In(d.OrgID), "team", d.ID)
		if store.CodeOf(err) == store.NotFound { // the author has left
			now, err = d, nil
		}
	}
	if err != nil {
		return false, err
	}
	do := func(spec *action.Spec[*governance.Decision], by store.Actor, in param.Input) (action.Done, error) {
		return spec.Do(tx, by, now, in, param.Clock{Now: tx.Now, Zone: time.UTC}, nil)
	}
	var failed error
	switch s.Do {
	case castOne, castTwo, retract:
		failed = m.vote(do, actor, s)
	case open:
		if _, failed = do(actions.OpenDecision, actor, nil); failed == nil {
			m.state, m.opened = governance.DecisionOpen, tx.Now
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
		if _, failed = do(actions.AddOption, actor,
			param.Input{"title": fmt.Sprint("Option ", m.added)}); failed == nil {
			m.options++
		}
	case removeOption:
		if _, failed = do(actions.RemoveOption, actor,
			param.Input{"option": fmt.Sprint(1 + s.N%max(m.options, 1))}); failed == nil {
			m.options--
		}
	case extend:
		later := max(m.due.Sub(tx.Now), 0) + time.Hour
		if _, failed = do(actions.Extend, actor,
			param.Input{"closes_at": tx.Now.Add(later).Format(time.RFC3339)}); failed == nil {
			m.due = tx.Now.Add(later).Add(time.Minute - 1).Truncate(time.Minute)
		}
	case decide:
		failed = m.breakTie(do, actor, now)
	case pass:
		tx.Now = tx.Now.Add(time.Duration(s.N%180) * time.Minute)
	case leave, join:
		if who == author || who == chair { // the author and the chair must see the decision later
			return true, nil
		}
		if err := m.move(tx, *actor.Member, now.Studio, s); err != nil {
			return false, err
		}
	}
	if (failed == nil) != should {
		return false, fmt.Errorf("by %s in state %s: should succeed: %v, got %v", who, m.state, should, failed)
	}
	return failed == nil, m.compare(tx, by[author].In(d.OrgID), d)
}

// attempt takes an action on the decision of the model.
type attempt func(*action.Spec[*governance.Decision], store.Actor, param.Input) (action.Done, error)

// vote attempts to cast or retract the actor's ballot.
func (m *model) vote(do attempt, actor store.Actor, s step) error {
	who, in := people[s.Who], param.Input{}
	if m.anonymous && m.ballots[who] != "" {
		in["receipt"] = m.receipts[who]
	}
	if s.Do == retract {
		_, err := do(actions.RetractVote, actor, in)
		if err == nil {
			delete(m.ballots, who)
		}
		return err
	}
	marks := make([]int, m.options)
	if m.options > 0 {
		marks = m.marks(s)
		maps.Copy(in, m.params(marks))
	}
	done, err := do(actions.CastVote, actor, in)
	if err != nil {
		return err
	}
	if m.anonymous && m.ballots[who] == "" {
		m.receipts[who] = done.Secret
	}
	m.ballots[who] = tally.Ballot{Marks: marks}.String()
	return nil
}

// breakTie tries the casting vote for each option in turn, until one attempt succeeds. Only a tied option can be
// chosen.
func (m *model) breakTie(do attempt, actor store.Actor, d *governance.Decision) error {
	failed := errors.New("no option is tied")
	for i := range d.Choice {
		if _, failed = do(actions.CastDecidingVote, actor, param.Input{"option": fmt.Sprint(i + 1)}); failed == nil {
			m.decided = true
			break
		}
	}
	return failed
}

// move takes a member out of the studio if the step is to leave, and otherwise adds the member to the studio.
func (m *model) move(tx *store.Tx, member store.Member, studio *store.Studio, s step) error {
	who := people[s.Who]
	if s.Do == leave {
		_, err := tx.LeaveStudio(&member, studio)
		delete(m.joined, who)
		return err
	}
	err := tx.JoinStudio(&member, studio)
	if m.joined[who].IsZero() {
		m.joined[who] = tx.Now
	}
	return err
}
