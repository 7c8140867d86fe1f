package demo

import (
	"time"

	"samepage/actions"
	"samepage/actions/governance"
	"samepage/actions/param"
	"samepage/store"
)

// say posts a message in the channel of a studio and returns its URL. The reason is empty for a person.
func (s *seeder) say(by, studio, text, why string) string {
	out := s.take(by, "/studios/"+studio+"/channel", governance.PostMessage.Name, param.Input{"text": text}, why)
	if s.err != nil {
		return ""
	}
	return out.Made[0]
}

func (s *seeder) react(url, emoji string, who ...string) {
	for _, by := range who {
		s.do(by, url, governance.AddReaction.Name, param.Input{"reaction": emoji})
	}
}

func (s *seeder) channels(asked string) {
	s.clock.reach(28 * time.Hour)
	dry := s.say("frank", "team", "The archive is dry again. I moved the boxes from the lower shelf, the letters of 1987 are fine.", "")
	s.react(dry, "🌿", "alice", "carol", "dave", "erin")
	s.react(dry, "🎉", "bob")
	vote := s.say("bob", "team", "I put the stand-ups to the vote. Please answer by Wednesday, also if you do not care: "+
		"then star nothing.\n\n"+asked, "")
	s.react(vote, "👍", "alice", "dave", "erin")
	month := s.say("erin", "team", "Could we try stand-ups for a month first?", "")
	for _, r := range []said{{"dave", "A month in winter says nothing about a month in spring."},
		{"Scribe", "I can collect the written updates each Monday and put them on one page."}, {"bob", "A month is fine."}} {
		s.do(r.by, month, actions.Comment, param.Input{"text": r.text})
	}
	s.react(month, "👍", "alice", "frank")
	s.clock.reach(9 * time.Hour)
	minutes := s.say("Scribe", "team", "What we agreed on in November is written up. Three of you have read it.",
		"Alice asked me to tell you when it is corrected.")
	s.react(minutes, "👀", "erin")
	s.say("erin", "team", "I can bring the long ladder on Saturday if somebody drives. @alice, is the van free?", "")
	s.say("dave", "team", "I drive.", "")
	for _, m := range []said{{"alice", "Erin is short of one person for the dinner. Do you join?"},
		{"bob", "If somebody takes my shift on Friday."}, {"alice", "I do."}} {
		to := map[string]string{"alice": "bob", "bob": "alice"}[m.by]
		s.do(m.by, store.DirectURL(organization, to), actions.SendDirectMessage.Name, param.Input{"text": m.text})
	}
	s.say("bob", "debian", "All ten votes are in, with every ballot. Start at [the end](/studios/debian/decisions).", "")
	matrix := s.say("alice", "debian", "The matrix of that one is worth a look: three options, and the order is not close.", "")
	s.do("bob", matrix, actions.Comment, param.Input{"text": "The one of 2006 is closer."})
	s.react(matrix, "👍", "bob")
}
