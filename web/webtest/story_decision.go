package webtest

import (
	"samepage/actions"
	"samepage/actions/param"
)

func dots(by string, n ...int) ballot { return ballot{by, param.Input{"dots": cells(n)}} }
func times(by string, yes, maybe []any) ballot {
	return ballot{by, param.Input{"yes": yes, "maybe": maybe}}
}

// decisions adds decisions by dots, time poll and lottery, with a broken tie, with a quorum in percent, and with
// anonymous ballots.
func (m *maker) decisions() {
	moments := []any{"2026-11-27", "2026-12-01 18:30", "2026-11-26 10:00"}
	end := func(name, by, question, method string, options []any, more param.Input, ballots ...ballot) string {
		u := m.ask(name, by, "team", question, method, options, more)
		m.vote(u, ballots...)
		m.do(by, u, actions.CloseDecision.Name, nil)
		return u
	}
	m.vote(m.ask("open dots", "alice", "team", "Where does the money go?", "dots",
		[]any{"Chairs", "A projector", "Paint"}, param.Input{"results": "shown", "dots": 5, "quorum": "50%"}),
		dots("alice", 3, 2, 0), dots("erin", 0, 1, 4))
	m.vote(m.ask("open time", "bob", "team", "When do we clean up?", "time", moments, param.Input{"results": "shown"}),
		times("bob", []any{"1"}, []any{"2", "3"}))
	m.ask("open lottery", "erin", "team", "Who takes the minutes?", "lottery", []any{"Alice", "Bob", "Erin"},
		param.Input{"closes_at": "6d"})
	m.ask("draft dots", "alice", "team", "Which books do we buy?", "dots", []any{"Two thin ones", "One thick one"},
		param.Input{"draft": true, "dots": 6, "quorum": "40%", "tie": "lot"})
	m.ask("draft time", "alice", "team", "When do we rehearse?", "time", moments[:2],
		param.Input{"draft": true, "casting_vote": "@erin"})
	end("result dots", "bob", "What do we repair first?", "dots", []any{"The door", "The lamp"}, nil,
		dots("bob", 7, 3), dots("erin", 2, 2))
	end("result time", "erin", "When do we meet?", "time", moments, nil, times("erin", []any{"1", "2"}, nil),
		times("alice", []any{"2"}, []any{"3"}))
	end("result lottery", "alice", "Who opens the hall?", "lottery", []any{"Alice", "Bob"}, nil)
	end("tie by lot", "bob", "Which side of the street?", "single", []any{"Left", "Middle", "Right"},
		param.Input{"tie": "lot"}, choose("alice", "1"), choose("bob", "3"))
	end("lot not needed", "bob", "Which side of the paper?", "single", []any{"Front", "Back"},
		param.Input{"tie": "lot"}, choose("alice", "1"))
	end("tie for erin", "alice", "Bread or rolls?", "single", []any{"Bread", "Rolls"},
		param.Input{"casting_vote": "erin"}, choose("alice", "1"), choose("bob", "2"))
	end("no quorum percent", "bob", "Do we move the piano?", "single", []any{"Yes", "No"},
		param.Input{"quorum": "80%"}, choose("bob", "1"), choose("erin", "1"))
	m.ask("due lottery", "alice", "team", "Who waters the plants in winter?", "lottery", []any{"Alice", "Erin"},
		param.Input{"closes_at": "2h"})
	secret := param.Input{"anonymous": true}
	m.pay()
	m.ask("draft anonymous", "alice", "team", "Are we too many?", "single", []any{"Yes", "No"},
		param.Input{"anonymous": true, "draft": true})
	end("result anonymous", "bob", "Do we trust the treasurer?", "acceptance", []any{"Yes", "Not yet"}, secret,
		accept("alice", "The books are in order.", "1"), accept("bob", "", "1"),
		accept("erin", "I have not seen them.", "2"))
}
