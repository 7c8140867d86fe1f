package governance_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"samepage/actions/action"
	actions "samepage/actions/governance"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/governance"
	"samepage/web/webtest"
)

// These are the actions that only elections have. Their numbers follow those of the actions on topics.
const (
	nominate = join + 1 + iota
	change
	propose
	elect
	giveUp
	cancel
	update
)

// oftenElection lists each action once or several times. Random steps draw from the list, and the repetitions make
// every state likely to be reached.
var oftenElection = slices.Concat(slices.Repeat([]int{nominate, advance, propose, respond, respond, elect}, 10),
	slices.Repeat([]int{pass, clockEnds, withdrawObjection, integrate, rule, change}, 4), []int{open, open, object, object, update},
	[]int{stepBack, giveUp, cancel, leave, join})

// members are the possible nominees.
var members = []string{author, chair, referee, "dave"}

// electionModel is a simple model of an election. The embedded model of a topic is the model of its consent rounds.
type electionModel struct {
	*model
	nominations map[string]nomination // by member
	candidate   string
}

type nomination struct {
	of      string
	byAgent bool
}

// chosen returns the nominee of a step.
func chosen(s step) string { return members[s.N%len(members)] }

func (m *electionModel) nominated(who string) bool {
	for _, n := range m.nominations {
		if n.of == who {
			return true
		}
	}
	return false
}

// may reports whether the step should succeed for this actor.
func (m *electionModel) may(s step, who string) bool {
	of, agent := member(who), who == machine
	_, in := m.joined[of]
	_, there := m.joined[chosen(s)]
	chaired := in && (of == author || of == chair)
	live := m.opened && m.outcome == ""
	facilitates := chaired && !agent && live
	own, has := m.nominations[of]
	yields := agent && has && !own.byAgent
	choosing := m.phase == governance.Changing || m.phase == governance.Choosing
	switch s.Do {
	case nominate:
		return in && live && m.phase == governance.Nominating && !yields && there
	case change:
		return in && live && m.phase == governance.Changing && has && !yields && there
	case update:
		if !m.opened {
			return in && of == author
		}
		return chaired && live && m.phase == governance.Nominating && (!agent || len(m.nominations) == 0)
	case advance:
		return facilitates && (m.phase == governance.Nominating && len(m.nominations) > 0 || m.phase == governance.Discussing)
	case stepBack:
		return facilitates && choosing
	case propose:
		return facilitates && choosing && there && m.nominated(chosen(s))
	case rule:
		return m.model.may(s, who) && m.candidate != referee
	case elect:
		_, in := m.joined[m.candidate]
		return m.model.may(step{Do: accept, Who: s.Who, N: s.N}, who) && in
	case giveUp:
		return facilitates && m.phase != governance.Nominating
	case cancel:
		return facilitates
	}
	return m.model.may(s, who)
}

// succeed updates the model after a successful step of this actor.
func (m *electionModel) succeed(s step, who string) {
	of, agent := member(who), who == machine
	switch s.Do {
	case nominate, change:
		m.nominations[of] = nomination{chosen(s), agent}
	case advance:
		m.enter(map[string]string{governance.Nominating: governance.Discussing,
			governance.Discussing: governance.Changing}[m.phase])
	case stepBack:
		m.enter(map[string]string{governance.Choosing: governance.Changing,
			governance.Changing: governance.Discussing}[m.phase])
	case propose:
		m.candidate = chosen(s)
		m.enter(governance.Choosing)
	case elect:
		m.outcome = governance.Elected
	case giveUp:
		m.outcome = governance.NoElection
	case cancel:
		m.outcome = governance.Cancelled
	case clockEnds:
		m.over = true
	case update:
	default:
		m.model.succeed(s, who)
	}
}

