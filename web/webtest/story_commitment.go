package webtest

import (
	"strings"

	"samepage/actions"
	"samepage/actions/param"
)

// propose creates a commitment, names it as a fixture, and has members join it.
func (m *maker) propose(name, by, studio, title string, mass int, more param.Input, joining ...string) string {
	in := param.Input{"title": title, "critical_mass": mass}
	for k, v := range more {
		in[k] = v
	}
	url := m.do(by, m.urls[studio], actions.CreateCommitment.Name, in)
	name = "commitment " + name
	m.urls[name] = url
	m.names[url[strings.LastIndexByte(url, '/')+1:]] = strings.ReplaceAll(name, " ", "-")
	for _, who := range joining {
		m.do(who, url, actions.JoinCommitment.Name, nil)
	}
	return url
}

// commitments adds a commitment in every state except redacted, on the day before [Start].
func (m *maker) commitments() {
	m.yard()
	m.propose("bound", "bob", "team", "Answer support letters for a week", 2,
		param.Input{"limit": 4, "closes_at": "10d"}, "bob", "erin", "scribe")
	m.propose("full", "erin", "team", "Carry the piano upstairs", 2, param.Input{"limit": 2}, "erin", "dave")
	m.propose("event", "erin", "team", "Winter dinner; bring, share, enjoy", 3,
		param.Input{"starts_at": "2026-12-04 19:00", "ends_at": "2026-12-04 23:30",
			"place": "Erin's kitchen, Hill Road 7", "text": "Everybody brings a dish."}, "erin", "alice", "bob", "dave")
	m.propose("draft", "alice", "team", "Read one book a month", 3, param.Input{"draft": true, "closes_at": "30d"})
	m.propose("of nobody", "dave", "team", "Learn to juggle", 1, nil)
	m.propose("failed", "dave", "team", "Run the marathon together", 3, param.Input{"closes_at": "5d"}, "dave")
	m.do("dave", m.urls["commitment failed"], actions.CloseCommitment.Name, nil)
	m.propose("closed", "alice", "team", "Tidy the shelves", 1, nil, "alice", "bob")
	m.do("alice", m.urls["commitment closed"], actions.CloseCommitment.Name, nil)
	m.do("bob", m.urls["commitment closed"], actions.MarkDone.Name,
		param.Input{"note": "Two bags went to the library."})
	m.propose("due failed", "bob", "team", "Sing at the station", 5, param.Input{"closes_at": "3h"}, "bob", "erin")
	m.propose("due bound", "bob", "team", "Paint the door", 2, param.Input{"closes_at": "3h"}, "bob", "alice")
	m.propose("done", "erin", "team", "Write down one recipe", 2, nil, "erin", "scribe")
	for _, who := range []string{"erin", "scribe"} {
		m.do(who, m.urls["commitment done"], actions.MarkDone.Name, param.Input{"note": "It is in the folder."})
	}
	m.propose("missed", "bob", "team", "Come by bicycle all week", 2, nil, "bob", "dave")
	m.do("bob", m.urls["commitment missed"], actions.MarkMissed.Name, param.Input{"note": "It rained."})
	m.do("dave", m.urls["commitment missed"], actions.MarkDone.Name, nil)
	m.propose("plaza event", "alice", "plaza", "Open day", 1,
		param.Input{"starts_at": "2026-12-12 10:00", "place": "The yard"}, "alice", "bob")
}
