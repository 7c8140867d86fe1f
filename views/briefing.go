package views

import (
	"samepage/store"
	"samepage/views/page"
)

// Briefing returns the page that an agent reads first in an organization, and a person on a Monday. It has at most 4,000
// characters of markdown.
func Briefing(by store.Actor, v *store.Briefing, verbs map[string]Verb) page.Page {
	o := v.Organization
	p := page.Page{
		Title:    "Briefing of " + o.Name,
		Kind:     "Briefing",
		Trail:    page.Line(page.Link(o.Name, o.URL())),
		Audience: "you alone",
		State:    page.Line(page.Sentence("You are " + by.Name() + ".")),
	}
	part := func(id, title string, lines [][]page.Inline, none string) {
		blocks := []page.Block{page.List(lines)}
		if len(lines) == 0 {
			blocks = []page.Block{page.Para(page.Line(page.T(none)))}
		}
		p.Blocks = append(p.Blocks, page.Section{ID: id, Title: title, Blocks: blocks})
	}
	var lines [][]page.Inline
	for i := range v.Roles {
		r := &v.Roles[i]
		line := roleIn(r)
		if r.Mission != "" {
			line = append(line, page.T(": "+brief(r.Mission)))
		}
		lines = append(lines, line)
	}
	part("roles", "Your roles", lines, "You hold none.")
	lines = nil
	for i := range v.Asked {
		a := &v.Asked[i]
		lines = append(lines, page.Line(page.T("Approval: "), page.Link(brief(a.Ref().Title), a.PageURL())))
	}
	for i := range v.Waiting {
		w := &v.Waiting[i]
		line := page.Line(page.T(verbs[w.For].Title+": "), page.Link(brief(w.Title), w.URL()))
		if w.ByDue && !w.DueAt.IsZero() {
			line = append(line, page.T(", "), page.Distance(w.DueAt.Time).Dated())
		}
		lines = append(lines, line)
	}
	part("waiting", "Waits for you", lines, "Nothing waits for you.")
	part("decided", "Ended in the last 7 days", briefItems(v.Decided), "Nothing.")
	part("begun", "Begun in the last 7 days, and open", briefItems(v.Begun), "Nothing.")
	p.Blocks = append(p.Blocks, page.Para(page.Line(page.Link("All that is open", o.URL()+"/open"), page.T(" · "),
		page.Link("Journal", o.URL()+"/journal"), page.T(" · "), page.Link("Roles", o.URL()+"/roles"), page.T(" · "),
		page.Link("Members", o.URL()+"/members"))))
	return p
}

// briefItems lists items with their states.
func briefItems(list []store.Item) (lines [][]page.Inline) {
	for i := range list {
		x := &list[i]
		lines = append(lines, append(page.Line(page.Link(brief(x.Title), x.URL()), page.T(", ")), itemState(x)...))
	}
	return lines
}

// brief cuts a text after 80 characters.
func brief(text string) string {
	if r := []rune(text); len(r) > 80 {
		return string(r[:79]) + "…"
	}
	return text
}
