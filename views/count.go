package views

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"samepage/actions/tally"
	"samepage/store"
	"samepage/store/governance"
	"samepage/views/page"
)

// wide is the maximum number of options for a table of pairs on the decision's own page.
const wide = 12

func counting(d *governance.Decision, r tally.Result) []page.Block {
	var blocks []page.Block
	if len(r.Dropped) > 0 {
		var list page.List
		for _, x := range r.Dropped {
			why := "missed its majority against the default option"
			if x.Reason == tally.ByQuorum {
				why = "missed the quorum"
			}
			list = append(list, page.Line(page.Sentence(fmt.Sprintf("%s %s: %s for, %s against.",
				title(d, x.Option), why, number(x.For), number(x.Against)))))
		}
		blocks = append(blocks, page.Section{ID: "dropped", Title: "Dropped options", Blocks: []page.Block{list}})
	}
	if r.Condorcet != nil && d.Closed() && !slices.Equal(r.Winners, []int{*r.Condorcet}) {
		blocks = append(blocks,
			page.Para(page.Line(page.Sentence(title(d, *r.Condorcet)+" beats "+others(r)+" in pairs."))))
	}
	if d.Closed() && len(r.Finalists) > 0 && (len(r.Finalists) != 2 || len(r.Winners) != 1) {
		blocks = append(blocks,
			page.Para(page.Line(page.Sentence("Finalists of the runoff: "+titles(d, r.Finalists)+"."))))
	}
	switch {
	case len(r.Rounds) > 0:
		blocks = append(blocks, page.Details{ID: "rounds", Title: "Rounds", Blocks: rounds(d, r)})
	case r.Method == tally.Schulze && len(d.Choice) <= wide:
		blocks = append(blocks, page.Details{ID: "pairs", Title: "Pairs", Blocks: pairs(d, r)})
		if len(r.Strengths) > 0 && d.Closed() {
			blocks = append(blocks, page.Details{ID: "paths", Title: "Path strengths", Blocks: paths(d, r)})
		}
	case r.Method == tally.Schulze:
		blocks = append(blocks, page.Para(page.Line(page.Link("Pairs and path strengths", d.URL()+"/count"))))
	}
	return blocks
}

// others returns words for the options that the Condorcet winner beats.
func others(r tally.Result) string {
	if len(r.Dropped) > 0 {
		return "every option that remained"
	}
	return "every other option"
}

func pairs(d *governance.Decision, r tally.Result) []page.Block {
	return []page.Block{page.Para(page.Line(
		page.Sentence("How many ballots prefer the option of the row to that of the column."),
	)), grid(d, r.Matrix)}
}

func paths(d *governance.Decision, r tally.Result) []page.Block {
	return []page.Block{page.Para(page.Line(page.Sentence(
		"The weakest link of the strongest path from the option of the row to that of the column.",
	))), grid(d, r.Strengths)}
}

// Count returns the page with a decision's table of pairs and, after it has closed, of path strengths.
func Count(_ store.Actor, d *governance.Decision) page.Page {
	p := below(&d.Item, "Count", "Count")
	p.State = page.Line(page.Sentence(participation(d, "voted")))
	r, known := visibleResult(d)
	if !known || len(r.Matrix) == 0 {
		p.Blocks = []page.Block{page.Para(page.Line(page.T("This vote is not counted in pairs.")))}
		return p
	}
	p.Blocks = []page.Block{page.Section{ID: "pairs", Title: "Pairs", Blocks: pairs(d, r)}}
	if len(r.Strengths) > 0 && d.Closed() {
		p.Blocks = append(p.Blocks, page.Section{ID: "paths", Title: "Path strengths", Blocks: paths(d, r)})
	}
	return p
}

