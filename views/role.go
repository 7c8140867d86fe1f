package views

import (
	"samepage/store"
	"samepage/views/page"
)

// powers describes the kinds of roles other than the plain role, and the permissions of a leader and a secretary.
var powers = map[string]string{
	store.Leader:    "leader: adds and removes members, closes votes, changes who can see the studio, archives it",
	store.Secretary: "secretary: adds members, closes votes, changes who can see the studio, archives it",
	store.Referee:   "referee",
}

// Role returns the page of one role.
func Role(_ store.Actor, v *store.RolePage) page.Page {
	r, s := v.Role, v.Role.Studio
	p := page.Page{
		Title:    r.Title,
		Kind:     "Role",
		Trail:    page.Line(page.Link(s.Name, s.URL()), page.Link("Roles", s.URL()+"/roles")),
		Audience: roleAudience(s),
		Zone:     zone(s),
		State:    roleState(r),
		Data: func() any {
			return &rolePublic{r.Title, r.Kind, r.State(), r.Holder, r.EndsAt, r.Mirrored(), r.Mission, r.Duties}
		},
	}
	var f page.Facts
	if power := powers[r.Kind]; power != "" {
		f = append(f, page.Fact{Label: "Kind", Value: page.Line(page.T(power))})
	}
	switch {
	case v.Source != nil:
		f = append(f, page.Fact{Label: "Mirrors", Value: append(roleIn(v.Source), page.T(", and is changed there"))})
	case r.Mirrored():
		f = append(f, page.Fact{
			Label: "Mirrors",
			Value: page.Line(page.T("a role of the studio above, which you cannot see, and is changed there")),
		})
	}
	var mirrors [][]page.Inline
	for i := range v.Mirrors {
		mirrors = append(mirrors, append(roleIn(&v.Mirrors[i]), page.T(": who holds this leads that studio")))
	}
	f = fact(f, "Mirrored by", mirrors)
	if len(f) > 0 {
		p.Blocks = append(p.Blocks, f)
	}
	if r.Mission != "" {
		p.Blocks = append(p.Blocks, page.Prose{Lead: page.Line(page.T("Mission")), Text: r.Mission})
	}
	if r.Duties != "" {
		p.Blocks = append(p.Blocks, page.Prose{Lead: page.Line(page.T("Duties")), Text: r.Duties})
	}
	p.Blocks = append(p.Blocks, owned(v.Owned)...)
	if len(v.Terms) > 0 {
		p.Blocks = append(p.Blocks,
			page.Section{ID: "terms", Title: "Who held it", Blocks: []page.Block{termTable(s, v.Terms)}})
	}
	return p
}

func owned(list []store.Item) (blocks []page.Block) {
	for _, n := range nouns {
		var lines page.List
		for i := range list {
			if it := &list[i]; it.Kind == n.Kind.Name {
				lines = append(lines, append(page.Line(page.Link(it.Title, it.URL()), page.T(", ")), itemState(it)...))
			}
		}
		if len(lines) > 0 {
			blocks = append(blocks, page.Section{ID: n.Path[1:], Title: n.Many, Blocks: []page.Block{lines}})
		}
	}
	return blocks
}

// roleAudience returns words for the people that can see a studio's roles. Roles of a public studio are only visible to
// members of its organization.
func roleAudience(s *store.Studio) string {
	if s.Visibility == "public" {
		return "everyone in " + s.OrgName
	}
	return audience(s)
}

func roleState(r *store.Role) []page.Inline {
	switch r.State() {
	case store.RoleDeleted:
		return page.Line(page.Sentence("Deleted by @"+r.DeletedBy+" "), page.When(r.DeletedAt.Time),
			page.T(". Nothing can be changed here any more."))
	case store.RoleVacant:
		return page.Line(page.T("Vacant."))
	case store.RoleActing:
		return page.Line(page.Sentence("@"+r.Holder+" stands in since "),
			page.When(r.ActingSince.Time).Dated(), page.T(", until somebody is assigned."))
	case store.RoleOver:
		return page.Line(page.Sentence("Held by @"+r.Holder+". The term was over "),
			page.Distance(r.EndsAt.Time), page.T(", and goes on until the role is assigned anew."))
	}
	state := page.Line(page.Sentence("Held by @"+r.Holder+" since "), page.When(r.HeldSince.Time).Dated())
	if !r.EndsAt.IsZero() {
		state = append(state, page.T(", until "), page.Distance(r.EndsAt.Time).Dated())
	}
	return append(state, page.T("."))
}