// TestElectionModel lets people, an agent and the scheduler take actions on elections in random order, while time
// passes. It compares every refusal and every state with a model. It checks that only the nominators themselves can
// read their nominations before all are revealed.
func TestElectionModel(t *testing.T) {
	w := webtest.Of(t, "election")
	by := actors(t, w)
	webtest.Stories{Steps: 5_000, Rare: 10, Do: oftenElection, Who: len(people), Length: 150,
		States: []string{governance.ElectionDraft, governance.Nominating, governance.Discussing, governance.Changing,
			governance.Choosing, governance.Elected, governance.NoElection, governance.Cancelled},
		Draw: func(rt *rapid.T) webtest.Story {
			return &electionStory{by: by, electionModel: &electionModel{nominations: map[string]nomination{},
				model: &model{phase: governance.Nominating, opened: rapid.IntRange(0, 3).Draw(rt, "opened") > 0,
					quorum: rapid.IntRange(1, 80).Draw(rt, "quorum"), asked: map[string]bool{},
					responses: map[string]response{}, joined: map[string]time.Time{}}},
				head: rapid.SampledFrom([]int{len(head), 2, 0}).Draw(rt, "head")}
		}}.Run(t, w)
}

// electionStory is a random story about an election.
type electionStory struct {
	*electionModel
	by   map[string]store.Actor
	id   string
	role string
	head int // number of steps of the variable head with which the story begins
}

// head is a list of steps that lead to the consent phase, which random steps seldom reach. At the end, Bob proposes
// Erin.
var head = []step{{Do: nominate, Who: 0, N: 2}, {Do: nominate, Who: 3, N: 3}, {Do: advance}, {Do: advance},
	{Do: propose, N: 2}}

func (s *electionStory) State() string { return s.state() }

func (s *electionStory) Begin(tx *store.Tx) error {
	for _, name := range people {
		s.joined[member(name)] = tx.Now.Add(-time.Hour)
	}
	s.now = tx.Now
	by := s.by[author]
	studio, err := tx.FindStudio(by, "team")
	if err != nil {
		return err
	}
	r, err := tx.CreateRole(by.In(studio.OrgID), studio, store.NewRole{Kind: store.PlainRole, Title: "Piper"},
		store.Seat{})
	if err != nil {
		return err
	}
	done, err := actions.CreateElection.Do(tx, by.In(studio.OrgID), studio, param.Input{"role": "piper",
		"draft": !s.opened, "quorum": s.quorum, "period": "1h", "term": "30d"}, param.Clock{Now: tx.Now, Zone: time.UTC}, nil)
	if err != nil {
		return err
	}
	s.id, s.role = done.Made[0].(*governance.Election).ID, r.ID
	for _, first := range head[:s.head] {
		if _, err := s.Take(tx, first); err != nil {
			return err
		}
	}
	return nil
}

func (s *electionStory) Take(tx *store.Tx, next step) (ok bool, err error) {
	who := people[next.Who]
	should, actor := s.may(next, who), s.by[who]
	if next.Do == clockEnds {
		actor = store.System()
	}
	moves := next.Do == leave || next.Do == join
	if moves && slices.Contains([]string{chair, author, machine}, who) {
		return true, nil // the chair, the author and the agent never leave, so that the election remains readable
	}
	now, err := governance.FindElection(tx, actor, "team", s.id)
	if moves || next.Do == pass {
		now, err = governance.FindElection(tx, s.by[author], "team", s.id)
	} else if store.CodeOf(err) == store.NotFound && (!s.opened || s.joined[member(who)].IsZero()) {
		return false, nil // the election is hidden from this actor
	}
	if err != nil {
		return false, err
	}
	if err := s.secret(now, who); err != nil && !actor.System && !moves && next.Do != pass {
		return false, err
	}
	failed := s.attempt(tx, actor, now, next)
	if (failed == nil) != should {
		return false, fmt.Errorf("by %s in state %s: should succeed: %v, got %v", who, s.state(), should, failed)
	}
	if failed == nil && !moves {
		if next.Do == rule {
			s.responses[ruled(now.Open)] = response{objects: true, settled: true, byAgent: s.responses[ruled(now.Open)].byAgent}
		}
		s.succeed(next, who)
		if next.Do == pass {
			tx.Now = s.now
		}
	}
	return failed == nil, s.compare(tx)
}

