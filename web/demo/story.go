package demo

import (
	"samepage/actions"
	"samepage/actions/param"
)

// vote is one decision of the demo: who asks what, and who marks what.
type vote struct {
	by, question, text, method string
	options                    []string
	more                       param.Input
	ballots                    []cast
	comments                   []said
	close                      string // the statement at its end; empty leaves it open
}

type cast struct {
	by     string
	in     param.Input
	reason string
}

type said struct{ by, text string }

// The shorthands of ballots by each kind of method.
func accept(by string, options []any, prefer []any, reason string) cast {
	return cast{by, param.Input{"accept": options, "prefer": prefer}, reason}
}
func choose(by, option string) cast          { return cast{by, param.Input{"option": option}, ""} }
func approve(by string, options ...any) cast { return cast{by, param.Input{"accept": options}, ""} }
func rank(by string, ranks ...int) cast      { return cast{by, param.Input{"ranking": numbered(ranks)}, ""} }
func points(by string, given ...int) cast {
	return cast{by, param.Input{"points": numbered(given)}, ""}
}

func numbered(values []int) map[string]any {
	m := map[string]any{}
	for i, v := range values {
		if v > 0 {
			m[string(rune('1'+i))] = v
		}
	}
	return m
}

// fill tells the story: two studios, decisions of every method both open and closed, comments, pins, real elections.
func (s *seeder) fill() {
	org := "/orgs/" + organization
	team := s.do("alice", org, actions.CreateStudio.Name, param.Input{"handle": "team", "name": "Team", "visibility": "members",
		"description": "How we work together: meetings, tools, who does what.\n\nAsk here before you change something that others rely on."})
	debian := s.do("bob", org, actions.CreateStudio.Name, param.Input{"handle": "debian", "name": "Debian votes", "visibility": "organization", "tempo": "monthly",
		"description": "Ten real votes of the Debian project, 2003 to 2010, with every ballot as published. See how they were counted."})
	s.do("alice", team, actions.UpdateStudio.Name, param.Input{"name": "Team", "visibility": "organization",
		"description": "How we work together: meetings, tools, who does what.\n\nAsk here before you change something that others rely on."})
	for _, who := range []string{"bob", "carol", "dave", "erin", "frank"} {
		s.do(who, team, actions.Join.Name, nil)
	}
	s.do("alice", debian, actions.Join.Name, nil)
	s.do("bob", debian, actions.ImportDecisions.Name, param.Input{"file": param.Upload{Name: "debian-2003-2010.json", Data: debianVotes()}})
	for i := range votes {
		s.hold(team, &votes[i])
	}
	s.do("dave", team, actions.CreateDecision.Name, param.Input{"question": "Where do we meet in spring?", "method": "approval",
		"options": []any{"By the sea", "In the mountains"}, "draft": true})
}

func debianVotes() []byte { return debian }

// hold asks a question, lets everybody vote and comment, and closes it if it has an end.
func (s *seeder) hold(studio string, v *vote) {
	in := param.Input{"question": v.question, "method": v.method, "text": v.text}
	if len(v.options) > 0 {
		options := []any{}
		for _, o := range v.options {
			options = append(options, o)
		}
		in["options"] = options
	}
	for k, x := range v.more {
		in[k] = x
	}
	url := s.do(v.by, studio, actions.CreateDecision.Name, in)
	for _, b := range v.ballots {
		in := param.Input{}
		for k, x := range b.in {
			in[k] = x
		}
		if b.reason != "" {
			in["reason"] = b.reason
		}
		why := ""
		if s.actors[b.by].IsAgent() {
			why = "My member asked me to vote as we discussed."
		}
		s.why(b.by, url, actions.CastVote.Name, in, why)
	}
	for _, c := range v.comments {
		s.do(c.by, url, actions.CommentDecision.Name, param.Input{"text": c.text})
	}
	if v.close != "" {
		s.do(v.by, url, actions.CloseDecision.Name, param.Input{"statement": v.close})
	}
	if v.question == votes[0].question {
		s.do(v.by, url, actions.PinDecision.Name, nil)
	}
}

