package webtest

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"samepage/actions"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/governance"
	"samepage/web"
)

// approvals adds approvals in every state, of calls by Clerk, Erin's agent.
func (m *maker) approvals() {
	comment := func(name, item, text string) string {
		return m.held(name, m.urls[item], actions.Comment, param.Input{"text": text}, "Erin wanted this said.")
	}
	answer := func(url, verb string, in param.Input) { m.do("erin", url, verb, in) }
	m.yard()
	comment("approval pending", "standups", "We could begin in January.\n\nUntil then *nothing* changes.")
	m.held("approval made", m.urls["team"], actions.CreateNote.Name,
		param.Input{"title": "Minutes", "text": "- Who came\n- What was said"}, "")
	m.held("approval ballot", m.urls["open schulze"], actions.CastVote.Name,
		param.Input{"ranking": map[string]any{"1": 2, "2": 1}}, "As you told me.")
	answer(comment("approval done", "standups", "I will take the minutes."), actions.Approve.Name,
		param.Input{"comment": "Thank you."})
	answer(comment("approval rejected", "standups", "Nobody likes stand-ups."), actions.Reject.Name,
		param.Input{"comment": "That is *not* for you to say."})
	m.do("clerk", comment("approval withdrawn", "standups", "Never mind."), actions.Withdraw.Name, nil)
	answer(m.held("approval ballot done", m.urls["open anonymous"], actions.CastVote.Name,
		param.Input{"accept": []any{"2"}}, "As you told me."), actions.Reject.Name, nil)
	m.version = m.versionOf("standups")
	stale := comment("approval failed", "standups", "As things stand, yes.")
	m.version = ""
	m.do("bob", m.urls["standups"], actions.Comment, param.Input{"text": "Things have changed."})
	answer(stale, actions.Approve.Name, nil)
	m.write(func(tx *store.Tx) error {
		return tx.LogRefusal(m.actors["clerk"], store.Refusal{URL: m.urls["commitment open"], Action: "join",
			Code: "forbidden", Message: "This token does not act on the kind commitment."})
	})
	now := m.clock.Now()
	m.clock.Set(now.Add(-store.ApprovalLife - time.Hour))
	late := comment("approval expired", "standups", "Is anybody there?")
	m.clock.Set(now)
	if m.err == nil {
		_, m.err = m.site.Do(m.ctx, web.As(store.System()), web.Call{URL: late, Action: actions.Expire.Name})
	}
}

func (m *maker) versionOf(name string) (version string) {
	m.write(func(tx *store.Tx) error {
		d, err := governance.FindDecision(tx, m.actors["erin"], "team", m.urls[name][len("/studios/team/d/"):])
		version = strconv.FormatInt(d.Version, 10)
		return err
	})
	return version
}

// held takes an action as Clerk and names its approval as a fixture. If the action needs no approval, it sets m.err.
func (m *maker) held(name, url, action string, in param.Input, why string) string {
	at := m.why("clerk", url, action, in, why)
	if m.err == nil && !strings.HasPrefix(at, "/approvals/") {
		m.err = fmt.Errorf("%s on %s was not held", action, url)
		return at
	}
	m.urls[name] = at
	m.names[at[strings.LastIndexByte(at, '/')+1:]] = strings.ReplaceAll(name, " ", "-")
	return at
}
