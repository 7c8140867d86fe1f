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
		web.Route[*store.Studio, *work.Pulls]{
			Pattern: "/studios/{studio}/pulls",
			Quiet:   true,
			Version: web.ByJournals,
			Find:    web.FindStudio,
			Show:    web.Whole(work.ShowPulls),
			View:    view.Pulls,
		}.Close(),
		web.Route[*work.Pull, *work.PullPage]{
			Pattern: "/studios/{studio}/pulls/{n}",
			Quiet:   true,
			Version: web.ByJournals,
			Find: func(tx *store.Tx, by store.Actor, at *web.Location) (*work.Pull, error) {
				n, err := number(at.Arg("n"))
				if err != nil {
					return nil, err
				}
				return work.FindPull(tx, by, at.Arg("studio"), n)
			},
			Show: web.Whole(work.ShowPull),
			View: view.Pull,
			Actions: []*action.Spec[*work.Pull]{actions.MergePull, actions.ReadyPull, actions.PublishPull, actions.RunCheck,
				actions.SendConflicts, actions.UpdatePull, actions.ReopenPull, actions.ClosePull},
		}.Close(),
	}
})
