package webtest

import (
	"fmt"
	"maps"
	"slices"

	"samepage/actions"
	"samepage/actions/param"
	"samepage/store"
)

// chapters are the parts of the story, each about one kind of page. If a chapter needs items of other chapters, it
// creates them with functions that use [maker.once], so that no item is created twice.
var chapters = map[string]func(*maker){
	"decision": func(m *maker) {
		m.open()
		m.closed()
		m.decisions()
		m.settle()
		m.late()
		m.redactions()
	},
	"role":         func(m *maker) { m.settle(); m.roles() },
	"inbox":        func(m *maker) { m.standups(); m.talk(); m.settle(); m.inbox() },
	"commitment":   func(m *maker) { m.settle(); m.commitments() },
	"note":         func(m *maker) { m.settle(); m.notes() },
	"topic":        func(m *maker) { m.settle(); m.topics() },
	"election":     func(m *maker) { m.settle(); m.elections() },
	"channel":      func(m *maker) { m.settle(); m.channels() },
	"policy":       func(m *maker) { m.settle(); m.policies() },
	"cycle":        func(m *maker) { m.some(); m.cycles() },
	"approval":     func(m *maker) { m.standups(); m.logo(); m.pay(); m.settle(); m.approvals() },
	"organization": func(m *maker) { m.settle(); m.memberships() },
	"webhook":      func(m *maker) { m.settle(); m.webhooks() },
	"work":         func(m *maker) { m.settle(); m.runners() },
	"board":        func(m *maker) { m.settle(); m.boards() },
	"list":         func(m *maker) { m.some() },
}

func (m *maker) whole() {
	m.open()
	m.closed()
	m.decisions()
	m.settle()
	m.late()
	m.roles()
	m.topics()
	m.elections()
	m.policies()
	m.boards()
	m.channels()
	m.inbox()
	m.commitments()
	m.notes()
	m.redactions()
	m.cycles()
	m.approvals()
	m.memberships()
	m.links()
	m.webhooks()
	m.runners()
}

// chapter takes the actions of one chapter, or of all chapters if the name is empty.
func (m *maker) chapter(name string) {
	if name == "" {
		m.whole()
		return
	}
	tell, ok := chapters[name]
	if !ok {
		m.err = fmt.Errorf("there is no chapter %q; there are %q", name, slices.Sorted(maps.Keys(chapters)))
		return
	}
	tell(m)
}

// once calls make unless there is a fixture with this name.
func (m *maker) once(name string, make func()) {
	if m.urls[name] == "" {
		make()
	}
}

// some makes decisions, commitments and notes, for pages with lists of several kinds.
func (m *maker) some() {
	m.standups()
	m.rocket()
	m.due()
	m.attic()
	m.settle()
	m.yard()
	m.post()
	m.note("note due", "erin", "team", "Water the plants", "", param.Input{"kind": "reminder", "due_at": "3h"})
	m.do("alice", m.urls["team"], actions.ChangePreviews.Name, param.Input{"previews": store.PreviewCard})
	m.share("link to standups", "bob", "standups")
}

func (m *maker) standups() {
	m.once("standups", func() {
		u := m.ask("standups", "bob", "team", "Should we adopt weekly stand-ups?", "acceptance",
			[]any{"Yes, every Monday", "Yes, as written updates", "No change needed"},
			param.Input{"closes_at": "2026-11-23 12:00", "results": "shown",
				"text": "We meet too rarely to notice when someone is stuck.\n\n- how often\n- live or in **writing**"})
		m.vote(u, accept("bob", "Seeing each other helps.", "1", "2"),
			accept("scribe", "Alice reads everything anyway.", "2", "3"))
		for _, c := range [][2]string{{"erin", "Could we try it for a month first?"},
			{"scribe", "I can collect the written updates each Monday."}, {"bob", "A month is fine."}} {
			m.do(c[0], u, actions.Comment, param.Input{"text": c[1]})
		}
		m.do("bob", u, actions.Pin, nil)
	})
}

func (m *maker) logo() {
	m.once("open schulze", func() {
		m.vote(m.ask("open schulze", "alice", "team", "Which logo do we choose?", "schulze",
			[]any{"The leaf", "The gate", "The hill"},
			param.Input{"closes_at": "5d", "results": "shown", "default_option": "Further discussion",
				"majority": []any{"2", "1", "3/2"}}),
			rank("alice", 1, 2, 3, 4), rank("bob", 2, 1, 0, 3))
	})
}

