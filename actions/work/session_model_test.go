package work_test

import (
	"slices"
	"time"
)

// These are the steps in the model of sessions.
const (
	toPrompt = iota
	toStop
	toResume
	toSpawn
	toArchive
	toUnarchive
	toClaim
	toBegin
	toRenew
	toReport
	toAsk
	toFinish
	toAnswer
	toRule
	toWithdraw
	toLose
	toPass
)

// turnModel is a simple model of a turn.
type turnModel struct {
	id, prompt string
	depth      int // 0 for a person's prompt; the turn's depth plus 1 for an agent in a turn; 1 for any other agent
	claims     int
	until      time.Time // end of the last claim; zero for none
	began      bool
	stop       bool   // an actor asked to stop the turn while a runner held it
	end        string // the state in which the turn ended; empty before
	events     int
	asked      []*askModel
	secret     string // token of the agent under the last claim
}

// askModel is a simple model of a permission request.
type askModel struct {
	n, event int
	of       int    // number in askables
	choice   string // empty before the answer
	rule     int    // number of the rule that decided it; 0 for none
	turn     *turnModel
}

// sessionModel is a simple model of a session.
type sessionModel struct {
	id       string
	turns    []*turnModel
	asked    []*askModel
	rules    []*ruleModel
	archived bool
	parent   *sessionModel // the session whose agent spawned this session; nil if there is none
}

// shop is a simple model of a worktree in which agents of one kind work for Bob.
type shop struct {
	now      time.Time
	asks     bool // the agent asks before it acts
	sessions []*sessionModel
}

const (
	lease   = 30 * time.Second
	starts  = 5  // greatest number of claims on a turn that does not begin: MaxStarts in store/work
	inQueue = 20 // greatest number of waiting prompts in a session: MaxQueue in store/work
	inChain = 8  // greatest depth of a prompt in a chain of prompts: MaxDepth in store/work
)

func (m *shop) held(t *turnModel) bool { return t.end == "" && t.until.After(m.now) }

// lost reports whether the runner of a turn went away and the scheduler has not handled the turn.
func (m *shop) lost(t *turnModel) bool { return t.end == "" && !t.until.IsZero() && !m.held(t) }

// waits reports whether a turn waits for a runner.
func (m *shop) waits(t *turnModel) bool {
	return t.end == "" && !t.began && !m.held(t) && t.claims < starts && !t.stop
}

func (t *turnModel) open() bool {
	return slices.ContainsFunc(t.asked, func(q *askModel) bool { return q.choice == "" })
}

// turnState returns the state of a turn: queued, starting, running, awaiting_permission, or the state in which it
// ended. A turn whose runner went away has its final state even before the scheduler handles it.
func (m *shop) turnState(t *turnModel) string {
	switch {
	case t.end != "":
		return t.end
	case m.held(t) && !t.began:
		return "starting"
	case m.held(t) && t.open():
		return "awaiting_permission"
	case m.held(t):
		return "running"
	case t.began:
		return "interrupted"
	case t.stop:
		return "stopped"
	case t.claims >= starts:
		return "failed"
	}
	return "queued"
}

func (m *shop) live(s *sessionModel) *turnModel {
	if i := slices.IndexFunc(s.turns, m.held); i >= 0 {
		return s.turns[i]
	}
	return nil
}

func (m *shop) waiting(s *sessionModel) (n int) {
	for _, t := range s.turns {
		if m.waits(t) {
			n++
		}
	}
	return n
}

func (m *shop) busy(s *sessionModel) bool { return m.live(s) != nil || m.waiting(s) > 0 }

func (m *shop) sessionState(s *sessionModel) string {
	live, last := m.live(s), s.turns[len(s.turns)-1]
	if i := slices.IndexFunc(s.turns, func(t *turnModel) bool { return m.lost(t) && t.began }); i >= 0 {
		last = s.turns[i]
	}
	switch {
	case s.archived:
		return "archived"
	case live != nil && live.open():
		return "awaiting_permission"
	case live != nil:
		return "running"
	case m.waiting(s) > 0:
		return "queued"
	case m.turnState(last) == "interrupted":
		return "interrupted"
	}
	return "idle"
}

