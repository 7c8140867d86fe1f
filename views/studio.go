package views

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"samepage/store"
	"samepage/views/page"
)

func audience(s *store.Studio) string {
	in := "studio " + s.Name + ": " + count(s.People, "person", "people") + ", " + count(s.Agents, "agent", "agents")
	switch s.Visibility {
	case "public":
		return "anyone; " + in
	case "organization":
		return "everyone in " + s.OrgName + "; " + in
	}
	return in
}

// zone returns the time zone of a studio, for readers without a zone of their own.
func zone(s *store.Studio) *time.Location { return store.Location(s.Zone) }

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return number(n) + " " + many
}

// fewItems is the maximum number of lines of a list on the pages of studios and cycles in markdown, unless the reader
// asks for the full page.
const fewItems = 3

// Studio returns the page of one studio. The argument verbs has the actions that items wait for, by [store.Wait.For].
func Studio(by store.Actor, v *store.StudioPage, verbs map[string]Verb) page.Page {
	s := v.Studio
	p := page.Page{
		Title:    s.Name,
		Kind:     "Studio",
		Audience: audience(s),
		Zone:     zone(s),
		Public:   s.Visibility == "public",
		Data: func() any {
			return &studioPublic{s.Handle, s.Name, s.Description, s.Visibility, s.Tempo, s.People, s.Agents, s.State()}
		},
	}
	if by.Member != nil {
		p.Trail = page.Line(page.Link(s.OrgName, "/orgs/"+s.Org))
	}
	if v.Parent != nil {
		p.Trail = append(p.Trail, page.Link(v.Parent.Name, v.Parent.URL()))
	}
	p.State = studioState(by, v)
	if s.Description != "" {
		p.Blocks = append(p.Blocks, page.Prose{Lead: page.Line(page.T("What it is for")), Text: s.Description, Brief: true})
	}
	if len(v.Pinned) > 0 {
		p.Blocks = append(p.Blocks,
			page.Section{ID: "pinned", Title: "Pinned", Blocks: []page.Block{waitingTable("Pinned", v.Pinned, v.Waiting, verbs)},
				Few: page.Few{Most: fewItems}})
	}
	open := unlisted(v.Open, v.Pinned)
	if len(open) > 0 {
		p.Blocks = append(p.Blocks,
			page.Section{ID: "open", Title: "Open", Blocks: []page.Block{openKinds(s, v.OpenOf),
				waitingTable("Open", open, v.Waiting, verbs)}, Few: page.Few{Most: fewItems}})
	}
	if said := unlisted(v.Talk, v.Pinned); len(said) > 0 {
		p.Blocks = append(p.Blocks, latestTalk(s, said))
	}
	latest := page.Section{ID: "latest", Title: "Latest", Few: page.Few{Most: fewItems}}
	if list := unlisted(v.Latest, v.Pinned, v.Open, v.Standing); len(list) > 0 {
		latest.Blocks = []page.Block{itemTable("Latest", list)}
		p.Blocks = append(p.Blocks, latest)
	} else if len(v.Latest) == 0 {
		latest.Blocks = []page.Block{emptyStudio(by, s)}
		p.Blocks = append(p.Blocks, latest)
	}
	p.Blocks = append(p.Blocks, page.Para(append(otherLists(by, v, itemLists(s, "")),
		page.Link("Templates", s.URL()+"/templates"), page.T("."))))
	p.Blocks = append(p.Blocks, page.Rail(studioFacts(by, v)))
	return p
}

