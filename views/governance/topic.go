// Package governance builds the pages of topics.
package governance

import (
	"strconv"

	"samepage/store"
	"samepage/store/governance"
	"samepage/views"
	"samepage/views/page"
)

// TopicNoun has the words for topics.
var TopicNoun = views.DeclareNoun(views.Noun{
	Kind: governance.TopicKind, One: "Topic", Many: "Topics", Icon: "channel", Path: "/topics",
	None: " A topic is a proposal that is accepted if nobody objects.",
	Closed: map[string]string{
		governance.TopicAccepted: "accepted", governance.TopicWithdrawn: "withdrawn",
		governance.TopicEscalated: "passed on", governance.TopicExpired: "expired",
	},
	Begin: func(studio string) string { return "Propose what " + studio + " can live with." },
	Progress: func(i *store.Item) string {
		if i.Summary.State == governance.TopicConsent {
			return views.Counted(i.Answered, "response", "responses") + " of " + strconv.Itoa(i.Asked)
		}
		return "in " + i.Summary.State
	},
})

// Topic returns the page of one topic.
func Topic(by store.Actor, v *governance.TopicPage) page.Page {
	t := v.Topic
	p := views.ItemPage(&t.Item, "Topic", t.Title)
	p.State, p.Data = topicState(by, t), func() any { return topicData(t) }
	if t.Outcome != "" {
		p.Blocks = append(p.Blocks, page.Banner(topicOutcome(t)))
		if t.Statement != "" {
			p.Blocks = append(p.Blocks, page.Prose{ID: "statement", Lead: page.Line(page.T("Statement, "),
				page.When(t.ClosedAt.Time)), Text: t.Statement})
		}
	}
	if !t.Draft() {
		p.Blocks = append(p.Blocks, page.Section{ID: "phases", Title: "Phases", Blocks: []page.Block{steps(t)}})
	}
	p.Blocks = append(p.Blocks,
		page.Section{ID: "proposal", Title: "Proposal", Blocks: []page.Block{views.ItemBody(&t.Item)}},
		questions(v), reactions(v), objections(v), page.Slot{ID: "response", Calls: true})
	if s := responses(v); len(s.Blocks) > 0 {
		p.Blocks = append(p.Blocks, s)
	}
	p.Blocks = append(p.Blocks, views.Discussion(&t.Item, v.Discussion,
		page.Section{ID: "rules", Title: "Rules", Blocks: []page.Block{rules(v)}})...)
	return p
}

// topicState returns sentences on the state of a topic and on the actor's part in it.
func topicState(by store.Actor, t *governance.Topic) []page.Inline {
	if t.Draft() {
		return page.Line(page.Pill("Draft", page.Calm), page.Sentence(". Only "+t.Author()+" can see it."))
	}
	var line []page.Inline
	switch {
	case t.Outcome == governance.TopicAccepted:
		line = page.Line(page.Pill("Accepted", page.Good), page.T(" "), page.When(t.ClosedAt.Time), page.T("."))
	case t.Outcome != "":
		line = page.Line(page.Pill(views.Closing(&t.Item), page.Calm), page.T(" "), page.When(t.ClosedAt.Time),
			page.T("."))
	case t.Phase == governance.TopicClarification:
		line = page.Line(page.Pill("Clarification", page.Live), page.Sentence(": "+asked(t)+"."))
	case t.Phase == governance.TopicReaction:
		line = page.Line(page.Pill("Reaction", page.Live),
			page.Sentence(": "+views.Counted(t.Reactions, "reaction", "reactions")+" so far."))
	default:
		line = consentState(by, t)
	}
	if t.Outcome == "" && t.Phase != governance.TopicConsent && by.Anonymous() {
		line = append(line, page.T(" "), page.Link("Sign in", "/login"), page.T(" to take part."))
	}
	if t.Studio.State() == "archived" {
		line = append(line, page.Sentence(" "+t.Studio.MustBeActive().Error()))
	}
	return line
}

func consentState(by store.Actor, t *governance.Topic) []page.Inline {
	line := page.Line(page.Pill("Consent", page.Live))
	switch {
	case t.Over() && t.Objections > 0:
		line = append(line, page.T(". The time is over, and it stays open until the objection is settled."))
	case t.Over():
		line = append(line, page.T(". The time is over."))
	default:
		line = append(line, page.T(", ends "), page.Distance(t.DueAt.Time).Dated(), page.T("."))
	}
	line = append(line, page.Sentence(" "+strconv.Itoa(t.Answered)+" of "+strconv.Itoa(t.Electorate)+
		" have responded, "+views.Counted(t.Objections, "objection is", "objections are")+" open."))
	switch err := t.MustTakeResponseOf(by); {
	case t.Mine.Agent.ID != "":
		line = append(line, page.T(" Your agent has responded for you: "+governance.PositionWords[t.Mine.Position]+"."))
	case t.Mine.Position != "":
		line = append(line, page.T(" You have responded: "+governance.PositionWords[t.Mine.Position]+"."))
	case by.Anonymous():
		line = append(line, page.T(" "), page.Link("Sign in", "/login"), page.T(" to respond."))
	case by.Member == nil:
		line = append(line, page.Sentence(" Only members of "+t.Studio.OrgName+" can respond."))
	case !by.Has(store.ScopeGovernance):
		line = append(line, page.Sentence(" This token does not respond."))
	case err != nil:
		line = append(line, page.Sentence(" "+err.Error()))
	default:
		line = append(line, page.Turn(" You have not.", "#response"))
	}
	return line
}

