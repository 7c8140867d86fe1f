package views

import (
	"slices"

	"samepage/store"
	"samepage/views/page"
)

// Briefing returns the page that sums up an organization for the reader. The argument verbs has the actions that items
// wait for, by [store.Wait.For].
func Briefing(by store.Actor, v *store.Briefing, verbs map[string]Verb) page.Page {
	o := v.Organization
	p := page.Page{
		Title:    "Briefing of " + o.Name,
		Kind:     "Briefing",
		Trail:    page.Line(page.Link(o.Name, o.URL())),
		Audience: "you alone",
		State:    page.Line(page.Sentence("You are " + by.Name() + ".")),
		Brief:    true,
		Rest:     o.URL(),
	}
	var waits [][]page.Inline
	for i := range v.Asked {
		a := &v.Asked[i]
		waits = append(waits, page.Line(page.T("Approval: "), page.Link(a.Ref().Title, a.PageURL())))
	}
	for i := range v.Wanted {
		r := &v.Wanted[i]
		waits = append(waits, page.Line(page.T(r.Act+": "), page.Link(r.Title, r.URL),
			page.Sentence(", asked by "+store.Byline(r.Member, r.Agent))))
	}
	for i := range v.Waiting {
		w := &v.Waiting[i]
		line := page.Line(page.T(verbs[w.For].Title+": "), page.Link(w.Title, w.URL()))
		if w.ByDue && !w.DueAt.IsZero() {
			line = append(line, page.T(", "), page.Distance(w.DueAt.Time).Dated())
		}
		waits = append(waits, line)
	}
	p.Blocks = []page.Block{
		BriefPart("roles", "Your roles", memberRoles(v.Roles), "You hold none.", o.URL()+"/roles"),
		BriefPart("waiting", "Waits for you", waits, "Nothing waits for you.", "/"),
		BriefPart("decided", "Ended in the last 7 days", briefItems(v.Decided), "Nothing.", o.URL()+"/journal"),
		BriefPart("begun", "Begun in the last 7 days, and open", briefItems(v.Begun), "Nothing.", o.URL()+"/open"),
		page.Para(page.Line(page.Link("All that is open", o.URL()+"/open"), page.T(" · "),
			page.Link("Journal", o.URL()+"/journal"), page.T(" · "), page.Link("Roles", o.URL()+"/roles"), page.T(" · "),
			page.Link("Members", o.URL()+"/members"))),
	}
	if len(v.Owned) > 0 {
		own := BriefPart("owned", "Policies you own", briefItems(v.Owned), "", o.URL()+"/policies")
		p.Blocks = slices.Insert(p.Blocks, 1, page.Block(own))
	}
	return p
}

// BriefPart returns a section of a brief page. If there are no lines, it has the sentence in none. If markdown has no
// room for all lines, it links to the address in more.
func BriefPart(id, title string, lines [][]page.Inline, none, more string) page.Section {
	blocks := []page.Block{page.List(lines)}
	if len(lines) == 0 {
		blocks = []page.Block{page.Para(page.Line(page.Sentence(none)))}
	}
	return page.Section{ID: id, Title: title, Blocks: blocks, Few: page.Few{More: more}}
}

func briefItems(list []store.Item) (lines [][]page.Inline) {
	for i := range list {
		x := &list[i]
		lines = append(lines, append(page.Line(page.Link(x.Title, x.URL()), page.T(", ")), itemState(x)...))
	}
	return lines
}
