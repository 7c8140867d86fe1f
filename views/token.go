package views

import (
	"slices"
	"strings"

	"samepage/store"
	"samepage/views/page"
)

// Tokens returns the page of a person's tokens in one organization. A token lets an agent act for the person.
func Tokens(by store.Actor, v *store.Tokens) page.Page {
	p := page.Page{Title: "Tokens", Kind: "Tokens", Audience: "you alone"}
	active := 0
	for i := range v.List {
		if v.List[i].State() == "active" {
			active++
		}
	}
	p.State = page.Line(page.Sentence(count(active, "active token", "active tokens") + "."))
	if len(by.Members) > 1 { // a token acts in one organization only
		p.Title = "Tokens in " + v.Member.OrgName
		p.Blocks = append(p.Blocks, page.Para(elsewhere(by)))
	}
	if len(v.List) == 0 {
		p.Blocks = append(p.Blocks, page.Empty(page.Line(page.T(
			"No agent acts for you yet. Make a token and give it to one: ",
		), page.Link("how agents connect", "/help/clients"), page.T("."))))
		return p
	}
	p.Blocks = append(p.Blocks, tokenTable(v.List, v.Member.Org), page.Para(page.Line(page.T(
		"A token never does more than you may do yourself. ",
	), page.Link("How agents connect", "/help/clients"), page.T(" · "),
		page.Link("What waits for your approval", "/approvals"))))
	return p
}

func elsewhere(by store.Actor) []page.Inline {
	line := page.Line(page.T("They act in " + by.Member.OrgName + " alone. Those in your other organizations: "))
	first := true
	for i := range by.Members {
		if m := &by.Members[i]; m.ID != by.MemberID() {
			if !first {
				line = append(line, page.T(", "))
			}
			line, first = append(line, page.Link(m.OrgName, by.In(m.OrgID).TokensURL())), false
		}
	}
	return append(line, page.T("."))
}

// tokenTable returns a table of tokens. It has links to the agents' pages unless org, the handle of the tokens'
// organization, is empty.
func tokenTable(list []store.Token, org string) page.Table {
	t := page.Table{Caption: "Tokens", Lines: true, Columns: []page.Column{{Title: "Agent"}, {Title: "May", Whole: true},
		{Title: "State"}, {Title: "Expires"}, {Title: "Last used"}}}
	for i := range list {
		x := &list[i]
		agent := page.Line(page.T(x.Label))
		if org != "" {
			agent = page.Line(page.Link(x.Label, store.AgentURL(org, x.AgentID)))
		}
		if x.ClientHost != "" {
			agent = append(agent, page.T(", granted to "), page.T(x.ClientName), page.T(" at "),
				page.Mono(x.ClientHost))
		}
		state := page.T(tokenState(x))
		if x.State() == "active" {
			state = page.Pill(x.State(), page.Good)
		}
		expires, used := page.Line(page.T("never"), page.Extra(" expires")), page.Line(page.T("never"), page.Extra(" used"))
		switch {
		case x.State() == "revoked":
			expires = page.Line(page.T("–"))
		case !x.Expires.IsZero():
			expires = page.Line(page.Extra(lasts(x)), page.When(x.Expires.Time))
		}
		if !x.UsedAt.IsZero() {
			used = page.Line(page.Extra("last used "), page.When(x.UsedAt.Time), page.T(usedBy(x)))
		}
		t.Rows = append(t.Rows, page.Row{Key: x.ID, Cells: [][]page.Inline{
			agent,
			page.Line(page.Extra("may: "), page.Sentence(may(&x.Grant, x.RoleNames))),
			page.Line(state),
			expires,
			used,
		}})
	}
	return t
}

func lasts(x *store.Token) string {
	if x.State() == "expired" {
		return "expired "
	}
	return "expires "
}

// AgentVerbs has actions on an agent.
type AgentVerbs struct{ Pause, Resume, Revoke Verb }

