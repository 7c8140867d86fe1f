package demo

import (
	"samepage/actions"
	"samepage/actions/param"
	"samepage/actions/work"
	_ "samepage/web/work" // registers the pages of boards
)

func (s *seeder) boards(team, open string) {
	board := s.do("carol", team, work.CreateBoard.Name, param.Input{"title": "Open day",
		"text":  "What is to be done before the neighbours come. Take a card, move it, and say on it what you found.",
		"zones": []any{"Ideas", "Doing", "Done"}})
	s.do("carol", board, work.UpdateZone.Name, param.Input{"zone": "Doing", "rule": "At most three cards, each of somebody."})
	card := func(by, zone, title string, more param.Input) {
		p := param.Input{"zone": zone, "title": title}
		for k, v := range more {
			p[k] = v
		}
		s.do(by, board, work.AddCard.Name, p)
	}
	card("carol", "Ideas", "A map of the garden", param.Input{"text": "With the beds, the well and the *way to the cake*."})
	card("dave", "Ideas", "Signs to the toilets", nil)
	card("erin", "Ideas", "Ask the choir", param.Input{"text": "They sang last year. @frank knows the conductor."})
	card("bob", "Ideas", "Which logo is on the poster", param.Input{"page": open})
	card("frank", "Ideas", "Borrow forty chairs", nil)
	s.do("frank", board, work.MoveCard.Name, param.Input{"number": "8", "zone": "Doing"})
	s.do("dave", board, work.MoveCard.Name, param.Input{"number": "5", "zone": "Done"})
	s.do("bob", board, work.MoveCard.Name, param.Input{"number": "7", "zone": "Doing", "above": "8"})
	s.do("erin", board, actions.Comment, param.Input{"text": "Who bakes? I can do two cakes, @carol."})
}