// grid returns a table with a row and a column for each option.
func grid(d *governance.Decision, m [][]int) page.Table {
	t := page.Table{Caption: "Options against options", Columns: page.Columns("Option")}
	for i := range m {
		t.Columns = append(t.Columns, page.Column{Title: strconv.Itoa(i + 1), Number: true})
	}
	for i := range m {
		row := page.Row{Cells: [][]page.Inline{page.Line(page.T(fmt.Sprintf("%d. %s", i+1, title(d, i))))}}
		for j, n := range m[i] {
			cell := page.T(number(n))
			switch {
			case i == j:
				cell = page.T("–")
			case n > m[j][i]:
				cell = page.Win(number(n))
			}
			row.Cells = append(row.Cells, page.Line(cell))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func rounds(d *governance.Decision, r tally.Result) []page.Block {
	t := page.Table{Caption: "Rounds", Columns: page.Columns("Option")}
	for i := range r.Rounds {
		t.Columns = append(t.Columns, page.Column{Title: strconv.Itoa(i + 1), Number: true})
	}
	for o := range d.Choice {
		row := page.Row{Cells: [][]page.Inline{page.Line(page.T(title(d, o)))}, Mark: wins(d, r, o)}
		for _, x := range r.Rounds {
			cell := "–"
			if o < len(x.Counts) && x.Counts[o] > 0 {
				cell = number(x.Counts[o])
			}
			row.Cells = append(row.Cells, page.Line(page.T(cell)))
		}
		t.Rows = append(t.Rows, row)
	}
	var notes page.List
	for i, x := range r.Rounds {
		note := fmt.Sprintf("Round %d: %s; %s make a majority", i+1,
			count(x.Active, "ballot counts", "ballots count"), number(x.Threshold))
		if ended := x.Overvotes + x.Skipped + x.Exhausted; ended > 0 {
			note += fmt.Sprintf("; %s no longer count (%s named too many at once, %s skipped ranks, %s ran out)",
				number(ended), number(x.Overvotes), number(x.Skipped), number(x.Exhausted))
		}
		if len(x.Eliminated) > 0 {
			note += "; out: " + titles(d, x.Eliminated)
		}
		if x.Tie != "" {
			note += "; " + tieWords[x.Tie]
		}
		notes = append(notes, page.Line(page.Sentence(note+".")))
	}
	return []page.Block{flow(d, r), t, notes}
}

func flow(d *governance.Decision, r tally.Result) page.Flow {
	f := page.Flow{Winner: func(o int) bool { return wins(d, r, o) }}
	for o := range d.Choice {
		f.Names = append(f.Names, title(d, o))
	}
	for _, x := range r.Rounds {
		votes := make([]int, len(f.Names))
		copy(votes, x.Counts)
		f.Rounds = append(f.Rounds, page.FlowRound{Votes: votes, Out: x.Eliminated})
	}
	return f
}

var tieWords = map[tally.TieBreak]string{
	tally.EarlierRound: "of those tied, the one with fewer ballots in an earlier round left",
	tally.Together:     "these left together, because together they could not catch up",
	tally.EveryOrder:   "the tie was counted in every order",
	tally.Removed:      "those tied left together, because there were too many orders to try",
	tally.Unbroken:     "the tie could not be broken",
}

type decisionPublic struct {
	ID         string        `json:"id"`
	Question   string        `json:"question"`
	Method     string        `json:"method"`
	State      string        `json:"state"`
	Proposer   string        `json:"proposer"`
	Opened     store.Time    `json:"opened,omitzero"`
	Closes     store.Time    `json:"closes,omitzero"`
	Closed     store.Time    `json:"closed,omitzero"`
	Electorate int           `json:"electorate"`
	Anonymous  bool          `json:"anonymous,omitempty"`
	Ballots    int           `json:"ballots"`
	Options    []string      `json:"options"`
	Mine       string        `json:"mine,omitempty"`
	Result     *tally.Result `json:"result,omitempty"`
	Ranks      []int         `json:"ranks,omitempty"` // rank of each option; 0 if dropped
	Deciding   *int          `json:"deciding,omitempty"`
	Comments   int           `json:"comments"`
}

func decisionData(d *governance.Decision, r tally.Result, known bool) any {
	v := &decisionPublic{
		ID:         d.ID,
		Question:   d.Title,
		Method:     d.Method,
		State:      d.State(),
		Proposer:   d.Author(),
		Opened:     d.OpenedAt,
		Closes:     d.DueAt,
		Closed:     d.ClosedAt,
		Electorate: d.Electorate,
		Anonymous:  d.Anonymous,
		Ballots:    d.Ballots,
		Mine:       d.Mine.Marks,
		Deciding:   d.Deciding,
		Comments:   d.Comments,
	}
	if known {
		v.Result, v.Ranks = &r, ranks(d, r, known)
	}
	v.Options = make([]string, len(d.Choice))
	for i := range d.Choice {
		v.Options[i] = d.Choice[i].Title
	}
	return v
}

// Ballots returns a page with one range of a decision's ballots. The caller must have checked that the actor may see
// them.
func Ballots(_ store.Actor, v *governance.BallotsPage) page.Page {
	d := v.Decision
	p := below(&d.Item, "Ballots", "Ballots")
	p.State = page.Line(page.Sentence(participation(d, "voted")))
	if len(v.List) == 0 {
		p.Blocks = []page.Block{page.Para(page.Line(page.T("No ballots here.")))}
		return p
	}
	t := page.Table{Caption: "Ballots", Columns: page.Columns("Voter", "Ballot")}
	switch {
	case d.Imported != "":
		t.Columns = []page.Column{{Title: "Ballot"}, {Title: "How many", Number: true}}
	case d.Anonymous:
		t.Columns[0].Title = "Receipt begins"
		p.Blocks = append(p.Blocks, page.Para(page.Line(page.Sentence(
			"Nobody can tell whose ballots these are. Yours is the line with which your receipt begins.",
		))))
	}
	var reasons []page.Block
	for i := range v.List {
		b := &v.List[i]
		voter, marks := page.Line(page.T(store.Byline(b.Member,
			b.Agent.Label))), page.Line(page.Sentence(ballotWords(d, b.Marks)))
		lead := append(voter, page.T(", "), page.When(b.CastAt.Time))
		if d.Anonymous {
			voter = page.Line(page.Mono(b.Voter))
			lead = voter
		}
		row := page.Row{Cells: [][]page.Inline{voter, marks}}
		if d.Imported != "" {
			row.Cells = [][]page.Inline{marks, page.Line(page.T(number(b.Weight)))}
		}
		t.Rows = append(t.Rows, row)
		if b.Reason != "" {
			reasons = append(reasons, page.Prose{Lead: lead, Text: b.Reason})
		}
	}
	p.Blocks = append(p.Blocks, t)
	if reasons != nil {
		p.Blocks = append(p.Blocks, page.Section{ID: "reasons", Title: "Reasons", Blocks: reasons})
	}
	if last := v.Last(); last != nil {
		p.Continue("More ballots", d.URL()+"/ballots?after="+last.Voter)
	}
	return p
}

// ballotWords describes a ballot, such as "Cargo: preferred; Wagon: accepted". Invalid marks are returned unchanged.
func ballotWords(d *governance.Decision, marks string) string {
	b, err := tally.ParseMarks(marks, d.Options)
	if err != nil {
		return marks
	}
	var words []string
	scale := tally.Method(d.Method).Scale()
	for i, m := range b.Marks {
		if m > 0 {
			words = append(words, fmt.Sprintf("%s: %s", title(d, i), markWord(scale, m)))
		}
	}
	for _, rank := range b.Overvotes {
		words = append(words, fmt.Sprintf("an overvote at rank %d", rank))
	}
	if len(words) == 0 {
		return "nothing marked"
	}
	return strings.Join(words, "; ")
}

// markWords returns the reader's own marks in words, by the index of the option.
func markWords(d *governance.Decision) map[int]string {
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
	case s == tally.Times:
		return []string{"no", "if need be", "yes"}[min(m, 2)]
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
	case s == tally.Dots:
		return count(m, "dot", "dots")
	}
	return count(m, "point", "points")
}
