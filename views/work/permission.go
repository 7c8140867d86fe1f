package work

import (
	"fmt"
	"slices"
	"time"

	"samepage/store"
	"samepage/store/work"
	"samepage/store/work/rule"
	"samepage/views"
	"samepage/views/page"
)

// Permission returns the page of a permission request, with which an agent in a session asks before it acts.
func Permission(by store.Actor, q *work.Permission) page.Page {
	s := q.Session
	p := sessionPage(s, s.Agent+" asks: "+q.Title, "Request")
	p.Trail = append(p.Trail, page.Link(s.Title, s.URL()))
	p.State = permissionState(by, q)
	facts := page.Facts{{Label: "Session", Value: page.Line(page.Link(s.Title, s.URL()))},
		{Label: "Agent", Value: page.Line(page.Sentence(s.Agent + ", agent of @" + s.Member))},
		{Label: "Worktree", Value: page.Line(page.Link(s.Worktree, s.Studio.URL()+"/worktrees/"+s.Worktree))}}
	if does := work.Doing(q.Kind); q.Kind != "" && does != "" {
		facts = append(facts, page.Fact{Label: "Wants to", Value: page.Line(page.T(does))})
	}
	if q.Reason != "" {
		facts = append(facts, page.Fact{Label: "Reason", Value: page.Line(page.Sentence(q.Reason))})
	}
	p.Blocks = []page.Block{page.Rail{facts}}
	if input, _ := inWords(q.Input); input != "" && input != q.Title {
		p.Blocks = append(p.Blocks, page.Section{ID: "input", Title: "In its words",
			Blocks: []page.Block{page.Code{Text: input}}})
	}
	if paths := q.Paths(); len(paths) > 0 {
		list := page.List{}
		for _, at := range paths {
			list = append(list, page.Line(page.Mono(at)))
		}
		p.Blocks = append(p.Blocks, page.Section{ID: "files", Title: "Files", Blocks: []page.Block{list}})
	}
	if list, err := q.Answers(); err == nil && q.Live && q.AnsweredAt.IsZero() &&
		slices.ContainsFunc(list, func(c work.Choice) bool { return c.Kind == "allow_always" }) {
		p.Blocks = append(p.Blocks, page.Para(page.Line(page.Sentence(s.Agent+" does not offer to be allowed only "+
			"this once: it may stop asking, and no rule here makes it ask again."))))
	}
	p.Blocks = append(p.Blocks, page.Slot{ID: "answer", Calls: true})
	return p
}

func permissionState(by store.Actor, q *work.Permission) []page.Inline {
	var line []page.Inline
	switch {
	case !q.AnsweredAt.IsZero():
		line = page.Line(page.Pill("Denied", page.Bad))
		if q.Allows() {
			line = page.Line(page.Pill("Allowed", page.Good))
		}
		if q.ByRule() {
			return append(append(append(line, page.T(" by ")), ruleLine(q.Rule)...), page.T("."))
		}
		line = append(line, page.T(" by "), page.Who("@"+q.Answerer, ""), page.T(", "), page.When(q.AnsweredAt.Time),
			page.T("."))
	case q.Live:
		line = page.Line(asking(by, q.Session.Studio, q.Session, "Waits"), page.T(" since "), page.When(q.AskedAt.Time).Dated(),
			page.Sentence(". "+q.Session.Agent+" stands still until somebody answers."))
	default:
		line = page.Line(page.Pill("Not answered", page.Calm),
			page.T(". The turn has ended. A resumed agent asks again."))
	}
	if q.Rule != nil {
		line = append(append(append(line, page.T(" A person was asked because of ")), ruleLine(q.Rule)...), page.T("."))
	}
	return line
}

// answerOf returns words on the answer to a permission request, without the name of a rule.
func answerOf(q *work.Permission) string {
	by := "@" + q.Answerer
	if q.ByRule() {
		by = "a rule"
	}
	switch {
	case q.AnsweredAt.IsZero():
		return "not answered"
	case q.Allows():
		return "allowed by " + by
	}
	return "denied by " + by
}

// answerLine returns words on the rule that covers a permission request, or nil. The rule has answered the request, or
// has required that a person is asked.
func answerLine(q *work.Permission) []page.Inline {
	switch {
	case q.Rule == nil:
		return nil
	case !q.ByRule():
		return append(page.Line(page.Sentence(answerOf(q)+", asked because of ")), ruleLine(q.Rule)...)
	case q.Allows():
		return append(page.Line(page.T("allowed by ")), ruleLine(q.Rule)...)
	}
	return append(page.Line(page.T("denied by ")), ruleLine(q.Rule)...)
}

func ruleLine(l *work.PermissionRule) []page.Inline {
	return page.Line(page.T("the rule "), page.Link(l.Name(), l.URL()), page.Sentence(" that @"+l.Maker+" made "),
		page.When(l.MadeAt.Time))
}

// answers reports whether the actor may answer requests of the session's agent and make rules about them.
func (verbs SessionVerbs) answers(by store.Actor, s *work.Session) bool {
	return s.IsAnsweredBy(by, s.Studio)
}

func (verbs SessionVerbs) rules(v *work.SessionPage, answers bool) page.Block {
	list := page.List{}
	for i := range v.Rules {
		l := &v.Rules[i]
		line := append(page.Line(page.Link(l.Name(), l.URL()), page.Sentence(", @"+l.Maker+", ")),
			page.When(l.MadeAt.Time),
			page.Sentence(", "+used(l)))
		if answers && l.MustBeInForce() == nil {
			line = append(line, page.T(", "), page.Link("Withdraw", store.ActionURL(l.URL(), verbs.WithdrawRule)))
		}
		list = append(list, line)
	}
	section := page.Section{ID: "rules", Title: "Rules", Few: page.Few{Most: 5}, Extra: len(list) == 0}
	if len(list) > 0 {
		section.Blocks = append(section.Blocks, list)
	}
	if answers && v.MustTakeRules() == nil {
		section.Blocks = append(section.Blocks, page.Para(page.Line(page.Link("Make a rule",
			store.ActionURL(v.Session.URL(), verbs.MakeRule)))))
	}
	return section
}

