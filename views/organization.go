package views

import (
	"strings"
	"time"

	"samepage/store"
	"samepage/store/governance"
	"samepage/views/page"
)

func orgAudience(o *store.Organization) string { return "members of " + o.Name }

// OrganizationPage returns a page without blocks for the members of an organization. Its trail is a link to the page of
// the organization.
func OrganizationPage(o *store.Organization, kind, title string) page.Page {
	return page.Page{Title: title, Kind: kind, Trail: page.Line(page.Link(o.Name, o.URL())), Audience: orgAudience(o)}
}

// Organization returns the page of one organization.
func Organization(_ store.Actor, v *store.OrganizationPage) page.Page {
	o := v.Organization
	p := page.Page{Title: o.Name, Kind: "Organization", Audience: orgAudience(o), Data: o.Record,
		State: page.Line(page.Sentence(count(v.People, "person", "people") + " and " +
			count(v.Agents, "agent", "agents") + ". Owned by @" + o.Owner + "."))}
	p.Blocks = append(p.Blocks,
		append(organizationFacts(o), page.Fact{Label: "Agents", Value: page.Line(page.T(agentRules(&o.Rules)))}),
		page.Section{ID: "studios", Title: "Studios", Blocks: []page.Block{studioTree(store.Tree(v.Studios))}},
		page.Section{ID: "journal", Title: "Lately", Blocks: []page.Block{entryList(v.Entries)}},
		page.Section{ID: "more", Title: "More", Blocks: []page.Block{organizationPages(o)}})
	return p
}

func organizationPages(o *store.Organization) page.List {
	return page.List{page.Line(page.Link("What is open", o.URL()+"/open")),
		page.Line(page.Link("Briefing", o.URL()+"/briefing")),
		page.Line(page.Link("Approvals", "/approvals")),
		page.Line(page.Link("Members", o.URL()+"/members")),
		page.Line(page.Link("All studios", o.URL()+"/studios")),
		page.Line(page.Link("Roles", o.URL()+"/roles")),
		page.Line(page.Link("Policies", o.URL()+"/policies")),
		page.Line(page.Link("Agents", o.URL()+"/agents")),
		page.Line(page.Link("Runners", o.URL()+"/runners")),
		page.Line(page.Link("Agent activity", o.URL()+"/activity")),
		page.Line(page.Link("Tokens", o.URL()+"/tokens")),
		page.Line(page.Link("Settings", o.URL()+"/settings")),
		page.Line(page.Link("Journal", o.URL()+"/journal")),
		page.Line(page.Link("Verify the journal", o.URL()+"/journal/verify"))}
}

func agentRules(r *store.Rules) string {
	text := map[string]string{
		store.BallotsAllowed: "their votes count",
		store.BallotsAsk:     "their votes wait for their member's approval",
		store.BallotsOff:     "they do not vote",
	}[r.Ballots]
	if len(r.Asks) > 0 {
		text += "; they ask before " + strings.Join(r.Asks, ", ")
	}
	return text
}

// Organizations returns the page that lists the organizations of the actor.
func Organizations(by store.Actor, v *store.OrganizationsPage) page.Page {
	p := page.Page{Title: "Your organizations", Kind: "Organizations", Audience: "you alone"}
	p.State = page.Line(page.Sentence("You are in " + count(len(by.Members), "organization", "organizations") + "."))
	var list page.List
	for i := range by.Members {
		m := &by.Members[i]
		role := ", as "
		if m.Owner {
			role = ", which you own, as "
		}
		list = append(list, page.Line(page.Link(m.OrgName, "/orgs/"+m.Org), page.T(role),
			page.Link("@"+m.Handle, m.URL())))
	}
	if len(list) > 0 {
		p.Blocks = append(p.Blocks, list)
	}
	if err := v.MustBeFounder(by); err != nil {
		p.Blocks = append(p.Blocks, page.Para(page.Line(page.Sentence(err.Error()))))
	}
	return p
}

func organizationFacts(o *store.Organization) page.Facts {
	f := page.Facts{{Label: "Handle", Value: page.Line(page.Mono(o.Handle))},
		{Label: "Owner", Value: page.Line(page.Link("@"+o.Owner, store.MemberURL(o.Handle, o.Owner)))},
		{Label: "Time zone", Value: page.Line(page.T(o.Zone))}}
	if o.Accent != "" {
		f = append(f, page.Fact{Label: "Colour", Value: page.Line(page.Mono(o.Accent))})
	}
	return f
}

