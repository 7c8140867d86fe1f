package views

import (
	"samepage/store"
	"samepage/store/governance"
	"samepage/views/page"
)

// ToName, ToInvite and ToConnect are keys of the verbs of [Home], for the first steps in a new
// organization.
const (
	ToName    = "to name"
	ToInvite  = "to invite"
	ToConnect = "to connect"
)

// first shows the remaining first steps in recently founded organizations. Each step has a button
// that leads to it.
func first(by store.Actor, list []store.Beginning, verbs map[string]Verb) (blocks []page.Block) {
	for i := range list {
		b := &list[i]
		org := "/orgs/" + b.Org
		var steps page.List
		step := func(left bool, name, at, say string, more ...page.Inline) {
			if left {
				steps = append(steps, append(page.Line(page.Button(verbs[name].Title,
					store.ActionURL(at, verbs[name].Name)), page.Sentence(" "+say)), more...))
			}
		}
		step(b.Unnamed, ToName, org+"/settings", "So far it is called by its handle, "+b.Org+".")
		step(b.Alone, ToInvite, org+"/invitations", "Nobody else is here.")
		step(!b.Agents, ToConnect, "/settings/tokens",
			"It reads these pages and acts for you, as far as you let it. Make it a token, or ",
			page.Link("let it ask for one", "/help/clients"), page.T("."))
		step(!b.Notes, governance.NoteKind.Name, "/studios/"+b.Org, "The first one here tells whoever comes what this place is for.")
		title := "To begin"
		if len(by.Members) > 1 {
			title += " in " + b.OrgName
		}
		blocks = append(blocks, page.Section{ID: "first-" + b.Org, Title: title, Blocks: []page.Block{steps}})
	}
	return blocks
}

// start suggests to a person what to create first, if nothing waits for them and nothing in their
// inbox is unread.
func start(by store.Actor, v *store.HomePage, verbs map[string]Verb) []page.Block {
	if by.IsAgent() || len(v.First)+len(v.Waiting)+len(v.Asked)+len(v.Unread) > 0 || len(v.Studios) == 0 {
		return nil
	}
	s := &v.Studios[0]
	var list page.List
	for _, n := range nouns {
		if n.Begin != nil {
			verb := verbs[n.Kind.Name]
			list = append(list, page.Line(page.Button(verb.Title, store.ActionURL(s.URL(), verb.Name)),
				page.Sentence(" "+n.Begin(s.Name))))
		}
	}
	return []page.Block{page.Section{ID: "start", Title: "Things to start with", Blocks: []page.Block{list}}}
}

// agentsAtHome shows the agents that act for the person, each with its last action.
func agentsAtHome(by store.Actor, list []store.AgentAtHome) []page.Block {
	if len(list) == 0 {
		return nil
	}
	t := page.Table{
		Caption: "Your agents",
		Lines:   true,
		Columns: []page.Column{{Title: "Agent"}, {Title: "State"}, {Title: "Last seen"}, {Title: "Did last"}},
	}
	for i := range list {
		a := &list[i]
		seen, did := page.Line(page.T("has not connected yet")), page.Line(page.T("–"))
		if !a.UsedAt.IsZero() {
			seen = page.Line(page.Distance(a.UsedAt.Time))
		}
		if a.Did != "" {
			did = page.Line(page.T(a.Did+" "),
				entryLink(&store.Entry{Title: a.DidTitle, URL: a.DidURL}), page.T(", "),
				page.When(a.DidAt.Time))
		}
		t.Rows = append(t.Rows, page.Row{Cells: [][]page.Inline{
			page.Line(
				page.Link(a.Agent.Label, a.URL()),
				page.Sentence(ofOrganization(by, func(m *store.Member) bool { return m.Org == a.Org })),
			),
			page.Line(page.T(a.State())),
			seen,
			did,
		}})
	}
	return []page.Block{page.Section{ID: "agents", Title: "Your agents", Blocks: []page.Block{t}}}
}

// sinceLeft shows the unread notifications grouped by studio. The studio with the latest
// notification is first.
func sinceLeft(by store.Actor, list []store.Notification) page.Tree {
	var t page.Tree
	at := map[string]int{}
	for i := range list {
		n := &list[i]
		where := n.Org + "/" + n.Studio
		k, ok := at[where]
		if !ok {
			k = len(t)
			at[where] = k
			head := page.Line(page.T("Elsewhere"))
			if n.Studio != "" {
				head = page.Line(page.Link(n.StudioName, "/studios/"+n.Studio))
			}
			t = append(t, page.Branch{Line: append(head, page.Sentence(ofOrganization(by,
				func(m *store.Member) bool { return m.Org == n.Org })))})
		}
		t[k].Below = append(t[k].Below,
			page.Branch{Line: append(notificationLine(by, n), page.T(", "), page.When(n.At.Time))})
	}
	return t
}
