package work

import (
	"fmt"
	"slices"
	"strings"

	"samepage/store"
	"samepage/store/work"
	"samepage/store/work/wire"
	"samepage/views"
	"samepage/views/page"
)

// Pulls returns the page that lists a studio's pull requests.
func Pulls(_ store.Actor, v *work.Pulls) page.Page {
	s := v.Studio
	p := studioPage(s, "Pull requests", "Pull requests")
	p.Blocks = []page.Block{pullTable(v.List,
		s.Name+" has no pull request. One is opened on the page of a worktree or a session.")}
	if v.More {
		p.Blocks = append(p.Blocks, page.Para(page.Line(page.Sentence(fmt.Sprintf(
			"These are those that are open, and the newest, %d in all.", len(v.List))))))
	}
	p.Blocks = append(p.Blocks, page.Para(page.Line(page.Link("Worktrees", s.URL()+"/worktrees"))))
	return p
}

// pullTable returns a table of pull requests or, if there are none, the given sentence.
func pullTable(list []work.Pull, none string) page.Block {
	if len(list) == 0 {
		return page.Empty(page.Line(page.T(none)))
	}
	t := page.Table{Caption: "Pull requests", Lines: true, Columns: page.Columns("Pull request", "Into", "State", "Opened")}
	for i := range list {
		q := &list[i]
		t.Rows = append(t.Rows, page.Row{Key: q.ID, Cells: [][]page.Inline{page.Line(page.Link(q.Name(), q.URL())),
			page.Line(page.Mono(q.Base), page.T(" of "+q.Repo+pullSize(q))), pullPill(q), page.Line(page.When(q.OpenedAt.Time))}})
	}
	return t
}

func pullSize(q *work.Pull) string {
	if q.Outcome != "" {
		return ""
	}
	return ", " + views.Counted(q.Ahead, "commit", "commits")
}

// pullPill returns the state of a pull request as a word. For an open pull request, it adds whether a review has
// approved the request and whether its check has failed.
func pullPill(q *work.Pull) []page.Inline {
	switch q.State() {
	case work.PullDraft:
		return page.Line(page.Pill("Draft", page.Calm))
	case work.PullMerged:
		return page.Line(page.Pill("Merged", page.Good))
	case work.PullClosed:
		return page.Line(page.Pill("Closed", page.Calm))
	}
	line := page.Line(page.Pill("Open", page.Live))
	if q.ReviewID != "" {
		line = append(line, page.T(", approved"))
	}
	if q.Check() == work.CheckFailed {
		line = append(line, page.T(", its check failed"))
	}
	return line
}

// Pull returns the page of a pull request.
func Pull(_ store.Actor, v *work.PullPage) page.Page {
	q, h := v.Pull, v.Pull.Studio
	p := studioPage(h, fmt.Sprintf("Pull request %d", q.N), q.Title, page.Link("Pull requests", h.URL()+"/pulls"))
	p.State, p.Data = pullState(q), func() any { return pullData(v) }
	p.Blocks = []page.Block{page.Rail{pullFacts(q)}}
	if q.Text != "" {
		p.Blocks = append(p.Blocks, page.Prose{Lead: opened(q), Text: q.Text})
	} else {
		p.Blocks = append(p.Blocks, page.Para(opened(q)))
	}
	if _, output := q.CheckEnd(); output != "" {
		p.Blocks = append(p.Blocks, page.Details{ID: "check", Title: "Output of the check",
			Blocks: []page.Block{page.Code{Text: output, End: true}}})
	}
	if len(v.Conflicts) > 0 {
		p.Blocks = append(p.Blocks, page.Section{ID: "conflicts", Title: "Conflicts", Blocks: conflictBlocks(v)})
	}
	if q.Outcome == "" {
		if len(v.Commits) > 0 {
			p.Blocks = append(p.Blocks, pullCommits(v))
		}
		p.Blocks = append(p.Blocks, page.Section{ID: "files", Title: "Changed files", Few: page.Few{Most: 2 * fewRows},
			Blocks: pullFiles(v)})
	}
	p.Blocks = append(p.Blocks, page.Slot{ID: "merge", Calls: q.State() == work.PullOpen && !q.Merging()})
	return p
}

