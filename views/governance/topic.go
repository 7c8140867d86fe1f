// Package governance builds the pages of topics, elections, policies, channels and messages.
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
	Kind: governance.TopicKind, One: "Topic", Many: "Topics", Icon: "topic", Path: "/topics",
	None: " A topic is a proposal that is accepted if nobody objects.",
	Closed: map[string]string{
		governance.TopicAccepted: "accepted", governance.TopicWithdrawn: "withdrawn",
		governance.TopicEscalated: "passed on", governance.TopicExpired: "expired",
	},
	Begin: func(studio string) string { return "Propose what " + studio + " can live with." },
	Progress: func(i *store.Item) string {
		if i.Summary.State == governance.TopicConsent {
			return responded(i)
		}
		return "in " + i.Summary.State
	},
})

// Topic returns the page of one topic.
func Topic(by store.Actor, v *governance.TopicPage) page.Page {
	t := v.Topic
	p := views.ItemPage(&t.Item, "Topic", t.Title)
	p.State, p.Data = topicState(by, t), func() any { return topicData(t) }
	p.Blocks = append(p.Blocks, views.Byline(&t.Item))
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
	p.Blocks = append(p.Blocks, proposal(by, v)...)
	p.Blocks = append(p.Blocks, changes(by, t), questions(v), reactions(v))
	p.Blocks = append(p.Blocks, consentBlocks(t.Studio, v.Answers, &v.Discussion)...)
	facts := append(responses(t, v.Answers, v.Silent), views.LastVersions(by, &t.Item, v.Last)...)
	p.Blocks = append(p.Blocks, views.Discussion(by, &t.Item, v.Discussion, append(facts,
		page.Section{ID: "rules", Title: "Rules", Blocks: []page.Block{append(consentRules(t, "Accepted"),
			views.VersionFacts(by, &t.Item, v.Last)...)}})...)...)
	return p
}

func proposal(by store.Actor, v *governance.TopicPage) []page.Block {
	t := v.Topic
	s := page.Section{ID: "proposal", Title: "Proposal"}
	if t.Body != "" {
		s.Blocks = []page.Block{page.Prose{Text: t.Body, Boxes: true}}
	}
	if len(v.Last) < 2 || by.IsAgent() {
		return []page.Block{s}
	}
	now, before := &v.Last[0], &v.Last[1]
	s.Note = page.Line(page.Sentence("Version "+strconv.Itoa(now.N)+" by "), views.Author(t.Studio, now.Member, now.Agent),
		page.T(", "), page.When(now.At.Time))
	diff := page.Diff{Before: before.Source(), After: now.Source()}
	added, removed, _ := diff.Size()
	if added+removed == 0 {
		return []page.Block{s}
	}
	return []page.Block{s, page.Details{ID: "changed", Title: "What changed since version " + strconv.Itoa(before.N),
		Note:   page.Line(page.Plus(added), page.T(" "), page.Less(removed)),
		Blocks: []page.Block{diff}}}
}

func topicState(by store.Actor, t *governance.Topic) []page.Inline {
	if t.Draft() {
		return views.DraftState(&t.Item)
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
		return page.Line(page.Success("Accepted"), page.Sentence(": nobody objects. "+strconv.Itoa(t.Answered)+" of "+
			strconv.Itoa(t.Electorate)+" responded."))
	case governance.TopicExpired:
		return page.Line(page.Strong("Expired"), page.Sentence(": "+strconv.Itoa(t.Answered)+" of "+
			strconv.Itoa(t.Electorate)+" responded, and it took "+strconv.Itoa(t.Needed())+"."))
	case governance.TopicEscalated:
		return page.Line(page.Strong("Passed on"), page.Sentence(" to the parent studio, which decides it."))
	}
	line := page.Line(page.Strong("Withdrawn"))
	if t.ClosedBy != "" {
		line = append(line, page.T(" by "), views.Author(t.Studio, t.ClosedBy, store.Agent{}))
	}
	return append(line, page.Sentence(". It stays readable, and nothing more is decided about it."))
}

func steps(t *governance.Topic) page.Steps {
	list := page.Steps{{Title: "Clarification", Note: page.Line(page.Sentence(asked(t)))}}
	names := []string{governance.TopicClarification}
	if t.Reacts {
		list = append(list, page.Step{Title: "Reaction", Note: page.Line(page.Sentence(
			views.Counted(t.Reactions, "reaction", "reactions")))})
		names = append(names, governance.TopicReaction)
	}
	consent := page.Step{Title: "Consent"}
	if t.Phase == governance.TopicConsent {
		consent.Note = page.Line(page.Sentence(strconv.Itoa(t.Answered) + " of " + strconv.Itoa(t.Electorate)))
	}
	list = append(list, consent, page.Step{Title: "Resolved"})
	outcome := ""
	if t.Outcome != "" {
		outcome = views.Closing(&t.Item)
	}
	return phases(list, append(names, governance.TopicConsent), t.Phase, outcome, t.Outcome == governance.TopicAccepted)
}

// questions returns a section with the questions and answers, folded once all are answered and no more can be asked.
func questions(v *governance.TopicPage) page.Block {
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
	if t.Phase != governance.TopicClarification && t.Unanswered == 0 && t.Questions > 0 {
		return page.Details{ID: s.ID, Title: s.Title, Note: page.Line(page.Extra(asked(t))), Blocks: s.Blocks}
	}
	return s
}

// reactions returns a section with the reactions to a proposal. It returns an empty slot if the topic has no reaction
// phase, or has not reached it.
func reactions(v *governance.TopicPage) page.Block {
	if !v.Reacts || v.Phase == governance.TopicClarification && len(v.Reacting) == 0 {
		return page.Slot{ID: "reactions"}
	}
	s := page.Section{ID: "reactions", Title: "Reactions"}
	for i := range v.Reacting {
		r := &v.Reacting[i]
		s.Blocks = append(s.Blocks, page.Prose{ID: "r-" + r.Member, Lead: page.Line(views.Author(v.Studio, r.Member, r.Agent),
			page.T(", "), page.When(r.At.Time)), Text: r.Text})
	}
	if len(s.Blocks) == 0 {
		s.Blocks = []page.Block{page.Para(page.Line(page.T("Nobody has reacted yet.")))}
	}
	return s
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
