package demo

import (
	"time"

	"samepage/actions"
	"samepage/actions/governance"
	"samepage/actions/param"
	_ "samepage/web/governance" // registers the pages of topics
)

func (s *seeder) topics(team string) {
	propose := func(by, title, text string, more param.Input) string {
		p := param.Input{"title": title, "text": text}
		for k, v := range more {
			p[k] = v
		}
		return s.do(by, team, governance.CreateTopic.Name, p)
	}
	respond := func(url, by, position, reason string) {
		s.do(by, url, governance.Respond.Name, param.Input{"position": position, "reason": reason})
	}
	minutes := propose("alice", "Write minutes of every meeting", "One page, on the same day, in this studio.", nil)
	s.do("alice", minutes, governance.Advance.Name, nil)
	for _, who := range []string{"alice", "bob", "carol", "dave", "erin"} {
		respond(minutes, who, "consent", "")
	}
	respond(minutes, "frank", "stand_aside", "I will not be the one who writes them.")
	s.do("alice", minutes, governance.Accept.Name, param.Input{"statement": "From the next meeting on."})
	letters := propose("dave", "Answer every letter within a day",
		"Whoever opens a letter answers it within a day.\n\n- weekends do not count\n- nor do holidays", nil)
	s.do("frank", letters, governance.Ask.Name, param.Input{"question": "Do postcards count?"})
	s.do("dave", letters, governance.Answer.Name, param.Input{"question": "1", "answer": "Yes, they are *short*."})
	s.do("dave", letters, governance.AddChange.Name, param.Input{"page": team + "/roles", "change": actions.CreateRole.Name,
		"values": "title: Postmaster\nholder: @dave\nmission: Sees that no letter lies about."})
	s.do("erin", letters, governance.Ask.Name, param.Input{"question": "What about bills, @dave?"})
	s.clock.reach(30 * time.Hour)
	tools := propose("carol", "Lend our tools to the neighbours",
		"Members may lend a tool to a neighbour, if the tool is on the list.\n\n"+
			"Whoever lends it is told about damage. We look at this again in May.",
		param.Input{"reaction": true, "quorum": 60})
	s.do("frank", tools, governance.Ask.Name, param.Input{"question": "Does the chain saw count?"})
	s.do("carol", tools, governance.Answer.Name, param.Input{"question": "1", "answer": "No. It stays at home."})
	s.do("carol", tools, governance.Amend.Name, param.Input{"title": "Lend our tools to the neighbours",
		"text": "Members may lend a tool to a neighbour, for at most three days, if the tool is on the list.\n\n" +
			"Whoever lends it answers for it as if they had used it themselves. We look at this again in May."})
	s.do("carol", tools, governance.Advance.Name, nil)
	s.do("bob", tools, governance.React.Name, param.Input{"reaction": "I like it. The list is two years old, though."})
	s.do("carol", tools, governance.Advance.Name, nil)
	respond(tools, "dave", "objection", "Three days are fine for a spade. The wood splitter needs somebody who has been "+
		"shown how it works, and a neighbour has not.")
	respond(tools, "bob", "consent", "")
	respond(tools, "erin", "stand_aside", "I will not be the one who asks for it back.")
	s.do("carol", tools, actions.Comment, param.Input{"text": "@dave Would it be enough if the splitter stays at home?"})
	s.do("dave", tools, actions.Comment, param.Input{"text": "@carol And the hedge cutter. Then yes."})
}
