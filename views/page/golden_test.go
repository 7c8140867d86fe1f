package page

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"samepage/actions/param"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGoldenBlocks compares pages with every block, every field and every place of an action with the files below
// testdata/golden. Run it with -update after an intended change, and read the diff of the files.
func TestGoldenBlocks(t *testing.T) {
	member := sampleContext()
	member.Side = &Sidebar{Name: "Acme", Orgs: []Place{{Name: "Acme", URL: "/orgs/acme"},
		{Name: "Attic", URL: "/orgs/attic"}},
		Waiting: 3, Unread: 2, Asked: 1, Journal: "/orgs/acme/journal", Direct: "/direct", DirectUnread: 4,
		Reader: "@alice",
		Studios: []Place{{Name: "Team", URL: "/studios/team", Icon: "studio", News: true, Below: []Place{
			{Name: "Channel", URL: "/studios/team/channel", Icon: "channel", Count: 7}}}},
		Agents: []Place{{Name: "Scribe", URL: "/orgs/acme/agents/a", Waits: true}}, Own: []Place{{Name: "Account",
			URL: "/settings"}},
		SearchAt: "/search"}
	full := sampleContext()
	full.Full = true
	for name, got := range map[string][]byte{
		"decision.html":        sample().AppendHTML(nil, sampleContext()),
		"decision.member.html": sample().AppendHTML(nil, member),
		"decision.md":          sample().AppendMarkdown(nil, sampleContext()),
		"decision.full.md":     sample().AppendMarkdown(nil, full),
		"work.html":            sampleOfWork().AppendHTML(nil, sampleContext()),
		"work.member.html":     sampleOfWork().AppendHTML(nil, member),
		"work.md":              sampleOfWork().AppendMarkdown(nil, sampleContext()),
	} {
		path := filepath.Join("testdata", "golden", name)
		if *update {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, got, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s is another one now. Run this test with -update, and read the difference.", path)
		}
	}
}