func (m *maker) talk() {
	m.once("talk", func() {
		u := m.ask("talk", "erin", "team", "How do we talk?", "acceptance", []any{"In person"}, nil)
		for i := range 12 {
			m.do([]string{"alice", "bob", "erin", "scout"}[i%4], u, actions.Comment,
				param.Input{"text": fmt.Sprintf("Remark number %d.", i+1)})
		}
	})
}

// plants adds a decision in Commons, which every member of the organization may join.
func (m *maker) plants() {
	m.once("commons open", func() {
		m.ask("commons open", "bob", "commons", "Who waters the plants?", "single",
			[]any{"Those who sit beside them", "A rota"}, nil)
	})
}

func (m *maker) rocket() {
	m.once("lab open", func() {
		m.ask("lab open", "oscar", "lab", "Which rocket flies first?", "single", []any{"The red one", "The blue one"}, nil)
	})
}

// due adds a decision with a deadline that is over at [Start]. The decision is not closed yet.
func (m *maker) due() {
	m.once("due", func() {
		m.vote(m.ask("due", "bob", "team", "Do we meet on Thursday?", "approval", []any{"Yes", "No"},
			param.Input{"closes_at": "2h"}),
			approve("bob", "1"))
	})
}

func (m *maker) pay() {
	m.once("open anonymous", func() {
		m.vote(m.ask("open anonymous", "alice", "team", "Is the pay fair?", "approval", []any{"Yes", "No"},
			param.Input{"anonymous": true}),
			approve("bob", "1"), approve("scribe", "2"))
	})
}

func (m *maker) attic() {
	m.once("note attic", func() {
		m.note("note attic", "bob", "attic", "What was in the boxes", "Cables.", nil)
		m.do("alice", m.urls["attic"], actions.ArchiveStudio.Name, nil)
	})
}

func (m *maker) yard() {
	m.once("commitment open", func() {
		u := m.propose("open", "alice", "team", "Clean the yard on Saturday", 4,
			param.Input{"closes_at": "2026-11-27 12:00", "limit": 6,
				"text": "Bring *gloves*.\n\n1. leaves\n2. the gate"}, "alice", "scout")
		m.do("erin", u, actions.Comment, param.Input{"text": "I have a wheelbarrow."})
	})
}

// post adds a note that was edited after some members had confirmed that they read it.
func (m *maker) post() {
	m.once("note post", func() {
		u := m.note("note post", "bob", "team", "How we write things down",
			"Every meeting has a page.\n\n- what was said\n- what was **decided**\n- who does what\n\n"+
				"Keep it short.", nil)
		for _, who := range []string{"erin", "scribe"} {
			m.do(who, u, actions.ConfirmRead.Name, nil)
		}
		m.do("erin", u, actions.Comment, param.Input{"text": "Shorter than this?"})
		m.do("bob", u, actions.EditNote.Name, param.Input{"text": "Every meeting has a page, made before it " +
			"begins.\n\n- [x] what was said\n- [ ] what was **decided**\n- who does what, by when\n\nKeep it short."})
		m.do("alice", u, actions.EditNote.Name, param.Input{"title": "How we write down what was said"})
		m.do("bob", u, actions.Pin, nil)
	})
}

func (m *maker) redactions() {
	m.once("redacted", func() {
		u := m.ask("redacted", "dave", "team", "Is the landlord a crook?", "single", []any{"Yes", "No"}, nil)
		m.vote(u, ballot{"dave", param.Input{"option": "1", "reason": "Look at the roof."}})
		m.do("dave", u, actions.Comment, param.Input{"text": "He is."})
		m.do("alice", u, actions.Redact, param.Input{"comment": 1})
		m.do("alice", u, actions.Redact, nil)
		u = m.ask("comment redacted", "erin", "team", "Do we paint the hall?", "single", []any{"Yes", "No"}, nil)
		m.do("dave", u, actions.Comment, param.Input{"text": "Only over the landlord's dead body."})
		m.do("erin", u, actions.Comment, param.Input{"text": "Dave!"})
		m.do("alice", u, actions.Redact, param.Input{"comment": 1})
	})
}
