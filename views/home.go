package views

import (
	"slices"
	"strings"

	"samepage/actions/param"
	"samepage/store"
	"samepage/store/credential"
	"samepage/views/page"
)

// Verb has the name and the title of an action.
type Verb struct{ Name, Title string }

// Needs has the form fields of the action that an item waits for, by the item's URL.
type Needs map[string][]param.Field

// Home returns the start page. The argument verbs has the actions that the page offers. The key of an action is a value
// of [store.Wait.For], a constant such as [ToInvite] or, for an action that creates an item, the item's kind.
func Home(by store.Actor, v *store.HomePage, verbs map[string]Verb, needs Needs) page.Page {
	p := page.Page{Title: homeTitle(by, v), Audience: "you alone"}
	if len(by.Members) == 0 {
		p.State = page.Line(page.T("You are in no organization."))
		p.Blocks = []page.Block{page.Para(page.Line(page.T(
			"Ask somebody who is in one to invite you. An invitation is a link, with which you join by this login. ",
		), page.Link("Help", "/help")))}
		return p
	}
	if len(v.First) > 0 && waitFor(by, v) == 0 {
		p.State = page.Line(page.T("These are the first steps."))
	}
	if said := homeState(by, v); p.State == nil && said != "" {
		p.State = page.Line(page.Extra(said))
	}
	if by.IsAgent() && len(v.Asked) > 0 {
		p.Blocks = append(p.Blocks, held(v.Asked))
	}
	if waitFor(by, v) > 0 {
		p.Blocks = append(p.Blocks, page.Section{
			ID:     "waiting",
			Title:  "Waiting for you",
			Blocks: []page.Block{waiting(by, v, verbs, needs)},
		})
	}
	p.Blocks = append(append(p.Blocks, first(by, v.First, verbs)...), start(by, v, verbs)...)
	p.Blocks = append(p.Blocks, page.Rail(append(agentsAtHome(by, v), homeStudios(by, v)...)))
	if len(v.Unread) > 0 {
		section := page.Section{
			ID:     "inbox",
			Title:  "Since you left",
			Note:   page.Line(page.Link("Inbox", "/inbox"), page.Sentence(": "+number(by.Unread())+" unread.")),
			Few:    page.Few{Most: fewNews, More: "/inbox"},
			Blocks: []page.Block{sinceLeft(by, v.Unread)},
		}
		if all := verbs[ToMarkRead]; !by.IsAgent() {
			section.Presses = page.Presses{URL: store.ActionURL("/inbox", all.Name), Then: "/",
				List: []page.Press{{Text: all.Title}}}
		}
		p.Blocks = append(p.Blocks, section)
	}
	p.Blocks = append(p.Blocks, beginnings(by, v, verbs)...)
	more := page.List{}
	if len(v.Unread) == 0 {
		more = append(more, page.Line(page.Link("Inbox", "/inbox")))
	}
	more = append(more, page.Line(page.Link("Search", "/search")),
		page.Line(page.Link("All studios", "/studios")))
	if len(by.Members) == 1 {
		m := &by.Members[0]
		more = append(more, page.Line(page.Link(m.OrgName, "/orgs/"+m.Org)),
			page.Line(page.Link("What is open", "/orgs/"+m.Org+"/open")),
			page.Line(page.Link("Journal", "/orgs/"+m.Org+"/journal")))
	}
	if !by.IsAgent() {
		more = append(more, page.Line(page.Link("Your organizations", "/orgs")))
	}
	more = append(more, page.Line(page.Link("Who you are", "/whoami")),
		page.Line(page.Link("Help", "/help")))
	if !by.IsAgent() {
		more = append(more, page.Line(page.Link("Connect an agent", "/help/clients")),
			page.Line(page.Link("Your tokens", store.TokensURL)),
			page.Line(page.Link("Approvals", "/approvals")),
			page.Line(page.Link("Your account", credential.AccountURL)))
	}
	p.Blocks = append(p.Blocks, page.Details{ID: "more", Title: "More", Blocks: []page.Block{more}})
	return p
}

