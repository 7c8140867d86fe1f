package web

import (
	"samepage/actions"
	"samepage/store"
	"samepage/views"
)

// cycleRoutes are the days, weeks and months of a studio.
func cycleRoutes() []*boundRoute {
	return []*boundRoute{
		route[*store.Studio, *store.CyclesPage]{
			pattern: "/studios/{studio}/cycles",
			query:   []string{"from"},
			find:    findStudio,
			show:    from("from", (*store.Tx).ShowCycles),
			view:    views.Cycles,
		}.close(),
		route[*store.Cycle, *store.CyclePage]{
			pattern: "/studios/{studio}/cycles/{name}",
			moving:  true,
			find: func(tx *store.Tx, by store.Actor, at *location) (*store.Cycle, error) {
				return tx.FindCycle(by, at.arg("studio"), at.arg("name"))
			},
			show:    whole((*store.Tx).ShowCycle),
			view:    views.Cycle,
			actions: actions.OnCycle,
		}.close(),
	}
}
