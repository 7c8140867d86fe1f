package views

import (
	"strings"

	"samepage/store"
	"samepage/views/page"
)

// Approvals returns the page that lists agents' requests for approval, either the pending or the settled ones.
func Approvals(by store.Actor, v *store.ApprovalsPage) page.Page {
	p := page.Page{
		Title:    "Approvals",
		Kind:     "Approvals",
		Audience: "you alone",
		Data:     func() any { return approvalsData(v) },
	}
	base := "/approvals"
	switch {
	case v.Settled:
		base += "?show=answered"
		p.State = page.Line(page.T("What was asked for and has its answer, newest first."))
	case len(v.List) == 0:
		p.State = page.Line(page.T("Nothing waits for an answer."))
	case by.IsAgent():
		p.State = page.Line(page.T("What you asked for waits for a person."))
	default:
		p.State = page.Line(page.T("Agents ask for your answer. Open each to see exactly what would happen."))
	}
	p.Blocks = append(p.Blocks, page.Filters{Groups: []page.FilterGroup{{Links: []page.Filter{
		{Text: "Waiting", URL: "/approvals", Chosen: !v.Settled},
		{Text: "Answered", URL: "/approvals?show=answered", Chosen: v.Settled}}}}})
	if len(v.List) == 0 {
		p.Blocks = append(p.Blocks, page.Para(page.Line(page.T("An action is held when the agent's "+
			"token, its organization or the action itself says that a person must approve it first."))))
		return p
	}
	t := page.Table{Caption: "Approvals", Lines: true, Columns: page.Columns("What", "Who asks", "Asked", "State")}
	for i := range v.List {
		a := &v.List[i]
		t.Rows = append(t.Rows, page.Row{Cells: [][]page.Inline{
			page.Line(page.Link(a.Ref().Title, a.PageURL())),
			page.Line(page.T(a.By())),
			page.Line(page.When(a.AskedAt.Time)),
			page.Line(page.T(a.State())),
		}})
	}
	p.Blocks = append(p.Blocks, t)
	if last := v.Last(); last != nil {
		sep := "?"
		if v.Settled {
			sep = "&"
		}
		p.Continue("Older ones", base+sep+"after="+last.Cursor().String())
	}
	return p
}

// ApprovalPage is a request for approval with the work that the asking agent was started for. Work is nil if there is
// none, or the reader may not see it. Refusal is the reason why a pending request cannot be approved now, or nil.
type ApprovalPage struct {
	*store.Approval
	Work    *store.Errand
	Refusal error
}

// Approval returns the page of a held action, which an agent asked for and which a person must approve.
func Approval(by store.Actor, h *ApprovalPage) page.Page {
	a := h.Approval
	p := page.Page{
		Title:    a.Ref().Title,
		Kind:     "Approval",
		Trail:    page.Line(page.Link(a.OrgName, "/orgs/"+a.Org), page.Link("Approvals", "/approvals")),
		State:    approvalState(by, a),
		Audience: "@" + a.Member + " and " + a.Agent.Label,
		Data:     func() any { return heldData(h) },
	}
	if !a.Private {
		p.Audience = "@" + a.Member + ", " + a.Agent.Label + " and the owner of " + a.OrgName
	}
	v := a.Shown()
	asker := page.Who(a.By(), store.AgentURL(a.Org, a.Agent.ID))
	pages := page.Stack{{Name: page.Line(page.Link(a.Target, a.URL)), Note: page.Line(page.T("What it is about"))}}
	if h.Work != nil {
		pages = append(pages, page.Entry{Name: page.Line(page.Link(h.Work.Title, h.Work.URL)),
			Note: page.Line(page.T("The work in which it asks"))})
	}
	rail := page.Rail{page.Section{ID: "where", Title: "Where it belongs", Blocks: []page.Block{pages}}}
	if a.State() == store.ApprovalPending {
		rail = append(rail, checks(a))
	}
	p.Blocks = append(p.Blocks, page.Under{page.T("Asked by "), asker, page.T(", "), page.When(a.AskedAt.Time)})
	if h.Refusal != nil {
		p.Blocks = append(p.Blocks, page.Notice{Icon: "caution", Line: page.Line(page.Strong("It cannot be done now"),
			page.Sentence(": "+h.Refusal.Error()))})
	}
	if a.Comment != "" {
		p.Blocks = append(p.Blocks, page.Prose{Lead: page.Line(page.T("By @" + a.SettledBy)), Text: a.Comment})
	}
	if a.Outcome != "" {
		p.Blocks = append(p.Blocks, page.Para(page.Line(page.Sentence("The answer: "+a.Outcome+" "),
			page.Link("Where it led", a.OutcomeURL))))
	}
	if a.Why != "" {
		p.Blocks = append(p.Blocks, page.Prose{ID: "why", Lead: page.Line(asker, page.T(", on why")), Text: a.Why,
			Brief: true})
	}
	if a.Params == "" {
		gone := "What was asked for was taken out with the page that it was about."
		switch {
		case len(a.Sealed) > 0:
			gone = "What is asked for is encrypted with other keys than those of this installation, so nobody can read it. Reject it; " +
				"the agent can ask again."
		case a.Discreet:
			gone = "What was asked for was taken out when it was answered, because it is a vote or a nomination."
		}
		p.Blocks = append(p.Blocks, page.Para(page.Line(page.T(gone))), reasons(a), rail)
		return p
	}
	p.Blocks = append(p.Blocks,
		page.Section{ID: "asked", Title: "Exactly what is asked for", Blocks: askedFor(a, v.Fields)},
		page.Section{ID: "effect", Title: "What it does", Blocks: effect(a, &v)},
		reasons(a))
	if s := a.State(); s == store.ApprovalPending || s == store.ApprovalDone { // otherwise, there is nothing to undo
		p.Blocks = append(p.Blocks,
			page.Notice{Icon: "undo", Line: page.Line(page.Strong("To undo it"), page.T(": "+v.Undo))})
	}
	p.Blocks = append(p.Blocks, rail, page.Slot{ID: "answer", Calls: true, Stays: true})
	return p
}

