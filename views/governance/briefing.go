package governance

import (
	"strconv"

	"samepage/store"
	"samepage/store/governance"
	"samepage/views"
	"samepage/views/page"
)

func briefing(i *store.Item, state []page.Inline) page.Page {
	p := views.ItemPage(i, "Briefing", "Briefing: "+i.Title)
	p.Trail = append(p.Trail, page.Link(i.Title, i.URL()))
	p.State, p.Brief, p.Rest = page.Elsewhere(state, i.URL()), true, i.URL()
	return p
}

// TopicBriefing returns the page that sums up a topic. The argument offered has the actions that the topic's page
// offers to the reader.
func TopicBriefing(by store.Actor, v *governance.TopicBriefing, offered []views.Verb) page.Page {
	t := v.Topic
	p := briefing(&t.Item, topicState(by, t))
	p.Data = func() any { return topicData(t) }
	proposal := page.Section{ID: "proposal", Title: "Proposal", Blocks: []page.Block{briefBody(&t.Item)}}
	if t.Changes > 0 {
		proposal.Blocks = append(proposal.Blocks, page.Para(page.Line(page.T("It carries "), page.Link(
			views.Counted(t.Changes, "change", "changes"), t.URL()+"#changes"), page.T(", which acceptance makes."))))
	}
	if t.Outcome == "" {
		p.Blocks = append(p.Blocks, views.BriefPart("waits", "What it waits for", topicWaits(t), "", t.URL()))
	} else {
		p.Blocks = append(p.Blocks, ended(&t.Item, topicOutcome(t), t.Statement)...)
	}
	p.Blocks = append(p.Blocks, proposal)
	add := func(id, title string, lines [][]page.Inline, more string) {
		if len(lines) > 0 {
			p.Blocks = append(p.Blocks, views.BriefPart(id, title, lines, "", more))
		}
	}
	add("changed", "How the proposal changed", changesOfText(v), t.URL()+"/versions")
	var asked [][]page.Inline
	for i := range t.Pending {
		q := &t.Pending[i]
		asked = append(asked, page.Line(views.Author(t.Studio, q.Member, q.Agent), page.T(": "),
			page.Link(q.Text, t.URL()+"#q"+strconv.Itoa(q.N))))
	}
	add("questions", "Questions without an answer", asked, t.URL()+"#questions")
	add("objections", "Open objections", openObjections(t), t.URL()+"#objections")
	add("silent", "Have not responded", silent(t.Studio, &t.Consent, v.Silent), t.URL()+"#responses")
	add("offered", "What you can do", offers(t.URL(), offered), t.URL()+"/actions")
	p.Blocks = append(p.Blocks, discussed(&t.Item))
	return p
}

