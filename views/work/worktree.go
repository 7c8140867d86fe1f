package work

import (
	"fmt"

	"samepage/store"
	"samepage/store/work"
	"samepage/store/work/wire"
	"samepage/views"
	"samepage/views/page"
)

// fewRows is the maximum number of rows of a short list in markdown.
const fewRows = 5

// Worktrees returns the page that lists a studio's worktrees.
func Worktrees(_ store.Actor, v *work.Worktrees) page.Page {
	s := v.Studio
	p := studioPage(s, "Worktrees", "Worktrees")
	none := s.Name + " has no worktree in use. Its members add one on the page of a repository."
	other := page.Link("Archived worktrees", s.URL()+"/worktrees?show=archived")
	if v.Archived {
		p.Title, none = "Archived worktrees", s.Name+" has archived no worktree."
		other = page.Link("Worktrees in use", s.URL()+"/worktrees")
	}
	p.Blocks = []page.Block{worktreeTable(v.List, none)}
	if v.More {
		p.Blocks = append(p.Blocks, page.Para(page.Line(page.T(fmt.Sprintf("These are the %d that were archived last.", len(v.List))))))
	}
	p.Blocks = append(p.Blocks, page.Para(page.Line(page.Link("Repositories", s.URL()+"/repos"), page.T(" · "), other)))
	return p
}

// worktreeTable returns a table of worktrees or, if there are none, the given sentence.
func worktreeTable(list []work.Worktree, none string) page.Block {
	if len(list) == 0 {
		return page.Empty(page.Line(page.T(none)))
	}
	t := page.Table{Caption: "Worktrees", Lines: true, Columns: page.Columns("Worktree", "Branch", "State", "Since the base")}
	for i := range list {
		w := &list[i]
		t.Rows = append(t.Rows, page.Row{Key: w.ID, Cells: [][]page.Inline{
			page.Line(page.Link(w.Name, w.URL()), page.T(" of "+w.Repo)), page.Line(page.Mono(w.Branch)),
			page.Line(page.T(w.State())), page.Line(page.Sentence(since(w)))}})
	}
	return t
}

func since(w *work.Worktree) string {
	if w.FactsAt.IsZero() {
		return "not known yet"
	}
	text := apart(w.Ahead, w.Behind)
	if w.Dirty {
		text += ", uncommitted changes"
	}
	return text
}

func apart(ahead, behind int) string { return fmt.Sprintf("%d ahead, %d behind", ahead, behind) }

// Worktree returns the page of a worktree.
func Worktree(by store.Actor, v *work.WorktreePage) page.Page {
	w := v.Worktree
	p := worktreePage(w, w.Name, "Worktree")
	p.State, p.Data = worktreeState(w), func() any { return worktreeData(v) }
	facts := page.Facts{{Label: "Repository", Value: page.Line(page.Link(w.Repo, w.Studio.URL()+"/repos/"+w.Repo))},
		{Label: "Branch", Value: page.Line(page.Mono(w.Branch), page.T(" from "), page.Mono(w.Base))},
		{Label: "Runner", Value: page.Line(page.Link(w.Runner, work.RunnersURL(w.Studio.Org)+"/"+w.RunnerID))}}
	if w.FactsAt.IsZero() {
		p.Blocks = []page.Block{page.Rail{facts}}
		return p
	}
	facts = append(facts, page.Fact{Label: "Head", Value: page.Line(page.Mono(work.Short(w.Head)))},
		page.Fact{Label: "Since the base", Value: page.Line(page.Sentence(since(w)))},
		page.Fact{Label: "Size", Value: page.Line(page.Sentence(views.FileSize(w.Size)))},
		page.Fact{Label: "Seen", Value: page.Line(page.When(w.FactsAt.Time))})
	if w.Pull > 0 {
		facts = append(facts, pullFact(w.Studio, w.Pull))
	}
	facts = append(facts, settingFacts(w)...)
	p.Blocks = append(append([]page.Block{page.Rail{facts}}, notices(v)...), settingOutputs(w)...)
	if len(v.Sessions) > 0 {
		p.Blocks = append(p.Blocks, page.Section{ID: "sessions", Title: "Sessions of agents",
			Few: page.Few{Most: fewRows,
				More: w.Studio.URL() + "/sessions"}, Blocks: []page.Block{sessionTable(by, w.Studio, v.Sessions, "")}})
	} else if w.ArchivedAt.IsZero() {
		p.Blocks = append(p.Blocks, page.Section{ID: "sessions", Title: "Sessions of agents", Blocks: []page.Block{
			page.Empty(page.Line(page.T("No agent has worked here yet.")))}})
	}
	p.Blocks = append(p.Blocks, page.Section{ID: "files", Title: "Changed files", Few: page.Few{Most: 2 * fewRows},
		Blocks: changedFiles(v)}, page.Section{ID: "log", Title: "Commits since the base",
		Few:    page.Few{Most: fewRows},
		Blocks: sinceBase(v)})
	return p
}

