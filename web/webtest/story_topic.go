package webtest

import (
	"strings"
	"time"

	"samepage/actions"
	"samepage/actions/governance"
	"samepage/actions/param"
	_ "samepage/web/governance" // registers the pages of topics
)

// raise proposes a topic and names it as a fixture.
func (m *maker) raise(name, by, studio, title, text string, more param.Input) string {
	in := param.Input{"title": title, "text": text}
	for k, v := range more {
		in[k] = v
	}
	url := m.do(by, m.urls[studio], governance.CreateTopic.Name, in)
	m.nameTopic(name, url)
	return url
}

func (m *maker) nameTopic(name, url string) {
	name = "topic " + name
	m.urls[name] = url
	m.names[url[strings.LastIndexByte(url, '/')+1:]] = strings.ReplaceAll(name, " ", "-")
}

type position struct{ by, position, reason string }

func (m *maker) respond(url string, list ...position) {
	for _, r := range list {
		m.do(r.by, url, governance.Respond.Name, param.Input{"position": r.position, "reason": r.reason})
	}
}

// topics adds a topic in every state, on the day before [Start].
func (m *maker) topics() {
	m.once("role referee", func() {
		m.role("role referee", "bob", "team", param.Input{"title": "Referee", "kind": "referee", "holder": "erin"})
	})
	advance := governance.Advance.Name
	m.raise("draft", "alice", "team", "Meet outdoors in summer", "From *June* to August we meet in the yard.",
		param.Input{"draft": true})
	u := m.raise("clarification", "bob", "team", "Answer every letter within a day",
		"Whoever opens a letter answers it within a day.\n\n- weekends do not count\n- holidays neither", nil)
	m.do("scribe", u, governance.Ask.Name, param.Input{"question": "Do postcards count?"})
	m.do("bob", u, governance.Answer.Name, param.Input{"question": "1", "answer": "Yes, they are *short*."})
	m.do("erin", u, governance.Ask.Name, param.Input{"question": "What about bills, @bob?"})
	u = m.raise("reaction", "erin", "team", "A quiet hour every morning", "From nine to ten nobody calls anybody.",
		param.Input{"reaction": true})
	m.do("erin", u, advance, nil)
	m.do("dave", u, governance.React.Name, param.Input{"reaction": "I start at ten, so I would miss it."})
	m.do("scribe", u, governance.React.Name, param.Input{"reaction": "Alice has few calls before ten."})
	u = m.raise("consent", "bob", "team", "Lend our tools to the neighbours",
		"Members may lend a tool for at most three days, and answer for it.", param.Input{"quorum": 60})
	m.do("dave", u, governance.Ask.Name, param.Input{"question": "Does the chain saw count?"})
	m.do("bob", u, governance.Answer.Name, param.Input{"question": "1", "answer": "No."})
	m.do("bob", u, advance, nil)
	m.respond(u, position{"dave", "objection", "The splitter is *dangerous*. Nobody has shown them how it works."},
		position{"scribe", "stand_aside", "Alice would not lend hers."})
	m.do("erin", u, actions.Comment, param.Input{"text": "Could the splitter stay at home, @dave?"})
	u = m.raise("carrying", "bob", "team", "Somebody keeps the tools", "So that they come back *clean*.", nil)
	m.do("bob", u, governance.AddChange.Name, param.Input{"page": m.urls["team"] + "/roles", "change": actions.CreateRole.Name,
		"values": "title: Toolkeeper\nholder: @dave\nmission: Knows where every tool is.\n\nAnd who has it."})
	m.do("scribe", u, governance.Ask.Name, param.Input{"question": "Which tools?"})
	u = m.raise("carried", "bob", "team", "We meet in the yard", "It says so, then.", nil)
	m.do("bob", u, governance.AddChange.Name, param.Input{"page": m.urls["team"], "change": actions.UpdateStudio.Name,
		"values": "description: How we work together, in the *yard*."})
	m.do("bob", u, advance, nil)
	m.respond(u, position{"alice", "consent", ""}, position{"bob", "consent", ""}, position{"dave", "consent", ""},
		position{"erin", "consent", ""})
	m.do("bob", u, governance.Accept.Name, nil)
	u = m.raise("amended", "bob", "team", "Share one calendar", "Everybody enters what they do.", nil)
	m.do("bob", u, advance, nil)
	m.respond(u, position{"dave", "consent", ""}, position{"erin", "objection", "My weekends are mine."})
	m.do("bob", u, governance.Amend.Name, param.Input{"text": "Everybody enters what they do on working days."})
	u = m.raise("ready", "dave", "team", "Plant a tree each year", "One, in November.", nil)
	m.do("dave", u, advance, nil)
	m.respond(u, position{"alice", "consent", ""}, position{"bob", "consent", ""}, position{"dave", "consent", ""},
		position{"erin", "objection", "We have no room."})
	m.do("erin", u, governance.MarkIntegrated.Name, nil)
	u = m.raise("ruled", "bob", "team", "Close the door at night", "The last one out closes it.", nil)
	m.do("bob", u, advance, nil)
	m.respond(u, position{"dave", "objection", "I do not like doors."})
	m.do("erin", u, governance.RuleInvalid.Name, param.Input{"objection": "dave", "reason": "It names no harm."})
	u = m.raise("accepted", "alice", "team", "Write minutes of every meeting", "One page, the same day.", nil)
	m.do("alice", u, advance, nil)
	m.respond(u, position{"alice", "consent", ""}, position{"bob", "consent", ""}, position{"dave", "stand_aside", "So be it."},
		position{"erin", "consent", ""})
	m.do("alice", u, governance.Accept.Name, param.Input{"statement": "From the next meeting on."})
	u = m.raise("withdrawn", "erin", "team", "Buy a piano", "A small one.", nil)
	m.do("erin", u, governance.Withdraw.Name, param.Input{"statement": "There is one upstairs."})
	u = m.raise("expired", "erin", "team", "Paint it all blue", "The doors too.", param.Input{"period": "1h"})
	m.do("erin", u, advance, nil)
	m.clock.Advance(time.Hour)
	m.tick(u, governance.EndPeriod.Name)
	u = m.raise("due", "dave", "team", "Turn the heating down", "To 19 degrees.", param.Input{"period": "3h"})
	m.do("dave", u, advance, nil)
	m.respond(u, position{"dave", "consent", ""}, position{"bob", "consent", ""})
	u = m.raise("redacted", "dave", "team", "Tell the landlord what he is", "In *writing*.", nil)
	m.do("alice", u, actions.Redact, nil)
	m.urls["shed"] = m.do("bob", "/orgs/acme", actions.CreateStudio.Name, param.Input{"handle": "shed",
		"name": "Shed", "description": "Where the tools are.", "parent": "team"})
	u = m.raise("escalated", "bob", "shed", "Sell the old mower", "Somebody offers fifty.", nil)
	m.nameTopic("passed on", m.do("bob", u, governance.Escalate.Name, nil))
	m.raise("plaza", "alice", "plaza", "Sweep on Fridays", "Not on Mondays.", nil)
}