// Settings returns the page of an organization's settings. All members may read it.
func Settings(by store.Actor, v *store.SettingsPage) page.Page {
	o := v.Organization
	p := OrganizationPage(o, "Settings", "Settings of "+o.Name)
	p.Data = v.Record
	if !by.Is(o.OwnerID) {
		p.State = page.Line(page.Sentence("Only the owner, @" + o.Owner + ", can change them."))
	}
	who := "the owner"
	if o.Inviters == "members" {
		who = "every member"
	}
	structure := "by every member of a studio"
	if o.Governance == store.GovernanceConsent {
		structure = "by accepted topics only, which also write, give away and retire policies"
	}
	domains := "nobody, but for who is invited"
	if len(v.Domains) > 0 {
		domains = "whoever gets mail at " + strings.Join(v.Domains, ", ")
	}
	f := append(organizationFacts(o), page.Fact{Label: "May invite", Value: page.Line(page.T(who))},
		page.Fact{Label: "Studios and roles change", Value: page.Line(page.T(structure))},
		page.Fact{Label: "May join", Value: page.Line(page.T(domains))},
		page.Fact{Label: "Agents", Value: page.Line(page.T(agentRules(&o.Rules)))})
	p.Blocks = []page.Block{f, page.Section{
		ID:     "limits",
		Title:  "How often a minute",
		Blocks: []page.Block{limitTable(o.Limits()), page.Para(page.Line(page.T(inARow(o.Limits().InARow))))},
	}}
	if by.Is(o.OwnerID) {
		p.Blocks = append(p.Blocks, page.Section{ID: "backups", Title: "Backups", Blocks: backupBlocks(v.Backups)})
		if !by.IsAgent() {
			p.Blocks = append(p.Blocks, page.Para(page.Line(page.Link("Webhooks", governance.WebhooksURL(o.Handle)),
				page.T(" tell programs elsewhere what happens."))))
		}
	}
	p.Blocks = append(p.Blocks, page.Para(page.Line(page.T("The operator can write all of it to a file: "),
		page.Mono("samepage export --org "+o.Handle+" FILE"), page.T("."))))
	return p
}

// backupBlocks returns blocks on the backups of the installation. If b is nil, the server makes no backups.
func backupBlocks(b *store.Backups) (blocks []page.Block) {
	how := page.Link("Backups, and how long things are kept", "/help/backups")
	if b == nil {
		return []page.Block{page.Para(page.Line(
			page.T("This server makes no backups by itself; the operator may have other ways. "), how))}
	}
	line := page.Line(page.T("There is no backup yet. "))
	if !b.Newest.IsZero() {
		line = page.Line(page.T("The newest backup of this server is of "), page.When(b.Newest.Time), page.T(". "))
	}
	line = append(line, page.T("The time between two is "+interval(b.Every)+". "), how)
	switch {
	case b.Overdue && b.Failed.IsZero():
		blocks = append(blocks, page.Warning(page.Line(page.Sentence("The newest backup is older than it should be."))))
	case b.Overdue:
		blocks = append(blocks, page.Warning(page.Line(page.T("Backups fail, the last time "), page.When(b.Failed.Time),
			page.T(", and the newest is older than it should be. The operator finds the reason in the log of the server."))))
	case !b.Failed.IsZero():
		blocks = append(blocks, page.Warning(page.Line(page.T("The latest try to make a backup failed, "), page.When(b.Failed.Time),
			page.T(". It is tried again within the hour."))))
	}
	if b.Lacks > 0 {
		blocks = append(blocks, page.Warning(page.Line(page.Sentence("The newest backup lacks "+
			count(b.Lacks, "attached file", "attached files")+", missing or damaged here, too. The log of the server names each."))))
	}
	return append(blocks, page.Para(line))
}

func interval(d time.Duration) string {
	if d%time.Hour == 0 {
		return count(int(d/time.Hour), "hour", "hours")
	}
	return count(int(d/time.Minute), "minute", "minutes")
}

// limitTable shows an organization's rate limits, in requests per minute.
func limitTable(l store.Limits) page.Table {
	t := page.Table{Caption: "Limits", Columns: []page.Column{{Title: "Who"},
		{Title: "Reads", Number: true}, {Title: "Actions", Number: true},
		{Title: "Searches", Number: true}}}
	for _, row := range []struct {
		who string
		of  [3]int
	}{{"A token", l.Token}, {"A member, with all their agents", l.Member}, {"All together", l.Organization}} {
		cells := [][]page.Inline{page.Line(page.T(row.who))}
		for _, n := range row.of {
			if n == 0 {
				cells = append(cells, page.Line(page.T("any number")))
			} else {
				cells = append(cells, page.Line(page.T(number(n))))
			}
		}
		t.Rows = append(t.Rows, page.Row{Cells: cells})
	}
	return t
}

