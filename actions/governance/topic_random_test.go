package governance_test

import (
	"errors"
	"fmt"
	"strings"
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

// actors returns the people and the agent of the models, by name.
func actors(t *testing.T, w *webtest.World) map[string]store.Actor {
	by := map[string]store.Actor{}
	for _, name := range []string{author, chair, referee, "dave"} {
		a, err := w.Site.Person(t.Context(), "acme", name)
		if err != nil {
			t.Fatal(err)
		}
		by[name] = a
	}
	agent := by[chair]
	w.Query(&agent.Agent.ID, `SELECT a.id FROM agents a JOIN members m ON m.id = a.member_id
		WHERE a.label = 'Scribe' AND m.handle = ?`, chair)
	agent.Agent.Label, agent.Token = "Scribe", agent.Agent.ID
	agent.Grant, agent.Rules = &store.Grant{Scopes: store.Scopes()}, &store.Rules{}
	by[machine] = agent
	return by
}

// TestTopicModel lets people, an agent and the scheduler take actions on topics in random order, while time passes. It
// compares every refusal and every state with a model.
func TestTopicModel(t *testing.T) {
	w := webtest.Of(t, "topic")
	by := actors(t, w)
	webtest.Stories{Steps: 5_000, Rare: 10, Do: often, Who: len(people), Length: 100,
		States: []string{governance.TopicDraft, governance.TopicClarification, governance.TopicReaction,
			governance.TopicConsent, governance.TopicAccepted, governance.TopicWithdrawn, governance.TopicEscalated,
			governance.TopicExpired},
		Draw: func(rt *rapid.T) webtest.Story {
			return &topicStory{by: by, model: &model{phase: governance.TopicClarification,
				opened: rapid.IntRange(0, 3).Draw(rt, "opened") > 0, reacts: rapid.Bool().Draw(rt, "reacts"),
				quorum: rapid.IntRange(1, 80).Draw(rt, "quorum"), reactions: map[string]bool{},
				asked: map[string]bool{}, responses: map[string]response{}, joined: map[string]time.Time{},
				cargo: newCargo(rt, w.Site.PageCalls())}}
		}}.Run(t, w)
}

// topicStory is a random story about a topic.
type topicStory struct {
	*model
	by map[string]store.Actor
	id string
}

func (s *topicStory) Begin(tx *store.Tx) (err error) {
	for _, name := range people {
		s.joined[member(name)] = tx.Now.Add(-time.Hour)
	}
	s.now = tx.Now
	if err := s.putAbove(tx, s.by); err != nil {
		return err
	}
	s.id, err = s.create(tx, s.by[author])
	return err
}

func (s *topicStory) Take(tx *store.Tx, next step) (bool, error) { return s.take(tx, s.by, s.id, next) }
func (s *topicStory) State() string                              { return s.state() }

func (m *model) create(tx *store.Tx, by store.Actor) (string, error) {
	s, err := tx.FindStudio(by, "team")
	if err != nil {
		return "", err
	}
	done, err := actions.CreateTopic.Do(tx, by.In(s.OrgID), s, param.Input{"title": "Shall we?", "text": "We do.",
		"draft": !m.opened, "reaction": m.reacts, "quorum": m.quorum, "period": "1h"}, param.Clock{Now: tx.Now,
		Zone: time.UTC}, nil)
	if err != nil {
		return "", err
	}
	return done.Made[0].(*governance.Topic).ID, nil
}

// take attempts a step, and reports whether it succeeded. It returns an error if the outcome or the new state differs
// from the model.
func (m *model) take(tx *store.Tx, by map[string]store.Actor, id string, s step) (ok bool, err error) {
	who := people[s.Who]
	should := m.may(s, who)
	actor := by[who]
	if s.Do == clockEnds {
		actor = store.System()
	}
	if who == chair || who == author || who == machine {
		if s.Do == leave || s.Do == join {
			return true, nil // the chair, the author and the agent never leave, so that the topic remains readable
		}
	}
	now, err := governance.FindTopic(tx, actor, "team", id)
	if store.CodeOf(err) == store.NotFound && (!m.opened || m.joined[member(who)].IsZero()) && s.Do != pass &&
		s.Do != join &&
		s.Do != found {
		return false, nil // the topic is hidden from this actor
	}
	if s.Do == found && !m.foundable(s) {
		return true, nil
	}
	if s.Do == pass || s.Do == join || s.Do == leave || s.Do == found {
		now, err = governance.FindTopic(tx, by[author], "team", id)
	}
	if err != nil {
		return false, err
	}
	now.Carry(m.calls)
	failed := tx.Nested(func() error { return m.attempt(tx, actor, now, s) })
	if (failed == nil) != should {
		return false, fmt.Errorf("by %s in state %s: should succeed: %v, got %v", who, m.state(), should, failed)
	}
	if failed == nil {
		if s.Do == rule {
			m.responses[ruled(now.Open)] = response{objects: true, settled: true, byAgent: m.responses[ruled(now.Open)].byAgent}
		}
		m.succeed(s, who)
		if s.Do == pass {
			tx.Now = m.now
		}
	}
	return failed == nil, m.compare(tx, by[author], id)
}

// ruled returns the first member with an open objection, apart from the referee, or "" if there is none. In a story,
// the referee rules this objection invalid.
func ruled(open []governance.Response) string {
	for _, r := range open {
		if r.Member != referee {
			return r.Member
		}
	}
	return ""
}

func (m *model) attempt(tx *store.Tx, actor store.Actor, now *governance.Topic, s step) error {
	do := func(spec *action.Spec[*governance.Topic], in param.Input) error {
		_, err := spec.Do(tx, actor.In(now.OrgID), now, in, param.Clock{Now: tx.Now, Zone: time.UTC}, nil)
		return err
	}
	n := fmt.Sprint(s.N)
	switch s.Do {
	case open:
		return do(actions.OpenTopic, nil)
	case ask:
		return do(actions.Ask, param.Input{"question": "Why " + n + "?"})
	case answer:
		question := "1"
		if len(now.Pending) > 0 {
			question = fmt.Sprint(now.Pending[s.N%len(now.Pending)].N)
		}
		return do(actions.Answer, param.Input{"question": question, "answer": "Because."})
	case react:
		return do(actions.React, param.Input{"reaction": "Hm."})
	case advance:
		return do(actions.Advance, nil)
	case stepBack:
		return do(actions.StepBack, nil)
	case amend:
		return do(actions.Amend, param.Input{"text": now.Body + "x"})
	case respond:
		return do(actions.Respond, param.Input{"position": []string{governance.Consents, governance.Aside}[s.N%2]})
	case object:
		return do(actions.Respond, param.Input{"position": governance.Objection, "reason": "It hurts."})
	case withdrawObjection:
		return do(actions.WithdrawObjection, nil)
	case integrate:
		return do(actions.MarkIntegrated, nil)
	case rule:
		return do(actions.RuleInvalid, param.Input{"objection": ruled(now.Open), "reason": "No harm."})
	case accept:
		return do(actions.Accept, nil)
	case clockEnds:
		return do(actions.EndPeriod, nil)
	case withdraw:
		return do(actions.Withdraw, nil)
	case addChange:
		return do(actions.AddChange, drawn(s).params())
	case removeChange:
		n := "1"
		if len(now.Carried) > 0 {
			n = fmt.Sprint(now.Carried[s.N%len(now.Carried)].N)
		}
		return do(actions.RemoveChange, param.Input{"change": n})
	case escalate:
		done, err := actions.Escalate.Do(tx, actor.In(now.OrgID), now, nil, param.Clock{Now: tx.Now,
			Zone: time.UTC}, nil)
		if err == nil {
			m.up = done.URL
		}
		return err
	case found:
		return m.build(tx, m.owner, now.Studio, s.N%annexes+1)
	case leave, join:
		return m.move(tx, *actor.Member, now.Studio, s.Do == join)
	}
	return nil
}

// move makes a member leave the studio, or join it if in is true.
func (m *model) move(tx *store.Tx, who store.Member, s *store.Studio, in bool) error {
	name := who.Handle
	if _, is := m.joined[name]; is == in {
		return nil
	}
	if in {
		m.now = m.now.Add(time.Minute)
		tx.Now = m.now
		m.joined[name] = tx.Now
		return tx.JoinStudio(&who, s)
	}
	m.retired = m.retired || name == referee
	delete(m.joined, name)
	delete(m.responses, name)
	delete(m.asked, name)
	_, err := tx.LeaveStudio(&who, s)
	return err
}

// compare compares the topic with the model.
func (m *model) compare(tx *store.Tx, by store.Actor, id string) error {
	t, err := governance.FindTopic(tx, by, "team", id)
	if err != nil {
		return err
	}
	var wrong []string
	check := func(what string, have, want any) {
		if have != want {
			wrong = append(wrong, fmt.Sprintf("%s is %v, not %v", what, have, want))
		}
	}
	check("state", t.State(), m.state())
	check("questions", t.Questions, m.questions)
	check("unanswered", t.Unanswered, m.unanswered)
	check("reactions", t.Reactions, len(m.reactions))
	if m.phase == governance.TopicConsent && m.outcome == "" {
		check("answered", t.Answered, len(m.responses))
		check("objections", t.Objections, m.objections())
		check("electorate", t.Electorate, len(m.asked))
	}
	check("changes", t.Changes, len(m.changes))
	if err := m.inspect(tx, by, t); err != nil {
		wrong = append(wrong, err.Error())
	}
	if t.Outcome == governance.TopicAccepted && t.Objections > 0 {
		wrong = append(wrong, "it is accepted over an objection")
	}
	if len(wrong) > 0 {
		return errors.New(strings.Join(wrong, "; "))
	}
	return nil
}
