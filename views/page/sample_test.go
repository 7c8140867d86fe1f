package page

import (
	"time"

	"samepage/actions/param"
)

var now = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func sampleContext() *Context {
	return &Context{
		Now: now, As: "Scribe, agent of @alice", Home: "/", Site: "Example",
		Nav: []Inline{Link("Search", "/search"), Link("Inbox (3)", "/inbox"), Link("Alice", "/u/alice")},
	}
}

// sample returns a page about the decision on stand-ups, with blocks of many types.
func sample() *Page {
	options := []param.Option{{Value: "1", Label: "Yes, every Monday"},
		{Value: "2", Label: "Yes, async updates"}, {Value: "3", Label: "No change needed"}}
	return &Page{
		URL: "/studios/team/d/k3v9x0a2mq", Title: "Should we adopt weekly standups?", Kind: "Decision",
		Trail: []Inline{Link("Team", "/studios/team")},
		State: Line(T("Open, closes "), Distance(now.Add(3*24*time.Hour)), T(". 5 of 8 have voted."),
			Turn(" You have not.", "#options")),
		Audience: "studio Team: 8 people, 3 agents", Version: "7",
		Blocks: []Block{
			Banner{T("Your vote is needed"), T(" by Monday.")},
			Warning{T("Nobody vouches"), T(" for it.")},
			Prose{
				ID:   "body",
				Lead: Line(T("By "), Link("@bob", "/u/bob"), T(", "), When(now.Add(-48*time.Hour))),
				Text: prose1,
			},
			Section{ID: "options", Title: "Options", Blocks: []Block{Table{
				Caption: "Options and votes",
				Columns: []Column{{Title: "#", Number: true}, {Title: "Option"},
					{Title: "Accept", Number: true, Bar: true}, {Title: "Prefer", Number: true}},
				Rows: []Row{
					{Key: "1", Cells: [][]Inline{{T("1")}, {T("Yes, every Monday")}, {T("3")}, {T("1")}}},
					{Key: "2", Mark: true, Cells: [][]Inline{{T("2")}, {T("Yes, async | updates")}, {T("5")}, {T("3")}}},
					{Key: "3", Cells: [][]Inline{{T("3")}, {T("No change needed")}, {T("1")}, {T("1")}}},
				},
			}}},
			Section{ID: "facts", Title: "Facts", Blocks: []Block{
				Facts{{"Method", Line(T("Approval, then stars"))},
					{"Opened", Line(When(now.Add(-48 * time.Hour)))},
					{"Quorum", Line(Strong("4"), T(" of 8"))}},
				List{Line(T("First comes "), Mono("cast_vote"), T(" and then nothing.")),
					Line(Link("The charter", "/studios/team/n/charter"), T(" says so."))},
			}},
			Tree{{Line: Line(Link("Commons", "/studios/commons")), Below: Tree{
				{Line: Line(Link("Attic", "/studios/attic"), T(" (archived)"))},
				{Line: Line(Link("Plaza", "/studios/plaza"))},
			}},
				{Line: Line(Link("Team", "/studios/team"))}},
			Details{
				ID:     "raw",
				Title:  "The record",
				Blocks: []Block{Code{Language: "json", Text: "{\n  \"method\": \"approval\",\n  \"quorum\": 4\n}"}},
			},
			Section{ID: "comments", Title: "Comments", Blocks: []Block{
				Prose{ID: "c1", Lead: Line(T("By "), Strong("Scribe"), T(", agent of "),
					Link("@alice", "/u/alice"), T(", "), When(now.Add(-2*time.Hour))), Text: prose2},
				Prose{
					ID:   "c2",
					Lead: Line(T("By "), Link("@carol", "/u/carol"), T(", "), When(now.Add(-time.Hour))),
					Text: "+1, with a note.[^1]\n\n[^1]: On Mondays only.",
				},
			}},
			Gauge{Value: 2, At: 4, Of: 6},
			Section{ID: "news", Title: "Since you left", Note: Line(Link("Inbox", "/inbox"), T(": 3 unread.")), Blocks: []Block{
				News{{Place: Line(Link("Team", "/studios/team")), Pages: []Entry{{Name: Line(Link("Minutes", "/n/1")),
					Note: Line(Who("@bob", ""), T(" commented")), At: When(now)}}}},
				Stack{{Name: Line(AgentLink("Scribe", "/orgs/acme/agents/a")), State: Pill("active", Live),
					Note: Line(T("voted on "), Link("Tea", "/d/1"), Extra(", in time")), At: When(now)}, {Name: Line(T("Attic"))}},
				Tiles{{Title: "Write a note", URL: "/studios/team/actions/create_note", Say: "What all should know."}},
			}},
			Strip{Things: []string{"due", "made"}, Days: []StripDay{{Name: "Mon 16", Numbers: []int{1, 0}}, {Numbers: []int{0, 3}}}},
			Flow{Names: []string{"Tea", "Mate", "Coffee"}, Winner: func(o int) bool { return o == 0 },
				Rounds: []FlowRound{{Votes: []int{3, 1, 2}, Out: []int{1}}, {Votes: []int{4, 0, 2}}}},
			Empty(Line(T("Nothing is here yet."))),
			Slot{ID: "answer", Calls: true},
			Rail{Facts{{"Held by", Line(Who("@bob", "/u/bob"), T(", "), Who("Scribe, agent of @alice", ""))},
				{"State", Line(Pill("Open", Live), T(", until "), When(now.Add(72*time.Hour)).Dated())}}},
			Doc("Read [how voting works](/help/voting).\n"),
			Para{T("Results appear when voting closes.")},
		},
		Forms: []Form{
			{Name: "cast_vote", Slot: "options", Title: "Cast your vote", Ballot: true,
				URL: "/studios/team/d/k3v9x0a2mq/actions/cast_vote", Key: "k1",
				Doc: "Accept every option you can live with, star those you prefer. Voting again replaces your ballot.",
				Fields: []param.Field{
					{Name: "accept", Kind: param.Choices, Doc: "The options you can live with.", Options: options, Values: []string{"2"}},
					{
						Name:     "prefer",
						Kind:     param.Choices,
						Optional: true,
						Doc:      "Those you like best; each is accepted too.",
						Options:  options,
					},
					{Name: "reason", Kind: param.Markdown, Optional: true, Max: 2000, Doc: "Why, in a sentence or two."},
				}},
			{Name: "add_option", Title: "Add an option",
				URL: "/studios/team/d/k3v9x0a2mq/actions/add_option", Key: "k2",
				Doc:    "Until the first vote is in.",
				Fields: []param.Field{{Name: "title", Kind: param.Text, Max: 200, Doc: "What would be done."}}},
			{Name: "comment", Slot: "comments", Title: "Comment",
				URL: "/studios/team/d/k3v9x0a2mq/actions/comment", Key: "k3", Doc: "Say something below.",
				Fields: []param.Field{{Name: "body", Kind: param.Markdown, Max: 20000}}},
			{Name: "pin", Title: "Pin", URL: "/studios/team/d/k3v9x0a2mq/actions/pin", Key: "k4", Doc: "Show one option first.",
				Fields: []param.Field{{Name: "option", Kind: param.Choice, Options: options}}},
			{
				Name:        "withdraw",
				Title:       "Withdraw the decision",
				URL:         "/studios/team/d/k3v9x0a2mq/actions/withdraw",
				Key:         "k5",
				Destructive: true,
				Doc:         "Ends it without an outcome.",
			},
		},
	}
}

const prose1 = `We meet too rarely to notice when someone is **stuck**.

## What would change

1. Ten minutes on Monday
2. Written notes in [the log](/studios/team/n/log)

- [x] asked the team
- [ ] asked the customers

| Day | People | Cost |
| --- | :-: | --: |
| Monday | 8 | 80 min |
| Friday | 3 | 30 min |

` + "```go\nfunc main() {\n\tprintln(\"hello\")\n}\n```" + `

> As we said before: no meeting without notes.

Term
: What it means

![diagram](https://example.com/diagram.png) and https://example.com/page and <b>raw</b> Vec<String> text.[^why]

[^why]: Because ~~nobody~~ everybody reads it.
`

const prose2 = "I looked at last quarter: we noticed blocked work after **4.2 days** on " +
	"average.\n\nSources: [log], and `git log --since=90d`.\n\n[log]: /studios/team/n/log"