// sampleOfWork returns a page with the blocks that [sample] does not have, and with actions in each place that a page
// has for them.
func sampleOfWork() *Page {
	zones := []param.Option{{Value: "1", Label: "Ideas"}, {Value: "2", Label: "Doing"}}
	url := func(action string) string { return "/studios/team/boards/x/actions/" + action }
	day := func(name string, today bool, numbers ...int) StripDay { return StripDay{name, numbers, today} }
	return &Page{
		URL: "/studios/team/boards/x", Title: "Shed", Kind: "Board", Version: "3",
		Names:    map[string]Name{"/studios/team/d/x": {URL: "/studios/team/d/x", Title: "Red | blue?"}},
		Audience: "studio Team: 8 people, 3 agents",
		Blocks: []Block{
			Steps{{Title: "Questions", At: Done}, {Title: "Consent", Note: Line(T("until Friday")), At: Now},
				{Title: "Accepted"}},
			Filters{Groups: []FilterGroup{{Links: []Filter{{Text: "All", URL: "/x", Chosen: true},
				{Text: "Open", URL: "/x?open=1"}, {Text: "People", URL: "/x?by=people", By: ByPeople},
				{Text: "Agents", URL: "/x?by=agent", By: ByAgents}}},
				{Extra: true, Links: []Filter{{Text: "Mine", URL: "/x?mine=1"}}}},
				Studios: "/x?studio=", Studio: "team", All: "/x"},
			Board{Move: "move_card", Add: "add_card", Zones: []Zone{
				{Key: "1", Title: "Ideas", Rule: Line(T("What could be.")), Starts: true, Cards: []BoardCard{
					{Key: "3", Name: Link("Paint | the door", "/studios/team/boards/x/cards/3"), Line: Line(T("added "),
						When(now)), By: Who("@bob", "/@bob")},
					{Key: "4", Name: Link("Mend it", "/studios/team/boards/x/cards/4"), State: Pill("Asks", Late),
						Work: Line(Link("worktree mend", "/w/mend"), T(" "), Plus(3), T(" "), Less(1)), Icon: "branch",
						Line: Line(T("moved "), When(now)), By: Who("Mason, agent of @bob", "")}}},
				{Key: "2", Title: "Doing", Cards: []BoardCard{
					{Key: "5", Name: Link("Choose", "/b/x/cards/5"), Work: Line(Titled("a decision", "/studios/team/d/x")),
						Icon: "link", Line: Line(T("added "), When(now)), By: Who("@bob", "/@bob")},
					{Key: "6", Name: Link("Read", "/b/x/cards/6"), Work: Line(Titled("a note", "/studios/team/n/secret")),
						Icon: "link", Line: Line(T("added "), When(now)), By: Who("@bob", "/@bob")}}}}},
			Trace{{Icon: "link", Line: Line(T("navigate "), Mono("/whoami")), State: Line(T("completed"))},
				{Icon: "approval", Line: Line(T("Asked: "), Link("Buy paint", "/p/1")), State: Line(T("not answered")),
					Waits: true},
				{Icon: "clock", Line: Line(T("Paint")), State: Line(T("pending")), Plan: true},
				{Icon: "run", Line: Line(T("Ran make")), State: Line(T("failed")), Open: true,
					Output: func() []Block { return []Block{Code{Text: "no rule <to> make paint", Read: true}} }},
				{Icon: "run", Line: Line(T("Ran ls")), State: Line(T("completed")),
					Output: func() []Block { return nil }},
				{Icon: "file", Line: Line(T("Looked around: 2 steps")), State: Line(T("completed")), Steps: Trace{
					{Icon: "file", Line: Line(T("Read a.go")), State: Line(T("completed"))},
					{Icon: "search", Line: Line(T("Find paint")), State: Line(T("completed"))}}}},
			Section{ID: "turn-1", By: Who("Mason, agent of @bob", ""), Title: "Turn 1", State: Line(Pill("Done", Good)),
				Note: Line(T("9 s")), Blocks: []Block{Gauge{Value: 3, Of: 4}}},
			Presses{URL: "/p/1/actions/answer", Field: "choice", Then: "/s/1", List: []Press{
				{Value: "a", Text: "Allow once", Main: true}, {Value: "b", Text: "Allow always"}, {Value: "c",
					Text: "Deny", Refuses: true}}},
			Presses{URL: "/p/2/actions/answer", Field: "choice"},
			Tree{{Extra: true, Line: Line(Strong("Shed"), T(" "), Pill("Running", Runs)), Below: Tree{
				{Line: Line(Link("Door", "/s/2"), T(" "), Pill("Queued", Soon)), Below: Tree{
					{Extra: true, Line: Line(T("Only drawn"))}}}}}, {Extra: true, Line: Line(T("Alone"))}},
			Para{TurnAt("Mason waits for an answer", "/s/1"), T(".")},
			Notice{Icon: "undo", Line: Line(Strong("To undo it"), T(": paint it red."))},
			Warning{Strong("Wet paint."), T(" Do not touch it.")},
			Trace{{Icon: "check", Line: Line(T("It was dry.")), Plan: true}},
			Diff{Before: "red\nblue\n", After: "red\ngreen\n"},
			Patch{Text: "@@ -1,2 +1,2 @@\n red\n-blue\n+green\n", Comment: "/d/actions/comment"},
			Under{T("By "), Who("@bob", "/@bob"), T(", "), When(now.Add(-time.Hour))},
			Faces{People: Line(Who("@bob", "/@bob"), Who("@erin", "/@erin"))}, Faces{People: Line(Who("@dave",
				"/@dave")), Not: true}, Faces{},
			Log{{By: Who("@bob", "/@bob"), As: "as Secretary", Did: "moved a card on", On: Link("Shed", "/b/x"),
				Why: "It is | time.", Kind: "board", Icon: "board",
				At: now, No: 7, URL: "/j/7", Changes: func() ([]Changed, Inline) {
					return []Changed{{"zone", "Ideas", "Doing"},
						{"text", "", "new"}}, Inline{}
				}},
				{By: Who("Scribe, agent of @alice", ""), Did: "commented on", On: Link("Shed", "/b/x"), At: now, No: 8,
					URL: "/j/8", Kind: "Board", Icon: "board",
					Changes: func() ([]Changed, Inline) { return nil, Pill("Done", Good) }}},
			Strip{Things: []string{"due", "made", "closed"}, Days: []StripDay{day("Mon 16", false, 1, 0, 4), day("",
				true, 0, 3, 0),
				day("Wed 18", false, 0, 0, 0), day("Thu 19", false, 2, 2, 1)}},
			Strip{Things: []string{"due"}, Days: []StripDay{day("Mon 16", false, 0)}},
			Flow{Names: []string{"Tea", "Mate", "A coffee with a name that is longer than its place", "Water"},
				Winner: func(o int) bool { return o == 2 }, Rounds: []FlowRound{{Votes: []int{30, 10, 20, 5},
					Out: []int{3}},
					{Votes: []int{31, 12, 22, 0}, Out: []int{1}}, {Votes: []int{31, 0, 33, 0}}}},
			Flow{Names: []string{"Tea"}, Rounds: []FlowRound{{Votes: []int{1}}}},
			Gauge{Value: 9, At: 4, Of: 6}, Gauge{Value: 0, At: 6, Of: 6},
			Talk{Title: "Messages", Blocks: []Block{
				Said{ID: "m1", URL: "/m/1", Lead: Line(Who("@bob", "/@bob"), T(", "), When(now)),
					Text: "Who has *time*?", Open: true,
					Then: "/c", React: [2]string{"react", "emoji"}, Unreact: [2]string{"unreact", "emoji"},
					Reactions: []Reaction{{"👍", 2, true}, {"🎉", 1, false}}, Thread: Line(Link("3 replies", "/m/1")),
					Lesser: []Act{{Title: "Edit", URL: "/m/1/actions/edit"}, {Title: "Remove",
						URL: "/m/1/actions/remove", Destructive: true}}},
				Said{ID: "m2", URL: "/m/2", Own: true, Lead: Line(Who("Scribe, agent of @alice", ""), T(", "),
					When(now)), Text: "", Why: "Asked to.",
					Cards: []Card{{Link: Link("Tea?", "/d/1"), Meta: Line(T("decision, open")),
						Ring: &Ring{Icon: "vote", Done: 2, Of: 6}}}},
				Said{ID: "m3", Lead: Line(Who("@erin", "/@erin")), Gone: Line(T("It was removed.")),
					Reactions: []Reaction{{"👍", 1, false}}},
			}},
			Section{ID: "rows", Title: "Rows", Calls: true, Ring: &Ring{Icon: "board", Closed: true}, Few: Few{Most: 1,
				More: "/rows"}, Blocks: []Block{
				Table{Caption: "Rows", Lines: true, Columns: []Column{{Title: "Do"}, {Title: "Page"}, {Title: "From",
					Quiet: true},
					{Title: "Text", Whole: true}, {Title: "Until", End: true}},
					Rows: []Row{{Key: "r1", New: true, Cells: [][]Inline{{Button("Vote", "/d/1/actions/cast_vote")},
						{Link("Tea?", "/d/1")}, {T("Team")},
						{T("All of it.")}, {Distance(now.Add(time.Hour))}}, Ring: &Ring{Icon: "vote", Done: 1, Of: 3},
						Act: Act{Title: "Vote", URL: "/d/1/actions/cast_vote"}},
						{Key: "r2", Cells: [][]Inline{{T("")}, {Link("Milk?", "/d/2")}, {T("Attic")}, {}, {T("–")}},
							Ring: &Ring{Icon: "approval", Agent: true}}}},
				Table{Caption: "Groups", Groups: true, Columns: []Column{{Title: "Studio"}, {Title: "Page"},
					{Title: "Votes", Number: true, Bar: true, Of: 10}},
					Rows: []Row{{Cells: [][]Inline{{T("Team")}, {T("Tea")}, {T("4")}}, Mark: true, Won: "elected"},
						{Cells: [][]Inline{{T("Team")}, {T("Milk")}, {T("0")}}}, {Cells: [][]Inline{{T("Attic")},
							{T("Rum")}, {T("10")}}}}},
			}},
			Prose{ID: "c9", Lead: Line(T("By "), Who("@bob", "/@bob")), Text: "- [ ] nails\n- [x] paint\n", Boxes: true,
				Ref: Ref{"comments", "9"}, Reply: Reply{"said", "@bob"}},
			Prose{Lead: Line(T("The prompt")), Text: "Paint the **door**.", Brief: true},
			Slot{ID: "said", Stays: true}, Slot{ID: "answer", Calls: true, Stays: true},
		},
		Forms: []Form{
			{Name: "move_card", Title: "Move a card", URL: url("move_card"), Key: "k1", Fields: []param.Field{
				{Name: "number", Kind: param.Number, Min: 3, Max: 4}, {Name: "zone", Kind: param.Choice,
					Options: zones}}},
			{Name: "add_card", Title: "Add a card", URL: url("add_card"), Key: "k2", Fields: []param.Field{
				{Name: "zone", Kind: param.Choice, Options: zones}, {Name: "title", Kind: param.Text, Max: 60}}},
			{Name: "tick", Title: "Tick", URL: url("tick"), Key: "k3", Fields: []param.Field{
				{Name: "box", Kind: param.Choice, Options: []param.Option{{Value: "1", Label: "nails"}}}}},
			{Name: "untick", Title: "Untick", URL: url("untick"), Key: "k4", Fields: []param.Field{
				{Name: "box", Kind: param.Choice, Options: []param.Option{{Value: "2", Label: "paint"}}}}},
			{Name: "follow", Title: "Follow", URL: url("follow"), Key: "k5", Tool: true, Button: "Follow"},
			{Name: "unmute", Title: "Hear of it", URL: url("unmute"), Key: "k6", Tool: true, Ends: "mute", On: "Muted"},
			{Name: "remove_comment", Title: "Remove", URL: url("remove_comment"), Key: "k7", Destructive: true,
				Fields: []param.Field{{Name: "comment", Kind: param.Number, Min: 1, Max: 20}}},
			{Name: "comment", Slot: "said", Title: "Comment", Button: "Say", URL: url("comment"), Key: "k8",
				Fields: []param.Field{{Name: "text", Kind: param.Markdown, Max: 20000}}},
			{Name: "open_row", Title: "Open", URL: url("open_row"), Key: "k9", Fields: []param.Field{
				{Name: "row", Kind: param.Choice, Options: []param.Option{{Value: "r1", Label: "Tea?"}, {Value: "r2",
					Label: "Milk?"}}}}},
			{Name: "respond", Slot: "answer", Title: "Respond", URL: url("respond"), Key: "k10", Version: "3",
				Doc:    "Say what you think.",
				Errors: param.Errors{{Field: "reason", Message: "is required for an objection"}}, Fields: []param.Field{
					{Name: "position", Kind: param.Choice, Options: zones}, {Name: "reason", Kind: param.Markdown,
						Optional: true, Max: 300}}},
			{Name: "archive_board", Title: "Archive the board", URL: url("archive_board"), Key: "k11",
				Destructive: true, Doc: "It stays as it is."},
			{Name: "create_note", Title: "Write a note", URL: url("create_note"), Key: "k12",
				Doc: "Say something. All read it."},
			{Name: "create_topic", Title: "Open a topic", URL: url("create_topic"), Key: "k13",
				Doc: "Propose something. All consent."},
		},
	}
}
