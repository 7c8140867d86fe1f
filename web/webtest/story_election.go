package webtest

import (
	"strings"
	"time"

	"samepage/actions"
	"samepage/actions/governance"
	"samepage/actions/param"
)

// elect creates a role in the studio Team and an election for it, and returns the election's URL. The name of the
// fixture is "election " and the given name.
func (m *maker) elect(name, by, title string, more param.Input) string {
	m.role("role to fill "+name, by, "team", param.Input{"title": title, "mission": "What " + title + " does."})
	in := param.Input{"role": title, "qualifications": "Somebody with *time*."}
	for k, v := range more {
		in[k] = v
	}
	url := m.do(by, m.urls["team"], governance.CreateElection.Name, in)
	name = "election " + name
	m.urls[name] = url
	m.names[url[strings.LastIndexByte(url, '/')+1:]] = strings.ReplaceAll(name, " ", "-")
	return url
}

type nominated struct{ by, nominee, reason string }

func (m *maker) nominate(url string, list ...nominated) {
	for _, n := range list {
		m.do(n.by, url, governance.Nominate.Name, param.Input{"nominee": n.nominee, "reason": n.reason})
	}
}

func (m *maker) respondTo(url string, list ...position) {
	for _, r := range list {
		m.do(r.by, url, governance.RespondToElection.Name, param.Input{"position": r.position, "reason": r.reason})
	}
}

// choose ends the nomination and the discussion, and proposes a candidate in the change round.
func (m *maker) choose(url, by, candidate string) {
	for range 2 {
		m.do(by, url, governance.AdvanceElection.Name, nil)
	}
	m.do(by, url, governance.ProposeCandidate.Name,
		param.Input{"candidate": candidate, "reason": "Most was said for @" + candidate + "."})
}

func (m *maker) elections() {
	m.once("role referee", func() {
		m.role("role referee", "bob", "team", param.Input{"title": "Referee", "kind": "referee", "holder": "erin"})
	})
	m.role("role sweeper", "alice", "plaza", param.Input{"title": "Sweeper"})
	advance := governance.AdvanceElection.Name
	m.elect("draft", "alice", "Timekeeper", param.Input{"draft": true})
	u := m.elect("nomination", "bob", "Treasurer", param.Input{"term": "365d"})
	m.nominate(u, nominated{"bob", "dave", "Has *never* lost a receipt."},
		nominated{"scribe", "erin", "Alice trusts her with keys."})
	u = m.elect("discussion", "erin", "Librarian", nil)
	m.nominate(u, nominated{"erin", "bob", "Reads most."}, nominated{"dave", "dave", "I have the shelves."})
	m.do("erin", u, advance, nil)
	m.do("bob", u, actions.Comment, param.Input{"text": "How many shelves, @dave?"})
	u = m.elect("change", "bob", "Gardener", nil)
	m.nominate(u, nominated{"bob", "erin", "Knows the roses."}, nominated{"scribe", "bob", "Is there every day."})
	m.do("bob", u, advance, nil)
	m.do("bob", u, advance, nil)
	m.do("bob", u, governance.ChangeNomination.Name, param.Input{"nominee": "dave", "reason": "Erin has *no time*, she says."})
	u = m.elect("consent", "bob", "Cook", param.Input{"term": "180d", "quorum": 60})
	m.nominate(u, nominated{"bob", "dave", "His soup."}, nominated{"erin", "dave", "His bread."},
		nominated{"alice", "erin", "Her lists."})
	m.choose(u, "bob", "dave")
	m.respondTo(u, position{"erin", "objection", "He cooks for *four*, and we are eight."},
		position{"scribe", "stand_aside", "Alice eats little."})
	u = m.elect("ready", "dave", "Host", nil)
	m.nominate(u, nominated{"dave", "erin", "Knows everybody."})
	m.choose(u, "dave", "erin")
	m.respondTo(u, position{"alice", "consent", ""}, position{"bob", "consent", ""}, position{"dave", "consent", ""},
		position{"erin", "objection", "I travel in May."})
	m.do("erin", u, governance.MarkElectionIntegrated.Name, nil)
	u = m.elect("elected", "alice", "Keeper of keys", param.Input{"term": "365d"})
	m.nominate(u, nominated{"alice", "bob", "Lives next door."}, nominated{"bob", "bob", "I live next door."})
	m.choose(u, "alice", "bob")
	m.respondTo(u, position{"alice", "consent", ""}, position{"bob", "consent", ""}, position{"dave", "stand_aside", "So be it."},
		position{"erin", "consent", ""})
	m.do("alice", u, governance.Elect.Name, param.Input{"statement": "The *spare* keys stay where they are."})
	u = m.elect("over", "erin", "Painter", param.Input{"period": "1h"})
	m.nominate(u, nominated{"erin", "dave", "Has brushes."})
	m.choose(u, "erin", "dave")
	m.clock.Advance(time.Hour)
	m.tick(u, governance.EndElectionPeriod.Name)
	u = m.elect("given up", "erin", "Bugler", nil)
	m.nominate(u, nominated{"erin", "alice", "Has a bugle."})
	m.do("erin", u, advance, nil)
	m.do("erin", u, governance.EndElection.Name, param.Input{"statement": "Nobody wants to be woken."})
	u = m.elect("cancelled", "dave", "Night watch", nil)
	m.nominate(u, nominated{"dave", "bob", "Sleeps little."})
	m.do("dave", u, governance.CancelElection.Name, nil)
	u = m.elect("redacted", "dave", "Spy", nil)
	m.do("alice", u, actions.Redact, nil)
}