// fewNews is the maximum number of pages with unread events in markdown.
const fewNews = 2

// waitFor returns the number of things that wait for the actor. For an agent, approvals and requests do not count.
func waitFor(by store.Actor, v *store.HomePage) int {
	if by.IsAgent() {
		return len(v.Waiting)
	}
	return len(v.Asked) + len(v.Wanted) + len(v.Waiting)
}

func homeTitle(by store.Actor, v *store.HomePage) string {
	switch n := waitFor(by, v); {
	case n > 0 && v.More:
		return "More than " + count(n, "thing waits", "things wait") + " for you"
	case n > 0:
		return count(n, "thing waits", "things wait") + " for you"
	case len(v.First) > 0 && len(by.Members) > 0:
		return "Welcome, " + by.Members[0].Name
	}
	return "Nothing waits for you"
}

func askedByAgents(v *store.HomePage) int {
	n := len(v.Asked)
	for i := range v.Wanted {
		if v.Wanted[i].Agent != "" {
			n++
		}
	}
	return n
}

func homeState(by store.Actor, v *store.HomePage) string {
	var said []string
	if n := askedByAgents(v); n > 0 && !v.More && !by.IsAgent() {
		said = append(said, count(n, "of them is asked by an agent.", "of them are asked by agents."))
	}
	if n := by.Unread(); n > 0 {
		said = append(said, count(n, "thing happened", "things happened")+" that you have not read.")
	} else if len(v.First) == 0 {
		said = append(said, "You have read all that happened.")
	}
	return strings.Join(said, " ")
}

// held returns a section with the actor's own pending requests for approval.
func held(asked []store.Approval) page.Section {
	var list page.List
	for i := range asked {
		a := &asked[i]
		list = append(list, page.Line(page.Link(a.Ref().Title, a.PageURL()),
			page.Sentence(", which @"+a.Member+" can approve. Wait for the answer at "), page.Mono(waitURL(a))))
	}
	return page.Section{ID: "held", Title: "You asked for, not done yet", Blocks: []page.Block{list}}
}

// waiting returns a table of the things that wait for the actor. For a person, approvals come first, then requests such
// as those of agents at work, and then items.
func waiting(by store.Actor, v *store.HomePage, answers map[string]Verb, needs Needs) page.Table {
	t := page.Table{
		Caption: "Waiting for you",
		Lines:   true,
		Columns: []page.Column{{Title: "Do"}, {Title: "Page"}, {Title: "From"}, {Title: "Until", End: true}},
	}
	for i := range v.Asked {
		if a := &v.Asked[i]; !by.IsAgent() {
			t.Rows = append(t.Rows, page.Row{Cells: [][]page.Inline{
				page.Line(page.Button("Answer", a.PageURL())),
				page.Line(page.Link(a.Ref().Title, a.PageURL())),
				page.Line(page.Extra("asked by "), page.Who(a.By(), "")),
				page.Line(page.Extra("ends "), page.Distance(a.ExpiresAt.Time)),
			}, Ring: &page.Ring{Icon: "approval", Agent: true}})
		}
	}
	for i := range v.Wanted {
		r := &v.Wanted[i]
		t.Rows = append(t.Rows, page.Row{Cells: [][]page.Inline{
			page.Line(page.Button(r.Act, r.URL)),
			page.Line(page.Link(r.Title, r.URL)),
			page.Line(page.Extra("asked by "), page.Who(store.Byline(r.Member, r.Agent), ""), page.T(" in "),
				page.Link(r.StudioName, "/studios/"+r.StudioHandle),
				page.Sentence(ofOrganization(by, func(m *store.Member) bool { return m.OrgID == r.OrgID }))),
			page.Line(page.T("–")),
		}, Ring: &page.Ring{Icon: "approval", Agent: r.Agent != "", Of: 1}})
	}
	for i := range v.Waiting {
		w := &v.Waiting[i]
		do, until := answers[w.For], page.Line(page.T("–"))
		if w.ByDue && !w.DueAt.IsZero() {
			until = page.Line(page.Extra("due "), page.Distance(w.DueAt.Time))
		}
		act := page.Line(page.Button(do.Title, store.ActionURL(w.URL(), do.Name)))
		if fields := needs[w.URL()]; len(fields) > 0 {
			act = append(append(act, page.T(" ")), page.Describe(fields)...)
		}
		from := page.Line(page.Extra(kindTitle(w.Kind)+" · "), page.Link(w.StudioName, w.Studio.URL()),
			page.Sentence(ofOrganization(by, func(m *store.Member) bool { return m.OrgID == w.OrgID })))
		if progress := nounOf(w.Kind).Progress; progress != nil {
			from = append(append(from, page.Extra(" · "+progress(&w.Item))), contested(&w.Item, " · ")...)
		}
		t.Rows = append(t.Rows, page.Row{Cells: [][]page.Inline{
			act, page.Line(page.Link(w.Title, w.URL())), from, until,
		}, Ring: ring(&w.Item)})
	}
	return t
}