func inARow(n int) string {
	if n == 0 {
		return "Agents may write any number of comments and messages before a person does."
	}
	return "Agents may write " + count(n, "comment on a page, or message", "comments on a page, or messages") +
		" in a channel, before a person does."
}

// Members returns the page that lists an organization's members. The argument invite is the action that invites people.
func Members(by store.Actor, v *store.MembersPage, invite Verb) page.Page {
	o := v.Organization
	p := OrganizationPage(o, "Members", "Members of "+o.Name)
	listMembers(&p, &v.Listing, o.URL()+"/members")
	if o.Invites(by) {
		p.Blocks = append(p.Blocks,
			page.Para(page.Line(page.Link("Invite people, and see who was invited", o.URL()+"/invitations"))))
		p.New = []page.Tile{{Title: invite.Title, URL: store.ActionURL(o.URL()+"/invitations", invite.Name)}}
	}
	return p
}

// Member returns the page of one member.
func Member(by store.Actor, v *store.MemberPage) page.Page {
	m := v.Member
	p := page.Page{
		Title:    m.Name,
		Kind:     "Member",
		Trail:    page.Line(page.Link(m.OrgName, "/orgs/"+m.Org)),
		Audience: "members of " + m.OrgName,
		Data:     m.Record,
		State:    memberState(v),
		Brief:    true,
	}
	var facts page.Facts
	if m.Contact != "" && !m.Ended() && !by.IsAgent() {
		facts = append(facts, page.Fact{Label: "Contact", Value: page.Line(page.T(m.Contact))})
	}
	if !by.IsAgent() && !by.Is(m.ID) && by.Member != nil && !m.Ended() {
		facts = append(facts, page.Fact{Label: "Direct messages", Value: page.Line(page.Link("Write to @"+m.Handle,
			store.DirectURL(m.Org, m.Handle)))})
	}
	if v.Email != "" {
		facts = append(facts, page.Fact{Label: "You sign in as", Value: page.Line(page.T(v.Email + ", which only you see"))})
	}
	if len(facts) > 0 {
		p.Blocks = append(p.Blocks, facts)
	}
	if len(v.Roles) > 0 {
		p.Blocks = append(p.Blocks, page.Section{ID: "roles", Title: "Roles", Blocks: []page.Block{page.List(memberRoles(v.Roles))},
			Few: page.Few{More: "/orgs/" + m.Org + "/roles"}})
	}
	if len(v.Studios) > 0 {
		p.Blocks = append(p.Blocks,
			page.Section{ID: "studios", Title: "Studios", Blocks: []page.Block{studioList(v.Studios)}})
	}
	if len(v.Pledged) > 0 {
		p.Blocks = append(p.Blocks, page.Section{ID: "pledged", Title: "Commitments",
			Blocks: []page.Block{page.List(briefItems(v.Pledged))}})
	}
	if len(v.Open) > 0 {
		p.Blocks = append(p.Blocks, page.Section{ID: "open", Title: "Opened, and waits for others",
			Blocks: []page.Block{page.List(briefItems(v.Open))}})
	}
	if len(v.Agents) > 0 {
		var list page.List
		for _, a := range v.Agents {
			list = append(list, page.Line(page.Link(store.Byline(m.Handle, a.Label), store.AgentURL(m.Org, a.ID))))
		}
		p.Blocks = append(p.Blocks, page.Section{ID: "agents", Title: "Agents", Blocks: []page.Block{list}})
	}
	did := "/orgs/" + m.Org + "/journal?member=" + m.Handle
	p.Blocks = append(p.Blocks, page.Section{ID: "journal", Title: "Lately", Few: page.Few{More: did},
		Blocks: []page.Block{entryList(v.Entries), page.Para(page.Line(page.Link("All that @"+m.Handle+" did", did)))}})
	return p
}

func memberState(v *store.MemberPage) []page.Inline {
	m := v.Member
	if !m.Ended() {
		line := page.Line(page.Sentence("@"+m.Handle+", joined "), page.When(m.JoinedAt.Time), page.T("."))
		if m.Owner {
			line = append(line, page.Sentence(" Owns "+m.OrgName+"."))
		}
		return line
	}
	how := ". Removed by @" + v.EndedBy + "."
	if v.EndedBy == m.Handle {
		how = "."
	}
	return page.Line(page.Sentence("@"+m.Handle+", a member until "), page.When(m.EndedAt.Time).Dated(),
		page.Sentence(how+" What they wrote stays."))
}