// OrganizationTokens returns the page that lists an organization's tokens that are in force or paused, as far as the
// actor may see them.
func OrganizationTokens(by store.Actor, v *store.OrganizationTokens, verbs AgentVerbs) page.Page {
	o := v.Organization
	p := OrganizationPage(o, "Tokens", "Tokens in "+o.Name)
	p.Audience += ", as far as each may see"
	p.State = page.Line(page.T(
		"Your tokens that are in force or paused, those that last longest first. The owner sees all.",
	))
	switch {
	case by.IsAgent():
		p.State = page.Line(page.T("Your own tokens that are in force or paused."))
	case v.All:
		p.State = page.Line(page.T("All tokens that are in force or paused, those that last longest " +
			"first. Members see their own."))
	}
	more := page.Para(page.Line(page.T("A token never does more than its member may. "),
		page.Link("Agents", o.URL()+"/agents"), page.T(" · "),
		page.Link("What agents do", o.URL()+"/activity"),
		page.T(" · "), page.Link("Your own tokens", by.TokensURL())))
	if len(v.List) == 0 {
		p.Blocks = []page.Block{
			page.Para(page.Line(page.T("None. "), page.Link("How agents connect", "/help/clients"))),
			more,
		}
		return p
	}
	t := tokenTable(v.List, o.Handle)
	t.Columns = slices.Insert(t.Columns, 2, page.Column{Title: "Acts for"})
	if !by.IsAgent() {
		t.Columns = append(t.Columns, page.Column{Title: "To the agent"})
	}
	for i := range v.List {
		x := &v.List[i]
		cells := slices.Insert(t.Rows[i].Cells, 2,
			page.Line(page.Extra("for "), page.Link("@"+x.Member, store.MemberURL(o.Handle, x.Member))))
		if !by.IsAgent() {
			cells = append(cells, verbs.on(x, o.Handle, v.All))
		}
		t.Rows[i].Cells = cells
	}
	p.Blocks = []page.Block{t}
	if last := v.Last(); last != nil {
		p.Continue("More tokens", o.URL()+"/tokens?after="+last.Cursor().String())
	}
	p.Blocks = append(p.Blocks, more)
	return p
}

// on returns links to the actions on the agent of a token. Only the owner can resume an agent that the owner has
// paused.
func (v AgentVerbs) on(x *store.Token, org string, owner bool) []page.Inline {
	do := func(verb Verb) page.Inline {
		return page.Link(verb.Title, store.ActionURL(store.AgentURL(org, x.AgentID), verb.Name))
	}
	switch {
	case x.State() == "active":
		return page.Line(do(v.Pause), page.T(" · "), do(v.Revoke))
	case owner || x.PausedBy == x.MemberID:
		return page.Line(do(v.Resume), page.T(" · "), do(v.Revoke))
	}
	return page.Line(do(v.Revoke))
}

func tokenState(x *store.Token) string {
	if x.State() == "paused" && x.PausedBy != x.MemberID {
		return "paused by the owner"
	}
	return x.State()
}

func usedBy(x *store.Token) string {
	if x.UsedWith == "" {
		return " from " + x.UsedFrom
	}
	return " from " + x.UsedFrom + " with " + x.UsedWith
}

// may returns a few words on the scopes and restrictions of a [store.Grant]. The argument named has the titles of the
// grant's roles that the reader may see.
func may(g *store.Grant, named []string) string {
	list := []string{strings.Join(strings.Fields(g.Scopes.String()), ", ")}
	if g.Kinds != nil {
		list = append(list, "acts only on "+strings.Join(g.Kinds, ", "))
	}
	if g.Roles != nil {
		roles := "uses " + count(len(g.Roles), "role", "roles") + " of its member's"
		if len(named) > 0 {
			roles += ": " + strings.Join(named, ", ")
		}
		list = append(list, roles)
	}
	if len(g.Asks) > 0 {
		list = append(list, "asks before "+strings.Join(g.Asks, ", "))
	}
	if !g.Public {
		list = append(list, "writes nothing that everybody can read")
	}
	return strings.Join(list, "; ")
}