// asked says how many questions there are, and how many wait for an answer.
func asked(t *governance.Topic) string {
	n := views.Counted(t.Questions, "question", "questions")
	switch {
	case t.Questions == 0:
		return "no questions"
	case t.Unanswered == 0 && t.Questions == 1:
		return n + ", answered"
	case t.Unanswered == 0:
		return n + ", all answered"
	}
	return n + ", " + strconv.Itoa(t.Unanswered) + " without an answer"
}

func topicOutcome(t *governance.Topic) []page.Inline {
	switch t.Outcome {
	case governance.TopicAccepted:
		return page.Line(page.Strong("Accepted"), page.Sentence(": nobody objects. "+strconv.Itoa(t.Answered)+" of "+
			strconv.Itoa(t.Electorate)+" responded."))
	case governance.TopicExpired:
		return page.Line(page.Strong("Expired"), page.Sentence(": "+strconv.Itoa(t.Answered)+" of "+
			strconv.Itoa(t.Electorate)+" responded, and it took "+strconv.Itoa(t.Needed())+"."))
	case governance.TopicEscalated:
		return page.Line(page.Strong("Passed on"), page.Sentence(" to the parent studio, which decides it."))
	}
	return page.Line(page.Strong("Withdrawn"), page.Sentence(": nothing more can be done with it."))
}

// steps shows the phases of a topic.
func steps(t *governance.Topic) page.Steps {
	list := page.Steps{{Title: "Clarification", Note: page.Line(page.Sentence(asked(t)))}}
	phases := []string{governance.TopicClarification}
	if t.Reacts {
		list = append(list, page.Step{Title: "Reaction", Note: page.Line(page.Sentence(
			views.Counted(t.Reactions, "reaction", "reactions")))})
		phases = append(phases, governance.TopicReaction)
	}
	consent := page.Step{Title: "Consent"}
	if t.Phase == governance.TopicConsent {
		consent.Note = page.Line(page.Sentence(strconv.Itoa(t.Answered) + " of " + strconv.Itoa(t.Electorate)))
	}
	resolved := page.Step{Title: "Resolved"}
	if t.Outcome != "" {
		resolved.Title, resolved.At = views.Closing(&t.Item), page.Done
	}
	list = append(list, consent, resolved)
	phases = append(phases, governance.TopicConsent)
	passed := true
	for i, phase := range phases {
		switch {
		case phase == t.Phase && t.Outcome == "":
			list[i].At = page.Now
		case passed && (phase != t.Phase || t.Outcome != ""):
			list[i].At = page.Done
		}
		if phase == t.Phase {
			passed = false
		}
	}
	return list
}

// questions shows the questions about a proposal, each with its answer.
func questions(v *governance.TopicPage) page.Section {
	t := v.Topic
	s := page.Section{ID: "questions", Title: "Questions"}
	for i := range v.Asking {
		q := &v.Asking[i]
		n := strconv.Itoa(q.N)
		s.Blocks = append(s.Blocks, page.Prose{ID: "q" + n, Lead: page.Line(views.Author(t.Studio, q.Member, q.Agent),
			page.T(", "), page.When(q.At.Time), page.T(", question "+n)), Text: q.Text})
		if !q.AnsweredAt.IsZero() {
			s.Blocks = append(s.Blocks, page.Prose{ID: "a" + n, Lead: page.Line(page.T("Answer of "),
				views.Author(t.Studio, q.Answerer, store.Agent{Label: q.AnsweringWith}),
				page.T(", "), page.When(q.AnsweredAt.Time)), Text: q.Answer})
		}
	}
	if len(s.Blocks) == 0 {
		s.Blocks = []page.Block{page.Para(page.Line(page.T("Nobody has asked anything.")))}
	}
	return s
}

// reactions shows the first reactions to a proposal.
func reactions(v *governance.TopicPage) page.Block {
	if !v.Reacts || v.Phase == governance.TopicClarification && len(v.Reacting) == 0 {
		return page.Slot{ID: "reactions"}
	}
	s := page.Section{ID: "reactions", Title: "Reactions"}
	for i := range v.Reacting {
		r := &v.Reacting[i]
		s.Blocks = append(s.Blocks, page.Prose{Lead: page.Line(views.Author(v.Studio, r.Member, r.Agent),
			page.T(", "), page.When(r.At.Time)), Text: r.Text})
	}
	if len(s.Blocks) == 0 {
		s.Blocks = []page.Block{page.Para(page.Line(page.T("Nobody has reacted yet.")))}
	}
	return s
}

