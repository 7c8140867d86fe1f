package web

import (
	"samepage/actions"
	"samepage/actions/action"
	"samepage/store"
	"samepage/views"
	"slices"
)

// studioRoutes are the pages of a studio and its lists.
func studioRoutes() []*BoundRoute {
	return []*BoundRoute{
		Route[*store.Studio, *store.StudioPage]{
			Pattern: "/studios/{studio}",
			Find:    FindStudio,
			Show:    Whole((*store.Tx).ShowStudio),
			View:    views.Studio,
			Preview: views.StudioPreview,
			Actions: slices.Concat(creators(),
				[]*action.Spec[*store.Studio]{actions.SendHeartbeat, actions.Join, actions.AddMember,
					actions.UpdateStudio, actions.ChangeVisibility, actions.ChangePreviews, actions.ImportDecisions,
					actions.Leave, actions.ArchiveStudio}, actions.FollowStudio),
		}.Close(),
		Route[*store.Studio, *store.TemplatesPage]{
			Pattern: "/studios/{studio}/templates",
			Find:    FindStudio,
			Show:    Whole((*store.Tx).ShowTemplates),
			View:    views.Templates,
		}.Close(),
		Route[*store.Studio, *store.StudioMembersPage]{
			Pattern: "/studios/{studio}/members",
			Query:   []string{"after"},
			Find:    findStudioOfMine,
			Show:    From("after", (*store.Tx).ShowStudioMembers),
			View:    views.StudioMembers,
			Actions: []*action.Spec[*store.Studio]{actions.AddMember, actions.RemoveFromStudio},
		}.Close(),
	}
}

// FindStudio finds the studio of an address, for a page about the studio or a list in it.
func FindStudio(tx *store.Tx, by store.Actor, at *Location) (*store.Studio, error) {
	return tx.FindStudio(by, at.Arg("studio"))
}

// findStudioOfMine finds a studio of an organization that the actor is a member of.
func findStudioOfMine(tx *store.Tx, by store.Actor, at *Location) (*store.Studio, error) {
	st, err := tx.FindStudio(by, at.Arg("studio"))
	if err == nil && by.In(st.OrgID).Member == nil {
		err = store.Missing()
	}
	return st, err
}

// creators returns the actions that create an item in a studio, one for each noun.
func creators() (list []*action.Spec[*store.Studio]) {
	for _, n := range nouns() {
		list = append(list, n.Create)
	}
	return list
}
