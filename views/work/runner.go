// Package work builds the pages of runners, repositories and the work of agents.
package work

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"samepage/store"
	"samepage/store/work"
	"samepage/store/work/wire"
	"samepage/views"
	"samepage/views/page"
)

const helpURL = "/help/work"

// Runners returns the page that lists an organization's runners.
func Runners(_ store.Actor, v *work.Runners) page.Page {
	o := v.Organization
	p := views.OrganizationPage(o, "Runners", "Runners of "+o.Name)
	if len(v.List) == 0 {
		p.Blocks = []page.Block{page.Empty(page.Line(page.T(o.Name+
			" has no runner yet. A runner is a program on a machine of "+
			"yours that keeps git repositories for studios, and starts agents. The owner adds one here. "),
			page.Link("The way to a first pull request", helpURL)))}
		return p
	}
	t := page.Table{Caption: "Runners", Lines: true, Columns: page.Columns("Runner", "State", "Git", "Last word")}
	for i := range v.List {
		r := &v.List[i]
		t.Rows = append(t.Rows, page.Row{Key: r.ID, Cells: [][]page.Inline{page.Line(page.Link(r.Name, r.URL())),
			page.Line(page.T(r.State())), page.Line(page.Sentence(gitOf(r))), lastWord(r)}})
	}
	p.Blocks = []page.Block{t}
	return p
}

func gitOf(r *work.Runner) string {
	if r.Git == "" {
		return "not known"
	}
	return "git " + r.Git
}

func lastWord(r *work.Runner) []page.Inline {
	if r.SeenAt.IsZero() {
		return page.Line(page.T("none yet"))
	}
	return page.Line(page.When(r.SeenAt.Time))
}

// RunnerVerbs has the name of the action that adds a repository to a runner.
type RunnerVerbs struct{ Add string }

// Runner returns the page of a runner. Its JSON form, a [wire.Runner], is for the runner itself.
func (verbs RunnerVerbs) Runner(by store.Actor, v *work.RunnerPage) page.Page {
	r := v.Runner
	o := r.Organization
	p := views.OrganizationPage(o, "Runner", r.Name)
	p.Trail = append(p.Trail, page.Link("Runners", work.RunnersURL(o.Handle)))
	p.State = runnerState(r)
	p.Data = func() any { return runnerData(v) }
	facts := page.Facts{{Label: "Git", Value: page.Line(page.Sentence(gitOf(r)))},
		{Label: "Last word", Value: lastWord(r)}}
	starts := "none: its program was started without --agents, or in the server without --runner-agents"
	if r.Starts {
		starts = "as the user of its program, with that user's rights"
	}
	if !r.SeenAt.IsZero() {
		facts = append(facts, page.Fact{Label: "Starts agents", Value: page.Line(page.T(starts))})
	}
	if list := r.Forges.List(); len(list) > 0 {
		facts = append(facts, page.Fact{Label: "Opens pull requests at", Value: page.Line(page.Mono(strings.Join(list, ", ")))})
	}
	if v.Open > 0 {
		facts = append(facts, page.Fact{Label: "Watches", Value: page.Line(page.Sentence(watches(v.Open)))})
	}
	if list := r.Agents.List(); len(list) > 0 {
		facts = append(facts, page.Fact{Label: "Agents found there",
			Value: page.Line(page.Sentence(strings.Join(list, ", ")))})
	}
	if r.Program != "" {
		facts = append(facts, page.Fact{Label: "Version", Value: page.Line(page.Sentence(r.Program))})
	}
	p.Blocks = []page.Block{page.Rail{facts}, roots(r)}
	owner := by.Member != nil && by.Member.Owner && !by.IsAgent()
	repos := page.Section{ID: "repos", Title: "Repositories", Blocks: []page.Block{repoTable(v.Repos)}}
	if len(v.Repos) == 0 {
		line := page.Line(page.T("It keeps no repository yet. "))
		switch {
		case !owner:
			line = append(line, page.T("The owner adds one for a studio."))
		case r.MustBeOn() == nil:
			line = append(line, page.Link("Add a repository", store.ActionURL(r.URL(), verbs.Add)))
		}
		repos.Blocks = []page.Block{page.Empty(line)}
	}
	rest := []page.Block{repos, page.Section{ID: "jobs", Title: "Jobs", Blocks: []page.Block{jobTable(v.Jobs)}}}
	if owner {
		if start := startSection(r); r.SeenAt.IsZero() {
			p.Blocks = append(p.Blocks, start)
		} else {
			rest = append(rest, start)
		}
	}
	p.Blocks = append(p.Blocks, rest...)
	return p
}

