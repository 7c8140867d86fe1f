package views

import (
	"slices"
	"strings"

	"samepage/store"
	"samepage/store/governance"
	"samepage/views/page"
)

// ToName, ToInvite, ToConnect and ToMarkRead are keys of the argument verbs of [Home].
const (
	ToName     = "to name"
	ToInvite   = "to invite"
	ToConnect  = "to connect"
	ToMarkRead = "to mark as read"
)

// first returns a section with the remaining first steps for each organization in the list.
func first(by store.Actor, list []store.Beginning, verbs map[string]Verb) (blocks []page.Block) {
	for i := range list {
		b := &list[i]
		org := "/orgs/" + b.Org
		steps := page.Table{Caption: "First steps", Lines: true,
			Columns: []page.Column{{Title: "Do"}, {Title: "Step"}, {Title: "Why"}, {Title: "Until", End: true}}}
		step := func(left bool, name, at, icon, title string, why ...page.Inline) {
			if left {
				steps.Rows = append(steps.Rows, page.Row{Ring: &page.Ring{Icon: icon}, Cells: [][]page.Inline{
					page.Line(page.Button(verbs[name].Title, store.ActionURL(at, verbs[name].Name))),
					page.Line(page.T(title)), why, page.Line(page.T("–"))}})
			}
		}
		step(b.Unnamed, ToName, org+"/settings", "edit", "The organization has no name",
			page.T("So far it is called by its handle, "+b.Org+"."))
		step(b.Alone, ToInvite, org+"/invitations", "plus", "Nobody else is here",
			page.T("Who is invited joins by a link."))
		step(!b.Agents, ToConnect, tokensIn(by, b.Org), "agent", "No agent works here yet",
			page.T("It reads these pages and acts for you, as far as you let it. Make it a token, or "),
			page.Link("let it ask for one", "/help/clients"), page.T("."))
		step(!b.Notes, governance.NoteKind.Name, "/studios/"+b.Org, "note", "There is no note yet",
			page.T("The first note tells whoever comes what this place is for."))
		title := "To begin"
		if len(by.Members) > 1 {
			title += " in " + b.OrgName
		}
		blocks = append(blocks, page.Section{ID: "first-" + b.Org, Title: title, Blocks: []page.Block{steps}})
	}
	return blocks
}

// tokensIn returns the address of the actor's tokens in the organization with the given handle.
func tokensIn(by store.Actor, org string) string {
	for i := range by.Members {
		if m := &by.Members[i]; m.Org == org {
			return by.In(m.OrgID).TokensURL()
		}
	}
	return by.TokensURL()
}

// start returns tiles with the kinds of items that a person can create first. It returns nil for an agent, for a person
// without a studio, and if first steps remain, anything waits for the person or is unread.
func start(by store.Actor, v *store.HomePage, verbs map[string]Verb) []page.Block {
	if by.IsAgent() || len(v.First)+waitFor(by, v)+len(v.Unread) > 0 || len(v.Studios) == 0 {
		return nil
	}
	s := &v.Studios[0]
	var list page.Tiles
	for _, n := range nouns {
		if n.Begin != nil {
			verb := verbs[n.Kind.Name]
			list = append(list, page.Tile{Title: verb.Title, URL: store.ActionURL(s.URL(), verb.Name), Say: n.Begin(s.Name)})
		}
	}
	return []page.Block{page.Section{ID: "start", Title: "Things to start with", Blocks: []page.Block{list}}}
}

func agentsAtHome(by store.Actor, v *store.HomePage) []page.Block {
	if len(v.Agents) == 0 {
		return nil
	}
	list := make(page.Stack, len(v.Agents))
	for i := range v.Agents {
		a := &v.Agents[i]
		e := &list[i]
		e.Name = page.Line(page.AgentLink(a.Agent.Label, a.URL()),
			page.Sentence(ofOrganization(by, func(m *store.Member) bool { return m.Org == a.Org })))
		asked, step := askedBy(by, v, a)
		switch {
		case len(asked) > 0:
			e.State = page.Pill("waits for you", page.Late)
		case a.State() == "active":
			e.State = page.Pill("active", page.Live)
		default:
			e.State = page.Pill(a.State(), page.Calm)
		}
		switch {
		case len(asked) > 0:
			e.Note, e.Step = asked, step
		case a.Did != "":
			e.Note = page.Line(page.T(a.Did+" "), entryLink(&store.Entry{Title: a.DidTitle, URL: a.DidURL}))
			e.At = page.When(a.DidAt.Time)
		case a.UsedAt.IsZero():
			e.Note = page.Line(page.T("has not connected yet"))
		default:
			e.Note = page.Line(page.T("connected "), page.When(a.UsedAt.Time))
		}
		if a.Cost != nil {
			last := &e.Note
			if len(e.Step) > 0 {
				last = &e.Step
			}
			*last = append(*last, page.T("; "+Money(*a.Cost, a.Currency)+" in 7 days"))
		}
	}
	return []page.Block{page.Section{ID: "agents", Title: "Your agents", Blocks: []page.Block{list}}}
}