// claimable reports whether a runner may claim a turn. All earlier turns of the session must have ended, and no turn
// may run in the worktree.
func (m *shop) claimable(s *sessionModel, t *turnModel) bool {
	if !m.waits(t) {
		return false
	}
	for _, before := range s.turns {
		if before == t {
			break
		}
		if before.end == "" {
			return false
		}
	}
	return !slices.ContainsFunc(m.sessions, func(o *sessionModel) bool { return m.live(o) != nil })
}

// offered reports whether the page of a session offers an action to an actor.
func (m *shop) offered(do int, who string, s *sessionModel) bool {
	chair := chairs(who, author)
	prompts := writes(who) && memberOf(who) == author && !s.archived && m.waiting(s) < inQueue &&
		(!isAgent(who) || m.asks)
	switch do {
	case toPrompt, toSpawn:
		return prompts
	case toResume:
		return prompts && !m.busy(s) && (m.sessionState(s) == "interrupted" ||
			m.turnState(s.turns[len(s.turns)-1]) != "succeeded")
	case toStop:
		live := m.live(s)
		return chair && !s.archived && (m.waiting(s) > 0 || live != nil && !live.stop)
	case toArchive:
		return chair && !s.archived && !m.busy(s)
	case toUnarchive:
		return chair && s.archived
	case toRule:
		return chair && !isAgent(who) && !s.archived
	case toLose:
		return who == clock && slices.ContainsFunc(s.turns, m.lost)
	}
	return false
}

// resumption returns a part of the prompt that resumes the session. It depends on the end of the last turn that began.
func (s *sessionModel) resumption() string {
	for _, t := range slices.Backward(s.turns) {
		if t.began && t.end != "succeeded" {
			return "Your last turn broke off."
		}
		if t.began {
			break
		}
	}
	return "That turn never began."
}

// depth returns the depth of a prompt by an actor, see turnModel. If the actor is the agent in a turn, the argument
// turn is that turn.
func depth(who string, turn *turnModel) int {
	switch {
	case who == inTurn:
		return turn.depth + 1
	case isAgent(who):
		return 1
	}
	return 0
}

// rest prompts the parent of the session s if the last open turn of s has ended. The parent gets no prompt if it is
// archived or has too many waiting prompts. The argument before says whether s had an open turn before the step, and
// depth is the depth of the new prompt.
func (m *shop) rest(s *sessionModel, before bool, depth int) {
	if p := s.parent; before && !unended(s) && p != nil && !p.archived && m.waiting(p) < inQueue {
		p.turns = append(p.turns, &turnModel{prompt: "The session that you began has ended a turn", depth: depth})
	}
}

func unended(s *sessionModel) bool {
	return slices.ContainsFunc(s.turns, func(t *turnModel) bool { return t.end == "" })
}

// lose handles a turn whose runner went away: the turn ends, or waits for a runner again.
func (m *shop) lose(s *sessionModel) {
	i := slices.IndexFunc(s.turns, m.lost)
	if i < 0 {
		return
	}
	t := s.turns[i]
	if state := m.turnState(t); state != "queued" {
		t.end = state
		m.rest(s, true, t.depth)
		return
	}
	t.until = time.Time{}
}

// halt asks the runner to stop the running turn of a session, and ends its waiting turns.
func (m *shop) halt(s *sessionModel) {
	m.lose(s)
	before, last := unended(s), 0
	for _, t := range s.turns {
		switch {
		case m.held(t):
			t.stop = true
		case m.waits(t):
			t.end, last = "stopped", t.depth
		}
	}
	m.rest(s, before, last)
}
