package views

import (
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
		page.Facts{{Label: "Time zone", Value: page.Line(page.T(o.Zone))}},
		page.Section{ID: "studios", Title: "Studios", Blocks: []page.Block{studioList(v.Studios)}},
		page.Section{ID: "journal", Title: "Lately", Blocks: []page.Block{entryTable(v.Entries)}},
		page.List{page.Line(page.Link("Members", o.URL()+"/members")), page.Line(page.Link("Journal", o.URL()+"/journal")),
			page.Line(page.Link("Verify the journal", o.URL()+"/journal/verify"))})
	return p
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
	if len(v.Studios) > 0 {
		p.Blocks = append(p.Blocks, page.Section{ID: "studios", Title: "Studios", Blocks: []page.Block{studioList(v.Studios)}})
	}
	if len(v.Agents) > 0 {
		var list page.List
		for _, a := range v.Agents {
			list = append(list, page.Line(page.T(store.Byline(m.Handle, a.Label))))
		}
		p.Blocks = append(p.Blocks, page.Section{ID: "agents", Title: "Agents", Blocks: []page.Block{list}})
	}
	p.Blocks = append(p.Blocks, page.Section{ID: "journal", Title: "Lately", Blocks: []page.Block{entryTable(v.Entries),
		page.Para(page.Line(page.Link("All that @"+m.Handle+" did", "/orgs/"+m.Org+"/journal?member="+m.Handle)))}})
	return p
}