var votes = []vote{
	{by: "bob", question: "Should we adopt weekly stand-ups?", method: "acceptance", more: param.Input{"closes_at": "3d", "results": "shown"},
		text:    "We meet too rarely to notice when someone is stuck.\n\nA stand-up is **fifteen minutes**, no more. What we want to know:\n\n- how often\n- live or in writing",
		options: []string{"Yes, every Monday", "Yes, as written updates", "No change needed"},
		ballots: []cast{accept("bob", []any{"1", "2"}, []any{"1"}, "Seeing each other helps."), accept("carol", []any{"2"}, nil, ""),
			accept("dave", []any{"1", "2"}, []any{"2"}, "Written works across time zones."), accept("Scribe", []any{"2", "3"}, nil, "Alice reads everything anyway.")},
		comments: []said{{"carol", "Could we try it for a month first?"}, {"Scribe", "I can collect the written updates each Monday."}, {"bob", "A month is fine."}}},
	{by: "alice", question: "How do we name the new workshop series?", method: "acceptance", options: []string{"Open Bench", "Meadow Nights", "Show and Tell"},
		ballots: []cast{accept("alice", []any{"1", "2"}, []any{"2"}, ""), accept("bob", []any{"2", "3"}, []any{"2"}, ""), accept("carol", []any{"2"}, nil, "")},
		close:   "Meadow Nights it is. The first is in January."},
	{by: "carol", question: "Who writes the next newsletter?", method: "single", options: []string{"Carol", "Dave", "Erin"}, more: param.Input{"closes_at": "1w", "results": "after_voting"},
		ballots: []cast{choose("carol", "3"), choose("dave", "3")}},
	{by: "dave", question: "Which day is our meeting day?", method: "single", options: []string{"Tuesday", "Wednesday", "Thursday"},
		ballots: []cast{choose("alice", "1"), choose("bob", "2"), choose("carol", "2"), choose("erin", "2"), choose("dave", "3")}, close: "See you on Wednesdays."},
	{by: "erin", question: "Which topics go on the agenda?", method: "approval", options: []string{"Budget", "Hiring", "The garden", "Tools"}, more: param.Input{"closes_at": "2d"},
		ballots: []cast{approve("erin", "1", "3"), approve("Scout", "1", "4")}},
	{by: "bob", question: "Which tools do we keep paying for?", method: "approval", options: []string{"The whiteboard", "The video calls", "The survey tool"},
		ballots: []cast{approve("alice", "1", "2"), approve("bob", "2"), approve("carol", "2", "3"), approve("dave", "1", "2")}, close: "Video calls stay; the rest ends in December."},
	{by: "alice", question: "Which logo do we choose?", method: "schulze", options: []string{"The leaf", "The gate", "The hill"},
		more:    param.Input{"closes_at": "5d", "results": "after_voting", "default_option": "Further discussion", "majority": []any{"1"}},
		ballots: []cast{rank("alice", 1, 2, 3, 4), rank("bob", 2, 1, 0, 3), rank("carol", 1, 1, 2, 3)}},
	{by: "carol", question: "Where does the office plant go?", method: "schulze", options: []string{"Window", "Kitchen", "Door"},
		ballots: []cast{rank("alice", 1, 2, 3), rank("bob", 1, 3, 2), rank("carol", 2, 1, 3), rank("dave", 1, 2, 2), rank("erin", 3, 1, 2)}, close: "By the window, in the light."},
	{by: "dave", question: "Who speaks at the fair?", method: "irv", options: []string{"Alice", "Bob", "Erin", "Frank"}, more: param.Input{"results": "shown"},
		ballots: []cast{rank("alice", 0, 1, 2, 0), rank("bob", 1, 0, 2, 0), rank("dave", 0, 0, 1, 2)}},
	{by: "erin", question: "What do we plant first?", method: "irv", options: []string{"Beans", "Pumpkins", "Tomatoes"},
		ballots: []cast{rank("alice", 1, 2, 3), rank("bob", 2, 1, 3), rank("carol", 3, 2, 1), rank("dave", 1, 3, 2), rank("erin", 3, 1, 2)}, close: "Seeds are ordered."},
	{by: "bob", question: "How good were last year's events?", method: "score", options: []string{"Harvest", "Lecture evening", "Clean-up"}, more: param.Input{"closes_at": "4d", "results": "shown"},
		ballots: []cast{points("bob", 5, 3, 4), points("erin", 4, 2, 5)}},
	{by: "carol", question: "Which course do we book?", method: "score", options: []string{"First aid", "Beekeeping", "Accounting"},
		ballots: []cast{points("alice", 5, 3, 2), points("bob", 4, 5, 1), points("carol", 5, 4, 3)}, close: "First aid, in March."},
	{by: "alice", question: "Which cover for the annual report?", method: "star", options: []string{"Photo", "Drawing", "Plain"}, more: param.Input{"closes_at": "6d"},
		ballots: []cast{points("alice", 5, 4, 1), points("dave", 2, 5, 0)}},
	{by: "dave", question: "Which bicycle do we buy?", method: "star", options: []string{"Cargo", "City", "Folding"},
		ballots: []cast{points("alice", 5, 3, 0), points("bob", 5, 4, 2), points("carol", 2, 5, 1), points("dave", 4, 4, 3), points("erin", 5, 1, 0)}, close: "The cargo bike."},
	{by: "erin", question: "Tea or coffee for the meeting?", method: "single", options: []string{"Tea", "Coffee"},
		ballots: []cast{choose("alice", "1"), choose("bob", "2")}, close: "A tie. Erin breaks it."},
	{by: "frank", question: "Do we move the archive?", method: "single", options: []string{"Yes", "No"}, more: param.Input{"quorum": 4},
		ballots: []cast{choose("frank", "1")}, close: "Too few of us were here."},
}