type rolePublic struct {
	Title    string     `json:"title"`
	Kind     string     `json:"kind"`
	State    string     `json:"state"`
	Holder   string     `json:"holder,omitempty"`
	Until    store.Time `json:"until,omitzero"`
	Mirrored bool       `json:"mirrored,omitempty"`
	Mission  string     `json:"mission,omitempty"`
	Duties   string     `json:"duties,omitempty"`
}

func roleIn(r *store.Role) []page.Inline {
	return page.Line(page.Link(r.Title, r.URL()), page.T(" of "), page.Link(r.Studio.Name, r.Studio.URL()))
}

// fact appends a fact with several values, or nothing if there are none.
func fact(f page.Facts, label string, values [][]page.Inline) page.Facts {
	if len(values) == 0 {
		return f
	}
	var line []page.Inline
	for i, v := range values {
		if i > 0 {
			line = append(line, page.T("; "))
		}
		line = append(line, v...)
	}
	return append(f, page.Fact{Label: label, Value: line})
}

func holder(r *store.Role) []page.Inline {
	switch r.State() {
	case store.RoleVacant:
		return page.Line(page.T("vacant"))
	case store.RoleActing:
		return page.Line(page.T("@" + r.Holder + ", who stands in"))
	case store.RoleOver:
		return page.Line(page.T("@" + r.Holder + ", whose term is over"))
	}
	return page.Line(page.T("@" + r.Holder))
}

func termTable(s *store.Studio, terms []store.Term) page.Table {
	t := page.Table{Caption: "Who held it", Columns: page.Columns("Who", "From", "To", "By")}
	for _, m := range terms {
		who := page.Line(page.Link("@"+m.Member, store.MemberURL(s.Org, m.Member)))
		if m.Acting {
			who = append(who, page.T(", standing in"))
		}
		to := page.Line(page.T("now"))
		if !m.EndedAt.IsZero() {
			to = page.Line(page.When(m.EndedAt.Time))
		}
		t.Rows = append(t.Rows, page.Row{Cells: [][]page.Inline{who, page.Line(page.When(m.StartedAt.Time)), to,
			cause(s, &m)}})
	}
	return t
}

// cause returns words on how a member came to hold a role. A link to an election in the parent studio is left out,
// because some readers cannot see that studio.
func cause(s *store.Studio, m *store.Term) []page.Inline {
	switch {
	case m.Election != "" && m.ElectedIn == s.Handle:
		return page.Line(page.Link("an election", store.ItemURL(s.Handle, m.Kind, m.Election)))
	case m.Election != "":
		return page.Line(page.T("an election in the studio above"))
	case m.By != "":
		return page.Line(page.T("@" + m.By))
	}
	return nil
}

// roleTable returns a table of roles. If several is true, the roles belong to several studios, and a column shows the
// studio in place of the kind.
func roleTable(caption string, list []store.Role, several bool) page.Table {
	t := page.Table{Caption: caption, Columns: page.Columns("Role", "Studio", "Held by", "Until")}
	if !several {
		t.Columns[1].Title = "Kind"
	}
	for i := range list {
		r := &list[i]
		second := page.Line(page.T(r.Kind))
		if several {
			second = page.Line(page.Link(r.Studio.Name, r.Studio.URL()))
		} else if r.Kind == store.PlainRole {
			second = nil
		}
		var until []page.Inline
		if !r.EndsAt.IsZero() {
			until = page.Line(page.When(r.EndsAt.Time))
		}
		t.Rows = append(t.Rows, page.Row{Cells: [][]page.Inline{
			page.Line(page.Link(r.Title, r.URL())),
			second,
			holder(r),
			until,
		}})
	}
	return t
}

// StudioRoles returns the page that lists a studio's roles.
func StudioRoles(_ store.Actor, v *store.StudioRolesPage) page.Page {
	s := v.Studio
	p := page.Page{
		Title:    "Roles of " + s.Name,
		Kind:     "Roles",
		Trail:    page.Line(page.Link(s.Name, s.URL())),
		Audience: roleAudience(s),
		Zone:     zone(s),
	}
	if len(v.List) == 0 {
		p.Blocks = []page.Block{page.Para(page.Line(page.T(
			"There are no roles here. A role says what the studio asks of one of its members.",
		)))}
		return p
	}
	vacant := 0
	for i := range v.List {
		if v.List[i].State() == store.RoleVacant {
			vacant++
		}
	}
	p.State = page.Line(page.Sentence(count(len(v.List), "role", "roles") + ", " + number(vacant) + " vacant."))
	p.Blocks = []page.Block{roleTable("Roles", v.List, false)}
	if lists := itemLists(s, "/roles"); len(lists) > 0 {
		p.Blocks = append(p.Blocks, page.Para(append(lists[:len(lists)-1], page.T("."))))
	}
	return p
}

