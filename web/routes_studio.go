package web

import (
	"samepage/actions"
	"samepage/actions/action"
	"samepage/store"
	"samepage/views"
	"slices"
)

// studioRoutes are the pages of a studio and its lists.
func studioRoutes() []*boundRoute {
	return []*boundRoute{
		route[*store.Studio, *store.StudioPage]{
			pattern: "/studios/{studio}",
			find:    findStudio,
			show:    whole((*store.Tx).ShowStudio),
			view:    views.Studio,
			preview: views.StudioPreview,
			actions: slices.Concat(creators(),
				[]*action.Spec[*store.Studio]{actions.SendHeartbeat, actions.Join, actions.AddMember,
					actions.UpdateStudio, actions.ChangeVisibility, actions.ChangePreviews, actions.ImportDecisions,
					actions.Leave, actions.ArchiveStudio}, actions.FollowStudio),
		}.close(),
		route[*store.Studio, *store.TemplatesPage]{
			pattern: "/studios/{studio}/templates",
			find:    findStudio,
			show:    whole((*store.Tx).ShowTemplates),
			view:    views.Templates,
		}.close(),
		route[*store.Studio, *store.StudioMembersPage]{
			pattern: "/studios/{studio}/members",
			query:   []string{"after"},
			find:    findStudioOfMine,
			show:    from("after", (*store.Tx).ShowStudioMembers),
			view:    views.StudioMembers,
			actions: []*action.Spec[*store.Studio]{actions.AddMember, actions.RemoveFromStudio},
		}.close(),
	}
}

func findStudio(tx *store.Tx, by store.Actor, at *location) (*store.Studio, error) {
	return tx.FindStudio(by, at.arg("studio"))
}

// findStudioOfMine finds a studio of an organization that the actor is a member of.
func findStudioOfMine(tx *store.Tx, by store.Actor, at *location) (*store.Studio, error) {
	st, err := tx.FindStudio(by, at.arg("studio"))
	if err == nil && by.In(st.OrgID).Member == nil {
		err = store.Missing()
	}
	return st, err
}

// creators returns the actions that create an item in a studio, one for each noun.
func creators() (list []*action.Spec[*store.Studio]) {
	for _, n := range nouns() {
		list = append(list, n.create)
	}
	return list
}