// latestTalk returns a section with the latest messages of a studio. The argument said has the newest message first,
// and the section has it last.
func latestTalk(s *store.Studio, said []store.Item) page.Section {
	n := nounOf(said[0].Kind)
	note := page.Line(page.Link("Open the "+strings.ToLower(n.Many), s.URL()+n.Path))
	if fresh := s.Unheard(); fresh > 0 {
		note = append(note, page.Sentence(", "+number(fresh)+" new"))
	}
	var list page.Stack
	for i := range slices.Backward(said) {
		m := &said[i]
		list = append(list, page.Entry{Name: page.Line(Author(s, m.Member, m.Agent)),
			Note: page.Line(page.T(m.Title)), At: page.When(m.CreatedAt.Time)})
	}
	return page.Section{ID: "talk", Title: n.Many, Note: note, Blocks: []page.Block{list}}
}

// waitingTable returns a table of items, with a button for those that wait for the reader.
func waitingTable(caption string, list []store.Item, waiting map[string]string, verbs map[string]Verb) page.Table {
	t := itemTable(caption, list)
	for i := range list {
		if verb := verbs[waiting[list[i].ID]]; verb.Name != "" {
			t.Rows[i].Act = page.Act{Title: verb.Title, URL: store.ActionURL(list[i].URL(), verb.Name)}
		}
	}
	return t
}

// emptyStudio returns the reader's first steps in a studio without items.
func emptyStudio(by store.Actor, s *store.Studio) page.Empty {
	line := page.Line(page.T(s.Name), page.T(" is empty."))
	switch {
	case s.State() == "archived" || by.Member == nil || !by.Has(store.ScopeWrite),
		by.IsAgent() && by.Grant.Kinds != nil: // the agent may act on some kinds only
	case !s.Joined():
		line = append(line, page.T(" Its members make its pages, and you can join it."))
	default:
		made := madeInStudio()
		words := make([]string, len(made))
		for i, n := range made {
			words[i] = withArticle(strings.ToLower(n.One))
		}
		last := len(words) - 1
		line = append(line, page.T(" Begin with "+strings.Join(words[:last], ", ")+" or "+words[last]+"."))
	}
	return page.Empty(line)
}

func studioFacts(by store.Actor, v *store.StudioPage) []page.Block {
	s := v.Studio
	facts := []page.Block{page.Slot{ID: "people", Calls: true}}
	cycle := page.Section{ID: "cycle", Title: cycleWords[s.Tempo][0]}
	if len(v.Days) > 0 {
		cycle.Blocks = append(cycle.Blocks, cycleStrip(s.Cycle(), v.Days, true))
	}
	cycle.Blocks = append(cycle.Blocks, page.Para(cyclesNow(v)))
	facts = append(facts, cycle)
	if len(v.Standing) > 0 {
		facts = append(facts, standing(v))
	}
	if len(v.Children) > 0 {
		facts = append(facts, page.Section{ID: "studios", Title: "Studios under it",
			Blocks: []page.Block{studioList(v.Children)}})
	}
	if len(v.Members)+len(v.Roles) == 0 || by.Member == nil {
		return facts
	}
	return append(facts, studioPeople(v), page.Para(page.Line(page.Link("Journal",
		"/orgs/"+s.Org+"/journal?studio="+s.Handle))))
}

// standing returns a section with the boards of a studio.
func standing(v *store.StudioPage) page.Section {
	n := nounOf(v.Standing[0].Kind)
	var list page.Stack
	for i := range v.Standing {
		b := &v.Standing[i]
		note := count(b.Asked, n.Holds, n.Holds+"s")
		if said := liveWork(v.Live[b.ID]); said != "" {
			note += ", " + said
		}
		list = append(list, page.Entry{Name: page.Line(page.Link(b.Title, b.URL())), Note: page.Line(page.Sentence(note))})
	}
	return page.Section{ID: "standing", Title: n.Many, Blocks: []page.Block{list},
		Few: page.Few{Most: fewItems, More: v.URL() + n.Path}}
}

// unlisted returns the items that are in none of the other lists, so that a page shows each item once.
func unlisted(list []store.Item, others ...[]store.Item) (rest []store.Item) {
	shown := map[string]bool{}
	for _, other := range others {
		for i := range other {
			shown[other[i].ID] = true
		}
	}
	for i := range list {
		if !shown[list[i].ID] {
			rest = append(rest, list[i])
		}
	}
	return rest
}

