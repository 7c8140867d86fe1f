package web

import (
	"samepage/actions"
	"samepage/store"
	"samepage/views"
)

func cycleRoutes() []*BoundRoute {
	return []*BoundRoute{
		Route[*store.Studio, *store.CyclesPage]{
			Pattern: "/studios/{studio}/cycles",
			Query:   []string{"from"},
			Find:    FindStudio,
			Show:    From("from", (*store.Tx).ShowCycles),
			View:    views.Cycles,
		}.Close(),
		Route[*store.Cycle, *store.CyclePage]{
			Pattern: "/studios/{studio}/cycles/{name}",
			Query:   []string{"from"},
			moving:  true,
			Find:    ByArgs("studio", "name", (*store.Tx).FindCycle),
			Show:    From("from", (*store.Tx).ShowCycle),
			View:    views.Cycle,
			Actions: actions.OnCycle,
		}.Close(),
	}
}
