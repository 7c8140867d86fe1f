// Package work places the pages of runners and repositories.
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
			Version: web.ByJournals,
			Find: func(tx *store.Tx, by store.Actor, at *web.Location) (*work.Runners, error) {
				return work.FindRunners(tx, by, at.Arg("org"))
			},
			Show:    web.Same[*work.Runners],
			View:    view.Runners,
			Actions: []*action.Spec[*work.Runners]{actions.CreateRunner},
		}.Close(),
		web.Route[*work.Runner, *work.RunnerPage]{
			Pattern:   work.RunnersURL("{org}") + "/{runner}",
			Version:   web.ByJournals,
			ForRunner: true,
			Find: func(tx *store.Tx, by store.Actor, at *web.Location) (*work.Runner, error) {
				return work.FindRunner(tx, by, at.Arg("org"), at.Arg("runner"))
			},
			Show: web.Whole(work.ShowRunner),
			View: view.Runner,
			Actions: []*action.Spec[*work.Runner]{actions.AddRepo, actions.UpdateRunner, actions.StartRunner,
				actions.AnnounceRunner,
				actions.ClaimJob, actions.RenewJob, actions.FinishJob, actions.StopRunner},
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
			Version: web.ByJournals,
			Find: func(tx *store.Tx, by store.Actor, at *web.Location) (*work.Repo, error) {
				return work.FindRepo(tx, by, at.Arg("studio"), at.Arg("repo"))
			},
			Show:    web.Whole(work.ShowRepo),
			View:    view.Repo,
			Actions: []*action.Spec[*work.Repo]{actions.FetchRepo, actions.RemoveRepo},
		}.Close(),
	}
})
