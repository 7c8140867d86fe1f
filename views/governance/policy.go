package governance

import (
	"net/url"
	"strconv"

	"samepage/store"
	"samepage/store/governance"
	"samepage/views"
	"samepage/views/page"
)

// PolicyNoun has the words for policies.
var PolicyNoun = views.DeclareNoun(views.Noun{
	Kind: governance.PolicyKind, One: "Policy", Many: "Policies", Path: "/policies", Under: "/roles",
	Closed: map[string]string{governance.PolicyActive: "in force, made", governance.PolicyRetired: "retired"},
})

// Policy returns the page of one policy.
func Policy(by store.Actor, v *governance.PolicyPage) page.Page {
	o := v.Policy
	p := views.ItemPage(&o.Item, "Policy", policyTitle(o))
	p.State, p.Data = policyState(o), func() any { return policyData(o) }
	if o.Abstract != "" {
		p.Blocks = append(p.Blocks, page.Prose{ID: "abstract", Lead: page.Line(page.T("In short")), Text: o.Abstract})
	}
	p.Blocks = append(p.Blocks, page.Section{ID: "text", Title: "Text", Blocks: views.VersionBody(&o.Item, v.Latest)})
	p.Blocks = append(p.Blocks, views.Discussion(by, &o.Item, v.Discussion, policyFacts(by, v))...)
	return p
}

func policyTitle(p *governance.Policy) string { return strconv.Itoa(p.Number) + ". " + p.Title }

func policyState(p *governance.Policy) []page.Inline {
	line := page.Line(page.Pill("In force", page.Good), page.T(" since "), page.When(p.ClosedAt.Time).Dated(), page.T("."))
	if !p.RetiredAt.IsZero() {
		line = page.Line(page.Pill("Retired", page.Calm), page.T(" "), page.When(p.RetiredAt.Time),
			page.T(". It holds no more, and can be read."))
	}
	if err := p.WhyOrphaned(); err != nil {
		return append(line, page.Sentence(" "+err.Error()))
	}
	return append(append(line, page.T(" Owned by ")), append(policyOwner(&p.Owner), page.T("."))...)
}

// policyOwner returns the name of the role that owns a policy, without links if the actor may not see the role.
func policyOwner(o *governance.PolicyOwner) []page.Inline {
	if !o.Visible {
		return page.Line(page.Sentence(o.Name()))
	}
	line := page.Line(page.Link(o.Title, o.URL()), page.T(" of "), page.Link(o.StudioName, "/studios/"+o.Studio))
	switch {
	case !o.DeletedAt.IsZero():
		return append(line, page.T(", deleted"))
	case o.HolderID == "":
		return append(line, page.T(", vacant"))
	case !o.ArchivedAt.IsZero():
		return append(line, page.T(", archived"))
	}
	return append(line, page.Sentence(", held by @"+o.Holder))
}

func policyFacts(by store.Actor, v *governance.PolicyPage) page.Facts {
	p := v.Policy
	f := page.Facts{{Label: "Number", Value: page.Line(page.T(strconv.Itoa(p.Number)))},
		{Label: "Owner", Value: append(policyOwner(&p.Owner), policiesOf(p)...)},
		{Label: "May edit", Value: page.Line(page.Sentence(policyEditors(p)))}}
	if m := by.In(p.OrgID).Member; m != nil && m.Governance == store.GovernanceConsent {
		f = append(f, page.Fact{Label: "May retire or give away", Value: page.Line(page.T("only an accepted topic"))})
	}
	if v.Latest != nil {
		f = append(f, page.Fact{Label: "Versions", Value: page.Line(page.Link(strconv.Itoa(p.Versions), p.URL()+"/versions"),
			page.T(", the last by "), views.Author(p.Studio, v.Latest.Member, v.Latest.Agent), page.T(", "),
			page.When(v.Latest.At.Time), page.T(": "+v.Latest.Reason))})
	}
	return f
}

// policiesOf returns a link to the policies of the same role, or nil if the actor may not see the role.
func policiesOf(p *governance.Policy) []page.Inline {
	if !p.Owner.Visible {
		return nil
	}
	u := withQuery(store.NumberedURL(p.Studio.Org, governance.PolicyKind), "role", p.Owner.ID)
	return page.Line(page.T("; "), page.Link("all of its policies", u))
}

func policyEditors(p *governance.Policy) string {
	switch {
	case !p.RetiredAt.IsZero():
		return "nobody, because it is retired"
	case p.WhyLost() != nil:
		return "nobody now"
	case !p.Owner.Visible:
		return "who holds its role, and an accepted topic of its studio"
	case p.Owner.HolderID == "":
		return "only an accepted topic of " + p.Owner.StudioName
	}
	return "@" + p.Owner.Holder + ", and an accepted topic of " + p.Owner.StudioName
}

type policyPublic struct {
	Number   int        `json:"number"`
	Title    string     `json:"title"`
	State    string     `json:"state"`
	Abstract string     `json:"abstract,omitempty"`
	Text     string     `json:"text,omitempty"`
	Owner    string     `json:"owner"`
	Holder   string     `json:"holder,omitempty"`
	Retired  store.Time `json:"retired,omitzero"`
	Versions int        `json:"versions"`
	URL      string     `json:"url"`
}

func policyData(p *governance.Policy) any {
	d := &policyPublic{p.Number, p.Title, p.State(), p.Abstract, p.Body, p.Owner.Name(), p.Owner.Holder, p.RetiredAt,
		max(p.Versions, 1), p.URL()}
	if !p.Owner.Visible {
		d.Holder = ""
	}
	return d
}

// PolicyList has the action that creates a policy.
type PolicyList struct{ Write views.Verb }

