package work_test

import (
	"fmt"
	"slices"
	"strings"

	"samepage/actions/param"
	actions "samepage/actions/work"
	"samepage/store"
	"samepage/store/work"
)

// askable is a permission request that the agent in the model makes. The map reaches has, for each reach of an
// answer, the rule that the answer makes, in the form of [ruleModel.about].
type askable struct {
	in      param.Input
	reaches map[string]string
}

var askables = []askable{
	{param.Input{"title": "Run a", "kind": "execute", "input": `{"command":"make a"}`, "digest": "0"},
		map[string]string{"same": "same 0", "command1": "make a", "ask": "execute"}},
	{param.Input{"title": "Run a b", "kind": "execute", "input": `{"command":"make a b"}`, "digest": "1"},
		map[string]string{"same": "same 1", "command1": "make a", "command2": "make a b", "ask": "execute"}},
	{param.Input{"title": "Run both", "kind": "execute", "input": `{"command":"make a; make b"}`, "digest": "2"},
		map[string]string{"same": "same 2", "ask": "execute"}},
	{param.Input{"title": "Edit a", "kind": "edit", "paths": `["src/a.go"]`, "digest": "3"},
		map[string]string{"same": "same 3", "folder1": "src", "folder2": ".", "ask": "edit"}},
	{param.Input{"title": "Edit both", "kind": "edit", "paths": `["src/a.go","docs/b.md"]`, "digest": "4"},
		map[string]string{"same": "same 4", "folder1": ".", "ask": "edit"}},
	{param.Input{"title": "Edit", "kind": "edit", "digest": "5"}, map[string]string{"same": "same 5", "ask": "edit"}},
}

// covers has, for each rule in the model, the requests that the rule covers, by their indices in askables. For a rule
// that denies or asks, the indices after the bar are those of the requests that the rule perhaps covers.
var covers = map[string]struct{ allow, restrict string }{
	"same 0": {"0", "0|"}, "same 1": {"1", "1|"}, "same 2": {"2", "2|"}, "same 3": {"3", "3|"}, "same 4": {"4", "4|"},
	"same 5": {"5", "5|"}, "make a": {"01", "01|2"}, "make a b": {"1", "1|2"}, "src": {"3", "34|5"}, ".": {"34",
		"34|5"},
	"docs": {"", "4|5"}, "execute": {"", "012|"}, "edit": {"", "345|"}, "": {"", "012345|"},
}

// ruleModel is a simple model of a rule about requests.
type ruleModel struct {
	verdict   string
	about     string // key of covers
	withdrawn bool
	used      int
}

// covers reports whether the rule certainly covers a request, and whether the rule perhaps covers it.
func (l *ruleModel) covers(q *askModel) (certain, perhaps bool) {
	n := fmt.Sprint(q.of)
	if l.verdict == "allow" {
		return strings.Contains(covers[l.about].allow, n), false
	}
	yes, maybe, _ := strings.Cut(covers[l.about].restrict, "|")
	return strings.Contains(yes, n), strings.Contains(maybe, n)
}

// decide lets the rules of a session decide a new request. The newest of several equal rules counts.
func (m *sessionModel) decide(q *askModel) {
	find := func(verdict string, may func(certain, perhaps bool) bool) bool {
		for i, l := range slices.Backward(m.rules) {
			if !l.withdrawn && l.verdict == verdict && may(l.covers(q)) {
				l.used++
				q.rule = i + 1
				return true
			}
		}
		return false
	}
	switch {
	case find("ask", func(certain, perhaps bool) bool { return certain || perhaps }):
	case find("deny", func(certain, _ bool) bool { return certain }):
		q.choice = "n"
	case find("deny", func(_, perhaps bool) bool { return perhaps }):
	case find("allow", func(certain, _ bool) bool { return certain }):
		q.choice = "y"
	}
}

// full reports whether the session has as many rules in force as it may.
func (m *sessionModel) full() bool {
	n := 0
	for _, l := range m.rules {
		if !l.withdrawn {
			n++
		}
	}
	return n >= work.MaxRules
}

