package views

import (
	"strings"

	"samepage/store"
	"samepage/views/page"
)

func orgAudience(o *store.Organization) string { return "members of " + o.Name }

// Organization is the page of one organization.
func Organization(_ store.Actor, v *store.OrganizationPage) page.Page {
	o := v.Organization
	p := page.Page{Title: o.Name, Kind: "Organization", Audience: orgAudience(o), Data: o.Record(),
		State: page.Line(page.Sentence(count(v.People, "member", "members") + ". Owned by @" + o.Owner + "."))}
	p.Blocks = append(p.Blocks,
		page.Facts{{Label: "Time zone", Value: page.Line(page.T(o.Zone))}, {Label: "Agents", Value: page.Line(page.T(agentRules(&o.Rules)))}},
		page.Section{ID: "studios", Title: "Studios", Blocks: []page.Block{studioTree(store.Tree(v.Studios))}},
		page.Section{ID: "journal", Title: "Lately", Blocks: []page.Block{entryTable(v.Entries)}},
		page.List{page.Line(page.Link("Members", o.URL()+"/members")), page.Line(page.Link("All studios", o.URL()+"/studios")), page.Line(page.Link("Roles", o.URL()+"/roles")), page.Line(page.Link("Agents", o.URL()+"/agents")), page.Line(page.Link("Journal", o.URL()+"/journal")),
			page.Line(page.Link("Verify the journal", o.URL()+"/journal/verify"))})
	return p
}

// agentRules says what agents may not do without a person.
func agentRules(r *store.Rules) string {
	text := map[string]string{store.BallotsAllowed: "their votes count", store.BallotsAsk: "their votes wait for their member's approval", store.BallotsOff: "they do not vote"}[r.Ballots]
	if len(r.Asks) > 0 {
		text += "; they ask before " + strings.Join(r.Asks, ", ")
	}
	return text
}

// Members is the list of an organization's members.
func Members(_ store.Actor, v *store.MembersPage) page.Page {
	o := v.Organization
	p := page.Page{Title: "Members of " + o.Name, Kind: "Members", Trail: page.Line(page.Link(o.Name, o.URL())), Audience: orgAudience(o)}
	p.Blocks, p.Next = memberBlocks(v.List, v.Limit, o.URL()+"/members")
	return p
}

// Member is the page of one member.
func Member(_ store.Actor, v *store.MemberPage) page.Page {
	m := v.Member
	p := page.Page{Title: m.Name, Kind: "Member", Trail: page.Line(page.Link(m.OrgName, "/orgs/"+m.Org)), Audience: "members of " + m.OrgName, Data: m.Record(),
		State: page.Line(page.Sentence("@"+m.Handle+", joined "), page.When(m.JoinedAt.Time), page.T("."))}
	if len(v.Roles) > 0 {
		p.Blocks = append(p.Blocks, page.Section{ID: "roles", Title: "Roles", Blocks: memberRoles(v.Roles)})
	}
	if len(v.Studios) > 0 {
		p.Blocks = append(p.Blocks, page.Section{ID: "studios", Title: "Studios", Blocks: []page.Block{studioList(v.Studios)}})
	}
	if len(v.Agents) > 0 {
		var list page.List
		for _, a := range v.Agents {
			list = append(list, page.Line(page.Link(store.Byline(m.Handle, a.Label), store.AgentURL(m.Org, a.ID))))
		}
		p.Blocks = append(p.Blocks, page.Section{ID: "agents", Title: "Agents", Blocks: []page.Block{list}})
	}
	p.Blocks = append(p.Blocks, page.Section{ID: "journal", Title: "Lately", Blocks: []page.Block{entryTable(v.Entries),
		page.Para(page.Line(page.Link("All that @"+m.Handle+" did", "/orgs/"+m.Org+"/journal?member="+m.Handle)))}})
	return p
}
