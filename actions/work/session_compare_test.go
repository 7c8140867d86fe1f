package work_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"samepage/store"
	"samepage/store/work"
)

// compare compares all turns, the page of the session m and the page of the runner with the model.
func (x *sessionStory) compare(tx *store.Tx, m *sessionModel) error {
	var d differences
	claimed := map[string]bool{}
	for i, s := range x.sessions {
		var rows []work.Turn
		if err := tx.Select(&rows, `SELECT id, n, prompt, depth, claim, events, stop_at, state FROM turns
			WHERE session_id = ? ORDER BY n`,
			s.id); err != nil {
			return err
		}
		d.check(fmt.Sprintf("number of turns of session %d", i), len(rows), len(s.turns))
		for j := range min(len(rows), len(s.turns)) {
			row, t := &rows[j], s.turns[j]
			what := fmt.Sprintf("turn %d of session %d: ", j+1, i)
			d.check(what+"prompt "+row.Prompt, strings.Contains(row.Prompt, t.prompt), true)
			d.check(what+"depth", row.Depth, t.depth)
			d.check(what+"claims", row.Claim, t.claims)
			d.check(what+"events", row.Events, t.events)
			d.check(what+"end", row.Outcome, t.end)
			d.check(what+"is stopped", !row.StopAt.IsZero(), t.stop)
			t.id = row.ID
			claimed[row.ID] = x.held(t) || x.claimable(s, t)
		}
	}
	r, err := runnerPage(tx, x.w, x.by[runner], runner)
	if err != nil {
		return err
	}
	page, err := work.ShowRunner(tx, x.by[runner], r)
	if err != nil {
		return err
	}
	for i := range page.Turns {
		if id := page.Turns[i].ID; page.Turns[i].WorktreeID == x.worktree {
			d.check("the runner sees the turn "+id, true, claimed[id])
			delete(claimed, id)
		}
	}
	for id, is := range claimed {
		d.check("the runner sees the turn "+id, false, is)
	}
	return errors.Join(d.err(), x.compareSession(tx, m))
}

// compareSession compares the page of a session with the model.
func (x *sessionStory) compareSession(tx *store.Tx, m *sessionModel) error {
	var d differences
	s, err := work.FindSession(tx, x.by[member], "team", m.id)
	if err != nil {
		return err
	}
	v, err := work.ShowSession(tx, x.by[member], s)
	if err != nil {
		return err
	}
	x.seen = s.State()
	if slices.ContainsFunc(m.turns, func(t *turnModel) bool { return !t.began && t.end == "failed" && t.claims == starts }) {
		x.seen = "given up"
	}
	d.check("session", s.State(), x.sessionState(m))
	last := len(m.turns) - len(v.Turns)
	for i := range v.Turns {
		d.check(fmt.Sprintf("turn %d", last+i+1), v.Turns[i].State(), x.turnState(m.turns[last+i]))
		alone, err := work.ShowTurn(tx, s, v.Turns[i].N, -1)
		if err != nil {
			return err
		}
		events := func(t *work.TurnPage) string { return fmt.Sprint(t.From, t.List, len(t.Permissions)) }
		d.check(fmt.Sprintf("turn %d alone", alone.N), events(&v.Turns[i]), events(alone))
	}
	for _, q := range m.asked {
		p, err := work.FindPermission(tx, s, q.n)
		if err != nil {
			return err
		}
		d.check(fmt.Sprintf("answer to request %d", q.n), p.Choice, q.choice)
		d.check(fmt.Sprintf("rule of request %d", q.n), p.RuleN, q.rule)
		d.check(fmt.Sprintf("request %d can be answered", q.n), p.MustBeOpen() == nil, q.choice == "" && x.held(q.turn))
	}
	var have, want []string
	for _, l := range v.Rules {
		have = append(have, fmt.Sprintf("%d %s, used %d", l.N, l.Verdict, l.Used))
	}
	for i, l := range slices.Backward(m.rules) {
		if !l.withdrawn {
			want = append(want, fmt.Sprintf("%d %s, used %d", i+1, l.verdict, l.used))
		}
	}
	d.check("rules", strings.Join(have, "; "), strings.Join(want, "; "))
	return d.err()
}