func studioState(by store.Actor, v *store.StudioPage) []page.Inline {
	s := v.Studio
	if s.State() == "archived" {
		return page.Line(page.T("Archived "), page.When(s.ArchivedAt.Time),
			page.T(". It can be read, and nothing can be changed."))
	}
	state := fmt.Sprintf("%s, %s.", count(s.People, "member", "members"), s.Tempo)
	if by.Member != nil {
		leads := func(r store.Role) bool { return r.Kind == store.Leader && r.Holder == by.Member.Handle }
		if !by.IsAgent() && slices.ContainsFunc(v.Roles, leads) {
			state += " You are its leader."
		} else if s.Joined() {
			state += " You are in."
		} else {
			state += " You are not in."
		}
	}
	return page.Line(page.Sentence(state))
}

type studioPublic struct {
	Handle      string `json:"handle"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Visibility  string `json:"visibility"`
	Tempo       string `json:"tempo"`
	People      int    `json:"people"`
	Agents      int    `json:"agents"`
	State       string `json:"state"`
}

func memberLine(m *store.Member) []page.Inline {
	if m.Name == "" {
		return page.Line(page.PersonLink("@"+m.Handle, m.URL()))
	}
	return page.Line(page.PersonLink("@"+m.Handle, m.URL()), page.T(" "+m.Name))
}

func studioList(list []store.Studio) page.Stack {
	stack := make(page.Stack, len(list))
	for i := range list {
		s := &list[i]
		stack[i] = page.Entry{Name: page.Line(page.Link(s.Name, s.URL())), Note: page.Line(page.T(studioNote(s)))}
	}
	return stack
}

func studioNote(s *store.Studio) string {
	if s.State() == "archived" {
		return "archived"
	}
	return count(s.People, "member", "members")
}

func studioTree(branches []store.Branch) page.Tree {
	tree := make(page.Tree, len(branches))
	for i, b := range branches {
		line := page.Line(page.Link(b.Studio.Name, b.Studio.URL()), page.T(" ("+studioNote(b.Studio)+")"))
		tree[i] = page.Branch{Line: line, Below: studioTree(b.Below)}
	}
	return tree
}

// StudioTree returns the page with the tree of an organization's studios that the actor may see.
func StudioTree(_ store.Actor, v *store.TreePage) page.Page {
	o := v.Organization
	p := OrganizationPage(o, "Studios", "Studios of "+o.Name)
	p.Audience += "; of its studios, those that you can see"
	p.Blocks = []page.Block{studioTree(v.Roots)}
	if v.Next != "" {
		p.Continue("More studios", o.URL()+"/studios?after="+v.Next)
	}
	return p
}

// StudioMembers returns the page that lists the members of a studio.
func StudioMembers(_ store.Actor, v *store.StudioMembersPage) page.Page {
	s := v.Studio
	p := page.Page{
		Title:    "Members of " + s.Name,
		Kind:     "Members",
		Trail:    page.Line(page.Link(s.Name, s.URL())),
		Audience: audience(s),
		Zone:     zone(s),
		State:    page.Line(page.Sentence(count(s.People, "member", "members") + ".")),
	}
	listMembers(&p, &v.Listing, s.URL()+"/members")
	return p
}

// listMembers adds one range of a list of members to a page.
func listMembers(p *page.Page, members *store.Listing[store.Member], url string) {
	if len(members.List) == 0 {
		p.Blocks = []page.Block{page.Para(page.Line(page.T("There is nobody to list here.")))}
		return
	}
	var l page.List
	for i := range members.List {
		l = append(l, memberLine(&members.List[i]))
	}
	p.Blocks = []page.Block{l}
	if last := members.Last(); last != nil {
		p.Continue("More members", url+"?after="+last.Handle)
	}
}