// askedBy returns a link to the first request of an agent to its member, and the agent's last known step before the
// request. Both may be nil.
func askedBy(by store.Actor, v *store.HomePage, a *store.AgentAtHome) (asked, step []page.Inline) {
	for i := range v.Asked {
		if asked := &v.Asked[i]; asked.Agent.ID == a.Agent.ID {
			return page.Line(page.Link(asked.Ref().Title, asked.PageURL())), nil
		}
	}
	for i := range v.Wanted {
		if r := &v.Wanted[i]; r.IsOf(by, a.Org, a.Agent.Label) {
			return page.Line(page.Link(r.Title, r.URL)), lastStep(r)
		}
	}
	return nil, nil
}

// lastStep returns a sentence on an agent's last step before its request, or nil if the step is unknown.
func lastStep(r *store.Request) []page.Inline {
	switch {
	case r.Step == "":
		return nil
	case r.StepRuns:
		return page.Line(page.T("Ran "), page.Mono(r.Step), page.T(", "), page.When(r.StepAt.Time))
	}
	return page.Line(page.T("Last step: "), page.T(r.Step), page.T(", "), page.When(r.StepAt.Time))
}

// sinceLeft returns the unread notifications, grouped by studio and page, each in the order of its latest notification.
func sinceLeft(by store.Actor, list []store.Notification) page.News {
	var news page.News
	type spot struct{ place, page int }
	places, pages := map[string]int{}, map[string]spot{}
	about := map[string][]*store.Notification{}
	for i := range list {
		n := &list[i]
		where := n.Org + "/" + n.Studio
		k, ok := places[where]
		if !ok {
			k = len(news)
			places[where] = k
			head := page.Line(page.T("Elsewhere"))
			if n.Studio != "" {
				head = page.Line(page.Link(n.StudioName, "/studios/"+n.Studio))
			}
			news = append(news, page.NewsOf{Place: append(head, page.Sentence(ofOrganization(by,
				func(m *store.Member) bool { return m.Org == n.Org })))})
		}
		key := where + " " + n.URL
		if about[key] == nil {
			pages[key] = spot{k, len(news[k].Pages)}
			news[k].Pages = append(news[k].Pages, page.Entry{Name: notedPage(by, n), At: page.When(n.At.Time)})
		}
		about[key] = append(about[key], n)
	}
	for key, at := range pages {
		news[at.place].Pages[at.page].Note = happened(about[key])
	}
	return news
}

// happened returns a sentence on notifications about the same page, with the newest outcome first, and no older one.
// The list must begin with the newest notification. Notifications with the same verb are combined.
func happened(list []*store.Notification) []page.Inline {
	var deeds []deed
	line := make([]page.Inline, 0, 2*len(list)+2)
	for _, n := range list {
		if outcome := toldOutcome(n); outcome != "" {
			if len(line) == 0 {
				line = append(line, page.Sentence(strings.ToUpper(outcome[:1])+outcome[1:]+"."))
			}
			continue
		}
		did := alone(n.Did)
		i := slices.IndexFunc(deeds, func(d deed) bool { return d.did == did })
		if i < 0 {
			i = len(deeds)
			deeds = append(deeds, deed{did: did})
		}
		if !slices.Contains(deeds[i].by, n.Actor) {
			deeds[i].by = append(deeds[i].by, n.Actor)
		}
	}
	if len(line) > 0 && len(deeds) > 0 {
		line = append(line, page.T(" "))
	}
	for i, d := range deeds {
		switch {
		case i > 0 && slices.Equal(d.by, deeds[i-1].by):
			line = append(line, page.T(" and "+d.did))
			continue
		case i > 0:
			line = append(line, page.T("; "))
		}
		for j, who := range d.by {
			switch {
			case j > 0 && j == len(d.by)-1:
				line = append(line, page.T(" and "))
			case j > 0:
				line = append(line, page.T(", "))
			}
			line = append(line, page.Who(who, ""))
		}
		line = append(line, page.T(" "+d.did))
	}
	return line
}

type deed struct {
	did string
	by  []string // names of the actors
}