// startSection returns the commands that start the program of a runner. The roots, which the owner has entered, do not
// begin a line, so they cannot end the block of code. The block has no language, so that no word is coloured.
func startSection(r *work.Runner) page.Block {
	list := r.Roots.List()
	if len(list) == 0 {
		list = []string{"/srv/git"}
	}
	roots := func(flag string) (text string) {
		for _, root := range list {
			text += " " + flag + " '" + strings.ReplaceAll(root, "'", `'\''`) + "'"
		}
		return text
	}
	return page.Section{ID: "start", Title: "How to start it", Blocks: []page.Block{page.Doc(
		"In the server: stop it, and start it again with these flags beside its own.\n\n" +
			"```\nSAMEPAGE_RUNNER_TOKEN=sp_… ./samepage serve --runner " + r.URL() +
			" \\\n  --runner-agents" + roots("--runner-root") + "\n```\n\n" +
			"Or as a program of its own, on the machine with the repositories:\n\n" +
			"```\nSAMEPAGE_TOKEN=sp_… ./samepage runner --url " + page.ExampleOrigin + r.URL() +
			" \\\n  --agents" + roots("--root") + "\n```\n\n" +
			"`sp_…` is the token that this page showed once; \"Make a new token\" ends that and shows another. " +
			"The runner keeps its copies in the folder `samepage-runner` where it is started, or in that of " +
			"`--runner-folder` or `--folder`. Git and agents run as the user of the program, with all rights of " +
			"that user; without the flag for agents it starts none. With `--forge https://github.com/NAME=FILE` " +
			"(`--runner-forge` in the server) and a token of GitHub in the file, it fetches, pushes, and opens " +
			"pull requests and issues there. [What comes next](/help/work).\n")}}
}

// watches returns a sentence on how often the runner looks at its open published pull requests.
func watches(open int) string {
	text := "the copies of " + views.Counted(open, "pull request", "pull requests") + ", each of them every two minutes"
	if open > 30 {
		text = fmt.Sprintf("the copies of %d pull requests in turn, 30 of them every two minutes", min(open, work.MaxWatched))
	}
	if open > work.MaxWatched {
		text += fmt.Sprintf(". The other %d, which were opened before those, wait until some of those end", open-work.MaxWatched)
	}
	return text
}

func runnerState(r *work.Runner) []page.Inline {
	switch r.State() {
	case work.RunnerStopped:
		if r.StoppedAt.IsZero() {
			return page.Line(page.Pill("Stopped", page.Calm), page.T(". Its token was paused or revoked."))
		}
		return page.Line(page.Pill("Stopped", page.Calm), page.T(" "), page.When(r.StoppedAt.Time),
			page.T(". It takes no jobs."))
	case work.RunnerAway:
		if r.SeenAt.IsZero() {
			return page.Line(page.Pill("Away", page.Calm), page.T(". The program has not been started yet."))
		}
		return page.Line(page.Pill("Away", page.Calm), page.T(". Its last word was "), page.When(r.SeenAt.Time),
			page.T("."))
	}
	line := page.Line(page.Pill("Ready", page.Live), page.T("."))
	if r.Problem != "" {
		line = append(line, page.Sentence(" It says: "+r.Problem))
	}
	return line
}

// roots returns a table of the folders and URLs below which the owner allows repositories. A note says whether the
// runner's program was started with the root or with one above it, if that is known.
func roots(r *work.Runner) page.Block {
	list := r.Roots.List()
	if len(list) == 0 {
		return page.Section{ID: "roots", Title: "Roots", Blocks: []page.Block{page.Empty(page.Line(
			page.T("The owner has allowed no roots yet, so it keeps no repository: change the roots.")))}}
	}
	offered := r.Offered.List()
	t := page.Table{Caption: "Roots", Columns: page.Columns("Root", "The program")}
	for _, root := range list {
		say := "was not started with it, and refuses it: start it with this folder or address as --root, " +
			"or --runner-root in the server"
		switch {
		case r.SeenAt.IsZero():
			say = "has not said yet"
		case work.Below(root, offered):
			say = "allows it, too"
		}
		t.Rows = append(t.Rows, page.Row{Cells: [][]page.Inline{page.Line(page.Mono(root)), page.Line(page.T(say))}})
	}
	return page.Section{ID: "roots", Title: "Roots", Blocks: []page.Block{t}}
}