// ElectionBriefing returns the page that sums up an election, without secret nominations. The argument offered has the
// actions that the election's page offers to the reader.
func ElectionBriefing(by store.Actor, v *governance.ElectionBriefing, offered []views.Verb) page.Page {
	e := v.Election
	state := electionState(by, e)
	if e.Secret() && e.Outcome == "" && !e.Own.At.IsZero() {
		state = page.Line(page.Pill("Nomination", page.Live), page.Sentence(": "+
			views.Counted(e.Nominations, "nomination", "nominations")+", secret until all are revealed. You have nominated."))
	}
	p := briefing(&e.Item, state)
	p.Data = func() any { return electionData(e) }
	if e.Outcome == "" {
		p.Blocks = append(p.Blocks, views.BriefPart("waits", "What it waits for", electionWaits(e), "", e.URL()))
	} else {
		p.Blocks = append(p.Blocks, ended(&e.Item, electionOutcome(e), e.Statement)...)
	}
	p.Blocks = append(p.Blocks,
		page.Section{ID: "role", Title: "Role", Blocks: []page.Block{electionRole(e), briefBody(&e.Item)}})
	add := func(id, title string, lines [][]page.Inline, more string) {
		if len(lines) > 0 {
			p.Blocks = append(p.Blocks, views.BriefPart(id, title, lines, "", more))
		}
	}
	if !e.Secret() {
		var nominees [][]page.Inline
		for _, n := range e.Nominees {
			nominees = append(nominees, page.Line(views.Author(e.Studio, n.Handle, store.Agent{}),
				page.T(": "+views.Counted(n.Count, "nomination", "nominations"))))
		}
		add("nominations", "Nominees", nominees, e.URL()+"#nominations")
	}
	if e.Candidate != "" && (e.Phase == governance.Choosing || e.Outcome != "") {
		add("candidate", "Candidate", [][]page.Inline{page.Line(views.Author(e.Studio, e.Candidate, store.Agent{}),
			page.T(", proposed by "), views.Author(e.Studio, e.Proposer, store.Agent{}), page.T(": "), page.T(e.Why))},
			e.URL()+"#candidate")
	}
	add("objections", "Open objections", openObjections(e), e.URL()+"#objections")
	add("silent", "Have not responded", silent(e.Studio, &e.Consent, v.Silent), e.URL()+"#responses")
	add("offered", "What you can do", offers(e.URL(), offered), e.URL()+"/actions")
	p.Blocks = append(p.Blocks, discussed(&e.Item))
	return p
}

func ended(i *store.Item, outcome []page.Inline, statement string) []page.Block {
	blocks := []page.Block{page.Banner(outcome)}
	if statement != "" {
		blocks = append(blocks, page.Prose{ID: "statement", Lead: page.Line(page.T("Statement, "), page.When(i.ClosedAt.Time)),
			Text: statement, More: i.URL() + "#statement"})
	}
	return blocks
}

func offers(url string, offered []views.Verb) (lines [][]page.Inline) {
	for _, v := range offered {
		lines = append(lines, page.Line(page.Link(v.Title, store.ActionURL(url, v.Name)), page.T(" ("), page.Mono(v.Name),
			page.T(")")))
	}
	return lines
}

// briefBody returns an item's text, which is cut if it is long.
func briefBody(i *store.Item) page.Block {
	b := views.ItemBody(i)
	if text, ok := b.(page.Prose); ok {
		text.Boxes, text.More = false, i.URL()
		return text
	}
	return b
}

func discussed(i *store.Item) page.Block {
	line := page.Line(page.Link("The whole page", i.URL()))
	if i.Comments > 0 {
		line = append(line, page.T(" · "), page.Link("Comments", i.URL()+"#comments"),
			page.T(" ("+strconv.Itoa(i.Comments)+")"))
	}
	return page.Para(line)
}

func changesOfText(v *governance.TopicBriefing) (lines [][]page.Inline) {
	for k := 0; k+1 < len(v.Texts); k++ {
		now, was := &v.Texts[k], &v.Texts[k+1]
		added, removed, first := page.Diff{Before: was.Source(), After: now.Source()}.Size()
		line := page.Line(page.Link("Version "+strconv.Itoa(now.N), v.URL()+"/versions/"+strconv.Itoa(now.N)), page.T(" by "),
			views.Author(v.Studio, now.Member, now.Agent), page.T(", "), page.When(now.At.Time), page.T(": "+
				views.Counted(added, "line", "lines")+" added, "+strconv.Itoa(removed)+" removed"))
		if first != "" {
			line = append(line, page.T(", “"), page.T(first), page.T("”"))
		}
		lines = append(lines, line)
	}
	return lines
}

func openObjections(a governance.Asked) (lines [][]page.Inline) {
	i := a.Common()
	for k := range a.Asks().Open {
		r := &a.Asks().Open[k]
		lines = append(lines, page.Line(views.Author(i.Studio, r.Member, r.Agent), page.T(": "), page.Link(r.Reason,
			i.URL()+"#o-"+r.Member)))
	}
	return lines
}

