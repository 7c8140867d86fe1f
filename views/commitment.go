package views

import (
	"fmt"

	"samepage/store"
	"samepage/store/governance"
	"samepage/views/page"
)

var commitmentNoun = Noun{
	Kind: governance.CommitmentKind, One: "Commitment", Many: "Commitments", Icon: "commitment", Path: "/commitments",
	None:   " One says what people do together, and how many it takes before it counts.",
	Closed: map[string]string{governance.CommitmentFailed: "closed, too few joined"},
	Outcome: func(i *store.Item) string {
		switch i.Summary.State {
		case governance.CommitmentDone, governance.CommitmentMissed:
			return "done by " + number(i.Answered) + " of " + number(i.Asked)
		case governance.CommitmentClosed:
			return "bound, " + number(i.Answered) + " joined"
		}
		return ""
	},
	Begin: func(string) string { return "What happens only if enough take part." },
	Progress: func(i *store.Item) string {
		switch {
		case i.Summary.State == governance.CommitmentFull:
			return "bound, full"
		case i.Answered < i.Asked:
			return "takes " + number(i.Asked-i.Answered) + " more"
		}
		return "bound, more may join"
	},
}

// Commitment returns the page of one commitment, a pledge that becomes binding once enough people have joined.
func Commitment(by store.Actor, v *governance.CommitmentPage) page.Page {
	c := v.Commitment
	p := ItemPage(&c.Item, "Commitment", c.Title)
	p.State, p.Data = commitmentState(by, c), func() any { return commitmentData(c) }
	if o := commitmentOutcome(c); o != nil {
		p.Blocks = append(p.Blocks, page.Banner(o))
	}
	p.Blocks = append(p.Blocks, ItemBody(&c.Item))
	p.Blocks = append(p.Blocks, page.Section{ID: "people", Title: "Who is in",
		Blocks: peopleBlocks(v)})
	var facts []page.Block
	if c.Event() {
		facts = append(facts, page.Section{ID: "event", Title: "When and where", Blocks: []page.Block{eventFacts(c)}})
	}
	p.Blocks = append(p.Blocks, Discussion(by, &c.Item, v.Discussion, facts...)...)
	return p
}

func commitmentState(by store.Actor, c *governance.Commitment) []page.Inline {
	var line []page.Inline
	switch c.State() {
	case governance.CommitmentDraft:
		return DraftState(&c.Item)
	case governance.CommitmentOpen:
		line = page.Line(page.Pill("Open", page.Live), page.Sentence(fmt.Sprintf(": %s of %s, %s more", number(c.Joined),
			number(c.CriticalMass), number(c.Missing()))))
		if !c.DueAt.IsZero() {
			line = append(line, page.T(" by "), page.Distance(c.DueAt.Time).Dated())
		}
		line = append(line, page.T(". It binds nobody yet."))
	case governance.CommitmentBound:
		line = page.Line(page.Pill("Bound", page.Good), page.Sentence(": "+joinedAndNeeded(c)+". More can join"))
		if !c.DueAt.IsZero() {
			line = append(line, page.T(" until "), page.Distance(c.DueAt.Time).Dated())
		}
		if c.Limit > 0 {
			line = append(line, page.Sentence(", "+count(c.Limit-c.Joined, "place is", "places are")+" left"))
		}
		line = append(line, page.T("."))
	case governance.CommitmentFull:
		taken := "the only place is"
		if c.Limit > 1 {
			taken = "all " + number(c.Limit) + " places are"
		}
		line = page.Line(page.Pill("Bound", page.Good), page.Sentence(" and full: "+taken+" taken."))
	default:
		line = page.Line(page.T("Joining ended "), page.When(c.EndedAt().Time), page.Sentence(": "+joinedAndNeeded(c)+"."))
	}
	switch {
	case c.In():
		line = append(line, page.T(" You are in."))
	case !c.Over():
		line = append(line, bystander(by, c.Studio)...)
	}
	if c.Studio.State() == "archived" {
		line = append(line, page.Sentence(" "+c.Studio.MustBeActive().Error()))
	}
	return line
}

func joinedAndNeeded(c *governance.Commitment) string {
	return count(c.Joined, "is", "are") + " in, " + count(c.CriticalMass, "was", "were") + " needed"
}

func bystander(by store.Actor, s *store.Studio) []page.Inline {
	switch {
	case by.Anonymous():
		return page.Line(page.T(" "), page.Link("Sign in", "/login"), page.T(" to join."))
	case by.Member == nil:
		return page.Line(page.Sentence(" Only members of " + s.OrgName + " can join."))
	case !by.Has(store.ScopeWrite):
		return page.Line(page.T(" You are not in, and this token only reads."))
	case s.Joined():
		return page.Line(page.T(" You are not in."))
	}
	return page.Line(page.Sentence(" Only members of "+s.Name+" can join. First join "),
		page.Link(s.Name, s.URL()), page.T("."))
}

// commitmentOutcome returns a sentence on the outcome, or nil if the commitment is not over.
func commitmentOutcome(c *governance.Commitment) []page.Inline {
	switch c.State() {
	case governance.CommitmentFailed:
		return page.Line(page.Strong("Did not come about"), page.Sentence(fmt.Sprintf(
			": it took %s, and %s joined. It binds nobody.",
			number(c.CriticalMass),
			number(c.Joined),
		)))
	case governance.CommitmentClosed:
		return page.Line(page.Success("Bound"), page.Sentence(": it counts for the "+count(c.Joined,
			"person", "people")+" who joined. "+marks(c)))
	case governance.CommitmentDone:
		return page.Line(page.Success("Done"), page.Sentence(": everyone who "+
			map[bool]string{true: "stayed", false: "joined"}[c.Gone > 0]+" did it."))
	case governance.CommitmentMissed:
		return page.Line(page.Strong("Done by "+number(c.Done)+" of "+number(c.Joined)),
			page.Sentence(": "+number(c.Missed)+" did not do it"+goneCount(c)+"."))
	}
	return nil
}

