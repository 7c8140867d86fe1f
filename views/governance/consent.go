package governance

import (
	"slices"
	"strconv"

	"samepage/store"
	"samepage/store/governance"
	"samepage/views"
	"samepage/views/page"
)

func consentState(by store.Actor, a governance.Asked) []page.Inline {
	i, c := a.Common(), a.Asks()
	line := page.Line(page.Pill("Consent", page.Live).Sign("topic"))
	switch over := governance.Over(a); {
	case over && c.Objections > 0:
		line = append(line, page.T(". The time is over, and it stays open until the objection is settled."))
	case over:
		line = append(line, page.T(". The time is over."))
	default:
		line = append(line, views.BeforeDeadline(i, ", ends ", ", was to end "), page.Distance(i.DueAt.Time).Dated(),
			page.T("."))
	}
	line = append(line, page.Sentence(" "+strconv.Itoa(c.Answered)+" of "+strconv.Itoa(c.Electorate)+
		" have responded, "+views.Counted(c.Objections, "objection is", "objections are")+" open."))
	err := governance.MustTakeResponseOf(a, by)
	switch mine := governance.PositionWords[c.Mine.Position]; {
	case c.Mine.Agent.ID != "":
		return append(line, page.T(" Your agent has responded for you: "+mine+"."))
	case c.Mine.Position != "":
		return append(line, page.T(" You have responded: "+mine+"."))
	}
	return append(line, turn(by, i, err, "respond", "#response")...)
}

// turn returns a sentence that it is the actor's turn, with a link to the form, or the reason why the actor cannot act.
// The argument err is the refusal of the action, verb is a word such as "nominate", and slot is the address of the
// form, such as "#nomination".
func turn(by store.Actor, i *store.Item, err error, verb, slot string) []page.Inline {
	switch {
	case by.Anonymous():
		return page.Line(page.T(" "), page.Link("Sign in", "/login"), page.T(" to "+verb+"."))
	case by.Member == nil:
		return page.Line(page.Sentence(" Only members of " + i.Studio.OrgName + " can " + verb + "."))
	case !by.Has(store.ScopeGovernance):
		return page.Line(page.Sentence(" This token does not " + verb + "."))
	case i.Studio.State() == "archived":
		return nil // the caller says so
	case err != nil:
		return page.Line(page.Sentence(" " + err.Error()))
	}
	return page.Line(page.Turn(" You have not.", slot))
}

func responded(i *store.Item) string {
	return strconv.Itoa(i.Answered) + " of " + strconv.Itoa(i.Asked) + " responded"
}

func consentBlocks(s *store.Studio, answers []governance.Response, said *store.Discussion) []page.Block {
	return []page.Block{objections(s, answers, said), page.Slot{ID: "response", Calls: true}}
}

var signs = map[string]string{governance.Consents: "check", governance.Aside: "aside", governance.Objection: "objection"}

var settledWords = map[string]string{
	governance.ObjectionOpen: "open", governance.ObjectionWithdrawn: "withdrawn",
	governance.ObjectionIntegrated: "met", governance.ObjectionInvalid: "ruled invalid",
}

// left is said of a response of a member who left the studio during the round.
const left = "left the studio, counts no longer"

// settled returns the state of an objection in words, and its tone.
func settled(r *governance.Response) (string, page.Tone) {
	switch {
	case r.Settled != governance.ObjectionOpen:
		return settledWords[r.Settled], page.Calm
	case !r.LeftAt.IsZero():
		return left, page.Calm
	}
	return settledWords[r.Settled], page.Bad
}

