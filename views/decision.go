// Package views builds the pages. A view is a pure function of the actor and the loaded data: it makes no queries and
// reads no clock.
package views

import (
	"slices"
	"strconv"
	"strings"

	"samepage/actions/tally"
	"samepage/store"
	"samepage/store/governance"
	"samepage/views/page"
)

var decisionNoun = Noun{
	Kind: governance.DecisionKind, One: "Decision", Many: "Decisions", Icon: "decision", Path: "/decisions",
	Closed: map[string]string{
		governance.DecisionResult: "decided", governance.DecisionTie: "closed, tied",
		governance.DecisionNoQuorum: "closed without a result",
	},
	Begin: func(studio string) string { return "Let " + studio + " decide." },
	Progress: func(i *store.Item) string {
		if i.Asked == 0 {
			return "a lot decides"
		}
		return number(i.Answered) + " of " + number(i.Asked) + " have voted"
	},
}

// Decision returns the page of one decision.
func Decision(by store.Actor, v *governance.DecisionPage) page.Page {
	d := v.Decision
	rules := rulesOf(d)
	result, known := visibleResult(d)
	p := ItemPage(&d.Item, "Decision", d.Title)
	p.State, p.Data = decisionState(by, d), func() any { return decisionData(d, result, known) }
	if d.Closed() && known {
		p.Blocks = append(p.Blocks, Byline(&d.Item), page.Banner(outcome(d, result)))
		if d.Body != "" {
			p.Blocks = append(p.Blocks, page.Prose{Text: d.Body, Boxes: true})
		}
	} else {
		p.Blocks = append(p.Blocks, ItemBody(&d.Item))
	}
	if d.Statement != "" {
		lead := page.Line(page.T("Statement, "), page.When(d.ClosedAt.Time))
		if d.ClosedBy != "" {
			lead = page.Line(page.T("Statement by "), page.Who("@"+d.ClosedBy, memberURL(d.Studio, d.ClosedBy)),
				page.T(", "),
				page.When(d.ClosedAt.Time))
		}
		p.Blocks = append(p.Blocks, page.Prose{ID: "statement", Lead: lead, Text: d.Statement})
	}
	if d.DecidingStatement != "" {
		p.Blocks = append(p.Blocks, page.Prose{
			ID: "deciding",
			Lead: page.Line(page.T("With the casting vote, by "),
				page.Who("@"+d.DecidedBy, memberURL(d.Studio, d.DecidedBy)),
				page.T(", "), page.When(d.DecidedAt.Time)),
			Text: d.DecidingStatement,
		})
	}
	options := page.Section{ID: "options", Title: "Options", Blocks: optionBlocks(d, rules, result, known)}
	if d.Closed() && known && !lottery(d) {
		options.Title = "Result"
	}
	p.Blocks = append(p.Blocks, options)
	if known {
		p.Blocks = append(p.Blocks, counting(d, result)...)
	}
	asked := max(d.Electorate, d.Ballots)
	voted := turnout(&d.Item, v.Voted, asked, "have voted", "Not yet")
	if d.Closed() {
		voted = turnout(&d.Item, v.Voted, asked, "voted", "Did not")
	}
	p.Blocks = append(p.Blocks, Discussion(by, &d.Item, v.Discussion, append(voted,
		page.Section{ID: "rules", Title: "Rules", Blocks: []page.Block{rulesFacts(d, rules)}})...)...)
	return p
}

// turnout returns blocks with the members who have voted on or read an item and those who have not, for HTML only. The
// argument asked is the number of members who were asked, some of whom may have left since.
func turnout(i *store.Item, t governance.Turnout, asked int, done, missing string) []page.Block {
	here := len(t.Done) + len(t.Missing)
	if here == 0 {
		return nil
	}
	all := max(here, asked)
	s := page.Section{ID: "turnout", Title: number(len(t.Done)) + " of " + number(all) + " " + done, Extra: true, Ring: &page.Ring{
		Icon: nounOf(i.Kind).Icon, Done: len(t.Done), Of: all}}
	faces := func(handles []string) (list []page.Inline) {
		for _, handle := range handles {
			list = append(list, page.Who("@"+handle, memberURL(i.Studio, handle)))
		}
		return list
	}
	if len(t.Done) > 0 {
		s.Blocks = append(s.Blocks, page.Faces{People: faces(t.Done)})
	}
	if len(t.Missing) > 0 {
		s.Blocks = append(s.Blocks, page.Section{ID: "missing", Title: missing,
			Blocks: []page.Block{page.Faces{People: faces(t.Missing), Not: true}}})
	}
	if left := all - here; left > 0 {
		s.Blocks = append(s.Blocks, page.Para(page.Line(page.T(count(left, "other was asked and has",
			"others were asked and have")+
			" left the studio."))))
	}
	return []page.Block{s}
}