// beginnings returns a line with the names of the actions that create items, for an agent that may write and has a
// studio.
func beginnings(by store.Actor, v *store.HomePage, verbs map[string]Verb) []page.Block {
	if !by.IsAgent() || !by.Has(store.ScopeWrite) || len(v.Studios) == 0 {
		return nil
	}
	line := page.Line(page.T("Add to one: its address + "), page.Mono("/actions/"), page.T(" + "))
	list := slices.DeleteFunc(slices.Clone(nouns), func(n *Noun) bool { return n.Under != "" || n.Kind.Spoken })
	for i, n := range list {
		switch {
		case i == 0:
		case i == len(list)-1:
			line = append(line, page.T(" or "))
		default:
			line = append(line, page.T(", "))
		}
		line = append(line, page.Mono(verbs[n.Kind.Name].Name))
	}
	return []page.Block{page.Para(append(line, page.T(".")))}
}

func homeStudios(by store.Actor, v *store.HomePage) []page.Block {
	if len(by.Members) == 1 {
		if len(v.Studios) == 0 {
			return nil
		}
		return []page.Block{page.Section{ID: "studios", Title: "Your studios", Blocks: []page.Block{openIn(v, "")}}}
	}
	var blocks []page.Block
	for i := range by.Members {
		m := &by.Members[i]
		blocks = append(blocks,
			page.Section{ID: "org-" + m.Org, Title: m.OrgName, Blocks: []page.Block{openIn(v, m.OrgID),
				page.Para(page.Line(page.Link("About "+m.OrgName, "/orgs/"+m.Org),
					page.Sentence(", where you are @"+m.Handle+". "),
					page.Link("What is open", "/orgs/"+m.Org+"/open"), page.T(" · "),
					page.Link("Its journal", "/orgs/"+m.Org+"/journal")))}})
	}
	return blocks
}

// openIn returns the actor's studios in the organization with the id org, or in all if org is empty.
func openIn(v *store.HomePage, org string) page.Stack {
	var list page.Stack
	for i := range v.Studios {
		s := &v.Studios[i]
		if org != "" && s.OrgID != org {
			continue
		}
		note, n := "nothing open", v.Counts[s.ID]
		if n.Open > 0 {
			note = number(n.Open) + " open"
		}
		line := page.Line(page.T(note), page.Extra(", "+count(s.People, "member", "members")))
		if said := liveWork(v.Live[s.ID]); said != "" {
			line = append(line, page.Sentence(". "+said))
		}
		if d := (store.Digest{Decided: n.Decided, Made: n.Made}); d.Sum() != "" {
			line = append(line, page.T(". "+cycleWords[s.Tempo][0]+" "+d.Sum()))
		}
		list = append(list, page.Entry{Name: page.Line(page.Link(s.Name, s.URL())), Note: line})
	}
	return list
}