// secret checks that, before the nominations are revealed, an actor can read only their own.
func (s *electionStory) secret(e *governance.Election, who string) error {
	if s.phase != governance.Nominating {
		return nil
	}
	own, has := s.nominations[member(who)]
	switch reads := has && (who != machine || own.byAgent); {
	case len(e.List) > 0:
		return errors.New("the nominations are listed")
	case e.Own.Nominee != "" && !reads:
		return fmt.Errorf("%s reads the nomination of %s", who, e.Own.Nominee)
	case reads && s.outcome == "" && e.Own.Nominee != own.of:
		return fmt.Errorf("%s reads a nomination of %q, not of %s", who, e.Own.Nominee, own.of)
	}
	return nil
}

func (s *electionStory) attempt(tx *store.Tx, actor store.Actor, now *governance.Election, next step) error {
	do := func(spec *action.Spec[*governance.Election], in param.Input) error {
		_, err := spec.Do(tx, actor.In(now.OrgID), now, in, param.Clock{Now: tx.Now, Zone: time.UTC}, nil)
		return err
	}
	name := param.Input{"nominee": chosen(next), "reason": "Because."}
	switch next.Do {
	case open:
		return do(actions.OpenElection, nil)
	case nominate:
		return do(actions.Nominate, name)
	case change:
		return do(actions.ChangeNomination, name)
	case update:
		return do(actions.UpdateElection, param.Input{"qualifications": now.Body + "x"})
	case advance:
		return do(actions.AdvanceElection, nil)
	case stepBack:
		return do(actions.StepBackElection, nil)
	case propose:
		return do(actions.ProposeCandidate, param.Input{"candidate": chosen(next), "reason": "Because."})
	case respond:
		return do(actions.RespondToElection, param.Input{"position": []string{governance.Consents,
			governance.Aside}[next.N%2]})
	case object:
		return do(actions.RespondToElection, param.Input{"position": governance.Objection, "reason": "It hurts."})
	case withdrawObjection:
		return do(actions.WithdrawElectionObjection, nil)
	case integrate:
		return do(actions.MarkElectionIntegrated, nil)
	case rule:
		return do(actions.RuleElectionInvalid, param.Input{"objection": ruled(now.Open), "reason": "No harm."})
	case elect:
		return do(actions.Elect, nil)
	case clockEnds:
		return do(actions.EndElectionPeriod, nil)
	case giveUp:
		return do(actions.EndElection, nil)
	case cancel:
		return do(actions.CancelElection, nil)
	case leave, join:
		name := actor.Member.Handle
		_, was := s.joined[name]
		err := s.move(tx, *actor.Member, now.Studio, next.Do == join)
		if _, is := s.joined[name]; was && !is && s.outcome == "" {
			delete(s.nominations, name)
			if s.phase == governance.Choosing && s.candidate == name {
				s.enter(governance.Changing)
			}
		}
		return err
	}
	return nil
}

// compare compares the election and its role with the model.
func (s *electionStory) compare(tx *store.Tx) error {
	e, err := governance.FindElection(tx, s.by[author], "team", s.id)
	if err != nil {
		return err
	}
	r, err := tx.FindRole(s.by[author], "team", s.role)
	if err != nil {
		return err
	}
	var wrong []error
	check := func(what string, have, want any) {
		if have != want {
			wrong = append(wrong, fmt.Errorf("%s is %v, not %v", what, have, want))
		}
	}
	check("state", e.State(), s.state())
	if s.outcome == "" {
		check("nominations", e.Nominations, len(s.nominations))
		check("candidate", e.Candidate, s.candidate)
		check("holder", r.Holder, "")
	}
	if s.phase == governance.Choosing && s.outcome == "" {
		check("answered", e.Answered, len(s.responses))
		check("objections", e.Objections, s.objections())
		check("electorate", e.Electorate, len(s.asked))
	}
	if _, in := s.joined[s.candidate]; in && s.outcome == governance.Elected && r.Holder != "" {
		check("holder", r.Holder, s.candidate)
	}
	if s.outcome == governance.Elected && e.Objections > 0 {
		wrong = append(wrong, errors.New("somebody is elected over an objection"))
	}
	return errors.Join(wrong...)
}