// visibleResult returns the recorded result of a decision, or the interim result while the decision is open. The value
// known is false if there is none or the actor may not see it.
func visibleResult(d *governance.Decision) (r tally.Result, known bool) {
	if !d.ShowsResults() {
		return r, false
	}
	stored := tally.Stored{
		Method:     tally.Method(d.Method),
		Rules:      d.Rules,
		Tally:      d.Tally,
		Outcome:    d.Result,
		Electorate: d.Electorate,
	}
	if result := stored.Result(); result != nil {
		return *result, true
	}
	return r, false
}

func decisionState(by store.Actor, d *governance.Decision) []page.Inline {
	var line []page.Inline
	switch d.State() {
	case governance.DecisionDraft:
		line = DraftState(&d.Item)
	case governance.DecisionOpen:
		line = page.Line(page.Pill("Open", page.Live))
		if !d.DueAt.IsZero() {
			line = append(line, BeforeDeadline(&d.Item, ", closes ", ", was to close "), page.Distance(d.DueAt.Time))
		}
		line = append(line, page.T("."))
		refusal := voteRefusal(by, d)
		if !lottery(d) {
			line = append(line, page.Sentence(" "+participation(d, "have voted")))
			if own := ownVote(d); own == notVoted && refusal == "" {
				line = append(line, page.Turn(own, "#options"))
			} else {
				line = append(line, page.Sentence(own))
			}
		}
		return append(line, page.Sentence(refusal))
	default:
		at := d.ClosedAt.Time
		if d.State() == governance.DecisionDue {
			at = d.DueAt.Time
		}
		line = page.Line(page.Pill("Closed", page.Calm).Sign("check"), page.T(" "), page.When(at))
		if d.ClosedBy != "" && d.Imported == "" {
			line = append(line, page.T(" by "), page.Who("@"+d.ClosedBy, memberURL(d.Studio, d.ClosedBy)))
		}
		line = append(line, page.T("."))
		if !lottery(d) {
			line = append(line, page.Sentence(" "+participation(d, "voted")))
		}
	}
	if d.Studio.State() == "archived" && !d.Draft() {
		line = append(line, page.Sentence(" "+d.Studio.MustBeActive().Error()))
	}
	return line
}

// ownVote returns a sentence on whether the actor has voted, or "" if the actor has not voted and is not in the studio.
func ownVote(d *governance.Decision) string {
	switch {
	case d.Mine.Voter != "" && d.Anonymous:
		return " You have; to change your ballot, give your receipt."
	case d.Mine.Voter != "" && d.Mine.Agent.ID != "":
		return " Your agent has, for you."
	case d.Mine.Voter != "":
		return " You have."
	case d.Studio.Joined():
		return notVoted
	}
	return ""
}

const notVoted = " You have not."

// voteRefusal returns the reason why the actor cannot vote now, or "".
func voteRefusal(by store.Actor, d *governance.Decision) string {
	switch {
	case by.Anonymous():
		return " Sign in to vote."
	case by.Member == nil:
		return " Only members of " + d.Studio.OrgName + " can vote."
	case !by.Has(store.ScopeWrite):
		return " This token only reads."
	}
	if err := d.MustBeVotableBy(by); err != nil {
		return " " + err.Error()
	}
	return ""
}

func participation(d *governance.Decision, verb string) string {
	if d.Imported != "" {
		return count(d.Ballots, "ballot was", "ballots were") + " imported."
	}
	return number(d.Ballots) + " of " + number(max(d.Electorate, d.Ballots)) + " " + verb + "."
}

func optionBlocks(d *governance.Decision, rules tally.Rules, r tally.Result, known bool) []page.Block {
	if len(d.Choice) == 0 {
		return []page.Block{page.Para(page.Line(page.T("There are no options yet.")))}
	}
	lead, first := numbering(d, r, known)
	t := page.Table{Caption: "Options", Columns: []page.Column{lead, {Title: "Option"}}}
	counts := countColumns(r)
	if lottery(d) {
		counts = nil
	}
	if known {
		for i, c := range counts {
			t.Columns = append(t.Columns, page.Column{Title: c.title, Number: true, Bar: i == 0, Of: c.of})
		}
	}
	needs := requiredMajorities(d, rules)
	if needs != nil {
		t.Columns = append(t.Columns, page.Column{Title: "Needs"})
	}
	var mine map[int]string
	voted := d.Mine.Voter != "" && !d.Anonymous
	if voted {
		t.Columns = append(t.Columns, page.Column{Title: "Your ballot", Quiet: d.State() == governance.DecisionOpen})
		mine = markWords(d)
	}
	order := listed(d, r, known)
	t.Rows = make([]page.Row, 0, len(order))
	texts, cells := make([]page.Inline, 0,
		len(order)*len(t.Columns)), make([][]page.Inline, 0, len(order)*len(t.Columns))
	cell := func(text string) {
		texts = append(texts, page.T(text))
		cells = append(cells, texts[len(texts)-1:len(texts):len(texts)])
	}
	for _, i := range order {
		o, from := &d.Choice[i], len(cells)
		cell(first(i))
		cell(o.Title)
		if known {
			for _, c := range counts {
				count := "0"
				if i < len(c.values) {
					count = number(c.values[i])
				}
				cell(count)
			}
		}
		if needs != nil {
			cell(needs[i])
		}
		if voted {
			cell(mine[i])
		}
		row := page.Row{Key: strconv.Itoa(o.N), Cells: cells[from:len(cells):len(cells)],
			Mark: known && d.Closed() && wins(d, r, i) && (!lottery(d) || d.Deciding != nil)}
		if row.Mark && (d.Deciding != nil || r.Outcome == tally.Decided) {
			row.Won = "Winner"
		}
		t.Rows = append(t.Rows, row)
	}
	blocks := []page.Block{t}
	switch {
	case lottery(d):
	case !known && d.State() == governance.DecisionOpen && d.Results == "after_voting":
		blocks = append(blocks, page.Para(page.Line(page.T("How it stands is shown once you have voted."))))
	case !known && d.State() == governance.DecisionOpen && d.Results == "after_closing":
		blocks = append(blocks, page.Para(page.Line(page.T("How it stands is hidden until the vote is closed."))))
	}
	if d.ShowsResults() && !lottery(d) {
		blocks = append(blocks, page.Para(page.Line(page.Link("All ballots", d.URL()+"/ballots"))))
	}
	return blocks
}