func opened(q *work.Pull) []page.Inline {
	return page.Line(page.Who(store.Byline(q.Author, q.AuthorAgent), ""), page.T(", "), page.When(q.OpenedAt.Time))
}

func pullFacts(q *work.Pull) page.Facts {
	facts := page.Facts{{Label: "Worktree", Value: page.Line(page.Link(q.Worktree, q.WorktreeURL()), page.T(" of "),
		page.Link(q.Repo, q.Studio.URL()+"/repos/"+q.Repo))},
		{Label: "Branch", Value: append(page.Line(page.Mono(q.Branch), page.T(" into "), page.Mono(q.Base)), branchEnd(q)...)}}
	if q.SessionID != "" {
		facts = append(facts, page.Fact{Label: "Session", Value: page.Line(page.Link(q.Session,
			q.Studio.URL()+"/sessions/"+q.SessionID))})
	}
	if q.Outcome == "" {
		since := page.Line(page.Link(apart(q.Ahead, q.Behind), q.WorktreeURL()+"/log"))
		if q.Dirty {
			since = append(since, page.T("; the uncommitted changes of the worktree are not part of it"))
		}
		facts = append(facts, page.Fact{Label: "Since the base", Value: since})
	}
	if q.Head() != "" {
		facts = append(facts, page.Fact{Label: "Last commit", Value: page.Line(page.Mono(work.Short(q.Head())))})
	}
	review := page.Line(page.T("no review has approved the last commit"))
	switch {
	case q.ReviewID != "":
		review = page.Line(page.Link("approved", q.Studio.URL()+"/reviews/"+q.ReviewID))
	case !q.Reviews:
		review = page.Line(page.T("none has approved the last commit, and the repository asks for none"))
	}
	facts = append(facts, page.Fact{Label: "Review", Value: review})
	if line := check(q); len(line) > 0 {
		facts = append(facts, page.Fact{Label: "Check", Value: line})
	}
	facts = append(facts, published(q)...)
	if q.Outcome == work.PullMerged && q.Override != "" {
		facts = append(facts, page.Fact{Label: "Reason", Value: page.Line(page.Sentence(store.Byline(q.Ender, q.EnderAgent) +
			" merged nevertheless: " + q.Override))})
	}
	if len(q.Touched) > 0 {
		facts = append(facts, page.Fact{Label: "Protected", Value: page.Line(page.Sentence("it changes " +
			strings.Join(q.Touched[:min(5, len(q.Touched))], ", ") + more(len(q.Touched)-5) + ", which only people merge"))})
	}
	if q.Outcome == work.PullMerged {
		facts = append(facts, page.Fact{Label: "Merged as", Value: page.Line(page.Mono(work.Short(q.Merged)))})
		if q.Place != "" && q.Published.N == 0 {
			facts = append(facts, page.Fact{Label: "Get it", Value: page.Line(
				page.Sentence("on the machine of the runner, in a folder that is on "+q.Base+": "),
				page.Mono("git pull --ff-only '"+strings.ReplaceAll(q.Place, "'", `'\''`)+"' "+q.Base)),
			})
		}
	}
	return facts
}

// branchEnd returns words on the deletion of a merged pull request's branch, or nil if the branch is kept.
func branchEnd(q *work.Pull) []page.Inline {
	switch {
	case q.Outcome != work.PullMerged || !q.DeletesBranch:
		return nil
	case q.Archived:
		return page.Line(page.T(", deleted with the worktree; restore_worktree makes both again"))
	}
	return page.Line(page.T(", to be deleted with the worktree, whose page says how that went"))
}