// settledWords describe objections that do not block a proposal any more.
var settledWords = map[string]string{
	governance.ObjectionOpen: "open", governance.ObjectionWithdrawn: "withdrawn",
	governance.ObjectionIntegrated: "met", governance.ObjectionInvalid: "ruled invalid",
}

// objections shows the objections of this round, the open ones first.
func objections(v *governance.TopicPage) page.Block {
	s := page.Section{ID: "objections", Title: "Objections"}
	for i := range v.Answers {
		r := &v.Answers[i]
		if r.Position != governance.Objection {
			continue
		}
		lead := page.Line(views.Author(v.Studio, r.Member, r.Agent), page.T(", "), page.When(r.At.Time),
			page.T(", "+settledWords[r.Settled]))
		s.Blocks = append(s.Blocks, page.Prose{ID: "o-" + r.Member, Lead: lead, Text: r.Reason})
		if r.Ruling != "" {
			s.Blocks = append(s.Blocks, page.Prose{Lead: page.Line(page.T("The referee, "), page.When(r.SettledAt.Time)),
				Text: r.Ruling})
		}
	}
	if len(s.Blocks) == 0 {
		return page.Slot{ID: "objections"}
	}
	return s
}

// responses lists the positions of this round.
func responses(v *governance.TopicPage) page.Section {
	s := page.Section{ID: "responses", Title: "Responses"}
	if len(v.Answers) == 0 {
		return s
	}
	table := page.Table{Caption: "Responses", Lines: true,
		Columns: []page.Column{{Title: "Member"}, {Title: "Position"}, {Title: "Why"}, {Title: "Since"}}}
	for i := range v.Answers {
		r := &v.Answers[i]
		word, why := governance.PositionWords[r.Position], r.Reason
		if r.Position == governance.Objection {
			word, why = word+", "+settledWords[r.Settled], "" // the reason is above
		}
		table.Rows = append(table.Rows, page.Row{Cells: [][]page.Inline{
			page.Line(views.Author(v.Studio, r.Member, r.Agent)), page.Line(page.T(word)), page.Line(page.T(why)),
			page.Line(page.When(r.At.Time)),
		}})
	}
	s.Blocks = []page.Block{table}
	return s
}

// rules says how the topic is decided.
func rules(v *governance.TopicPage) page.Facts {
	t := v.Topic
	f := page.Facts{
		{Label: "Accepted", Value: page.Line(page.T("if no objection is open, and all have responded or the time is over"))},
		{Label: "Time to respond", Value: page.Line(page.T(days(t.Period)))},
		{Label: "Must respond", Value: page.Line(page.T(quorum(t)))},
		{Label: "Facilitated by", Value: page.Line(page.T(facilitators(t)))},
	}
	if t.Round > 1 {
		f = append(f, page.Fact{Label: "Round", Value: page.Line(page.T(strconv.Itoa(t.Round) +
			"; earlier responses do not count"))})
	}
	if v.Latest != nil {
		f = append(f, page.Fact{Label: "Versions", Value: page.Line(
			page.Link(strconv.Itoa(t.Versions), t.URL()+"/versions"), page.T(", the last by "),
			views.Author(t.Studio, v.Latest.Member, v.Latest.Agent), page.T(", "), page.When(v.Latest.At.Time))})
	}
	return f
}

// facilitators names the members who begin the phases of a topic.
func facilitators(t *governance.Topic) string {
	return "@" + t.Member + ", and the leader and the secretary of " + t.Studio.Name
}

func quorum(t *governance.Topic) string {
	if t.Phase == governance.TopicConsent {
		return strconv.Itoa(t.Needed()) + " of " + strconv.Itoa(t.Electorate)
	}
	return strconv.Itoa(t.Quorum) + " of 100 members"
}

// days describes a length of time in milliseconds.
func days(ms int64) string {
	const hour, day = 3_600_000, 24 * 3_600_000
	switch {
	case ms%day == 0:
		return views.Counted(int(ms/day), "day", "days")
	case ms%hour == 0:
		return views.Counted(int(ms/hour), "hour", "hours")
	}
	return views.Counted(int(ms/60_000), "minute", "minutes")
}

type topicPublic struct {
	ID         string     `json:"id"`
	Title      string     `json:"title"`
	State      string     `json:"state"`
	Ends       store.Time `json:"ends,omitzero"`
	Electorate int        `json:"electorate"`
	Answered   int        `json:"answered"`
	Objections int        `json:"open_objections"`
	Questions  int        `json:"questions"`
	Unanswered int        `json:"unanswered"`
	Quorum     int        `json:"quorum"`
	Mine       string     `json:"mine,omitempty"`
}

func topicData(t *governance.Topic) any {
	return &topicPublic{t.ID, t.Title, t.State(), t.DueAt, t.Electorate, t.Answered, t.Objections, t.Questions,
		t.Unanswered, t.Quorum, t.Mine.Position}
}