func jobTable(list []work.Job) page.Block {
	if len(list) == 0 {
		return page.Empty(page.Line(page.T("There was no job yet.")))
	}
	t := page.Table{Caption: "Jobs", Lines: true, Columns: page.Columns("Job", "State", "Since")}
	for i := range list {
		j := &list[i]
		about := page.Link(j.Repo, "/studios/"+j.Studio+"/repos/"+j.Repo)
		if j.WorktreeID != "" {
			about = page.Link(j.Worktree, "/studios/"+j.Studio+"/worktrees/"+j.Worktree)
		}
		t.Rows = append(t.Rows, page.Row{Key: j.ID, Cells: [][]page.Inline{
			page.Line(page.Sentence(j.Does()+" "), about, page.T(" of "+j.StudioName)),
			page.Line(page.Sentence(jobState(j))), page.Line(page.When(jobSince(j)))}})
	}
	return t
}

func jobState(j *work.Job) string {
	switch s := j.State(); {
	case s == work.JobFailed:
		return "failed: " + j.Problem
	case s == work.JobLost:
		return "was lost: the runner went away " + strconv.Itoa(j.Claim) + " times while it worked on it, and its log says why"
	case s == work.JobWaiting && j.Claim > 0:
		return "waits, after " + views.Counted(j.Claim, "claim that ran out", "claims that ran out")
	case s == work.JobClaimed:
		return "the runner works on it"
	case s == work.JobWaiting:
		return "waits"
	}
	return "done"
}

func runnerData(v *work.RunnerPage) *wire.Runner {
	d := &wire.Runner{ID: v.ID, Name: v.Name, State: v.Runner.State(), Git: v.Git, Roots: v.Roots.List(),
		Jobs: make([]wire.Job, len(v.Jobs))}
	for i := range v.Jobs {
		j := &v.Jobs[i]
		d.Jobs[i] = wire.Job{ID: j.ID, Kind: j.Kind, State: j.State(), Claim: j.Claim, Repo: j.Repo, RepoID: j.RepoID,
			Source: j.Source, Worktree: j.Worktree, WorktreeID: j.WorktreeID, Branch: j.Branch, Base: j.Base,
			Params: json.RawMessage(j.Params)}
	}
	for i := range v.Turns {
		t := &v.Turns[i]
		d.Turns = append(d.Turns, wire.Turn{ID: t.ID, State: t.State(), Claim: t.Claim, Stop: !t.StopAt.IsZero(),
			Answers: t.Answers, N: t.N, Session: t.SessionID, URL: t.URL(), Title: t.Title, RepoID: t.RepoID,
			WorktreeID: t.WorktreeID, Branch: t.Branch, Base: t.Base, Agent: t.Label, Member: t.Member,
			Studio: t.StudioName, Adapter: t.Adapter, Argv: t.Argv.List(), Env: t.Env.List(), Mode: t.Mode,
			Model: t.Model, SignIn: t.SignIn, AgentSession: t.AgentSession, Fork: t.Fork, Home: t.Home,
			Parent: t.ParentURL(), Commit: t.Commit, LastHead: t.LastHead, Instructions: t.Told, Prompt: t.Prompt})
	}
	for i := range v.Pulls {
		q := &v.Pulls[i]
		d.Pulls = append(d.Pulls, wire.Pull{ID: q.ID, RepoID: q.RepoID, Source: q.Source, Number: q.N, State: q.State,
			Head: q.Head, Checks: q.Checks, Names: q.Names.List()})
	}
	for _, e := range v.Envs {
		d.Environments = append(d.Environments, wire.Environment{WorktreeID: e.ID, State: e.State})
	}
	return d
}
