package web

import (
	"slices"

	"samepage/actions"
	"samepage/actions/action"
	"samepage/store"
	"samepage/views"
)

func roleRoutes() []*BoundRoute {
	return []*BoundRoute{
		Route[*store.Studio, *store.StudioRolesPage]{
			Pattern: "/studios/{studio}/roles",
			Find:    findStudioOfMine,
			Show:    Whole((*store.Tx).ShowStudioRoles),
			View:    views.StudioRoles,
			Actions: []*action.Spec[*store.Studio]{actions.CreateRole},
		}.Close(),
		Route[*store.Role, *store.RolePage]{
			Pattern: "/studios/{studio}/roles/{id}",
			Find:    ByArgs("studio", "id", (*store.Tx).FindRole),
			Show:    Whole((*store.Tx).ShowRole),
			View:    views.Role,
			Actions: slices.Concat([]*action.Spec[*store.Role]{actions.AssignRole, actions.UpdateRole, actions.VacateRole,
				actions.MirrorRole, actions.StopMirroring, actions.TellTermOver, actions.TermEnds}, fills(),
				[]*action.Spec[*store.Role]{actions.DeleteRole}),
			Due:     actions.TellTermOver,
			Overdue: (*store.Tx).DueRoles,
			soon:    (*store.Tx).EndingRoles,
		}.Close(),
	}
}
