package work

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"samepage/store"
	"samepage/store/work"
	"samepage/store/work/wire"
	"samepage/views"
	"samepage/views/page"
)

// DiffVerbs has the name of the action that comments on a line.
type DiffVerbs struct{ Comment string }

// Diff returns a page with a range of the diff between a worktree and its base. While a review is open, people of the
// studio can comment on the lines.
func (verbs DiffVerbs) Diff(by store.Actor, v *work.DiffPage) page.Page {
	w := v.Worktree
	p := worktreePage(w, "Difference of "+w.Name, "Difference")
	p.Trail = append(p.Trail, page.Link(w.Name, w.URL()))
	p.Data = func() any { return diffData(v) }
	if w.FactsAt.IsZero() {
		p.Blocks = []page.Block{page.Empty(page.Line(page.T("Its folder was not looked at yet.")))}
		return p
	}
	p.State = page.Line(page.Sentence(fmt.Sprintf("%s, +%d −%d lines from %s, with what is not committed, as seen ",
		views.Counted(w.Changed, "file", "files"), w.Added, w.Deleted, w.Base)), page.When(w.FactsAt.Time), page.T("."))
	if !v.First {
		p.Blocks = append(p.Blocks, page.Para(page.Line(page.Link("The beginning", w.URL()+"/diff"))))
	}
	form := ""
	if v.Review != nil {
		p.Blocks = append(p.Blocks, page.Para(page.Line(page.Link(v.Review.Name(), v.Review.URL()), page.T(" is about it."))))
		if v.TakesComments(by) {
			form = store.ActionURL(v.Review.URL(), verbs.Comment)
		}
	}
	for i := range v.Parts {
		p.Blocks = append(p.Blocks, diffPart(v, &v.Parts[i], form))
	}
	if v.Next != "" {
		p.Continue("More of the difference", w.URL()+"/diff?from="+v.Next)
	}
	return p
}

// diffPart returns a section with the diff of one file and its comments. The argument form is the URL of the form for a
// comment, or empty.
func diffPart(v *work.DiffPage, f *work.DiffPart, form string) page.Section {
	line := changeOf(&f.ChangedFile) + ", " + lines(&f.ChangedFile) + "."
	switch {
	case f.Cut:
		line += " The runner reports no more of it than is here, because it is too long."
	case f.From > 0:
		line += " This begins after line " + strconv.Itoa(f.From) + " of its difference."
	}
	if f.Long {
		line += " Long lines are cut."
	}
	if f.Left > 0 {
		line += " " + views.Counted(f.Left, "more line is", "more lines are") + " on the next page."
	}
	s := page.Section{Title: f.Path, Blocks: []page.Block{page.Para(page.Line(page.Sentence(line)))}}
	if f.Patch != "" {
		patch := page.Patch{Text: body(f.Patch)}
		if form != "" {
			patch.Comment = form + "?" + url.Values{"path": {f.Path}}.Encode()
		}
		s.Blocks = append(s.Blocks, patch)
	}
	for i := range v.Comments {
		if c := &v.Comments[i]; c.Path == f.Path {
			s.Blocks = append(s.Blocks, lineComment(c))
		}
	}
	return s
}

// body returns a patch without the header lines that have only paths and hashes. A patch without hunks stays whole.
func body(patch string) string {
	i := strings.Index("\n"+patch, "\n@@")
	if i < 0 {
		return patch
	}
	var kept strings.Builder
	for line := range strings.Lines(patch[:i]) {
		if word, _, _ := strings.Cut(line, " "); !slices.Contains([]string{"diff", "index", "---", "+++"}, word) {
			kept.WriteString(line)
		}
	}
	return kept.String() + patch[i:]
}

func diffData(v *work.DiffPage) any {
	files := make([]wire.ChangedFile, len(v.Parts))
	for i := range v.Parts {
		files[i] = v.Parts[i].ChangedFile
	}
	return struct {
		Name  string             `json:"name"`
		Base  string             `json:"base"`
		Head  string             `json:"head,omitempty"`
		Files []wire.ChangedFile `json:"files"`
	}{v.Name, v.Base, v.Head, files}
}