// numbering returns the first column of the table of options and the text of its cells: the ranks if the decision has
// visible ranks, or else the numbers of the options.
func numbering(d *governance.Decision, r tally.Result, known bool) (page.Column, func(i int) string) {
	ranks := ranks(d, r, known)
	if ranks == nil {
		return page.Column{Title: "#", Number: true, Quiet: true}, func(i int) string { return strconv.Itoa(d.Choice[i].N) }
	}
	return page.Column{Title: "Rank", Number: true}, func(i int) string {
		if ranks[i] == 0 {
			return "–"
		}
		return number(ranks[i])
	}
}

// ranks returns the ranks of the options of a decided decision, 0 for a dropped option, or nil if there is no visible
// ranking.
func ranks(d *governance.Decision, r tally.Result, known bool) []int {
	if !known || !d.Closed() || len(r.Order) == 0 || r.Outcome != tally.Decided && d.Deciding == nil {
		return nil
	}
	return r.Ranks(len(d.Choice))
}

// listed returns the indexes of the options in the order of the page. Unless a lot decides alone, the best option is
// first if the result is visible and either final or counted by acceptance. Options outside the order of the count are
// then last.
func listed(d *governance.Decision, r tally.Result, known bool) []int {
	if !known || lottery(d) || !d.Closed() && r.Method != tally.Acceptance {
		return d.Order()
	}
	order := make([]int, 0, len(d.Choice))
	for _, list := range [][]int{r.Order, d.Order()} {
		for _, i := range list {
			if i < len(d.Choice) && !slices.Contains(order, i) {
				order = append(order, i)
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return place(d, r, a) - place(d, r, b) })
	return order
}

func place(d *governance.Decision, r tally.Result, i int) int {
	if wins(d, r, i) {
		return 0
	}
	return 1
}

func wins(d *governance.Decision, r tally.Result, i int) bool {
	if d.Deciding != nil {
		return *d.Deciding == i+1
	}
	return slices.Contains(r.Winners, i)
}

type countColumn struct {
	title  string
	values []int
	of     int // the value of a full bar; 0 means the largest value
}

// countColumns returns the columns with the totals of each option. The first of them gets bars.
func countColumns(r tally.Result) []countColumn {
	c := r.Counts
	switch r.Method.Scale() {
	case tally.Preferences:
		return []countColumn{{"Accepted", c.Accepted, r.Ballots}, {"Preferred", c.Preferred, 0}}
	case tally.Choice, tally.Approvals:
		return []countColumn{{"Votes", c.Votes, r.Ballots}}
	case tally.Ranks:
		if len(r.Strengths) > 0 {
			return []countColumn{{"Beats", r.Beats(), len(r.Strengths) - 1 - len(r.Dropped)}, {"Ranked first", c.First, 0}}
		}
		return []countColumn{{"Ranked first", c.First, r.Ballots}, {"Ranked", c.Marked, 0}}
	case tally.Points:
		return []countColumn{{"Points", c.Points, 0}, {"Gave points", c.Marked, 0}}
	case tally.Dots:
		return []countColumn{{"Dots", c.Dots, 0}, {"Gave dots", c.Marked, 0}}
	case tally.Times:
		yes, maybe, no := r.Answers()
		return []countColumn{{"Can", c.Accepted, r.Ballots}, {"Yes", yes, 0}, {"If need be", maybe, 0}, {"No", no, 0}}
	}
	return nil
}

func titles(d *governance.Decision, indexes []int) string {
	list := make([]string, len(indexes))
	for i, x := range indexes {
		list[i] = title(d, x)
	}
	return strings.Join(list, ", ")
}

func title(d *governance.Decision, index int) string {
	if index < 0 || index >= len(d.Choice) {
		return "?"
	}
	return d.Choice[index].Title
}

// Number formats n with commas between thousands.
func Number(n int) string { return number(n) }

func number(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