// Policies returns the page that lists an organization's policies.
func (l PolicyList) Policies(by store.Actor, v *governance.PoliciesPage) page.Page {
	o := v.Organization
	p := views.OrganizationPage(o, "Policies", "Policies of "+o.Name)
	p.Data = func() any { return policiesData(v.List) }
	p.State = page.Line(page.Sentence(views.Counted(v.Active, "policy is", "policies are") + " in force, " +
		views.Counted(v.Retired, "is", "are") + " retired or removed."))
	if v.Role != nil {
		p.State = append(p.State, page.T(" Of "), page.Link(v.Role.Title, v.Role.URL()), page.T(" alone: "),
			page.Link("those of all roles", policiesURL(v, "")), page.T("."))
	}
	p.Blocks = append(p.Blocks, page.Filters{Groups: []page.FilterGroup{{Links: []page.Filter{
		{Text: "In force", URL: policiesURL(v, "role"), Chosen: !v.PolicyQuery.Retired},
		{Text: "Retired", URL: policiesURL(v, "role", "show"), Chosen: v.PolicyQuery.Retired}}}}})
	switch {
	case len(v.List) > 0:
		p.Blocks = append(p.Blocks, policyTable(v.List))
	case v.PolicyQuery.Retired:
		p.Blocks = append(p.Blocks, page.Empty(page.Line(page.T("No policy is retired."))))
	default:
		p.Blocks = append(p.Blocks, page.Empty(page.Line(page.T("No policy is in force here. A policy is a text that holds in all of "+
			o.Name+", such as how money is spent. Who holds a role writes it."))))
	}
	if last := v.Last(); last != nil {
		p.Continue("More policies", withQuery(policiesURL(v, "role", "show"), "after", strconv.Itoa(last.Number)))
	}
	m := by.In(o.ID).Member
	if len(v.Mine) > 0 && !v.PolicyQuery.Retired && !by.IsAgent() && m != nil && m.Governance != store.GovernanceConsent {
		line := page.Line(page.T(l.Write.Title + " as "))
		for i := range v.Mine {
			r := &v.Mine[i]
			if i > 0 {
				line = append(line, page.T(", "))
			}
			line = append(line, page.Link(r.Title+" of "+r.Studio.Name, r.Studio.URL()+PolicyNoun.Path))
		}
		p.Blocks = append(p.Blocks, page.Para(append(line, page.T("."))))
	}
	return p
}

// policiesURL returns the address of the list of policies. The argument kept names the query parameters: "role" keeps
// the filter of the page, and "show" selects the retired policies.
func policiesURL(v *governance.PoliciesPage, kept ...string) string {
	u := store.NumberedURL(v.Handle, governance.PolicyKind)
	for _, key := range kept {
		switch {
		case key == "role" && v.Role != nil:
			u = withQuery(u, "role", v.Role.ID)
		case key == "show":
			u = withQuery(u, "show", "retired")
		}
	}
	return u
}

func withQuery(u, key, value string) string {
	at, _ := url.Parse(u) // a URL of this program is valid
	q := at.Query()
	q.Set(key, value)
	at.RawQuery = q.Encode()
	return at.String()
}

func policyTable(list []governance.Policy) page.Table {
	t := page.Table{Caption: "Policies", Lines: true, Columns: []page.Column{{Title: "Policy"}, {Title: "Owner"}, {Title: "State"},
		{Title: "In short", Whole: true}}}
	for i := range list {
		p := &list[i]
		t.Rows = append(t.Rows, page.Row{Cells: [][]page.Inline{
			page.Line(page.Link(policyTitle(p), p.URL())),
			policyOwner(&p.Owner),
			views.ItemState(&p.Item),
			page.Line(page.T(p.Abstract)),
		}, Ring: views.Ring(&p.Item)})
	}
	return t
}

func policiesData(list []governance.Policy) any {
	all := make([]any, len(list))
	for i := range list {
		all[i] = policyData(&list[i])
	}
	return struct {
		Policies []any `json:"policies"`
	}{all}
}

// StudioPolicies returns the page with the policies of a studio's roles, each with its text.
func StudioPolicies(_ store.Actor, v *governance.StudioPoliciesPage) page.Page {
	s := v.Studio
	p := views.StudioPage(s, "Policies", "Policies of "+s.Name)
	p.Audience, p.Public, p.Brief = "members of "+s.OrgName, false, true
	p.Data = func() any { return policiesData(v.List) }
	all := page.Para(page.Line(page.Link("All policies of "+s.OrgName, store.NumberedURL(s.Org, governance.PolicyKind)), page.T(", "),
		page.Link("roles of "+s.Name, s.URL()+"/roles"), page.T(".")))
	if len(v.List) == 0 {
		p.Blocks = []page.Block{page.Empty(page.Line(page.T("No role of " + s.Name + " owns a policy."))), all}
		return p
	}
	p.State = page.Line(page.Sentence(views.Counted(len(v.List), "policy", "policies") +
		" in force, owned by roles of " + s.Name + ". They hold in all of " + s.OrgName + "."))
	p.Blocks = append(p.Blocks, all)
	for i := range v.List {
		o := &v.List[i]
		lead := append(page.Line(page.Link(policyTitle(o), o.URL()), page.T(", ")), policyOwner(&o.Owner)...)
		text := o.Body
		if o.Abstract != "" {
			text = o.Abstract + "\n\n" + o.Body
		}
		p.Blocks = append(p.Blocks, page.Prose{Lead: lead, Text: text, More: o.URL()})
	}
	if v.Last() != nil {
		p.Blocks = append(p.Blocks, page.Para(page.Line(page.T("These are the first "+strconv.Itoa(v.Limit)+" of them."))))
	}
	return p
}
