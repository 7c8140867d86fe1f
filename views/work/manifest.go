package work

import (
	"fmt"

	"samepage/store"
	"samepage/store/work"
	"samepage/views"
	"samepage/views/page"
)

// Manifests returns the page that lists an organization's manifests.
func Manifests(_ store.Actor, v *work.Manifests) page.Page {
	o := v.Organization
	p := views.OrganizationPage(o, "Manifests", "Agents of "+o.Name+" to start")
	if len(v.List) == 0 {
		p.Blocks = []page.Block{page.Empty(page.Line(page.T(
			"There is no manifest yet. A manifest says how an agent is started on the machine of a runner. A runner that finds a known " +
				"agent adds some, and the owner adds others here.")))}
		return p
	}
	t := page.Table{Caption: "Manifests", Lines: true, Columns: page.Columns("Agent", "For", "Program", "State")}
	for i := range v.List {
		f := &v.List[i]
		t.Rows = append(t.Rows, page.Row{Key: f.Key, Cells: [][]page.Inline{page.Line(page.Link(f.Title, f.URL())),
			page.Line(page.T(f.Role)), page.Line(page.Mono(f.Argv.List()[0])),
			page.Line(page.Sentence(manifestState(f)))}})
	}
	p.Blocks = []page.Block{t}
	return p
}

func manifestState(f *work.Manifest) string {
	switch {
	case !f.RetiredAt.IsZero():
		return "retired"
	case f.Asks:
		return "in use, asks before it acts"
	}
	return "in use"
}

// Manifest returns the page of a manifest, which says how a runner starts an agent.
func Manifest(_ store.Actor, v *work.ManifestPage) page.Page {
	f, o := v.Manifest, v.Organization
	p := views.OrganizationPage(o, "Manifest", f.Title)
	p.Trail = append(p.Trail, page.Link("Manifests", work.ManifestsURL(o.Handle)))
	p.State = page.Line(page.Pill("In use", page.Good),
		page.T(". Members start sessions with it on the page of a worktree."))
	if !f.RetiredAt.IsZero() {
		p.State = page.Line(page.Pill("Retired", page.Calm), page.T(" "), page.When(f.RetiredAt.Time), page.T("."))
	}
	asks := "It does not ask before it acts, so only people start it."
	if f.Asks {
		asks = "It asks before it acts."
	}
	facts := page.Facts{{Label: "For", Value: page.Line(page.T(f.Role))},
		{Label: "Protocol", Value: page.Line(page.T(map[string]string{work.AdapterACP: "Agent Client Protocol",
			work.AdapterPlain: "plain: prompt in, text out"}[f.Adapter]))},
		{Label: "Asks", Value: page.Line(page.T(asks))},
		{Label: "Sandbox", Value: page.Line(page.T("none of ours: the program has the rights of the runner's user"))}}
	for _, e := range []struct{ label, value string }{{"Mode", f.Mode}, {"Model", f.Model}, {"Sign-in", f.SignIn}} {
		if e.value != "" {
			facts = append(facts, page.Fact{Label: e.label, Value: page.Line(page.Mono(e.value))})
		}
	}
	facts = append(facts, page.Fact{Label: "Version", Value: page.Line(page.T(fmt.Sprint(f.Version)+", by "),
		page.Who("@"+f.Author, ""),
		page.T(", "), page.When(f.CreatedAt.Time))})
	p.Blocks = []page.Block{facts, page.Section{ID: "program", Title: "Program", Blocks: []page.Block{
		page.Code{Text: string(f.Argv)}}}}
	if f.Env != "" {
		p.Blocks = append(p.Blocks, page.Section{ID: "environment", Title: "Variables that it gets",
			Blocks: []page.Block{
				page.Code{Text: string(f.Env)}}})
	}
	if f.Prompt != "" {
		p.Blocks = append(p.Blocks, page.Section{ID: "instructions", Title: "Instructions", Blocks: []page.Block{
			page.Prose{Lead: page.Line(page.T("Before each prompt")), Text: f.Prompt, Brief: true}}})
	}
	if len(v.Versions) > 1 {
		list := page.List{}
		for i := range v.Versions {
			e := &v.Versions[i]
			list = append(list, page.Line(page.T(fmt.Sprintf("Version %d by ", e.Version)),
				page.Who("@"+e.Author, ""), page.T(", "),
				page.When(e.CreatedAt.Time), page.Sentence(": "+string(e.Argv.List()[0])+", "+manifestState(e)+".")))
		}
		p.Blocks = append(p.Blocks, page.Section{ID: "versions", Title: "Versions", Few: page.Few{Most: 5},
			Blocks: []page.Block{list}})
	}
	return p
}
