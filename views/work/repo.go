package work

import (
	"slices"
	"strings"
	"time"

	"samepage/store"
	"samepage/store/work"
	"samepage/store/work/wire"
	"samepage/views"
	"samepage/views/page"
)

// studioPage returns a page of a studio without blocks. The links in above come last in its trail. The page is not
// public.
func studioPage(s *store.Studio, kind, title string, above ...page.Inline) page.Page {
	p := views.StudioPage(s, kind, title)
	p.Trail, p.Public = append(p.Trail, above...), false
	return p
}

// Repos returns the page that lists a studio's repositories.
func Repos(_ store.Actor, v *work.Repos) page.Page {
	s := v.Studio
	p := studioPage(s, "Repositories", "Repositories")
	how := []page.Inline{page.T("The owner of " + s.OrgName + " adds one on the page of a "),
		page.Link("runner", work.RunnersURL(s.Org)), page.T(".")}
	if len(v.List) == 0 {
		p.Blocks = []page.Block{page.Empty(slices.Concat(page.Line(page.T(s.Name+" has no repository. ")), how,
			page.Line(page.T(" "), page.Link("The way to a first pull request", helpURL))))}
		return p
	}
	p.Blocks = []page.Block{repoTable(v.List), page.Para(how)}
	return p
}

func repoTable(list []work.Repo) page.Table {
	t := page.Table{Caption: "Repositories", Lines: true, Columns: page.Columns("Repository", "Default branch", "Fetched")}
	for i := range list {
		r := &list[i]
		main, fetched := page.Line(page.T("–")), page.Line(page.T("not yet"))
		if !r.FetchedAt.IsZero() {
			main = page.Line(page.Mono(r.Main), page.T(" at "), page.Mono(work.Short(r.Head)))
			fetched = page.Line(page.When(r.FetchedAt.Time))
		}
		t.Rows = append(t.Rows, page.Row{Key: r.ID, Cells: [][]page.Inline{
			page.Line(page.Link(r.Name, r.URL()), page.T(" of "+r.StudioName)), main, fetched}})
	}
	return t
}

// Repo returns the page of a repository.
func Repo(_ store.Actor, v *work.RepoPage) page.Page {
	r, s := v.Repo, v.Studio
	p := studioPage(s, "Repository", r.Name, page.Link("Repositories", s.URL()+"/repos"))
	p.State = repoState(v)
	p.Data = func() any { return repoData(v) }
	facts := page.Facts{
		{Label: "From", Value: page.Line(page.Mono(r.Source))},
		{Label: "Runner", Value: page.Line(page.Link(r.Runner, work.RunnersURL(s.Org)+"/"+r.RunnerID))},
		mergeRules(r), checkOf(r),
	}
	facts = append(facts, recipe(r)...)
	if site := r.Forge(); site != "" {
		facts = append(facts, page.Fact{Label: "Pull requests", Value: page.Line(page.Sentence("can be published at " + site))})
	}
	p.Blocks = []page.Block{page.Rail{facts}}
	if r.FetchedAt.IsZero() {
		return p
	}
	p.Blocks = append(p.Blocks, page.Section{ID: "worktrees", Title: "Worktrees", Few: page.Few{Most: fewRows},
		Blocks: []page.Block{worktreeTable(v.Worktrees, "No worktree of it is in use.")}})
	p.Blocks = append(p.Blocks, issues(v)...)
	p.Blocks = append(p.Blocks, page.Section{ID: "log", Title: "Newest commits of " + v.RepoFacts.Main,
		Blocks: []page.Block{commits(v.Commits)}},
		page.Section{ID: "branches", Title: "Branches of the original", Blocks: []page.Block{branches(v)}})
	return p
}

func mergeRules(r *work.Repo) page.Fact {
	text := "need an approved review of the last commit, or a person's reason"
	if !r.Reviews {
		text = "need no review"
	}
	if list := r.Protected.List(); len(list) > 0 {
		text += "; only people merge changes of " + strings.Join(list, ", ")
	}
	return page.Fact{Label: "Merges", Value: page.Line(page.Sentence(text))}
}

