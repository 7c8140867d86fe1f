package governance

import (
	"fmt"
	"strconv"

	"samepage/store"
	"samepage/store/governance"
	"samepage/views"
	"samepage/views/page"
)

// ElectionNoun has the words for elections.
var ElectionNoun = views.DeclareNoun(views.Noun{
	Kind: governance.ElectionKind, One: "Election", Many: "Elections", Icon: "star", Path: "/elections", Under: "/roles",
	None: " An election fills a role without candidates.",
	Closed: map[string]string{
		governance.Elected: "elected", governance.NoElection: "ended without a choice", governance.Cancelled: "cancelled",
	},
	Progress: func(i *store.Item) string {
		switch i.Summary.State {
		case governance.Choosing:
			return responded(i)
		case governance.Nominating:
			return views.Counted(i.Answered, "nomination", "nominations")
		}
		return "in the " + governance.PhaseWords[i.Summary.State]
	},
})

// Election returns the page of one election.
func Election(by store.Actor, v *governance.ElectionPage) page.Page {
	e := v.Election
	p := views.ItemPage(&e.Item, "Election", e.Title)
	p.State, p.Data = electionState(by, e), func() any { return electionData(e) }
	if e.Outcome != "" {
		p.Blocks = append(p.Blocks, page.Banner(electionOutcome(e)))
		if e.Statement != "" {
			p.Blocks = append(p.Blocks, page.Prose{ID: "statement", Lead: page.Line(page.T("Statement, "),
				page.When(e.ClosedAt.Time)), Text: e.Statement})
		}
	}
	if !e.Draft() {
		p.Blocks = append(p.Blocks, page.Section{ID: "phases", Title: "Phases", Blocks: []page.Block{electionSteps(e)}})
	}
	p.Blocks = append(p.Blocks, page.Section{ID: "role", Title: "Role", Blocks: []page.Block{electionRole(e),
		views.ItemBody(&e.Item)}})
	if !e.Draft() {
		p.Blocks = append(p.Blocks, nominations(by, e))
	}
	if e.Candidate != "" {
		p.Blocks = append(p.Blocks, candidate(e))
	}
	p.Blocks = append(p.Blocks, consentBlocks(e.Studio, v.Answers, &v.Discussion)...)
	p.Blocks = append(p.Blocks, views.Discussion(by, &e.Item, v.Discussion, append(responses(e, v.Answers, v.Silent),
		page.Section{ID: "rules", Title: "Rules", Blocks: []page.Block{consentRules(e, "Elected")}})...)...)
	return p
}

func electionState(by store.Actor, e *governance.Election) []page.Inline {
	var line []page.Inline
	switch {
	case e.Draft():
		return views.DraftState(&e.Item)
	case e.Outcome == governance.Elected:
		line = page.Line(page.Pill("Elected", page.Good), page.T(": @"+e.Candidate+", "), page.When(e.ClosedAt.Time), page.T("."))
	case e.Outcome != "":
		line = page.Line(page.Pill(views.Closing(&e.Item), page.Calm), page.T(" "), page.When(e.ClosedAt.Time), page.T("."))
	case e.Phase == governance.Nominating:
		line = page.Line(page.Pill("Nomination", page.Live), page.Sentence(": "+
			views.Counted(e.Nominations, "nomination", "nominations")+", secret until all are revealed."))
		line = append(line, ownNomination(by, e)...)
	case e.Phase == governance.Discussing:
		line = page.Line(page.Pill("Discussion", page.Live), page.Sentence(": "+
			views.Counted(e.Nominations, "nomination is", "nominations are")+" revealed."))
	case e.Phase == governance.Changing:
		line = page.Line(page.Pill("Change round", page.Live), page.T(": who has nominated may name another member, openly."))
	default:
		line = consentState(by, e)
	}
	if e.Studio.State() == "archived" {
		line = append(line, page.Sentence(" "+e.Studio.MustBeActive().Error()))
	}
	return line
}

// ownNomination returns a sentence on whether the actor has nominated.
func ownNomination(by store.Actor, e *governance.Election) []page.Inline {
	switch own := &e.Own; {
	case own.At.IsZero():
		return turn(by, &e.Item, e.MustTakeNominationOf(by), "nominate", "#nomination")
	case own.Nominee != "" && own.Agent.ID != "" && !by.IsAgent():
		return page.Line(page.T(" Your agent has nominated @" + own.Nominee + " for you."))
	case own.Nominee != "":
		return page.Line(page.T(" You have nominated @" + own.Nominee + "."))
	case by.IsAgent() && own.Agent.ID != by.Agent.ID:
		return page.Line(page.Sentence(" @" + by.Member.Handle + " has nominated. You cannot read it before all are revealed."))
	}
	return page.Line(page.T(" You have nominated, but the keys of this installation were replaced, so nobody can read it. Nominate again."))
}

func electionOutcome(e *governance.Election) []page.Inline {
	switch e.Outcome {
	case governance.Elected:
		since := " holds the role. Nobody objects. "
		if e.Role.Holder != e.Candidate {
			since = " was elected. Nobody objected. "
		}
		return page.Line(page.Success("Elected"), page.Sentence(": @"+e.Candidate+since+
			strconv.Itoa(e.Answered)+" of "+strconv.Itoa(e.Electorate)+" responded."))
	case governance.NoElection:
		return page.Line(page.Strong("No election"), page.Sentence(": the role stays as it was."))
	}
	if e.Secret() {
		return page.Line(page.Strong("Cancelled"), page.Sentence(": nominations were never revealed, and are deleted."))
	}
	return page.Line(page.Strong("Cancelled"), page.Sentence(": the role stays as it was."))
}