func marks(c *governance.Commitment) string {
	if c.Done+c.Missed == 0 {
		return "Those who did it mark it done."
	}
	return fmt.Sprintf("%s did it, %s did not, %s have not said%s.", number(c.Done),
		number(c.Missed), number(c.Joined-c.Done-c.Missed-c.Gone), goneCount(c))
}

func goneCount(c *governance.Commitment) string {
	if c.Gone == 0 {
		return ""
	}
	return ", " + number(c.Gone) + " left before that"
}

func eventFacts(c *governance.Commitment) page.Facts {
	f := page.Facts{{Label: "Starts", Value: page.Line(page.Distance(c.StartsAt.Time))}}
	if !c.EndsAt.IsZero() {
		f = append(f, page.Fact{Label: "Ends", Value: page.Line(page.When(c.EndsAt.Time))})
	}
	if c.Place != "" {
		f = append(f, page.Fact{Label: "Place", Value: page.Line(page.T(c.Place))})
	}
	return append(f, page.Fact{Label: "Calendar", Value: page.Line(page.Link("Add to your calendar", c.URL()+".ics"))})
}

func peopleBlocks(v *governance.CommitmentPage) []page.Block {
	c := v.Commitment
	row := func(name string, n int) page.Row {
		return page.Row{Cells: [][]page.Inline{page.Line(page.T(name)), page.Line(page.T(number(n)))}}
	}
	t := page.Table{
		Caption: "How many",
		Columns: []page.Column{{Title: "People"}, {Title: "How many", Number: true}},
		Rows:    []page.Row{row("Joined", c.Joined), row("Critical mass", c.CriticalMass)},
	}
	if c.Limit > 0 {
		t.Rows = append(t.Rows, row("Places", c.Limit))
	}
	if c.Done+c.Missed > 0 {
		t.Rows = append(t.Rows, row("Did it", c.Done), row("Did not", c.Missed))
	}
	blocks := []page.Block{page.Gauge{Value: c.Joined, At: c.CriticalMass, Of: max(c.Limit, c.CriticalMass, c.Joined)}, t}
	if c.Draft() && !c.DueAt.IsZero() {
		blocks = append(blocks, page.Facts{{Label: "Joining ends", Value: page.Line(page.Distance(c.DueAt.Time))}})
	}
	if len(v.First) == 0 {
		return append(blocks, page.Para(page.Line(page.T("Nobody has joined yet."))))
	}
	blocks = append(blocks, participantTable(v.First))
	if c.Joined > len(v.First) {
		blocks = append(blocks,
			page.Para(page.Line(page.Link("All "+number(c.Joined)+" who joined", c.URL()+"/participants"))))
	}
	return blocks
}

func participantTable(list []governance.Participant) page.Table {
	t := page.Table{Caption: "Who joined", Columns: page.Columns("Who", "Joined", "Did it", "Note")}
	for i := range list {
		x := &list[i]
		did := page.Line(page.T("–"))
		if !x.GoneAt.IsZero() {
			did = page.Line(page.T("left the studio, "), page.When(x.GoneAt.Time))
		}
		switch x.Mark {
		case governance.CommitmentDone:
			did = page.Line(page.T("yes, "), page.When(x.MarkedAt.Time))
		case governance.CommitmentMissed:
			did = page.Line(page.T("no, "), page.When(x.MarkedAt.Time))
		}
		t.Rows = append(t.Rows, page.Row{Cells: [][]page.Inline{
			page.Line(page.Who(store.Byline(x.Member, x.Agent.Label), "")),
			page.Line(page.When(x.JoinedAt.Time)),
			did,
			page.Line(page.T(x.Note)),
		}})
	}
	return t
}

// Participants returns a page with one range of a commitment's participants.
func Participants(_ store.Actor, v *governance.ParticipantsPage) page.Page {
	c := v.Commitment
	p := ItemPage(&c.Item, "People", "Who is in")
	p.Trail = append(p.Trail, page.Link(c.Title, c.URL()))
	p.State = page.Line(page.Sentence(count(c.Joined, "person has", "people have") + " joined."))
	if len(v.List) == 0 {
		p.Blocks = []page.Block{page.Para(page.Line(page.T("Nobody here.")))}
		return p
	}
	p.Blocks = []page.Block{participantTable(v.List)}
	if last := v.Last(); last != nil {
		p.Continue("Those who joined later", c.URL()+"/participants?after="+last.Cursor().String())
	}
	return p
}

type commitmentPublic struct {
	ID           string     `json:"id"`
	Title        string     `json:"title"`
	Kind         string     `json:"kind"` // "action" or "event"
	State        string     `json:"state"`
	CriticalMass int        `json:"critical_mass"`
	Limit        int        `json:"limit,omitempty"`
	Joined       int        `json:"joined"`
	Missing      int        `json:"missing"`
	Done         int        `json:"done"`
	Missed       int        `json:"missed"`
	In           bool       `json:"in"`
	Closes       store.Time `json:"closes,omitzero"`
	Starts       store.Time `json:"starts,omitzero"`
	Ends         store.Time `json:"ends,omitzero"`
	Place        string     `json:"place,omitempty"`
}

func commitmentData(c *governance.Commitment) any {
	kind := "action"
	if c.Event() {
		kind = "event"
	}
	return &commitmentPublic{c.ID, c.Title, kind, c.State(), c.CriticalMass, c.Limit, c.Joined,
		c.Missing(), c.Done, c.Missed, c.In(), c.DueAt, c.StartsAt, c.EndsAt, c.Place}
}