func checkOf(r *work.Repo) page.Fact {
	if r.CheckArgv == "" {
		return page.Fact{Label: "Check", Value: page.Line(page.T("none, so commits of pull requests are not checked"))}
	}
	return page.Fact{Label: "Check", Value: page.Line(page.Mono(commandLine(r.CheckArgv)),
		page.T(", on each commit of a pull request"))}
}

// commandLine returns a program and its arguments as one line, with quotes around each argument that contains blanks or
// quotes.
func commandLine(argv work.Lines) string {
	list := argv.List()
	for i, arg := range list {
		if strings.ContainsAny(arg, " \t'\"") {
			list[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
	}
	return strings.Join(list, " ")
}

func repoState(v *work.RepoPage) []page.Inline {
	r := v.Repo
	found := page.Line(page.Sentence(views.Counted(len(v.Branches), "branch", "branches")+", fetched "),
		page.When(r.FetchedAt.Time), page.T("."))
	waits := " The runner " + r.RunnerNoted() + " is to fetch it."
	switch r.State() {
	case work.RepoNew:
		return page.Line(page.Pill("New", page.Calm), page.T("."+waits))
	case work.RepoFetching:
		return append(page.Line(page.Pill("Fetching", page.Live), page.T("."+waits+" Until then: ")), found...)
	case work.RepoFailed:
		line := page.Line(page.Pill("Failed", page.Bad), page.Sentence(". The last fetch "+jobState(r.Job)+"."+
			remedy(v.Studio, r.Job.Else())))
		if r.FetchedAt.IsZero() {
			return line
		}
		return append(append(line, page.T(" Before that: ")), found...)
	}
	return append(page.Line(page.Pill("Ready", page.Good), page.T(". ")), found...)
}

func commits(list []wire.Commit) page.Block {
	t := page.Table{Caption: "Commits", Lines: true, Columns: page.Columns("Subject", "Commit", "Author", "When")}
	for _, c := range list {
		t.Rows = append(t.Rows, page.Row{Key: c.Hash, Cells: [][]page.Inline{page.Line(page.T(c.Subject)),
			page.Line(page.Mono(work.Short(c.Hash))), page.Line(page.T(c.Author)), page.Line(page.When(c.At))}})
	}
	return t
}

func branches(v *work.RepoPage) page.Block {
	t := page.Table{Caption: "Branches of the original", Lines: true, Columns: page.Columns("Branch", "Last commit", "When")}
	for _, b := range v.Branches {
		t.Rows = append(t.Rows, page.Row{Cells: [][]page.Inline{page.Line(page.Mono(b.Name)),
			page.Line(page.Mono(work.Short(b.Head))),
			page.Line(page.When(b.At))}})
	}
	return t
}

// jobSince returns the time of a job's end or, before that, of its creation.
func jobSince(j *work.Job) time.Time {
	if !j.EndedAt.IsZero() {
		return j.EndedAt.Time
	}
	return j.CreatedAt.Time
}

func repoData(v *work.RepoPage) any {
	return struct {
		Name     string        `json:"name"`
		State    string        `json:"state"`
		Source   string        `json:"source"`
		Main     string        `json:"main,omitempty"`
		Head     string        `json:"head,omitempty"`
		Branches []wire.Branch `json:"branches,omitempty"`
		Commits  []wire.Commit `json:"commits,omitempty"`
		Issues   []issuePublic `json:"issues,omitempty"`
	}{v.Name, v.Repo.State(), v.Source, v.Repo.Main, v.Repo.Head, v.Branches, v.Commits, publicIssues(v.Issues)}
}

var (
	_ = views.DeclareList(views.List{Title: "Repositories", Path: "/repos"})
	_ = views.DeclareList(views.List{Title: "Worktrees", Path: "/worktrees"})
	_ = views.DeclareList(views.List{Title: "Sessions", Path: "/sessions", Live: work.LiveSessions, One: "session",
		Many: "sessions"})
	_ = views.DeclareList(views.List{Title: "Reviews", Path: "/reviews"})
	_ = views.DeclareList(views.List{Title: "Pull requests", Path: "/pulls"})
)
