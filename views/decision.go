// Package views says what can be seen: one file for each noun. A view is a pure function of the actor and what was loaded:
// no queries, no clock.
package views

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"samepage/actions/tally"
	"samepage/store"
	"samepage/views/page"
)

// Decision is the page of one decision.
func Decision(by store.Actor, v *store.DecisionPage) page.Page {
	d := v.Decision
	result, known := standing(d)
	p := itemPage(&d.Item, "Decision", d.Title)
	p.State, p.Data = decisionState(by, d), decisionData(d, result, known)
	if d.Closed() && known {
		p.Blocks = append(p.Blocks, page.Banner(outcome(d, result)))
	}
	p.Blocks = append(p.Blocks, itemBody(&d.Item))
	if d.Statement != "" {
		who := "Statement"
		if d.ClosedBy != "" {
			who = "Statement by @" + d.ClosedBy
		}
		p.Blocks = append(p.Blocks, page.Prose{Lead: page.Line(page.T(who+", "), page.When(d.ClosedAt.Time)), Text: d.Statement})
	}
	p.Blocks = append(p.Blocks, page.Section{ID: "options", Title: "Options", Blocks: optionBlocks(d, result, known)})
	if known {
		p.Blocks = append(p.Blocks, counting(d, result)...)
	}
	p.Blocks = append(p.Blocks, page.Section{ID: "rules", Title: "Rules", Blocks: []page.Block{rulesFacts(d)}})
	p.Blocks = append(p.Blocks, discussion(&d.Item, v.Discussion)...)
	return p
}

// standing is the result as this actor may see it: the recorded one, or how the running tally stands.
func standing(d *store.Decision) (r tally.Result, known bool) {
	if !d.ShowsResults() {
		return r, false
	}
	if d.Result != "" {
		return r, json.Unmarshal([]byte(d.Result), &r) == nil
	}
	if d.Tally == "" {
		return r, false
	}
	var running tally.Running
	if json.Unmarshal([]byte(d.Tally), &running) != nil {
		return r, false
	}
	r, err := running.Result(tally.Method(d.Method), rulesOf(d))
	return r, err == nil
}

// decisionState says in a sentence where a decision stands, and why the actor cannot vote where they cannot.
func decisionState(by store.Actor, d *store.Decision) []page.Inline {
	var line []page.Inline
	switch d.State() {
	case store.DecisionDraft:
		line = page.Line(page.Sentence("Draft. Only " + d.Author() + " can see it."))
	case store.DecisionOpen:
		line = page.Line(page.T("Open"))
		if !d.DueAt.IsZero() {
			line = append(line, page.T(", closes "), page.Distance(d.DueAt.Time))
		}
		line = append(line, page.Sentence(". "+participation(d, "have voted")+mine(d)))
		return append(line, page.Sentence(hindrance(by, d)))
	default:
		at := d.ClosedAt.Time
		if d.State() == store.DecisionDue {
			at = d.DueAt.Time
		}
		line = page.Line(page.T("Closed "), page.When(at), page.Sentence(". "+participation(d, "voted")))
	}
	if d.Studio.State() == "archived" {
		line = append(line, page.Sentence(" "+d.Studio.MustBeActive().Error()))
	}
	return line
}

// mine says whether the actor has voted, where they could have.
func mine(d *store.Decision) string {
	switch {
	case d.Mine.Voter != "" && d.Mine.Agent.ID != "":
		return " Your agent has, for you."
	case d.Mine.Voter != "":
		return " You have."
	case d.Studio.Joined():
		return " You have not."
	}
	return ""
}

