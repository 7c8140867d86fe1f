package web

import (
	"samepage/actions"
	"samepage/actions/action"
	"samepage/store"
	"samepage/views"
)

// roleRoutes are the roles of a studio.
func roleRoutes() []*boundRoute {
	return []*boundRoute{
		route[*store.Studio, *store.StudioRolesPage]{
			pattern: "/studios/{studio}/roles",
			find:    findStudioOfMine,
			show:    whole((*store.Tx).ShowStudioRoles),
			view:    views.StudioRoles,
			actions: []*action.Spec[*store.Studio]{actions.CreateRole},
		}.close(),
		route[*store.Role, *store.RolePage]{
			pattern: "/studios/{studio}/roles/{id}",
			find: func(tx *store.Tx, by store.Actor, at *location) (*store.Role, error) {
				return tx.FindRole(by, at.arg("studio"), at.arg("id"))
			},
			show: whole((*store.Tx).ShowRole),
			view: views.Role,
			actions: []*action.Spec[*store.Role]{actions.AssignRole, actions.UpdateRole, actions.VacateRole,
				actions.MirrorRole, actions.StopMirroring, actions.TellTermOver, actions.DeleteRole},
			due:     actions.TellTermOver,
			overdue: (*store.Tx).DueRoles,
		}.close(),
	}
}
