package views

import (
	"samepage/store"
	"samepage/views/page"
)

// Tokens is the page of a person's tokens.
func Tokens(by store.Actor, v *store.Tokens) page.Page {
	p := page.Page{Title: "Tokens", Kind: "Tokens", Audience: "you alone", Version: headVersion(by)}
	active := 0
	t := page.Table{Caption: "Tokens", Columns: []page.Column{{Title: "Agent"}, {Title: "Scopes"}, {Title: "State"}, {Title: "Made"}, {Title: "Expires"}}}
	for i := range v.List {
		x := &v.List[i]
		if x.State() == "active" {
			active++
		}
		expires := page.Line(page.T("never"))
		if !x.Expires.IsZero() {
			expires = page.Line(page.When(x.Expires.Time))
		}
		label := page.Line(page.T(x.Label))
		if x.ClientHost != "" {
			label = append(label, page.T(", granted to "), page.T(x.ClientName), page.T(" at "), page.Mono(x.ClientHost))
		}
		t.Rows = append(t.Rows, page.Row{Key: x.ID, Cells: [][]page.Inline{label, page.Line(page.T(x.Scopes.String())), page.Line(page.T(x.State())),
			page.Line(page.When(x.CreatedAt.Time)), expires}})
	}
	p.State = page.Line(page.Sentence(count(active, "active token", "active tokens") + "."))
	if len(v.List) == 0 {
		p.Blocks = []page.Block{page.Para(page.Line(page.T("No agent acts for you yet. Make a token and give it to one: "), page.Link("how agents connect", "/help/agents"), page.T(".")))}
		return p
	}
	p.Blocks = []page.Block{t, page.Para(page.Line(page.Link("How agents connect", "/help/agents")))}
	return p
}
