package demo

import (
	"time"

	"samepage/actions"
	"samepage/actions/param"
)

func (s *seeder) notes(team string) {
	write := func(by, title, text string, more param.Input) string {
		in := param.Input{"title": title, "text": text}
		for k, v := range more {
			in[k] = v
		}
		return s.do(by, team, actions.CreateNote.Name, in)
	}
	due := func(in time.Duration) param.Input {
		return param.Input{"kind": "reminder", "due_at": s.end.Add(in).UTC().Format(time.RFC3339)}
	}
	u := write("alice", "How we work together", "We decide here, not in hallways.\n\n1. Ask before you change "+
		"something that others rely on.\n2. Write down what was decided.\n3. Answer within two days.", nil)
	for _, who := range []string{"Scout", "dave", "frank"} {
		s.do(who, u, actions.ConfirmRead.Name, nil)
	}
	s.do("erin", u, actions.Comment, param.Input{"text": "Two days are short for those who work part-time."})
	s.do("alice", u, actions.EditNote.Name, param.Input{"text": "We decide here, not in hallways.\n\n1. Ask before " +
		"you change something that others rely on.\n2. Write down what was decided.\n3. Answer within three days, " +
		"four if you work part-time."})
	s.do("alice", u, actions.Comment, param.Input{"text": "Fair. Changed."})
	write("Scribe", "Minutes of the November meeting", "Present: Alice, Bob, Carol, Dave, Erin.\n\n- The harvest "+
		"made 640 euros.\n- The hall is free from March on.\n- Frank looks after the archive.", nil)
	write("carol", "Send the fair its form", "It is on the desk by the door. It needs Alice's signature.", due(4*day))
	s.do("dave", write("bob", "Order seeds", "See what we decided to plant first.", due(2*day)),
		actions.MarkNoteDone.Name, nil)
	u = write("dave", "What we lend out", "Take it, write it down, bring it back.", param.Input{"kind": "table",
		"columns": []any{"Thing", "Worth: number", "With", "Back by: date",
			"State: choice(fine, needs repair, broken)"}})
	for _, cells := range [][]any{{"Thing: Drill", "Worth: 120", "State: fine"},
		{"Thing: Ladder", "Worth: 80", "With: Frank", "Back by: 2026-12-01", "State: fine"},
		{"Thing: Tent", "Worth: 240", "State: needs repair"},
		{"Thing: Projector", "Worth: 400", "With: Erin", "State: fine"}} {
		s.do("dave", u, actions.AddRow.Name, param.Input{"cells": cells})
	}
	write("erin", "Ideas for the summer", "A trip by boat? A night in the garden?", param.Input{"draft": true})
}