// silent returns a line for each given member, and a last line with the number of further members without a response.
func silent(s *store.Studio, c *governance.Consent, handles []string) (lines [][]page.Inline) {
	for _, handle := range handles {
		lines = append(lines, page.Line(views.Author(s, handle, store.Agent{})))
	}
	if rest := c.Electorate - c.Answered - len(handles); rest > 0 && len(handles) > 0 {
		lines = append(lines, page.Line(page.T("and "+strconv.Itoa(rest)+" more")))
	}
	return lines
}

func facilitators(i *store.Item) string {
	return "@" + i.Member + ", or the leader or the secretary of " + i.Studio.Name + ","
}

// topicWaits returns lines with the next steps of a topic, or nil after the end.
func topicWaits(t *governance.Topic) (lines [][]page.Inline) {
	say := func(line ...page.Inline) { lines = append(lines, line) }
	switch {
	case t.Outcome != "":
	case t.Studio.State() == "archived":
		say(page.Sentence(t.Studio.MustBeActive().Error()))
	case t.Draft():
		say(page.T(t.Author()), page.T(" opens it."))
	case t.Phase == governance.TopicClarification:
		if t.Unanswered > 0 {
			say(page.T(views.Counted(t.Unanswered, "answer", "answers") + " to what was asked."))
		}
		say(page.Sentence(facilitators(&t.Item) + " begins the next phase. No time is set for it."))
	case t.Phase == governance.TopicReaction:
		say(page.Sentence("Reactions, one from each member."))
		say(page.Sentence(facilitators(&t.Item) + " begins the round of consent. No time is set for it."))
	default:
		lines = roundWaits(t, "accepts the proposal", "When the time is over, it is accepted by itself unless an objection is "+
			"open, or expires if fewer than "+strconv.Itoa(t.Needed())+" have responded.")
	}
	return lines
}

// electionWaits returns lines with the next steps of an election, or nil after the end.
func electionWaits(e *governance.Election) (lines [][]page.Inline) {
	say := func(line ...page.Inline) { lines = append(lines, line) }
	move := page.Sentence(facilitators(&e.Item))
	switch {
	case e.Outcome != "":
	case e.Studio.State() == "archived":
		say(page.Sentence(e.Studio.MustBeActive().Error()))
	case e.Draft():
		say(page.T(e.Author()), page.T(" opens it."))
	case e.Phase == governance.Nominating:
		say(page.Sentence("Nominations, one from each member."))
		say(move, page.T(" reveals them all."))
	case e.Phase == governance.Discussing:
		say(page.Sentence("The discussion."))
		say(move, page.T(" begins the change round."))
	case e.Phase == governance.Changing:
		say(page.Sentence("Members who change their nomination."))
		say(move, page.T(" proposes a candidate."))
	default:
		lines = roundWaits(e, "elects @"+e.Candidate, "The end of the time decides nothing by itself.")
	}
	return lines
}

// roundWaits returns lines with the next steps of a consent round. The argument passes is the facilitator's last step,
// such as "accepts the proposal". The argument end is a sentence on the outcome after the period.
func roundWaits(a governance.Asked, passes, end string) (lines [][]page.Inline) {
	i, c := a.Common(), a.Asks()
	say := func(line ...page.Inline) { lines = append(lines, line) }
	if n := c.Electorate - c.Answered; n > 0 && !governance.Over(a) {
		say(page.T(views.Counted(n, "response", "responses")+", until "), page.Distance(i.DueAt.Time).Dated(), page.T("."))
	} else if !governance.Over(a) {
		say(page.T("Everybody has responded. The time ends "), page.Distance(i.DueAt.Time).Dated(), page.T("."))
	}
	if c.Objections > 0 {
		say(page.T(views.Counted(c.Objections, "open objection", "open objections") +
			" to be withdrawn, met, or ruled invalid by the referee."))
	}
	say(page.Sentence(facilitators(i) + " then " + passes + "."))
	if !governance.Over(a) {
		say(page.Sentence(end))
	}
	return lines
}
