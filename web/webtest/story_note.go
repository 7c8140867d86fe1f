package webtest

import (
	"strings"

	"samepage/actions"
	"samepage/actions/param"
)

// note creates a note and names it as a fixture.
func (m *maker) note(name, by, studio, title, text string, more param.Input) string {
	in := param.Input{"title": title, "text": text}
	for k, v := range more {
		in[k] = v
	}
	url := m.do(by, m.urls[studio], actions.CreateNote.Name, in)
	m.urls[name] = url
	m.names[url[strings.LastIndexByte(url, '/')+1:]] = strings.ReplaceAll(name, " ", "-")
	return url
}

// notes adds notes of every kind and of every state.
func (m *maker) notes() {
	m.post()
	m.attic()
	m.note("note of agent", "scribe", "team", "Minutes of Monday",
		"Present: Alice, Bob.\n\n1. The fair\n2. The garden", nil)
	u := m.note("note reminder", "alice", "team", "Send the fair its form", "It is on the desk.",
		param.Input{"kind": "reminder", "due_at": "4d"})
	m.do("alice", u, actions.EditNote.Name, param.Input{"due_at": "6d"})
	m.note("note due", "erin", "team", "Water the plants", "", param.Input{"kind": "reminder", "due_at": "3h"})
	m.do("scout", m.note("note done", "erin", "team", "Book the room", "For twelve people.",
		param.Input{"kind": "reminder", "due_at": "8h"}), actions.MarkNoteDone.Name, nil)
	u = m.note("note table", "bob", "team", "What we lend",
		"Ask @bob who has it, and put it down as in "+m.urls["note post"]+".", param.Input{"kind": "table",
			"columns": []any{"Thing", "Price: number", "Back: date", "Broken: flag",
				"Where: choice(cellar, attic, lent)"}})
	for _, cells := range [][]any{{"Thing: Drill", "Price: 120", "Where: cellar"}, {"Thing: Ladder", "Price: 80.5",
		"Where: lent", "Back: 2026-12-01"}, {"Thing: Tent", "Broken: yes", "Where: attic"},
		{"Thing: Typo"}} {
		m.do("erin", u, actions.AddRow.Name, param.Input{"cells": cells})
	}
	m.do("scout", u, actions.UpdateRow.Name, param.Input{"row": 2, "cells": []any{"Price: 90", "Back:"}})
	m.do("alice", u, actions.DeleteRow.Name, param.Input{"row": 4})
	m.do("alice", u, actions.EditNote.Name, param.Input{"columns": []any{"Thing", "Worth: number", "Back: date",
		"Broken: flag", "Where: choice(cellar, attic, lent, lost)"}})
	m.note("note table empty", "erin", "team", "Who sits where", "",
		param.Input{"kind": "table", "columns": []any{"Who", "Where"}})
	u = m.note("note deleted", "erin", "team", "Numbers of the spring", "Not for here.", nil)
	m.do("bob", u, actions.Comment, param.Input{"text": "This belongs elsewhere."})
	m.do("erin", u, actions.Pin, nil)
	m.do("erin", u, actions.DeleteNote.Name, nil)
	u = m.note("note redacted", "dave", "team", "What I think of the landlord", "Better not.", nil)
	m.do("dave", u, actions.EditNote.Name, param.Input{"text": "Better **not**, he reads this."})
	m.do("bob", u, actions.Comment, param.Input{"text": "Please take this down."})
	m.do("alice", u, actions.Redact, nil)
	m.note("note plaza", "alice", "plaza", "Welcome to the plaza", "Look around.", nil)
	m.note("note lab", "oscar", "lab", "Secret formula", "One part of *this*.", nil)
	m.note("note draft", "alice", "team", "Ideas for the summer", "A trip by *boat*.", param.Input{"draft": true})
	m.note("note draft reminder", "scout", "team", "Renew the passport of the van", "",
		param.Input{"draft": true, "kind": "reminder", "due_at": "20d"})
}