func check(q *work.Pull) []page.Inline {
	how, _ := q.CheckEnd()
	switch q.Check() {
	case work.CheckPassed:
		return page.Line(page.Pill("Passed", page.Good), page.T(" "), page.When(q.CheckedAt.Time))
	case work.CheckFailed:
		return page.Line(page.Pill("Failed", page.Bad), page.T(" "), page.When(q.CheckedAt.Time), page.T(": "), page.Sentence(how))
	case work.CheckWaiting:
		return page.Line(page.Sentence("the runner " + q.RunnerNoted() + " is to run it"))
	case work.CheckMissing:
		if j := q.CheckJob; j != nil && j.State() != work.JobDone {
			return page.Line(page.Sentence("it has not run on the last commit: the job " + jobState(j) + "." +
				remedy(q.Studio, j.Else())))
		}
		return page.Line(page.T("it has not run on the last commit"))
	}
	return nil
}

func more(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}

func pullState(q *work.Pull) []page.Inline {
	line := pullPill(q)
	say := func(text string) { line = append(line, page.Sentence(text)) }
	switch state := q.State(); {
	case q.Outcome != "" && q.EnderID == "":
		line = append(line, endedThere(q)...)
	case state == work.PullMerged && q.Published.N > 0:
		line = append(line, page.T(" into "), page.Mono(q.Base), page.T(" for "), page.Who(store.Byline(q.Ender, q.EnderAgent), ""),
			page.T(", "), page.When(q.EndedAt.Time), page.Sentence(". The merge is at "+q.Site()+"."))
	case state == work.PullMerged:
		line = append(line, page.T(" into "), page.Mono(q.Base), page.T(" for "), page.Who(store.Byline(q.Ender, q.EnderAgent), ""),
			page.T(", "), page.When(q.EndedAt.Time), page.T(". The merge is in the repository of the runner "+q.Runner+"."))
	case state == work.PullClosed:
		line = append(line, page.T(" by "), page.Who(store.Byline(q.Ender, q.EnderAgent), ""), page.T(", "),
			page.When(q.EndedAt.Time), page.T(". Nothing was merged."))
	case q.Merging():
		say(". The runner " + q.RunnerNoted() + " is to merge it.")
	case state == work.PullOpen && q.Publishing():
		say(". The runner " + q.RunnerNoted() + " is to publish it.")
	case q.Archived:
		say(". Its worktree " + q.Worktree + " is archived. It can be merged once somebody has restored that (restore_worktree).")
	case q.Problem != "":
		say(". The last attempt merged nothing: " + strings.TrimSuffix(q.Problem, ".") + ".")
	case q.Clashes != "":
		say(". The last attempt merged nothing, because of conflicts." + solvers(q))
	case q.Job != nil && q.Job.State() != work.JobDone:
		say(". The runner has reported no merge: the job " + jobState(q.Job) + "." + remedy(q.Studio, q.Job.Else()))
	case state == work.PullDraft:
		say(". It is not ready to be merged yet.")
	case q.ReviewID != "":
		say(". It waits for somebody to merge it.")
	case q.Reviews:
		say(". It waits for a review of its last commit.")
	default:
		say(". It waits for somebody to merge it.")
	}
	return line
}

// solvers returns a sentence on the people who can solve the conflicts.
func solvers(q *work.Pull) string {
	switch {
	case q.SessionID == "":
		return " No session belongs to it, so somebody solves them in the worktree."
	case q.SessionOver:
		return " Its session is archived: bring that back to let the agent solve them."
	}
	return " @" + q.Author + " can make them the next prompt of its agent."
}

