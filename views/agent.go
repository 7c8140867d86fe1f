package views

import (
	"cmp"
	"slices"
	"strconv"

	"samepage/store"
	"samepage/views/page"
)

// Agents returns the page that lists an organization's agents.
func Agents(by store.Actor, v *store.AgentsPage) page.Page {
	o := v.Organization
	p := OrganizationPage(o, "Agents", "Agents of "+o.Name)
	if len(v.List) == 0 {
		p.Blocks = []page.Block{page.Empty(page.Line(page.T("No agent acts for anybody here yet. "),
			page.Link("Make a token", by.TokensURL()),
			page.T(" for yours. "),
			page.Link("How agents connect", "/help/clients")))}
		return p
	}
	t := page.Table{Caption: "Agents", Columns: page.Columns("Agent", "Acts for", "State", "Last used")}
	for i := range v.List {
		a := &v.List[i]
		used := page.T("not connected yet")
		if !a.UsedAt.IsZero() {
			used = page.When(a.UsedAt.Time)
		}
		t.Rows = append(t.Rows, page.Row{Cells: [][]page.Inline{
			page.Line(page.Link(a.Agent.Label, a.URL())),
			page.Line(page.Link("@"+a.Member, store.MemberURL(a.Org, a.Member))),
			page.Line(page.T(a.State())),
			page.Line(used),
		}})
	}
	p.Blocks = append(p.Blocks, t)
	if last := v.Last(); last != nil {
		p.Continue("More agents", o.URL()+"/agents?after="+last.Cursor().String())
	}
	p.Blocks = append(p.Blocks, page.Para(page.Line(page.Link("What agents do",
		o.URL()+"/activity"), page.T(" · "), page.Link("Tokens", o.URL()+"/tokens"))))
	return p
}

// Agent returns the page of one agent. The tokens and refused calls are only for the agent itself, its member and the
// organization's owner.
func Agent(by store.Actor, a *store.AgentPage) page.Page {
	p := page.Page{
		Title:    a.Agent.Label,
		Kind:     "Agent",
		Trail:    page.Line(page.Link(a.OrgName, "/orgs/"+a.Org), page.Link("Agents", "/orgs/"+a.Org+"/agents")),
		Audience: "members of " + a.OrgName + ", as far as each may see",
		Data:     func() any { return agentPublic{a.Agent.Label, a.Member, a.State(), a.UsedAt} },
	}
	p.State = page.Line(page.Sentence("An agent of "),
		page.Link("@"+a.Member, store.MemberURL(a.Org, a.Member)), page.T(", "+a.State()+". "))
	if a.UsedAt.IsZero() {
		p.State = append(p.State, page.Sentence("It has not connected yet."))
	} else {
		p.State = append(p.State, page.T("It has connected, and was last seen "), page.Distance(a.UsedAt.Time),
			page.T("."))
	}
	if a.Open(by) {
		p.Blocks = append(p.Blocks, page.Para(page.Line(page.Sentence("Within a day: "+upTo(a.Lately,
			"action", "actions")+", "+upTo(a.Refused, "refused call", "refused calls")+"."))))
		if len(a.Tokens) > 0 {
			p.Blocks = append(p.Blocks,
				page.Section{ID: "tokens", Title: "Tokens", Blocks: []page.Block{tokenTable(a.Tokens, "")}})
		}
	}
	if len(a.Held) > 0 {
		var list page.List
		for i := range a.Held {
			list = append(list, page.Line(page.Link(a.Held[i].Ref().Title, a.Held[i].PageURL())))
		}
		p.Blocks = append(p.Blocks, page.Section{ID: "held", Title: "Waits for approval", Blocks: []page.Block{list}})
	}
	p.Blocks = append(p.Blocks,
		page.Section{ID: "did", Title: "What it did", Blocks: []page.Block{entryList(a.Entries)}})
	if a.Open(by) {
		p.Blocks = append(p.Blocks, page.Section{
			ID:     "refused",
			Title:  "What it was refused",
			Blocks: []page.Block{refusalTable(a.Refusals, "")},
		})
	}
	return p
}