func pullFact(h *store.Studio, n int) page.Fact {
	return page.Fact{Label: "Pull request", Value: page.Line(page.Link(fmt.Sprintf("#%d", n), work.PullURL(h.URL(), n)))}
}

// worktreePage returns the page of a worktree, or a page below it, without blocks.
func worktreePage(w *work.Worktree, title, kind string) page.Page {
	s := w.Studio
	return studioPage(s, kind, title, page.Link("Worktrees", s.URL()+"/worktrees"))
}

func worktreeState(w *work.Worktree) []page.Inline {
	var line []page.Inline
	switch w.State() {
	case work.WorktreeCreating:
		return page.Line(page.Pill("Creating", page.Live), page.T(". The runner "+w.RunnerNoted()+" is to make its folder."))
	case work.WorktreeFailed:
		return page.Line(page.Pill("Failed", page.Bad),
			page.Sentence(". Its folder could not be made: the job "+jobState(w.Job)+"."+
				remedy(w.Studio, "try again, or archive it and add one with another name and branch")))
	case work.WorktreeArchived:
		line = page.Line(page.Pill("Archived", page.Calm), page.T(" "), page.When(w.ArchivedAt.Time))
		if w.MadeAt.IsZero() {
			return append(line, page.T(". It never had a folder."))
		}
		line = append(line, page.T(". Its commits stay in the repository."))
	default:
		line = page.Line(page.Pill("Ready", page.Good), page.T("."))
	}
	switch {
	case w.Job == nil:
	case w.Job.Open():
		line = append(line, page.T(" The runner "+w.RunnerNoted()+" is to "+w.Job.Does()+" it."))
	case w.Job.State() != work.JobDone:
		line = append(line, page.Sentence(" The last job, to "+w.Job.Does()+" it, "+jobState(w.Job)+"."+
			remedy(w.Studio, w.Job.Else())))
	}
	return line
}

// remedy returns a sentence that members can do something after a job failed, such as "try again". It returns "" if the
// studio is archived.
func remedy(s *store.Studio, does string) string {
	if s.MustBeActive() != nil {
		return ""
	}
	return " Members of " + s.Name + " can " + does + "."
}

func notices(v *work.WorktreePage) (blocks []page.Block) {
	w := v.Worktree
	say := func(format string, args ...any) {
		blocks = append(blocks, page.Para(page.Line(page.Sentence(fmt.Sprintf(format, args...)))))
	}
	if v.Found.Branch != w.Branch {
		if v.Found.Branch == "" {
			say("The checkout is on no branch, so its commits are not on %s.", w.Branch)
		} else {
			say("The checkout is on the branch %s, and not on %s.", v.Found.Branch, w.Branch)
		}
	}
	if n := len(v.Found.Nested); n > 0 {
		say("%s inside of it %s a repository of its own, which no commit contains: %s.",
			views.Counted(n, "folder", "folders"),
			map[bool]string{true: "is", false: "are"}[n == 1], v.Found.Nested[0])
	}
	return blocks
}

