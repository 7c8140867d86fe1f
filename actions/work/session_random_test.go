package work_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"samepage/actions/action"
	"samepage/actions/param"
	actions "samepage/actions/work"
	"samepage/store"
	"samepage/store/work"
	"samepage/web/webtest"
)

// oftenSession lists the steps. A step that is listed more often is drawn more often, so that stories reach every
// state.
var oftenSession = slices.Concat(slices.Repeat([]int{toClaim, toBegin}, 4),
	slices.Repeat([]int{toPrompt, toReport, toAsk, toFinish, toRenew}, 3),
	slices.Repeat([]int{toAnswer, toPass, toLose}, 3),
	[]int{toStop, toStop, toResume, toResume, toSpawn, toSpawn, toSpawn, toArchive, toUnarchive, toRule, toRule,
		toWithdraw})

// TestSessionModel lets people, agents, runners and the scheduler act in random order on the sessions of a worktree,
// while time passes. It compares every refusal, the turns that the runner may claim, and all turns with a model. Only
// one turn at a time runs in a worktree, and each prompt is in one turn. A report under an earlier claim changes
// nothing. The token of an agent ends with its turn.
func TestSessionModel(t *testing.T) {
	w := webtest.Of(t, "work")
	by := castOf(t, w)
	webtest.Stories{Steps: 1_000, Rare: 20, Do: oftenSession, Who: len(often), Least: 80, Length: 150,
		States: []string{"idle", "queued", "running", "awaiting_permission", "interrupted", "archived", "given up"},
		Draw: func(rt *rapid.T) webtest.Story {
			return &sessionStory{w: w, by: by, frail: rapid.IntRange(0, 3).Draw(rt, "frail") == 0,
				shop: &shop{asks: rapid.IntRange(0, 3).Draw(rt, "asks") > 0}}
		}}.Run(t, w)
}

// sessionStory is a random story about the sessions of a worktree.
type sessionStory struct {
	*shop
	w        *webtest.World
	by       cast
	n        int    // number of prompts made so far
	frail    bool   // runners often go away before they start a process
	seen     string // state of the session of the last step
	worktree string
}

func (x *sessionStory) State() string { return x.seen }

func (x *sessionStory) Begin(tx *store.Tx) error {
	x.now = tx.Now
	bench, err := work.FindWorktree(tx, x.by[author], "team", "bench")
	if err != nil {
		return err
	}
	x.worktree = bench.ID
	agent := map[bool]string{true: "mason", false: "hammer"}[x.asks]
	for range 2 {
		p := x.prompt()
		done, err := take(tx, x.by[author], actions.StartSession, bench, param.Input{"agent": agent, "prompt": p})
		if err != nil {
			return err
		}
		x.add(done, p, 0)
	}
	return x.compare(tx, x.sessions[0])
}

// prompt returns a new prompt at each call.
func (x *sessionStory) prompt() string {
	x.n++
	return fmt.Sprintf("Prompt %d.", x.n)
}

func (x *sessionStory) add(done action.Done, prompt string, depth int) *sessionModel {
	s := &sessionModel{id: done.Made[0].(*work.Session).ID, turns: []*turnModel{{prompt: prompt, depth: depth}}}
	x.sessions = append(x.sessions, s)
	return s
}

// target returns a session and one of its turns for a step. It often chooses a session with a running turn, and mostly
// a turn that has not ended.
func (x *sessionStory) target(n int) (*sessionModel, *turnModel) {
	s := x.sessions[n%len(x.sessions)]
	if i := slices.IndexFunc(x.sessions, func(s *sessionModel) bool { return x.live(s) != nil }); i >= 0 && n%4 > 1 {
		s = x.sessions[i]
	}
	if i := slices.IndexFunc(s.turns, func(t *turnModel) bool { return t.end == "" }); i >= 0 && n%5 > 0 {
		return s, s.turns[i]
	}
	return s, s.turns[n/7%len(s.turns)]
}

// agent returns the agent of the running turn, and the turn. It returns nil for the turn if none runs. It returns an
// error if the agent's token works after its turn has ended, or does not work while the turn runs.
func (x *sessionStory) agent(tx *store.Tx) (a store.Actor, turn *turnModel, err error) {
	for _, s := range x.sessions {
		for _, t := range s.turns {
			if t.secret != "" && (turn == nil || x.held(t)) {
				turn = t
			}
		}
	}
	if turn == nil {
		return a, nil, nil
	}
	a, err = tx.ActorByToken(turn.secret)
	if works := err == nil; works != x.held(turn) {
		return a, nil, fmt.Errorf("the token of a turn that is %s works: %v, %w", x.turnState(turn), works, err)
	}
	if err != nil {
		return a, nil, nil
	}
	return a, turn, nil
}