// hindrance says why the actor cannot vote now; empty if they can.
func hindrance(by store.Actor, d *store.Decision) string {
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

func participation(d *store.Decision, verb string) string {
	if d.Imported != "" {
		return fmt.Sprintf("%s ballots were imported.", number(d.Ballots))
	}
	return fmt.Sprintf("%s of %s %s.", number(d.Ballots), number(max(d.Electorate, d.Ballots)), verb)
}

// outcome says in one sentence what was decided and how it was counted.
func outcome(d *store.Decision, r tally.Result) []page.Inline {
	names := titles(d, r.Winners)
	how := page.T(" " + tally.Method(d.Method).Title() + ".")
	switch r.Outcome {
	case tally.Decided:
		return page.Line(page.Strong("Decided: "+names), page.T("."), how)
	case tally.Tied:
		if d.Deciding != nil {
			return page.Line(page.Strong("Decided by casting vote: "+title(d, *d.Deciding-1)), page.T(". Tied were "+names+"."), how)
		}
		return page.Line(page.Strong("Tied: "+names), page.T(". "+decider(d)+" has the casting vote."), how)
	}
	return page.Line(page.Strong("No result"), page.Sentence(": "+shortfall(d, r)+"."), how)
}

// decider names who may break a tie: who asked, and once they have left, who may close votes.
func decider(d *store.Decision) string {
	if d.AuthorGone {
		return "@" + d.Member + " has left; the studio's creator"
	}
	return "@" + d.Member
}

// shortfall says why there is no result.
func shortfall(d *store.Decision, r tally.Result) string {
	switch need := rulesOf(d).Participation; {
	case r.Ballots < need:
		return fmt.Sprintf("%s of the %s ballots that it takes were cast", number(r.Ballots), number(need))
	case r.Ballots == 0:
		return "nobody has voted"
	}
	return "no ballot marks an option"
}

// rulesOf are a decision's counting rules; one without readable rules has none.
func rulesOf(d *store.Decision) tally.Rules {
	var rules tally.Rules
	if d.Rules != "" && json.Unmarshal([]byte(d.Rules), &rules) != nil {
		return tally.Rules{}
	}
	return rules
}

// optionBlocks is the table of options with what may be shown of the count.
func optionBlocks(d *store.Decision, r tally.Result, known bool) []page.Block {
	if len(d.Choice) == 0 {
		return []page.Block{page.Para(page.Line(page.T("There are no options yet.")))}
	}
	t := page.Table{Caption: "Options", Columns: []page.Column{{Title: "#", Number: true}, {Title: "Option"}}}
	counts := countColumns(r)
	if known {
		for i, c := range counts {
			t.Columns = append(t.Columns, page.Column{Title: c.title, Number: true, Bar: i == 0})
		}
	}
	needs := needs(d)
	if needs != nil {
		t.Columns = append(t.Columns, page.Column{Title: "Needs"})
	}
	mine := map[int]string{}
	if d.Mine.Voter != "" {
		t.Columns = append(t.Columns, page.Column{Title: "Your ballot"})
		mine = markWords(d)
	}
	for _, i := range listed(d, r, known) {
		o := &d.Choice[i]
		row := page.Row{Key: strconv.Itoa(o.N), Cells: [][]page.Inline{page.Line(page.T(strconv.Itoa(o.N))), page.Line(page.T(o.Title))}}
		if known {
			for _, c := range counts {
				cell := "0"
				if i < len(c.values) {
					cell = number(c.values[i])
				}
				row.Cells = append(row.Cells, page.Line(page.T(cell)))
			}
			row.Mark = d.Closed() && wins(d, r, i)
		}
		if needs != nil {
			row.Cells = append(row.Cells, page.Line(page.T(needs[i])))
		}
		if d.Mine.Voter != "" {
			row.Cells = append(row.Cells, page.Line(page.T(mine[i])))
		}
		t.Rows = append(t.Rows, row)
	}
	blocks := []page.Block{t}
	switch {
	case !known && d.State() == store.DecisionOpen && d.Results == "after_voting":
		blocks = append(blocks, page.Para(page.Line(page.T("How it stands is shown once you have voted."))))
	case !known && d.State() == store.DecisionOpen && d.Results == "after_closing":
		blocks = append(blocks, page.Para(page.Line(page.T("How it stands is hidden until the vote is closed."))))
	}
	if d.ShowsResults() {
		blocks = append(blocks, page.Para(page.Line(page.Link("All ballots", d.URL()+"/ballots"))))
	}
	return blocks
}

// listed is the order of the options: a vote by acceptance that may be seen sorts them, best first; any other keeps theirs.
func listed(d *store.Decision, r tally.Result, known bool) []int {
	if known && r.Method == tally.Acceptance && len(r.Order) == len(d.Choice) {
		return r.Order
	}
	order := make([]int, len(d.Choice))
	for i := range order {
		order[i] = i
	}
	return order
}

func wins(d *store.Decision, r tally.Result, i int) bool {
	if d.Deciding != nil {
		return *d.Deciding == i+1
	}
	for _, w := range r.Winners {
		if w == i {
			return true
		}
	}
	return false
}

type countColumn struct {
	title  string
	values []int
}

// countColumns are the columns of totals that a method has, the one that decides first.
func countColumns(r tally.Result) []countColumn {
	c := r.Counts
	switch r.Method.Scale() {
	case tally.Preferences:
		return []countColumn{{"Accepted", c.Accepted}, {"Preferred", c.Preferred}}
	case tally.Choice, tally.Approvals:
		return []countColumn{{"Votes", c.Votes}}
	case tally.Ranks:
		return []countColumn{{"Ranked first", c.First}, {"Ranked", c.Marked}}
	case tally.Points:
		return []countColumn{{"Points", c.Points}, {"Gave points", c.Marked}}
	}
	return nil
}

// markWords puts the actor's own ballot into words, option by option.
func markWords(d *store.Decision) map[int]string {
	words := map[int]string{}
	b, err := tally.ParseMarks(d.Mine.Marks, d.Options)
	if err != nil {
		return words
	}
	for i, m := range b.Marks {
		words[i] = markWord(tally.Method(d.Method).Scale(), m)
	}
	return words
}

func markWord(s tally.Scale, m int) string {
	switch {
	case m == 0:
		return "–"
	case s == tally.Preferences && m == 1:
		return "accepted"
	case s == tally.Preferences:
		return "preferred"
	case s == tally.Choice:
		return "chosen"
	case s == tally.Approvals:
		return "approved"
	case s == tally.Ranks:
		return "rank " + strconv.Itoa(m)
	}
	return count(m, "point", "points")
}

func rulesFacts(d *store.Decision) page.Facts {
	rules := rulesOf(d)
	f := page.Facts{{Label: "Method", Value: page.Line(page.T(tally.Method(d.Method).Title()))}}
	add := func(label string, value ...page.Inline) { f = append(f, page.Fact{Label: label, Value: value}) }
	if !d.DueAt.IsZero() && d.State() == store.DecisionDraft {
		add("Closes", page.Distance(d.DueAt.Time))
	}
	if rules.Participation > 0 {
		add("Quorum", page.T(number(rules.Participation)+" ballots"))
	}
	if rules.PerOption() {
		add("Default option", page.T(title(d, rules.Default)))
		if rules.Quorum != (tally.Ratio{}) {
			add("Quorum of an option", page.T("at least "+number(leastBallots(rules.Quorum))+" ballots above the default option"))
		}
	}
	add("Results", page.T(map[string]string{"shown": "shown at once", "after_voting": "shown to those who have voted", "after_closing": "hidden until closed"}[d.Results]))
	add("Reasons", page.T(map[string]string{"off": "not asked for", "optional": "may be given", "required": "must be given"}[d.Reasons]))
	if d.Everyone {
		add("Voters", page.T("members of the studio, also those who join later"))
	} else if d.Imported == "" {
		add("Voters", page.T("those who were in the studio when it opened"))
	}
	if d.Imported != "" {
		add("Imported", page.Mono(d.Imported))
	}
	return f
}

// leastBallots is the fewest whole ballots that reach a quorum.
func leastBallots(r tally.Ratio) int { return int((r.Num + r.Den - 1) / r.Den) }

// needs words what an option needs against the default one; empty where no option needs more than simply more.
func needs(d *store.Decision) []string {
	rules := rulesOf(d)
	if !rules.PerOption() {
		return nil
	}
	words, any := make([]string, len(d.Choice)), false
	for i := range words {
		switch {
		case i == rules.Default:
			words[i] = "is the default"
		case i < len(rules.Majority) && rules.Majority[i] != (tally.Ratio{}) && rules.Majority[i] != (tally.Ratio{Num: 1, Den: 1}):
			words[i], any = rules.Majority[i].String()+" to 1", true
		default:
			words[i] = "more for than against"
		}
	}
	if !any {
		return nil
	}
	return words
}

// titles lists options by their titles.
func titles(d *store.Decision, indexes []int) string {
	list := make([]string, len(indexes))
	for i, x := range indexes {
		list[i] = title(d, x)
	}
	return strings.Join(list, ", ")
}

func title(d *store.Decision, index int) string {
	if index < 0 || index >= len(d.Choice) {
		return "?"
	}
	return d.Choice[index].Title
}

// number writes n with commas between thousands.
func number(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