func reasons(a *store.Approval) page.Block {
	t := page.Table{Caption: "Rules", Columns: page.Columns("Rule", "What it found")}
	found := page.Line(page.T("in "+a.OrgName+" every agent asks before "), page.Mono(a.Action))
	if a.Rule == store.AskGrant {
		found = page.Line(page.T("its token asks before "), page.Mono(a.Action))
	}
	t.Rows = []page.Row{{Cells: [][]page.Inline{page.Line(page.Mono(a.Rule)), found}}}
	return page.Section{ID: "rules", Title: "Why it asks", Blocks: []page.Block{t}}
}

// Pending returns a sentence that a held action (see [Approval]) waits for approval. Of all agents, only the asking
// agent gets a link to the request, because no other agent may read it.
func Pending(by store.Actor, a *store.Approval) []page.Inline {
	line := page.Line(page.Sentence("Not done yet: "+a.By()+" asks for "), page.Mono(a.Action), page.T(" here, "))
	switch {
	case !by.IsAgent():
		return append(line, page.Link("which waits for approval", a.PageURL()), page.T(" until "),
			page.When(a.ExpiresAt.Time).Dated(), page.T("."))
	case by.Agent.ID != a.Agent.ID:
		return append(line, page.Sentence("and @"+a.Member+" has not answered."))
	}
	return append(line, page.Link("which @"+a.Member+" can approve", a.PageURL()),
		page.Sentence(". Wait for the answer at "),
		page.Mono(waitURL(a)), page.T("."))
}

// waitURL returns the address that responds once the request is settled, or after 30 seconds. A pending approval has
// version 1.
func waitURL(a *store.Approval) string { return a.PageURL() + "?wait=30&since=1" }

func approvalState(by store.Actor, a *store.Approval) []page.Inline {
	settled := func(verb string) []page.Inline {
		return page.Line(page.Sentence(verb+" by @"+a.SettledBy+", "), page.When(a.SettledAt.Time))
	}
	switch a.State() {
	case store.ApprovalPending:
		if by.IsAgent() {
			return page.Line(page.Sentence("Waiting for @"+a.Member+" until "),
				page.When(a.ExpiresAt.Time).Dated(),
				page.Sentence(". Nothing has been done. Wait for the answer at "),
				page.Mono(waitURL(a)), page.T("."))
		}
		return page.Line(page.Pill("Waiting for an answer", page.Late), page.T(" until "),
			page.When(a.ExpiresAt.Time).Dated(),
			page.T(". Nothing has been done."))
	case store.ApprovalDone:
		return append(settled("Approved"), page.T(", and done."))
	case store.ApprovalFailed:
		return append(settled("Approved"), page.Sentence(", but it could not be done: "+a.Failure))
	case store.ApprovalRejected:
		return append(settled("Rejected"), page.T(". Nothing was done."))
	case store.ApprovalWithdrawn:
		if a.Failure != "" {
			return page.Line(page.T("Withdrawn. "), page.Sentence(a.Failure), page.T(" Nothing was done."))
		}
		return page.Line(page.Sentence("Withdrawn by " + a.By() + ". Nothing was done."))
	case store.ApprovalRemoved:
		return page.Line(page.T("Removed with the page that it was about. Nothing was done."))
	}
	return page.Line(page.T("Nobody answered until "), page.When(a.ExpiresAt.Time).Dated(),
		page.T(". Nothing was done; the agent can ask again."))
}