// goOn lists steps that bring a story forward. The function likely puts them in place of steps that would be refused.
var goOn = []int{toClaim, toBegin, toAsk, toFinish, toAnswer, toResume, toClaim, toBegin, toReport}

// may reports whether the model permits a step.
func (x *sessionStory) may(do int, who string, n int) bool {
	s, t := x.target(n)
	switch do {
	case toPass:
		return true
	case toClaim:
		return who == runner && slices.ContainsFunc(s.turns, func(t *turnModel) bool { return x.claimable(s, t) })
	case toReport, toAsk, toFinish:
		return who == runner && x.held(t) && t.began
	case toBegin, toRenew:
		return who == runner && x.held(t) && t.began == (do == toRenew)
	case toAnswer:
		return (who == author || who == keeper) && x.live(s) != nil && x.live(s).open()
	case toWithdraw:
		return (who == author || who == keeper) && slices.ContainsFunc(s.rules,
			func(l *ruleModel) bool { return !l.withdrawn })
	}
	return x.offered(do, who, s)
}

func (x *sessionStory) Take(tx *store.Tx, s step) (ok bool, err error) {
	on := goOn
	if x.frail {
		on = []int{toClaim, toPass, toLose}
		if s.Do == toBegin && s.N%8 > 0 {
			s.Do = toPass
		}
	}
	s = likely(s, on, often, func(do int, who string) bool { return x.may(do, who, s.N) })
	who := often[s.Who]
	session, turn := x.target(s.N)
	actor, own := x.by[who], (*turnModel)(nil)
	if who == inTurn {
		if actor, own, err = x.agent(tx); err != nil || own == nil {
			return false, err
		}
	}
	switch s.Do {
	case toPass:
		x.now = x.now.Add([]time.Duration{31 * time.Second, 5 * time.Second, 20 * time.Second, 31 * time.Second}[s.N%4])
		tx.Now, ok = x.now, true
	case toClaim, toBegin, toRenew, toReport, toAsk, toFinish:
		if s.N%4 > 0 {
			who, actor = runner, x.by[runner]
		}
		ok, err = x.run(tx, s, who, actor, session, turn)
	case toAnswer:
		ok, err = x.reply(tx, s, who, actor, session)
	case toRule:
		ok, err = x.makeRule(tx, s, who, actor, session)
	case toWithdraw:
		ok, err = x.withdraw(tx, s, who, actor, session)
	default:
		if s.Do == toLose && s.N%4 > 0 {
			who, actor = clock, x.by[clock]
		}
		ok, err = x.act(tx, s, who, actor, session, own)
	}
	if err != nil {
		return ok, fmt.Errorf("by %s, when the session is %s and the turn %s: %w", who, x.sessionState(session),
			x.turnState(turn), err)
	}
	looks := []string{author, helper, scribe, clock}[s.N%4]
	return ok, errors.Join(x.compare(tx, session), x.offers(tx, x.sessions[s.N%len(x.sessions)], looks))
}

// act takes an action on the page of a session.
func (x *sessionStory) act(tx *store.Tx, s step, who string, actor store.Actor, m *sessionModel,
	own *turnModel) (bool, error) {
	should := x.offered(s.Do, who, m)
	prompts := s.Do == toPrompt || s.Do == toSpawn || s.Do == toResume
	if prompts && own != nil && own.depth >= inChain {
		should = false
	}
	if s.Do == toSpawn && len(x.sessions) > 3 {
		return false, nil
	}
	prompt := ""
	if prompts {
		prompt = x.prompt()
	}
	done, err := x.attempt(tx, s.Do, actor, m, prompt)
	if failed := agrees(should, err); failed != nil || err != nil {
		return false, failed
	}
	switch s.Do {
	case toPrompt:
		m.turns = append(m.turns, &turnModel{prompt: prompt, depth: depth(who, own)})
	case toResume:
		m.turns = append(m.turns, &turnModel{prompt: m.resumption(), depth: depth(who, own)})
	case toSpawn:
		child := x.add(done, prompt, depth(who, own))
		if isAgent(who) {
			child.parent = m
		}
	case toStop:
		x.halt(m)
	case toArchive, toUnarchive:
		m.archived = s.Do == toArchive
	case toLose:
		x.lose(m)
	}
	return true, nil
}

// sessionSpecs has the actions of the steps on the page of a session.
var sessionSpecs = map[int]*action.Spec[*work.Session]{toPrompt: actions.PromptSession, toStop: actions.StopSession,
	toResume: actions.ResumeSession, toSpawn: actions.SpawnSession, toArchive: actions.ArchiveSession,
	toUnarchive: actions.UnarchiveSession, toLose: actions.LoseRunner, toRule: actions.AddPermissionRule}