func changedFiles(v *work.WorktreePage) []page.Block {
	w := v.Worktree
	if len(v.Files) == 0 {
		return []page.Block{page.Empty(page.Line(page.T("No file differs from the base.")))}
	}
	sum := fmt.Sprintf("%s, +%d −%d lines, with what is not committed.", views.Counted(w.Changed, "file", "files"),
		w.Added, w.Deleted)
	if v.Found.More {
		sum += " There are more files than the runner reports."
	}
	if w.Changed > len(v.Files) {
		sum += fmt.Sprintf(" The first %d are here.", len(v.Files))
	}
	diff := w.URL() + "/diff"
	return []page.Block{page.Para(page.Line(page.Sentence(sum+" "), page.Link("The difference", diff))),
		fileTable(v.Files, func(f wire.ChangedFile) string { return diff + "?from=" + work.DiffPlace(f.N, 0) })}
}

// fileTable returns a table of changed files. The function address returns the link of a file, or "".
func fileTable(list []wire.ChangedFile, address func(wire.ChangedFile) string) page.Table {
	t := page.Table{Caption: "Changed files", Lines: true, Columns: page.Columns("File", "Change", "Lines")}
	for _, f := range list {
		name := page.Mono(f.Path)
		if u := address(f); u != "" {
			name = page.Link(f.Path, u)
		}
		t.Rows = append(t.Rows, page.Row{Cells: [][]page.Inline{page.Line(name), page.Line(page.Sentence(changeOf(&f))),
			page.Line(page.Sentence(lines(&f)))}})
	}
	return t
}

func changeOf(f *wire.ChangedFile) string {
	if f.Was != "" {
		return f.Change + " from " + f.Was
	}
	return f.Change
}

func lines(f *wire.ChangedFile) string {
	if f.Binary {
		return "not text"
	}
	return fmt.Sprintf("+%d −%d", f.Added, f.Deleted)
}

// mostSince is the maximum number of commits on the page of a worktree or of a pull request.
const mostSince = 20

func sinceBase(v *work.WorktreePage) []page.Block {
	log := page.Para(page.Line(page.Link("The log", v.URL()+"/log")))
	if v.Ahead == 0 {
		return []page.Block{page.Empty(page.Line(page.T("There is no commit yet."))), log}
	}
	list := v.Found.Commits[:min(mostSince, len(v.Found.Commits))]
	var blocks []page.Block
	if len(list) > 0 {
		blocks = append(blocks, commits(list))
	}
	if older := v.Ahead - len(list); older > 0 {
		log = page.Para(page.Line(page.Sentence(views.Counted(older, "older commit is",
			"older commits are")+" not here. "),
			page.Link("The log", v.URL()+"/log")))
	}
	return append(blocks, log)
}

func worktreeData(v *work.WorktreePage) any {
	w := v.Worktree
	return struct {
		Name    string             `json:"name"`
		State   string             `json:"state"`
		Repo    string             `json:"repo"`
		Branch  string             `json:"branch"`
		Base    string             `json:"base"`
		Head    string             `json:"head,omitempty"`
		Ahead   int                `json:"ahead"`
		Behind  int                `json:"behind"`
		Dirty   bool               `json:"dirty"`
		Size    int64              `json:"size"`
		Changed int                `json:"changed"`
		Files   []wire.ChangedFile `json:"files,omitempty"`
		Commits []wire.Commit      `json:"commits,omitempty"`
		Setup   string             `json:"setup,omitempty"`
		Env     string             `json:"environment,omitempty"`
		Port    int                `json:"port,omitempty"`
	}{w.Name, w.State(), w.Repo, w.Branch, w.Base, w.Head, w.Ahead, w.Behind, w.Dirty, w.Size, w.Changed, v.Files,
		v.Found.Commits, w.SetupState, w.EnvState, w.EnvPort}
}