// ofOrganization returns the name, in parentheses, of the organization of the first matching membership. It returns ""
// if there is none, or if the actor is in only one organization.
func ofOrganization(by store.Actor, is func(*store.Member) bool) string {
	for i := range by.Members {
		if m := &by.Members[i]; len(by.Members) > 1 && is(m) {
			return " (" + m.OrgName + ")"
		}
	}
	return ""
}

// Studios returns the page that lists the studios that the actor may see.
func Studios(_ store.Actor, v *store.StudiosPage) page.Page {
	p := page.Page{Title: "Studios", Kind: "Studios", Public: true}
	if len(v.List) == 0 {
		p.Blocks = []page.Block{page.Empty(page.Line(page.T("There is no studio that you can see.")))}
		return p
	}
	p.Blocks = []page.Block{studioList(v.List)}
	if last := v.Last(); last != nil {
		p.Continue("More studios", "/studios?after="+last.Handle)
	}
	return p
}

// RemainingLimit is the number of requests of one kind that the actor may still make at this moment. Limit is the
// number per minute.
type RemainingLimit struct {
	Use         string // plural, such as "actions"
	Left, Limit int
}

// You has the facts about the actor beside the name and the grant: the usable roles, the remaining limits and the work.
type You struct {
	Roles  []store.Role
	Left   []RemainingLimit
	Errand *store.Errand // work for which the agent was started; nil if none
}

// WhoAmI returns the page with the actor's name and permissions.
func WhoAmI(by store.Actor, v You) page.Page {
	p := page.Page{Title: "Who you are", Kind: "You", Audience: "you alone", Public: true}
	if by.Anonymous() {
		p.State = page.Line(page.T("Nobody is signed in."))
		p.Blocks = []page.Block{page.Para(page.Line(page.Link("Sign in", "/login"),
			page.T(", or send a token. "), page.Link("How agents connect", "/help/clients")))}
		return p
	}
	p.State = page.Line(page.Sentence("You are " + by.Name() + "."))
	switch len(by.Members) {
	case 0:
		p.State = page.Line(page.T("You are signed in, and in no organization."))
	case 1:
	default:
		p.State = page.Line(page.T("You are in " + count(len(by.Members), "organization", "organizations") + "."))
	}
	var members, roles [][]page.Inline
	for i := range by.Members {
		m := &by.Members[i]
		members = append(members,
			page.Line(page.Link(m.OrgName, "/orgs/"+m.Org), page.T(" as "), page.Link("@"+m.Handle, m.URL())))
	}
	for i := range v.Roles {
		roles = append(roles, roleIn(&v.Roles[i]))
	}
	f := fact(fact(nil, "Member of", members), "Roles", roles)
	if by.IsAgent() {
		f = append(f, page.Fact{Label: "Agent", Value: page.Line(page.T(by.Agent.Label))},
			page.Fact{Label: "Acts for", Value: page.Line(page.T("@" + by.Member.Handle))},
			page.Fact{Label: "Scopes", Value: page.Line(page.Sentence(may(by.Grant, nil)))},
			page.Fact{
				Label: "Never",
				Value: page.Line(page.T("what only a person may do: such actions are not listed to you")),
			})
	} else {
		f = append(f, page.Fact{Label: "Signed in as", Value: page.Line(page.T("a person, with every scope"))})
	}
	for _, l := range v.Left {
		f = append(f, page.Fact{
			Label: strings.ToUpper(l.Use[:1]) + l.Use[1:] + " left",
			Value: page.Line(page.T(number(l.Left) + " of " + number(l.Limit) + " a minute")),
		})
	}
	if e := v.Errand; e != nil {
		f = append(f, page.Fact{Label: "At work in", Value: page.Line(page.Link(e.Title, e.URL), page.Sentence(e.Note))})
	}
	p.Blocks = []page.Block{f}
	return p
}
