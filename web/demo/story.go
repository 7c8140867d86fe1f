package demo

import (
	"slices"
	"time"

	"samepage/actions"
	"samepage/actions/param"
	"samepage/store"
)

type vote struct {
	by, question, text, method string
	options                    []string
	more                       param.Input
	lasts                      time.Duration // time from the end of the story until voting ends; zero for no end
	ballots                    []cast
	comments                   []said
	close                      string // closing statement; if empty, the decision stays open
}

type cast struct {
	by     string
	in     param.Input
	reason string
}

type said struct{ by, text string }

// Each of these functions returns a ballot for one voting method, or for several similar ones.
func accept(by string, options []any, prefer []any, reason string) cast {
	return cast{by, param.Input{"accept": options, "prefer": prefer}, reason}
}
func choose(by, option string) cast          { return cast{by, param.Input{"option": option}, ""} }
func approve(by string, options ...any) cast { return cast{by, param.Input{"accept": options}, ""} }
func rank(by string, ranks ...int) cast      { return cast{by, param.Input{"ranking": numbered(ranks)}, ""} }
func points(by string, given ...int) cast {
	return cast{by, param.Input{"points": numbered(given)}, ""}
}

func dots(by string, given ...int) cast { return cast{by, param.Input{"dots": numbered(given)}, ""} }
func suits(by string, yes, maybe []any) cast {
	return cast{by, param.Input{"yes": yes, "maybe": maybe}, ""}
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

func (s *seeder) fill() {
	org := "/orgs/" + organization
	many := param.Input{} // rate limits high enough not to get in the way of a demo
	for _, of := range []string{"token", "member", "organization"} {
		for _, use := range store.Uses() {
			many[of+"_"+use] = 60000
		}
	}
	s.do("alice", org+"/settings", actions.UpdateLimits.Name, many)
	team := s.do("alice", org, actions.CreateStudio.Name,
		param.Input{"handle": "team", "name": "Team", "visibility": "members",
			"description": "How we work together: meetings, tools, who does what.\n\nAsk here before you change " +
				"something that others rely on."})
	debian := s.do("bob", org, actions.CreateStudio.Name,
		param.Input{"handle": "debian", "name": "Debian votes", "visibility": "organization", "tempo": "monthly",
			"description": "Ten real votes of the Debian project, 2003 to 2010, with every ballot as published. " +
				"See how they were counted."})
	s.do("alice", team, actions.ChangeVisibility.Name, param.Input{"visibility": "organization"})
	s.do("alice", org+"/invitations", actions.Invite.Name, param.Input{"email": email("gina")})
	for _, who := range []string{"bob", "carol", "dave", "erin", "frank"} {
		s.do(who, team, actions.Join.Name, nil)
	}
	s.do("alice", debian, actions.Join.Name, nil)
	s.roles(org, team)
	s.policies(team)
	s.do("bob", debian, actions.ImportDecisions.Name,
		param.Input{"file": param.Upload{Name: "debian-2003-2010.json", Data: debianVotes()}})
	closed, open := 0, 0
	urls := make([]string, len(votes))
	for i := range votes {
		v := &votes[i]
		if v.close != "" {
			s.clock.reach(20*day - time.Duration(closed)*36*time.Hour)
			closed++
		} else {
			s.clock.reach(70*time.Hour - time.Duration(open)*7*time.Hour)
			open++
		}
		urls[i] = s.hold(team, v)
	}
	s.do("dave", team, actions.CreateDecision.Name,
		param.Input{"question": "Where do we meet in spring?", "method": "approval",
			"options": []any{"By the sea", "In the mountains"}, "draft": true})
	s.commitments(team)
	s.notes(team)
	s.topics(team)
	s.boards(team, urls[slices.IndexFunc(votes, func(v vote) bool { return v.close == "" })])
	s.elections(debian)
	s.channels(urls[slices.IndexFunc(votes, func(v vote) bool { return v.question == standups })])
	s.clock.reach(8 * time.Hour)
	for i := range votes {
		if v := &votes[i]; v.close == "" {
			s.discuss(urls[i], v.ballots[firstBallots:], v.comments[firstComments:])
		}
	}
}

const standups = "Should we adopt weekly stand-ups?"

// These are the numbers of ballots and comments that an open decision receives when it is created. The others come at
// the end of the story.
const (
	firstBallots  = 2
	firstComments = 1
)

func debianVotes() []byte { return debian }

// hold creates a decision with ballots and comments. It closes the decision if there is a closing statement.
func (s *seeder) hold(studio string, v *vote) string {
	in := param.Input{"question": v.question, "method": v.method, "text": v.text}
	options := []any{}
	for _, o := range v.options {
		options = append(options, o)
	}
	if v.method == "time" { // a Saturday morning in each of three weeks
		saturday := s.end.AddDate(0, 0, int(time.Saturday-s.end.Weekday())+7)
		for i := range 3 {
			options = append(options, saturday.AddDate(0, 0, 7*i).Format("2006-01-02")+" 10:00")
		}
	}
	if len(options) > 0 {
		in["options"] = options
	}
	if v.lasts > 0 {
		in["closes_at"] = s.end.Add(v.lasts).UTC().Format(time.RFC3339)
	}
	for k, x := range v.more {
		in[k] = x
	}
	url := s.do(v.by, studio, actions.CreateDecision.Name, in)
	if v.close == "" {
		s.discuss(url, v.ballots[:firstBallots], v.comments[:firstComments])
		if v.text != "" {
			s.do(v.by, url, actions.Pin, nil)
		}
		return url
	}
	s.discuss(url, v.ballots, v.comments)
	s.do(v.by, url, actions.CloseDecision.Name, param.Input{"statement": v.close})
	return url
}

// discuss casts the ballots and adds the comments in turn.
func (s *seeder) discuss(url string, ballots []cast, comments []said) {
	for i := range max(len(ballots), len(comments)) {
		if i < len(ballots) {
			s.cast(url, ballots[i])
		}
		if i < len(comments) {
			s.do(comments[i].by, url, actions.Comment, param.Input{"text": comments[i].text})
		}
	}
}

func (s *seeder) cast(url string, b cast) {
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

var votes = []vote{
	{by: "alice", question: "How do we name the new workshop series?", method: "acceptance",
		options: []string{"Open Bench", "Meadow Nights", "Show and Tell"},
		ballots: []cast{accept("alice", []any{"1", "2"}, []any{"2"}, ""),
			accept("bob", []any{"2", "3"}, []any{"2"}, ""), accept("carol", []any{"2"}, nil, ""),
			accept("erin", []any{"2", "3"}, []any{"3"}, "It says what it is.")},
		comments: []said{{"erin", "Show and Tell sounds like school to me, but I would come."},
			{"Scribe", "The library uses the name Open Bench already, as Alice found out."},
			{"frank", "Then not that one."}},
		close: "Meadow Nights it is. The first is in January."},
	{by: "dave", question: "Which day is our meeting day?", method: "single",
		options: []string{"Tuesday", "Wednesday", "Thursday"},
		ballots: []cast{choose("alice", "1"), choose("bob", "2"), choose("carol", "2"), choose("erin", "2"),
			choose("dave", "3")},
		comments: []said{{"carol", "Thursdays are choir for me."},
			{"dave", "I could swap my shift, but only from January."}},
		close: "See you on Wednesdays."},
	{by: "bob", question: "Which tools do we keep paying for?", method: "approval",
		options: []string{"The whiteboard", "The video calls", "The survey tool"},
		ballots: []cast{approve("alice", "1", "2"), approve("bob", "2"), approve("carol", "2", "3"),
			approve("dave", "1", "2")},
		comments: []said{{"Scout", "Over the year the whiteboard cost 144 euros and was opened nine times."},
			{"dave", "Eight of those were me. I can draw on paper."}},
		close: "Video calls stay; the rest ends in December."},
	{by: "carol", question: "Where does the office plant go?", method: "schulze",
		options: []string{"Window", "Kitchen", "Door"},
		ballots: []cast{rank("alice", 1, 2, 3), rank("bob", 1, 3, 2), rank("carol", 2, 1, 3), rank("dave", 1, 2, 2),
			rank("erin", 3, 1, 2)},
		comments: []said{{"bob", "It nearly died in the kitchen last winter."},
			{"erin", "Because nobody watered it, not because of the kitchen!"},
			{"carol", "I will water it, wherever it stands."}},
		close: "By the window, in the light."},
	{by: "erin", question: "What do we plant first?", method: "irv", options: []string{"Beans", "Pumpkins", "Tomatoes"},
		ballots: []cast{rank("alice", 1, 2, 3), rank("bob", 2, 1, 3), rank("carol", 3, 2, 1), rank("dave", 1, 3, 2),
			rank("erin", 3, 1, 2)},
		comments: []said{{"dave", "Beans feed the soil, so they help whatever comes after."},
			{"frank", "I have a box of pumpkin seeds left over."}},
		close: "Seeds are ordered."},
	{by: "carol", question: "Which course do we book?", method: "score",
		options: []string{"First aid", "Beekeeping", "Accounting"},
		ballots: []cast{points("alice", 5, 3, 2), points("bob", 4, 5, 1), points("carol", 5, 4, 3)},
		comments: []said{{"bob", "Bees! But I see why first aid comes first."},
			{"alice", "Our last first aid course was four years ago."}},
		close: "First aid, in March."},
	{by: "dave", question: "Which bicycle do we buy?", method: "star", options: []string{"Cargo", "City", "Folding"},
		ballots: []cast{points("alice", 5, 3, 0), points("bob", 5, 4, 2), points("carol", 2, 5, 1),
			points("dave", 4, 4, 3), points("erin", 5, 1, 0)},
		comments: []said{{"carol", "Where would a cargo bike stand? The hall is narrow."},
			{"dave", "In the yard, under the roof. I measured it."},
			{"Scout", "The city pays a quarter of a cargo bike until the end of the year."}},
		close: "The cargo bike."},
	{by: "erin", question: "Tea or coffee for the meeting?", method: "single", options: []string{"Tea", "Coffee"},
		ballots: []cast{choose("alice", "1"), choose("bob", "2")},
		comments: []said{{"frank", "Water, but I will not start a campaign."},
			{"bob", "One vote each. This is how wars begin."}},
		close: "A tie. Erin breaks it."},
	{by: "frank", question: "Do we move the archive?", method: "single", options: []string{"Yes", "No"},
		more: param.Input{"quorum": "4"}, ballots: []cast{choose("frank", "1")},
		comments: []said{{"dave", "I do not know what is in it. Can we look first?"},
			{"frank", "Yes, come by on Friday and I show you."}},
		close: "Too few of us were here."},
	{by: "alice", question: "Where does the prize money go?", method: "dots",
		options: []string{"Tools", "A bench", "Seeds"}, more: param.Input{"dots": 6},
		ballots: []cast{dots("alice", 3, 2, 1), dots("bob", 0, 6, 0), dots("dave", 4, 0, 2)},
		comments: []said{{"bob", "All six on the bench. I am not as young as I was."},
			{"dave", "We could build it ourselves, with better tools."}},
		close: "A bench, and we build it ourselves."},
	{by: "frank", question: "Who opens the garden in March?", method: "lottery",
		options:  []string{"Bob", "Erin", "Frank"},
		comments: []said{{"erin", "I would not mind."}, {"frank", "Then let us see what the lot says."}},
		close:    "Thank you for playing."},
	{by: "carol", question: "Do we pay the treasurer?", method: "single", options: []string{"Yes", "No"},
		more: param.Input{"anonymous": true, "quorum": "50%"},
		ballots: []cast{choose("alice", "1"), choose("bob", "1"), choose("dave", "2"), choose("erin", "1"),
			choose("frank", "2")},
		comments: []said{{"carol", "Anonymous, so that nobody has to be polite."},
			{"frank", "I would have said it aloud. But fine."}},
		close: "From January, then."},

	{by: "frank", question: "When do we clear the attic?", method: "time", options: nil, lasts: 5 * day,
		more: param.Input{"results": "shown", "casting_vote": "erin"},
		ballots: []cast{suits("frank", []any{"1", "2"}, []any{"3"}), suits("dave", []any{"2"}, []any{"1"}),
			suits("erin", []any{"3"}, []any{"2"})},
		comments: []said{{"dave", "I can bring the cargo bike."}, {"erin", "And I bring gloves for everybody."}}},
	{by: "bob", question: standups, method: "acceptance", lasts: 3 * day,
		more: param.Input{"results": "shown"},
		text: "We meet too rarely to notice when someone is stuck.\n\nA stand-up is **fifteen minutes**, no " +
			"more. What we want to know:\n\n- how often\n- live or in writing",
		options: []string{"Yes, every Monday", "Yes, as written updates", "No change needed"},
		ballots: []cast{accept("bob", []any{"1", "2"}, []any{"1"}, "Seeing each other helps."),
			accept("carol", []any{"2"}, nil, ""),
			accept("dave", []any{"1", "2"}, []any{"2"}, "Written works across time zones."),
			accept("Scribe", []any{"2", "3"}, nil, "Alice reads everything anyway.")},
		comments: []said{{"carol", "Could we try it for a month first?"},
			{"Scribe", "I can collect the written updates each Monday."}, {"bob", "A month is fine."}}},
	{by: "carol", question: "Who writes the next newsletter?", method: "single",
		options: []string{"Carol", "Dave", "Erin"}, lasts: 7 * day, more: param.Input{"results": "after_voting"},
		ballots: []cast{choose("carol", "3"), choose("dave", "3")},
		comments: []said{{"erin", "I would do it if somebody lends me a camera."},
			{"dave", "Take mine, it only gathers dust."}}},
	{by: "erin", question: "Which topics go on the agenda?", method: "approval",
		options: []string{"Budget", "Hiring", "The garden", "Tools"}, lasts: 2 * day,
		ballots: []cast{approve("erin", "1", "3"), approve("Scout", "1", "4"), approve("carol", "1", "2"),
			approve("frank", "3")},
		comments: []said{{"frank", "Please keep it under an hour this time."},
			{"Scout", "The budget took 50 minutes at the last meeting, according to the minutes."}}},
	{by: "alice", question: "Which logo do we choose?", method: "schulze",
		options: []string{"The leaf", "The gate", "The hill"}, lasts: 5 * day,
		more: param.Input{"results": "after_voting", "default_option": "Further discussion",
			"majority": []any{"1"}},
		ballots: []cast{rank("alice", 1, 2, 3, 4), rank("bob", 2, 1, 0, 3), rank("carol", 1, 1, 2, 3),
			rank("dave", 2, 3, 1, 4)},
		comments: []said{{"dave", "The hill still reads well at the size of a stamp. I printed all three."},
			{"bob", "The gate is the only one that looks like us."},
			{"Scribe", "The printer needs the file by the first of next month."}}},
	{by: "dave", question: "Who speaks at the fair?", method: "irv",
		options: []string{"Alice", "Bob", "Erin", "Frank"}, more: param.Input{"results": "shown"},
		ballots: []cast{rank("dave", 0, 0, 1, 2), rank("erin", 1, 2, 0, 3), rank("frank", 1, 0, 2, 0)},
		comments: []said{{"erin", "I am on holiday until the day before. Possible, but tight."},
			{"frank", "Ten minutes, and there will be questions about the garden."}}},
	{by: "bob", question: "How good were last year's events?", method: "score", options: []string{"Harvest",
		"Lecture evening", "Clean-up"}, lasts: 4 * day, more: param.Input{"results": "shown"},
		ballots: []cast{points("bob", 5, 3, 4), points("erin", 4, 2, 5), points("carol", 5, 4, 3),
			points("Scribe", 4, 3, 2)},
		comments: []said{{"carol", "The harvest was the first time I met all the neighbours."},
			{"Scribe", "By the guest lists: 64 at the harvest, 23 at the lecture, 31 at the clean-up."}}},
	{by: "alice", question: "Which cover for the annual report?", method: "star",
		options: []string{"Photo", "Drawing", "Plain"}, lasts: 6 * day,
		ballots: []cast{points("dave", 2, 5, 0), points("carol", 4, 4, 1), points("frank", 5, 1, 2)},
		comments: []said{{"frank", "Please, no drawing of me again."},
			{"carol", "The photo with the pumpkins, if we take a photo."}}},
}