// fewRoles is the maximum number of roles on a studio's own page.
const fewRoles = 12

// studioPeople returns a section with members of a studio, those with a role first, their agents, and vacant roles. It
// has at most [fewRoles] roles.
func studioPeople(v *store.StudioPage) page.Section {
	s, names := v.Studio, map[string]string{}
	for i := range v.Members {
		names[v.Members[i].Handle] = v.Members[i].Name
	}
	var list page.List
	var vacant []page.Inline
	at := map[string]int{} // index in list of each member with a role
	for i := range v.Roles[:min(len(v.Roles), fewRoles)] {
		r := &v.Roles[i]
		if r.State() == store.RoleVacant {
			vacant = append(vacant, page.T(", "), page.Link(r.Title, r.URL()))
			continue
		}
		n, ok := at[r.Holder]
		if !ok {
			n, at[r.Holder] = len(list), len(list)
			list = append(list, memberLine(&store.Member{Org: s.Org, Handle: r.Holder, Name: names[r.Holder]}))
		}
		list[n] = append(list[n], page.T(", "), page.T(r.Title))
		switch r.State() {
		case store.RoleActing:
			list[n] = append(list[n], page.T(" (stands in)"))
		case store.RoleOver:
			list[n] = append(list[n], page.T(" (the term is over)"))
		}
	}
	for i := range v.Members {
		if _, ok := at[v.Members[i].Handle]; !ok {
			list = append(list, memberLine(&v.Members[i]))
		}
	}
	var more []page.Inline
	if len(vacant) > 0 {
		more = append(append(page.Line(page.T("Vacant: ")), vacant[1:]...), page.T(". "))
	}
	all := "Roles"
	if len(v.Roles) > fewRoles {
		all = "All " + number(len(v.Roles)) + " roles"
	}
	more = append(more, page.Link(all, s.URL()+"/roles"))
	if s.People > len(v.Members) {
		more = append(more, page.T(" · "), page.Link("All "+number(s.People)+" members", s.URL()+"/members"))
	}
	blocks := append([]page.Block{list}, MemberAgents(s.Org, v.Agents)...)
	return page.Section{ID: "members", Title: "Members", Blocks: append(blocks, page.Para(more)),
		Few: page.Few{Most: fewItems, More: s.URL() + "/members"}}
}

func memberRoles(roles []store.Role) (lines [][]page.Inline) {
	for i := range roles {
		line := roleIn(&roles[i])
		switch roles[i].State() {
		case store.RoleActing:
			line = append(line, page.T(", standing in"))
		case store.RoleOver:
			line = append(line, page.T(", whose term is over"))
		}
		if roles[i].Mission != "" {
			line = append(line, page.T(": "), page.T(roles[i].Mission))
		}
		lines = append(lines, line)
	}
	return lines
}

// Roles returns the page that lists an organization's roles that the actor may see, the vacant ones first.
func Roles(_ store.Actor, v *store.RolesPage) page.Page {
	o := v.Organization
	p := OrganizationPage(o, "Roles", "Roles of "+o.Name)
	p.Audience += "; of its roles, those of studios that you can see"
	if len(v.Vacant)+len(v.Held) == 0 {
		p.Blocks = []page.Block{page.Para(page.Line(page.T("There are no roles here.")))}
		return p
	}
	if len(v.Vacant) > 0 {
		p.Blocks = append(p.Blocks, page.Section{
			ID:     "vacant",
			Title:  "Vacant",
			Blocks: []page.Block{roleTable("Vacant roles", v.Vacant, true)},
		})
	}
	if len(v.Held) > 0 {
		p.Blocks = append(p.Blocks, page.Section{
			ID:     "held",
			Title:  "Held",
			Blocks: []page.Block{roleTable("Roles that are held", v.Held, true)},
		})
	}
	if v.Next != "" {
		p.Continue("More roles", o.URL()+"/roles?after="+v.Next)
	}
	return p
}
