package governance_test

import (
	"slices"
	"time"

	"samepage/store/governance"
	"samepage/web/webtest"
)

// step is one attempt at an action.
type step = webtest.Step

const (
	open = iota
	ask
	answer
	react
	advance
	stepBack
	amend
	respond
	object
	withdrawObjection
	integrate
	rule
	accept
	clockEnds
	withdraw
	pass // time passes; nobody acts
	leave
	join
)

// often lists each action once or several times. Random steps draw from the list, and prefer actions near its
// beginning. The repetitions make every state likely to be reached.
var often = slices.Concat(slices.Repeat([]int{advance, respond, respond, accept, pass, clockEnds}, 5),
	slices.Repeat([]int{withdrawObjection, integrate, rule}, 3), slices.Repeat([]int{open, ask, react, object}, 2),
	[]int{answer, stepBack, amend, withdraw, leave, join, addChange, addChange, removeChange, found, escalate})

const (
	author, chair, referee = "bob", "alice", "erin"
	machine                = "scribe" // an agent of the chair
)

var people = []string{author, chair, referee, "dave", machine}

// response is the position of one member in the model of a topic.
type response struct {
	objects, settled bool
	byAgent          bool
}

// model is a simple model of a topic.
type model struct {
	now, begun, due time.Time
	reacts, over    bool // over: the period ended while an objection was open
	phase, outcome  string
	opened          bool
	quorum          int
	questions       int
	unanswered      int
	reactions       map[string]bool
	asked           map[string]bool // members of the studio at the start of the consent phase
	responses       map[string]response
	joined          map[string]time.Time
	retired         bool // the referee has left the studio and lost the role
	cargo
}

// member returns the handle of the member for whom an actor acts.
func member(who string) string {
	if who == machine {
		return chair
	}
	return who
}

func (m *model) objections() (n int) {
	for _, r := range m.responses {
		if r.objects && !r.settled {
			n++
		}
	}
	return n
}

func (m *model) ended() bool {
	return m.over || m.phase == governance.TopicConsent && !m.now.Before(m.due)
}

func (m *model) state() string {
	switch {
	case !m.opened:
		return governance.TopicDraft
	case m.outcome != "":
		return m.outcome
	}
	return m.phase
}

func (m *model) needed() int { return max((len(m.asked)*m.quorum+99)/100, 1) }

// may reports whether the step should succeed for this actor.
func (m *model) may(s step, who string) bool {
	of, agent := member(who), who == machine
	_, in := m.joined[of]
	chaired := in && (of == author || of == chair)
	live := m.opened && m.outcome == ""
	mine, has := m.responses[of]
	yields := agent && has && !mine.byAgent
	switch s.Do {
	case open:
		return in && of == author && !m.opened
	case ask:
		return in && live && m.phase == governance.TopicClarification
	case answer:
		return in && live && m.unanswered > 0
	case react:
		return in && live && m.phase == governance.TopicReaction
	case advance:
		return chaired && !agent && live && m.phase != governance.TopicConsent
	case stepBack:
		return chaired && !agent && live && m.phase != governance.TopicClarification
	case amend:
		if !m.opened {
			return in && of == author
		}
		return chaired && live && (!agent || m.phase == governance.TopicClarification)
	case respond, object:
		return in && live && m.phase == governance.TopicConsent && m.asked[of] && !yields &&
			(!m.ended() || has && mine.objects && !mine.settled)
	case withdrawObjection, integrate:
		return in && live && m.phase == governance.TopicConsent && has && mine.objects && !mine.settled && !yields
	case rule:
		others := m.objections()
		if mine := m.responses[referee]; mine.objects && !mine.settled {
			others--
		}
		return in && who == referee && !m.retired && live && m.phase == governance.TopicConsent && others > 0
	case accept:
		return chaired && !agent && live && m.phase == governance.TopicConsent && m.objections() == 0 &&
			(m.ended() || len(m.responses) >= len(m.asked)) && len(m.responses) >= m.needed() && m.works()
	case clockEnds:
		return live && m.phase == governance.TopicConsent && !m.over && !m.now.Before(m.due)
	case withdraw:
		return chaired && !agent && live
	case escalate:
		return chaired && !agent && live && m.above[of]
	case addChange:
		return m.may(step{Do: amend, Who: s.Who}, who) && len(m.changes) < governance.MaxChanges &&
			!m.founded[drawn(s).annex]
	case removeChange:
		return m.may(step{Do: amend, Who: s.Who}, who) && len(m.changes) > 0
	}
	return true
}

// enter begins a phase.
func (m *model) enter(phase string) {
	m.phase, m.over = phase, false
	m.responses, m.asked = map[string]response{}, map[string]bool{}
	if phase == governance.TopicConsent {
		m.begun, m.due = m.now, m.now.Add(time.Hour)
		for who := range m.joined {
			m.asked[who] = true
		}
	}
}

// succeed updates the model after a successful step of this actor.
func (m *model) succeed(s step, who string) {
	of, agent := member(who), who == machine
	switch s.Do {
	case open:
		m.opened = true
	case ask:
		m.questions++
		m.unanswered++
	case answer:
		m.unanswered--
	case react:
		m.reactions[of] = true
	case advance:
		if m.phase == governance.TopicClarification && m.reacts {
			m.enter(governance.TopicReaction)
			return
		}
		m.enter(governance.TopicConsent)
	case stepBack:
		m.enter(governance.TopicClarification)
	case amend:
		if m.opened {
			m.enter(governance.TopicClarification)
		}
	case respond, object:
		m.responses[of] = response{objects: s.Do == object, byAgent: agent}
	case withdrawObjection, integrate:
		r := m.responses[of]
		r.settled = true
		m.responses[of] = r
	case accept:
		m.outcome = governance.TopicAccepted
	case withdraw:
		m.outcome = governance.TopicWithdrawn
	case clockEnds:
		switch {
		case m.objections() > 0:
			m.over = true
		case len(m.responses) < m.needed():
			m.outcome = governance.TopicExpired
		case !m.works():
			m.over = true
		default:
			m.outcome = governance.TopicAccepted
		}
	case escalate:
		m.outcome = governance.TopicEscalated
	case addChange:
		m.changes = append(m.changes, drawn(s))
		m.change()
	case removeChange:
		m.changes = slices.Delete(m.changes, s.N%len(m.changes), s.N%len(m.changes)+1)
		m.change()
	case found:
		m.founded[s.N%annexes+1] = true
	case pass:
		m.now = m.now.Add(time.Duration(s.N%100) * time.Minute)
	}
}
