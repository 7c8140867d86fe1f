package work

import (
	"fmt"

	"samepage/store"
	"samepage/store/work"
	"samepage/store/work/wire"
	"samepage/views"
	"samepage/views/page"
)

// Log returns a page with a range of the commits of a worktree.
func Log(_ store.Actor, v *work.LogPage) page.Page {
	w := v.Worktree
	p := worktreePage(w, "Commits of "+w.Name, "Log")
	p.Trail = append(p.Trail, page.Link(w.Name, w.URL()))
	p.Data = func() any { return logData(v) }
	if w.FactsAt.IsZero() {
		p.Blocks = []page.Block{page.Empty(page.Line(page.T("Its folder was not looked at yet.")))}
		return p
	}
	p.State = page.Line(page.Sentence(fmt.Sprintf("%d ahead of %s, %d behind, as seen ", w.Ahead, w.Base, w.Behind)),
		page.When(w.FactsAt.Time), page.T("."))
	if !v.First {
		p.Blocks = append(p.Blocks, page.Para(page.Line(page.Link("The newest commits", w.URL()+"/log"))))
	}
	switch {
	case len(v.Since) > 0:
		p.Blocks = append(p.Blocks, page.Section{ID: "since", Title: "Since the base",
			Blocks: []page.Block{commits(v.Since)}})
	case w.Ahead == 0 && v.First:
		p.Blocks = append(p.Blocks, page.Para(page.Line(page.Sentence("It has no commit that "+w.Base+" lacks."))))
	}
	if len(v.Older) > 0 {
		p.Blocks = append(p.Blocks, page.Section{ID: "older", Title: "Up to the base",
			Blocks: []page.Block{commits(v.Older)}})
	}
	if v.Next != "" {
		p.Continue("More commits", w.URL()+"/log?from="+v.Next)
		return p
	}
	p.Blocks = append(p.Blocks, page.Para(page.Line(page.Sentence(logEnd(v)))))
	return p
}

// logEnd returns a sentence on the commits that are older than the last one on the page.
func logEnd(v *work.LogPage) string {
	switch {
	case v.Gap > 0:
		return "The report of the runner ends here: " + views.Counted(v.Gap, "older commit", "older commits") +
			" since the base, and all before it, are only in the repository."
	case v.Whole:
		return "The history begins with this commit."
	}
	return "The report of the runner ends here. Older commits are only in the repository."
}

func logData(v *work.LogPage) any {
	return struct {
		Name   string        `json:"name"`
		Base   string        `json:"base"`
		Head   string        `json:"head,omitempty"`
		Ahead  int           `json:"ahead"`
		Behind int           `json:"behind"`
		Since  []wire.Commit `json:"since,omitempty"`
		Older  []wire.Commit `json:"older,omitempty"`
		Whole  bool          `json:"whole,omitempty"`
	}{v.Name, v.Base, v.Head, v.Ahead, v.Behind, v.Since, v.Older, v.Whole}
}