func electionSteps(e *governance.Election) page.Steps {
	list := page.Steps{{Title: "Nomination", Note: page.Line(page.Sentence(views.Counted(e.Nominations, "nomination",
		"nominations")))}, {Title: "Discussion"}, {Title: "Change round"}, {Title: "Consent"}, {Title: "Over"}}
	if e.Phase == governance.Choosing {
		list[3].Note = page.Line(page.Sentence("@" + e.Candidate + ", " + strconv.Itoa(e.Answered) + " of " +
			strconv.Itoa(e.Electorate)))
	}
	outcome := ""
	if e.Outcome != "" {
		outcome = views.Closing(&e.Item)
	}
	return phases(list, []string{governance.Nominating, governance.Discussing, governance.Changing, governance.Choosing},
		e.Phase, outcome, e.Outcome == governance.Elected)
}

func electionRole(e *governance.Election) page.Facts {
	holder := page.Line(page.T("nobody"))
	if e.Role.Holder != "" {
		holder = page.Line(views.Author(e.Studio, e.Role.Holder, store.Agent{}))
	}
	term := "without an end"
	if e.Term > 0 {
		term = days(e.Term)
	}
	role := page.Line(page.Link(e.Role.Title, e.Studio.URL()+"/roles/"+e.Role.ID))
	if e.Role.Deleted {
		role = append(role, page.T(", which was deleted"))
	}
	return page.Facts{{Label: "Role", Value: role}, {Label: "Held by", Value: holder},
		{Label: "Term", Value: page.Line(page.T(term))}}
}

// nominations returns a section with the actor's own nomination or, once revealed, all nominations and their numbers.
func nominations(by store.Actor, e *governance.Election) page.Section {
	s := page.Section{ID: "nominations", Title: "Nominations"}
	if e.Secret() {
		switch {
		case e.Outcome != "":
			s.Blocks = append(s.Blocks, page.Para(page.Line(page.T("Nobody has read them."))))
			return s
		case e.Own.Reason != "":
			s.Blocks = append(s.Blocks, page.Prose{Lead: page.Line(page.T("Your nomination, which nobody else sees yet: "),
				views.Author(e.Studio, e.Own.Nominee, store.Agent{})), Text: e.Own.Reason})
		default:
			s.Blocks = append(s.Blocks, page.Para(page.Line(page.T("Nobody sees who is nominated until all are revealed."))))
		}
		s.Blocks = append(s.Blocks, page.Slot{ID: "nomination", Calls: true})
		return s
	}
	table := page.Table{Caption: "Nominees", Columns: page.Columns("Nominee", "Nominations")}
	for _, n := range e.Nominees {
		who := page.Line(views.Author(e.Studio, n.Handle, store.Agent{}))
		if !n.In {
			who = append(who, page.T(", not in the studio any more"))
		}
		table.Rows = append(table.Rows, page.Row{Cells: [][]page.Inline{who, page.Line(page.T(strconv.Itoa(n.Count)))}})
	}
	if len(table.Rows) > 0 {
		s.Blocks = append(s.Blocks, table)
	}
	if e.Nominations > len(e.List) {
		s.Blocks = append(s.Blocks, page.Para(page.Line(page.Sentence(fmt.Sprintf("The first %d of %d nominations, with their reasons:",
			len(e.List), e.Nominations)))))
	}
	for i := range e.List {
		n := &e.List[i]
		lead := page.Line(views.Author(e.Studio, n.Member, n.Agent), page.T(", for "),
			views.Author(e.Studio, n.Nominee, store.Agent{}))
		if n.First != "" {
			lead = append(lead, page.T(", at first for @"+n.First))
		}
		s.Blocks = append(s.Blocks, page.Prose{ID: "n-" + n.Member, Lead: append(lead, page.T(", "), page.When(n.At.Time)),
			Text: n.Reason})
	}
	if len(e.List) == 0 {
		s.Blocks = append(s.Blocks, page.Para(page.Line(page.T("There are none."))))
	}
	if e.Lost > 0 {
		s.Blocks = append(s.Blocks, page.Para(page.Line(page.Sentence(views.Counted(e.Lost, "nomination", "nominations")+
			" could not be decrypted, because the keys of this installation were replaced."))))
	}
	if e.Phase == governance.Changing {
		s.Blocks = append(s.Blocks, page.Slot{ID: "nomination"})
	}
	return s
}

func candidate(e *governance.Election) page.Section {
	lead := page.Line(views.Author(e.Studio, e.Candidate, store.Agent{}), page.T(", proposed by "),
		views.Author(e.Studio, e.Proposer, store.Agent{}), page.T(", "), page.When(e.ProposedAt.Time))
	if e.Outcome == "" && e.Phase != governance.Choosing {
		lead = append(lead, page.T("; not any more"))
	}
	return page.Section{ID: "candidate", Title: "Candidate", Blocks: []page.Block{page.Prose{Lead: lead, Text: e.Why}}}
}

type electionPublic struct {
	ID          string     `json:"id"`
	Title       string     `json:"title"`
	State       string     `json:"state"`
	Role        string     `json:"role"`
	Nominations int        `json:"nominations"`
	Nominated   bool       `json:"nominated"` // whether the reader has nominated
	Candidate   string     `json:"candidate,omitempty"`
	Ends        store.Time `json:"ends,omitzero"`
	Electorate  int        `json:"electorate,omitempty"`
	Answered    int        `json:"answered,omitempty"`
	Objections  int        `json:"open_objections,omitempty"`
	Mine        string     `json:"mine,omitempty"`
}

func electionData(e *governance.Election) any {
	return &electionPublic{e.ID, e.Title, e.State(), e.Role.Title, e.Nominations, !e.Own.At.IsZero(), e.Candidate, e.DueAt,
		e.Electorate, e.Answered, e.Objections, e.Mine.Position}
}