// ruleJSON is a rule in force in the JSON form of a session.
type ruleJSON struct {
	N       int          `json:"n"`
	URL     string       `json:"url"`
	Name    string       `json:"name"`
	Verdict rule.Verdict `json:"verdict"`
	Reach   rule.Reach   `json:"reach"`
	Tool    string       `json:"tool,omitempty"`    // kind of tool; empty for any
	Subject string       `json:"subject,omitempty"` // folder, first words of a command, or digest of a request
	Maker   string       `json:"maker"`
	MadeAt  time.Time    `json:"made_at"`
	Reason  string       `json:"reason,omitempty"`
	Used    int          `json:"used"`
	Lapsed  bool         `json:"lapsed,omitempty"` // without effect, because its maker may not answer any more
}

func ruleData(l *work.PermissionRule) ruleJSON {
	return ruleJSON{l.N, l.URL(), l.Name(), l.Verdict, l.Reach, l.Kind, l.Subject, l.Maker, l.MadeAt.Time, l.Reason,
		l.Used, l.Lapsed}
}

func used(l *work.PermissionRule) string {
	text := "not used"
	if l.Used > 0 {
		text = "used " + views.Counted(l.Used, "time", "times")
	}
	if l.Lapsed {
		text += ", without effect"
	}
	return text
}

// Rule returns the page of a rule about permission requests.
func Rule(_ store.Actor, v *work.RulePage) page.Page {
	l, s := v.PermissionRule, v.Session
	p := sessionPage(s, l.Name(), "Rule")
	p.Trail = append(p.Trail, page.Link(s.Title, s.URL()))
	switch {
	case !l.WithdrawnAt.IsZero():
		p.State = page.Line(page.Pill("Withdrawn", page.Calm), page.T(" by "), page.Who("@"+l.Withdrawn, ""),
			page.T(", "),
			page.When(l.WithdrawnAt.Time), page.T("."))
	case l.Lapsed:
		p.State = page.Line(page.Pill("Without effect", page.Late),
			page.Sentence(". @"+l.Maker+" may not answer requests of this "+
				"session any more, so the rule allows nothing."))
	default:
		p.State = page.Line(page.Pill("In force", page.Good),
			page.Sentence(" in this session, until somebody withdraws it."))
	}
	facts := page.Facts{{Label: "Made by", Value: page.Line(page.Who("@"+l.Maker, ""), page.T(", "),
		page.When(l.MadeAt.Time))},
		{Label: "Used", Value: page.Line(page.Sentence(used(l)))}, {Label: "Session",
			Value: page.Line(page.Link(s.Title, s.URL()))},
		{Label: "Agent", Value: page.Line(page.Sentence(s.Agent + ", agent of @" + s.Member))}}
	if l.Used > 0 {
		facts[1].Value = page.Line(page.Sentence(views.Counted(l.Used, "time", "times")+", last "),
			page.When(l.UsedAt.Time))
	}
	if l.Of > 0 {
		facts = append(facts, page.Fact{Label: "With the answer to",
			Value: page.Line(page.Link(fmt.Sprintf("request %d", l.Of),
				fmt.Sprintf("%s/permissions/%d", s.URL(), l.Of)))})
	}
	if l.Reason != "" {
		facts = append(facts, page.Fact{Label: "Reason", Value: page.Line(page.Sentence(l.Reason))})
	}
	p.Blocks = []page.Block{page.Para(page.Line(page.Sentence(meaning(l)))), page.Rail{facts}}
	if len(v.Uses) == 0 {
		return p
	}
	list := page.List{}
	for i := range v.Uses {
		q := &v.Uses[i]
		list = append(list, page.Line(page.Link(q.Title, q.URL()), page.Sentence(", "+answerOf(q)+", "),
			page.When(q.AskedAt.Time)))
	}
	p.Blocks = append(p.Blocks, page.Section{ID: "uses", Title: "Requests that it decided", Few: page.Few{Most: 10},
		Blocks: []page.Block{list}})
	return p
}

// meaning returns sentences on the requests that a rule covers, and on its effect.
func meaning(l *work.PermissionRule) string {
	same := "It covers a request if all that the agent says about it is the same as before, to the letter. "
	switch {
	case l.Verdict == rule.Ask && l.Reach == rule.Same:
		return same + "A person is asked, whatever other rules say."
	case l.Verdict == rule.Ask:
		return "A person is asked about each such request, whatever other rules say, and also if it is not certain that the rule " +
			"covers a request."
	case l.Verdict == rule.Deny && l.Reach == rule.Same:
		return same + "It is denied at once, whatever other rules allow."
	case l.Verdict == rule.Deny:
		return "Each such request is denied at once, whatever other rules allow. If it is not certain that the rule covers a request, " +
			"a person is asked."
	case l.Reach == rule.Folder:
		return "A request is allowed at once if it names all of its files, and the rule covers each of them. A person is asked about " +
			"files and folders whose names begin with a dot, about links to other places, and if the agent leaves a file out."
	case l.Reach == rule.Command:
		return "A command is allowed at once if it consists of plain words and begins with these, whatever follows them. A person is " +
			"asked about a command with a character that is special in a shell, or with settings besides its words."
	}
	return same + "It is allowed at once."
}