func upTo(n int, one, many string) string {
	if n == store.Many {
		return strconv.Itoa(n) + " " + many + " or more"
	}
	return count(n, one, many)
}

// Activity returns the page of the actions and the refused calls of an organization's agents. Pages after the first
// have only refused calls.
func Activity(by store.Actor, v *store.ActivityPage) page.Page {
	o := v.Organization
	p := OrganizationPage(o, "Agent activity", "Agent activity in "+o.Name)
	p.Audience += ", as far as each may see"
	if v.First {
		p.Blocks = append(p.Blocks,
			page.Section{ID: "did", Title: "What they did", Blocks: []page.Block{entryList(v.Entries),
				page.Para(page.Line(page.Link("All that agents did", o.URL()+"/journal?by=agent"),
					page.T(" · "), page.Link("Agents", o.URL()+"/agents"), page.T(" · "),
					page.Link("Tokens", o.URL()+"/tokens")))}})
	}
	whose := "Those of your agents. The owner sees all."
	switch {
	case by.IsAgent():
		whose = "Yours alone."
	case v.All:
		whose = "Those of all agents. Members see those of their own."
	}
	p.Blocks = append(p.Blocks, page.Section{
		ID:    "refused",
		Title: "What they were refused",
		Blocks: []page.Block{page.Para(page.Line(page.T(whose + " They are kept for " + days(v.Kept) + "."))),
			refusalTable(v.Refusals, o.Handle)},
	})
	if len(v.Refusals) == v.Limit {
		p.Continue("Earlier ones", o.URL()+"/activity?after="+v.Refusals[len(v.Refusals)-1].Cursor().String())
	}
	return p
}

// refusalTable returns a table of refused calls. It has links to the agents unless org, the handle of their
// organization, is empty.
func refusalTable(list []store.Refusal, org string) page.Block {
	if len(list) == 0 {
		return page.Para(page.Line(page.T("None.")))
	}
	t := page.Table{Caption: "Refused calls", Columns: page.Columns("When", "Action", "Why not", "Page", "Code")}
	if org != "" {
		t.Columns = slices.Insert(t.Columns, 1, page.Column{Title: "Agent"})
	}
	for _, r := range list {
		cells := [][]page.Inline{
			page.Line(page.When(r.At.Time)),
			page.Line(page.Mono(r.Action)),
			page.Line(page.T(r.Message)),
			page.Line(page.T(cmp.Or(r.URL, "in a studio that is hidden from you"))),
			page.Line(page.T(r.Code)),
		}
		if org != "" {
			cells = slices.Insert(cells, 1,
				page.Line(page.Link(store.Byline(r.Member, r.Label), store.AgentURL(org, r.Agent.ID))))
		}
		t.Rows = append(t.Rows, page.Row{Cells: cells})
	}
	return t
}

type agentPublic struct {
	Label  string     `json:"label"`
	Member string     `json:"member"`
	State  string     `json:"state"`
	UsedAt store.Time `json:"last_used,omitzero"`
}

// MemberAgents returns a section with at most [store.MostMemberAgents] agents of a studio's members, for HTML only, or
// nil for an empty list.
func MemberAgents(org string, list []store.MemberAgent) []page.Block {
	if len(list) == 0 {
		return nil
	}
	shown := list[:min(len(list), store.MostMemberAgents)]
	names := make(page.List, len(shown))
	for i := range shown {
		a := &shown[i]
		names[i] = page.Line(page.Who(store.Byline(a.Member, a.Label), store.AgentURL(org, a.ID)))
	}
	blocks := []page.Block{names}
	if len(shown) < len(list) {
		blocks = append(blocks, page.Para(page.Line(page.Link("More agents", "/orgs/"+org+"/agents"))))
	}
	return []page.Block{page.Section{ID: "agents", Title: "Agents", Extra: true, Blocks: blocks}}
}