// objections returns a section with the objections of this round, the open ones first. It moves the comments that
// answer an objection from the discussion in said to the objection.
func objections(studio *store.Studio, answers []governance.Response, said *store.Discussion) page.Block {
	s := page.Section{ID: "objections", Title: "Objections"}
	for i := range answers {
		r := &answers[i]
		if r.Position != governance.Objection {
			continue
		}
		word, tone := settled(r)
		lead := page.Line(views.Author(studio, r.Member, r.Agent), page.T(", "), page.When(r.At.Time), page.T(", "),
			page.Pill(word, tone).Sign("objection"))
		replies, rest := views.Answers(studio, said.Newest, r.Member, r.At)
		said.Newest, said.Placed = rest, said.Placed+len(said.Newest)-len(rest)
		s.Blocks = append(s.Blocks, page.Prose{ID: "o-" + r.Member, Lead: lead, Text: r.Reason, Under: replies,
			Ref: page.Ref{List: "objections", Value: r.Member}, Reply: page.Reply{Slot: "comments", To: "@" + r.Member}})
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

func responses(a governance.Asked, answers []governance.Response, missing []string) (facts []page.Block) {
	studio := a.Common().Studio
	var list page.Stack
	for i := range answers {
		r := &answers[i]
		e := page.Entry{Name: page.Line(views.Author(studio, r.Member, r.Agent)), At: page.When(r.At.Time)}
		tone := page.Calm
		switch {
		case r.Position == governance.Objection: // objections have their own section
			var word string
			word, tone = settled(r)
			e.Note = page.Line(page.T(word))
		case !r.LeftAt.IsZero():
			e.Note = page.Line(page.T(left))
		case r.Reason != "":
			e.Note = page.Line(page.T("“"), page.T(r.Reason), page.T("”"))
		}
		if r.Position == governance.Consents {
			tone = page.Good
		}
		e.State = page.Pill(governance.PositionWords[r.Position], tone).Sign(signs[r.Position])
		list = append(list, e)
	}
	if lines := silent(studio, a.Asks(), missing); len(lines) > 0 {
		facts = []page.Block{page.Section{ID: "silent", Title: "Have not responded",
			Blocks: []page.Block{page.Faces{People: slices.Concat(lines...), Not: true}}}}
	}
	if len(list) == 0 {
		return facts
	}
	ring := views.Ring(a.Common())
	ring.Done, ring.Of = a.Asks().Answered, a.Asks().Electorate
	return []page.Block{page.Section{ID: "responses", Title: strconv.Itoa(ring.Done) + " of " + strconv.Itoa(ring.Of) +
		" have responded", Blocks: append([]page.Block{list}, facts...), Ring: ring}}
}

// consentRules returns facts on how a round is decided. The argument outcome is the word for the result without
// objections.
func consentRules(a governance.Asked, outcome string) page.Facts {
	i, c := a.Common(), a.Asks()
	must := strconv.Itoa(c.Quorum) + " % of the members"
	if c.Asking {
		must = strconv.Itoa(c.Needed()) + " of " + strconv.Itoa(c.Electorate)
	}
	f := page.Facts{
		{Label: outcome, Value: page.Line(page.T("if no objection is open, and all have responded or the time is over"))},
		{Label: "Time to respond", Value: page.Line(page.T(days(c.Period)))},
		{Label: "Must respond", Value: page.Line(page.T(must))},
		{Label: "Facilitated by", Value: page.Line(page.T("@" + i.Member + ", and the leader and the secretary of " +
			i.Studio.Name))},
		page.Fact{Label: "In short", Value: page.Line(page.Link("Briefing", i.URL()+"/briefing"))},
	}
	if c.Round > 1 {
		f = append(f, page.Fact{Label: "Round", Value: page.Line(page.T(strconv.Itoa(c.Round) +
			"; earlier responses do not count"))})
	}
	return f
}

// days formats milliseconds as days, hours or minutes.
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

// phases marks the steps of a process as done, current or coming. The argument names has the phase of each step but the
// last, which is the outcome. The argument now is the present phase. If the process has ended before its aim, done is
// false, and the phase in which it ended is not marked as done.
func phases(list page.Steps, names []string, now, outcome string, done bool) page.Steps {
	passed := true
	for i, phase := range names {
		switch {
		case phase == now && outcome == "":
			list[i].At = page.Now
		case passed && (phase != now || done):
			list[i].At = page.Done
		}
		if phase == now {
			passed = false
		}
	}
	if outcome != "" {
		last := &list[len(list)-1]
		last.Title, last.At = outcome, page.Now
		if done {
			last.At = page.Done
		}
	}
	return list
}