func conflictBlocks(v *work.PullPage) []page.Block {
	blocks := []page.Block{page.Para(page.Line(page.T("Found at the last attempt, with "), page.Mono(work.Short(v.Into)), page.T(" of "),
		page.Mono(v.Base), page.T(".")))}
	blocks = append(blocks, conflictList(v))
	for i := range v.Conflicts {
		c := &v.Conflicts[i]
		s := page.Section{ID: fmt.Sprintf("conflict-%d", i+1), Title: c.Path}
		if c.Binary {
			s.Blocks = []page.Block{page.Para(page.Line(page.T("The file is not text.")))}
			blocks = append(blocks, s)
			continue
		}
		s.Blocks = []page.Block{page.Para(page.Line(page.T("In "), page.Mono(v.Base), page.T(":"))), side(c.Ours),
			page.Para(page.Line(page.T("In "), page.Mono(v.Branch), page.T(":"))), side(c.Theirs)}
		if c.Cut {
			s.Blocks = append(s.Blocks, page.Para(page.Line(page.T("These are the beginnings."))))
		}
		blocks = append(blocks, s)
	}
	return blocks
}

func conflictList(v *work.PullPage) page.Block {
	list := page.List{}
	for i := range v.Conflicts {
		path := v.Conflicts[i].Path // as in JSON: with U+FFFD for each byte that is not valid UTF-8
		k := slices.IndexFunc(v.Files, func(f wire.ChangedFile) bool {
			return string([]rune(f.Path)) == path || string([]rune(f.Was)) == path
		})
		if k < 0 {
			list = append(list, page.Line(page.Mono(path), page.T(", which is not among the changed files")))
			continue
		}
		list = append(list, page.Line(page.Link(path, v.WorktreeURL()+"/diff?from="+work.DiffPlace(v.Files[k].N, 0))))
	}
	return list
}

func side(text string) page.Block {
	if text == "" {
		return page.Para(page.Line(page.T("The file is not there.")))
	}
	return page.Code{Text: text}
}

// pullCommits returns a section with the newest commits, for HTML only.
func pullCommits(v *work.PullPage) page.Section {
	list := v.Commits[:min(mostSince, len(v.Commits))]
	s := page.Section{ID: "commits", Title: views.Counted(v.Ahead, "commit", "commits"), Extra: true, Blocks: []page.Block{commits(list)}}
	if older := v.Ahead - len(list); older > 0 {
		s.Blocks = append(s.Blocks, page.Para(page.Line(page.Link(views.Counted(older, "older commit", "older commits"),
			v.WorktreeURL()+"/log"))))
	}
	return s
}

func pullFiles(v *work.PullPage) []page.Block {
	if len(v.Files) == 0 {
		return []page.Block{page.Empty(page.Line(page.T("No file differs from the base.")))}
	}
	diff := v.WorktreeURL() + "/diff"
	return []page.Block{page.Para(page.Line(page.Link("The difference", diff))),
		fileTable(v.Files, func(f wire.ChangedFile) string { return diff + "?from=" + work.DiffPlace(f.N, 0) })}
}

func pullData(v *work.PullPage) any {
	q := v.Pull
	return struct {
		Number    int                `json:"number"`
		State     string             `json:"state"`
		Worktree  string             `json:"worktree"`
		Branch    string             `json:"branch"`
		Base      string             `json:"base"`
		Head      string             `json:"head,omitempty"`
		Approved  bool               `json:"approved"`
		Check     string             `json:"check,omitempty"`
		Override  string             `json:"override,omitempty"`
		Merged    string             `json:"merged,omitempty"`
		Copy      string             `json:"copy,omitempty"`
		Checks    string             `json:"checks_there,omitempty"`
		Problem   string             `json:"problem,omitempty"`
		Conflicts []wire.Conflict    `json:"conflicts,omitempty"`
		Files     []wire.ChangedFile `json:"files,omitempty"`
		Commits   []wire.Commit      `json:"commits,omitempty"`
	}{q.N, q.State(), q.Worktree, q.Branch, q.Base, q.Head(), q.ReviewID != "", q.Check(), q.Override, q.Merged,
		q.Published.URL, q.Checks, q.Problem, v.Conflicts, v.Files, v.Commits}
}