// checks returns a section with the conditions that held at the time of the request, and those that are checked at the
// approval.
func checks(a *store.Approval) page.Block {
	list := page.Trace{
		{Icon: "check", Line: page.Line(page.T("It was possible when it was asked for."))},
		{Icon: "clock", Line: page.Line(page.Sentence("Approval checks again that it is possible, and that " + a.By() +
			", may do it."))}}
	if a.Version != "" {
		list = append(list, page.TraceStep{Icon: "clock", Line: page.Line(page.Sentence(
			"It is done only if the page is still at version " + a.Version + "."))})
	} else {
		list = append(list, page.TraceStep{Icon: "caution",
			Line: page.Line(page.T("It is done even if the page has changed since."))})
	}
	for i := range list {
		list[i].Plan = true
	}
	return page.Section{ID: "checks", Title: "Checks", Blocks: []page.Block{list}}
}

func askedFor(a *store.Approval, fields []store.PreviewField) []page.Block {
	if len(fields) == 0 {
		return []page.Block{page.Para(page.Line(page.T("The action takes nothing beside the page.")))}
	}
	return Given("Given", a.By(), fields)
}

// Given returns blocks with the params of a call that is not executed yet, uncut: a table of the short fields, and the
// texts and lists below it. The argument by is the name of the actor who gave them.
func Given(caption, by string, fields []store.PreviewField) []page.Block {
	var blocks []page.Block
	t := page.Table{Caption: caption, Columns: page.Columns("Field", "Given")}
	for _, f := range fields {
		lead := page.Line(page.Mono(f.Name), page.T(", given by "+by))
		switch {
		case f.Prose:
			blocks = append(blocks, page.Prose{Lead: lead, Text: strings.Join(f.Values, "\n")})
		case len(f.Values) > 1:
			list := make(page.List, len(f.Values))
			for i, value := range f.Values {
				list[i] = page.Line(page.Sentence(value))
			}
			blocks = append(blocks, page.Para(append(lead, page.T(":"))), list)
		default:
			t.Rows = append(t.Rows, page.Row{Cells: [][]page.Inline{page.Line(page.Mono(f.Name)),
				page.Line(page.Sentence(strings.Join(f.Values, "")))}})
		}
	}
	if len(t.Rows) > 0 {
		blocks = append([]page.Block{t}, blocks...)
	}
	return blocks
}

// effect returns blocks on the effect of a held action. The preview v comes from a trial run at the time of the
// request, which was undone.
func effect(a *store.Approval, v *store.Preview) []page.Block {
	blocks := []page.Block{page.Para(
		page.Line(page.Sentence("Tried out when it was asked for, and undone, it said: " + v.Says)),
	)}
	if len(v.Before) > 0 && len(v.After) > 0 {
		blocks = append(blocks, page.Diff{Before: unfolded(string(v.Before)), After: unfolded(string(v.After))})
	}
	if len(v.Made) > 0 {
		records := page.Details{ID: "made", Title: "What it would make"}
		for _, made := range v.Made {
			records.Blocks = append(records.Blocks, page.Code{Language: "json", Text: indented(string(made))})
		}
		blocks = append(blocks, records)
	}
	return blocks
}

type approvalPublic struct {
	URL        string     `json:"url"`
	State      string     `json:"state"`
	AskedBy    string     `json:"asked_by"`
	Action     string     `json:"action"`
	On         string     `json:"on"`
	AskedAt    store.Time `json:"asked_at"`
	ExpiresAt  store.Time `json:"expires_at"`
	AnsweredBy string     `json:"answered_by,omitempty"`
	Comment    string     `json:"comment,omitempty"`
	Outcome    string     `json:"outcome,omitempty"`
	OutcomeURL string     `json:"outcome_url,omitempty"`
	Failure    string     `json:"failure,omitempty"`
	Rule       string     `json:"rule"`
	Work       string     `json:"work,omitempty"` // URL; only on the approval's own page
}

func approvalData(a *store.Approval) approvalPublic {
	return approvalPublic{a.PageURL(), a.State(), a.By(), a.Action, a.URL, a.AskedAt, a.ExpiresAt,
		a.SettledBy, a.Comment, a.Outcome, a.OutcomeURL, a.Failure, a.Rule, ""}
}

func heldData(h *ApprovalPage) approvalPublic {
	data := approvalData(h.Approval)
	if h.Work != nil {
		data.Work = h.Work.URL
	}
	return data
}

func approvalsData(v *store.ApprovalsPage) any {
	list := []approvalPublic{}
	for i := range v.List {
		list = append(list, approvalData(&v.List[i]))
	}
	return struct {
		Approvals []approvalPublic `json:"approvals"`
	}{list}
}
