// Package work has the routes of the pages about runners, repositories, worktrees, boards and the work of agents.
package work

import (
	"samepage/actions/action"
	actions "samepage/actions/work"
	"samepage/store"
	"samepage/store/work"
	view "samepage/views/work"
	"samepage/web"
)

var _ = web.DeclareRoutes(func() []*web.BoundRoute {
	return []*web.BoundRoute{
		web.Route[*work.Runners, *work.Runners]{
			Pattern: work.RunnersURL("{org}"),
			Quiet:   true,
			Version: web.ByJournals,
			Find:    web.ByArg("org", work.FindRunners),
			Show:    web.Same[*work.Runners],
			View:    view.Runners,
			Actions: []*action.Spec[*work.Runners]{actions.CreateRunner},
		}.Close(),
		web.Route[*work.Runner, *work.RunnerPage]{
			Pattern:   work.RunnersURL("{org}") + "/{runner}",
			Quiet:     true,
			Version:   web.ByJournals,
			ForRunner: true,
			Find:      web.ByArgs("org", "runner", work.FindRunner),
			Show:      web.Whole(work.ShowRunner),
			View:      view.RunnerVerbs{Add: actions.AddRepo.Name}.Runner,
			Actions: []*action.Spec[*work.Runner]{actions.AddRepo, actions.UpdateRunner, actions.StartRunner,
				actions.AnnounceRunner,
				actions.ClaimJob, actions.RenewJob, actions.FinishJob, actions.ReportPull, actions.ReportEnvironment,
				actions.ClaimTurn, actions.RenewTurn,
				actions.ReportTurn,
				actions.AskPermission, actions.FinishTurn, actions.StopRunner, actions.RenewRunner, actions.LoseJobs},
			Due:     actions.LoseJobs,
			Overdue: work.DueRunners,
		}.Close(),
		web.Route[*store.Studio, *work.Repos]{
			Pattern: "/studios/{studio}/repos",
			Version: web.ByJournals,
			Find:    web.FindStudio,
			Show:    web.Whole(work.ShowRepos),
			View:    view.Repos,
		}.Close(),
		web.Route[*work.Repo, *work.RepoPage]{
			Pattern: "/studios/{studio}/repos/{repo}",
			Quiet:   true,
			Version: web.ByJournals,
			Find:    web.ByArgs("studio", "repo", work.FindRepo),
			Show:    web.Whole(work.ShowRepo),
			View:    view.Repo,
			Actions: []*action.Spec[*work.Repo]{actions.CreateWorktree, actions.FetchRepo, actions.UpdateRepo,
				actions.SetCheck, actions.SetEnvironment,
				actions.CreateIssues, actions.RetryIssues, actions.RemoveRepo},
		}.Close(),
		web.Route[*store.Studio, *work.Worktrees]{
			Pattern: "/studios/{studio}/worktrees",
			Quiet:   true,
			Version: web.ByJournals,
			Query:   []string{"show=archived"},
			Find:    web.FindStudio,
			Show: func(tx *store.Tx, _ store.Actor, s *store.Studio, at *web.Location) (*work.Worktrees, error) {
				return work.ShowWorktrees(tx, s, at.Query.Get("show") == "archived")
			},
			View: view.Worktrees,
		}.Close(),
		web.Route[*work.Worktree, *work.WorktreePage]{
			Pattern: "/studios/{studio}/worktrees/{worktree}",
			Quiet:   true,
			Version: web.ByJournals,
			Find:    findWorktree,
			Show:    web.Whole(work.ShowWorktree),
			View:    view.Worktree,
			Actions: []*action.Spec[*work.Worktree]{actions.StartSession, actions.CreatePull,
				actions.StartEnvironment, actions.StopEnvironment, actions.LookAtEnvironment, actions.SetUpWorktree,
				actions.RefreshWorktree, actions.RetryWorktree, actions.RewindWorktree,
				actions.RestoreWorktree, actions.ArchiveWorktree},
		}.Close(),
		web.Route[*work.Worktree, *work.DiffPage]{
			Pattern: "/studios/{studio}/worktrees/{worktree}/diff",
			Version: web.ByJournals,
			Query:   []string{"from"},
			Find:    findWorktree,
			Show:    web.From("from", work.ShowDiff),
			View:    view.DiffVerbs{Comment: actions.CommentLine.Name}.Diff,
		}.Close(),
		web.Route[*work.Worktree, *work.LogPage]{
			Pattern: "/studios/{studio}/worktrees/{worktree}/log",
			Version: web.ByJournals,
			Query:   []string{"from"},
			Find:    findWorktree,
			Show: func(_ *store.Tx, _ store.Actor, w *work.Worktree, at *web.Location) (*work.LogPage, error) {
				return work.ShowLog(w, at.Query.Get("from"))
			},
			View: view.Log,
		}.Close(),
	}
})

var findWorktree = web.ByArgs("studio", "worktree", work.FindWorktree)