func (x *sessionStory) attempt(
	tx *store.Tx, do int, actor store.Actor, m *sessionModel, prompt string,
) (action.Done, error) {
	s, err := work.FindSession(tx, actor, "team", m.id)
	if err != nil {
		return action.Done{}, err
	}
	in := param.Input{}
	if do == toPrompt || do == toSpawn {
		in["prompt"] = prompt
	}
	return take(tx, actor, sessionSpecs[do], s, in)
}

// offers compares the actions that the page of a session offers with the model.
func (x *sessionStory) offers(tx *store.Tx, m *sessionModel, who string) error {
	s, err := work.FindSession(tx, x.by[who], "team", m.id)
	if err != nil {
		return err
	}
	for do, spec := range sessionSpecs {
		if err := agrees(x.offered(do, who, m), spec.Allowed(x.by[who].In(s.OrgID), s)); err != nil {
			return fmt.Errorf("%s is offered to %s: %w", spec.Name, who, err)
		}
	}
	return nil
}

const choices = `[{"id":"y","name":"Yes","kind":"allow_once"},{"id":"a","name":"Always","kind":"allow_always"},
	{"id":"n","name":"No","kind":"reject_once"}]`

// run takes an action of a runner on a turn, mostly with the number of the last claim.
func (x *sessionStory) run(tx *store.Tx, s step, who string, actor store.Actor, m *sessionModel,
	t *turnModel) (bool, error) {
	if s.Do == toClaim {
		if i := slices.IndexFunc(m.turns, x.waits); i >= 0 && s.N%3 > 0 {
			t = m.turns[i]
		}
	}
	claim := t.claims
	if s.N%9 == 0 {
		claim += []int{-1, 1}[s.N%2]
	}
	in := param.Input{"turn": t.id, "claim": fmt.Sprint(claim)}
	mine := who == runner && claim == t.claims
	should := mine && x.held(t)
	first := slices.IndexFunc(t.asked, func(q *askModel) bool { return q.event == s.N%4+1 }) < 0
	var spec *action.Spec[*work.Runner]
	switch s.Do {
	case toClaim:
		spec, should = actions.ClaimTurn, mine && x.claimable(m, t)
	case toBegin, toRenew:
		spec = actions.RenewTurn
		in["begins"] = fmt.Sprint(s.Do == toBegin)
	case toReport:
		from, to := t.events+1, t.events+1
		from, to = from-s.N%2, to-s.N%3%2
		if gap := s.N%6 == 5; gap {
			from, to, should = t.events+2, t.events+2, false
		}
		spec, in["events"], should = actions.ReportTurn, events(from, to), should && t.began
		if should {
			defer func() { t.events = max(t.events, to) }()
		}
	case toAsk:
		spec, should = actions.AskPermission, should && t.began
		in["event"], in["choices"] = fmt.Sprint(s.N%4+1), choices
		maps.Copy(in, askables[s.N/4%len(askables)].in)
	case toFinish:
		spec = actions.FinishTurn
		in["report"] = fmt.Sprintf(`{"state":%q,"agent_session":"c"}`, x.outcome(s))
	}
	done, err := asRunner(tx, x.w, actor, who, spec, in)
	if failed := agrees(should, err); failed != nil || err != nil {
		return false, failed
	}
	x.ran(s, m, t, first, done.Secret)
	return true, nil
}

func (x *sessionStory) outcome(s step) string {
	return []string{"succeeded", "succeeded", "failed", "stopped", "stalled", "timed_out", "interrupted"}[s.N/4%7]
}

// ran updates the model after a successful action of the runner.
func (x *sessionStory) ran(s step, m *sessionModel, t *turnModel, first bool, secret string) {
	switch s.Do {
	case toClaim:
		t.claims, t.until, t.secret = t.claims+1, x.now.Add(lease), secret
	case toBegin, toRenew:
		t.until, t.began = x.now.Add(lease), t.began || s.Do == toBegin
	case toFinish:
		t.end = x.outcome(s)
		x.rest(m, true, t.depth)
	case toAsk:
		if !first {
			return
		}
		q := &askModel{n: len(m.asked) + 1, event: s.N%4 + 1, of: s.N / 4 % len(askables), turn: t}
		m.decide(q)
		t.asked, m.asked = append(t.asked, q), append(m.asked, q)
	}
}

// events returns the JSON of a report on events. The arguments from and to are the numbers of the first and the last
// event.
func events(from, to int) string {
	list := []map[string]any{}
	for n := max(from, 1); n <= to; n++ {
		list = append(list, map[string]any{"n": n, "kind": "text", "text": fmt.Sprint("event ", n)})
	}
	text, err := json.Marshal(list)
	if err != nil {
		panic(err)
	}
	return string(text)
}