// reply answers a permission request, often with a wider reach.
func (x *sessionStory) reply(tx *store.Tx, s step, who string, actor store.Actor, m *sessionModel) (bool, error) {
	if len(m.asked) == 0 {
		return false, nil
	}
	q := m.asked[s.N/3%len(m.asked)]
	if i := slices.IndexFunc(m.asked, func(q *askModel) bool { return q.choice == "" && x.held(q.turn) }); i >= 0 &&
		s.N%5 > 0 {
		q = m.asked[i]
	}
	choice := []string{"y", "n", "a", "maybe"}[s.N%4]
	reach := []string{"", "once", "same", "folder1", "command1", "ask", "folder2", "command2"}[s.N/4%8]
	about, offered := askables[q.of].reaches[reach]
	session, err := work.FindSession(tx, actor, "team", m.id)
	if err != nil {
		return false, agrees(false, err)
	}
	p, err := work.FindPermission(tx, session, q.n)
	if err != nil {
		return false, err
	}
	should := canAnswer(who) && q.choice == "" && x.held(q.turn) && (choice == "y" || choice == "n") &&
		(reach == "" || reach == "once" || offered && !m.full())
	_, err = take(tx, actor, actions.AnswerPermission, p, param.Input{"choice": choice, "reach": reach})
	if failed := agrees(should, err); failed != nil || err != nil {
		return false, failed
	}
	q.choice = choice
	if offered {
		verdict := map[string]string{"y": "allow", "n": "deny"}[choice]
		if reach == "ask" {
			verdict = "ask"
		}
		m.rules = append(m.rules, &ruleModel{verdict: verdict, about: about})
	}
	return true, nil
}

// canAnswer reports whether an actor may answer requests, and may make and withdraw rules about them.
func canAnswer(who string) bool { return who == author || who == keeper }

// makeRule makes a rule on the page of the session.
func (x *sessionStory) makeRule(tx *store.Tx, s step, who string, actor store.Actor, m *sessionModel) (bool, error) {
	c := []struct {
		in    param.Input
		about string // "-" if there cannot be such a rule
	}{
		{param.Input{"verdict": "ask", "tool": "edit", "folder": "docs"}, "docs"},
		{param.Input{"verdict": "deny", "tool": "edit", "folder": "src/"}, "src"},
		{param.Input{"verdict": "allow", "tool": "edit", "folder": "./"}, "."},
		{param.Input{"verdict": "allow", "tool": "execute", "command": "make a b"}, "make a b"},
		{param.Input{"verdict": "deny", "tool": "execute", "command": "make a"}, "make a"},
		{param.Input{"verdict": "ask", "tool": "execute"}, "execute"},
		{param.Input{"verdict": "allow", "tool": "edit"}, "-"},
		{param.Input{"verdict": "allow", "tool": "execute", "command": "make"}, "-"},
		{param.Input{"verdict": "allow", "tool": "edit", "folder": "../src"}, "-"},
	}[s.N/4%9]
	session, err := work.FindSession(tx, actor, "team", m.id)
	if err != nil {
		return false, agrees(false, err)
	}
	_, err = take(tx, actor, actions.AddPermissionRule, session, c.in)
	should := x.offered(toRule, who, m) && c.about != "-" && !m.full()
	if failed := agrees(should, err); failed != nil || err != nil {
		return false, failed
	}
	m.rules = append(m.rules, &ruleModel{verdict: fmt.Sprint(c.in["verdict"]), about: c.about})
	return true, nil
}

// withdraw withdraws a rule of the session.
func (x *sessionStory) withdraw(tx *store.Tx, s step, who string, actor store.Actor, m *sessionModel) (bool, error) {
	if len(m.rules) == 0 {
		return false, nil
	}
	n := s.N / 3 % len(m.rules)
	session, err := work.FindSession(tx, actor, "team", m.id)
	if err != nil {
		return false, agrees(false, err)
	}
	l, err := work.FindRule(tx, session, n+1)
	if err != nil {
		return false, err
	}
	_, err = take(tx, actor, actions.WithdrawPermissionRule, l, nil)
	if failed := agrees(canAnswer(who) && !m.rules[n].withdrawn, err); failed != nil || err != nil {
		return false, failed
	}
	m.rules[n].withdrawn = true
	return true, nil
}
