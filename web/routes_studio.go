package web

import (
	"samepage/actions"
	"samepage/actions/action"
	"samepage/store"
	"samepage/views"
	"samepage/views/page"
	"slices"
)

func studioRoutes() []*BoundRoute {
	verbs := verbs()
	return []*BoundRoute{
		Route[*store.Studio, *store.StudioPage]{
			Pattern: "/studios/{studio}",
			Find:    FindStudio,
			Show:    Whole((*store.Tx).ShowStudio),
			View:    func(by store.Actor, v *store.StudioPage) page.Page { return views.Studio(by, v, verbs) },
			Preview: views.StudioPreview,
			Actions: slices.Concat(Creators(),
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

// FindStudio is the Find function of pages about a studio and of lists in a studio.
func FindStudio(tx *store.Tx, by store.Actor, at *Location) (*store.Studio, error) {
	return tx.FindStudio(by, at.Arg("studio"))
}

// findStudioOfMine finds the studio in the URL if the actor is a member of its organization.
func findStudioOfMine(tx *store.Tx, by store.Actor, at *Location) (*store.Studio, error) {
	st, err := tx.FindStudio(by, at.Arg("studio"))
	if err == nil && by.In(st.OrgID).Member == nil {
		err = store.Missing()
	}
	return st, err
}

// Creators returns the actions that create an item in a studio, for each kind that is neither spoken nor numbered.
func Creators() (list []*action.Spec[*store.Studio]) {
	for _, n := range nouns() {
		if !n.Kind.Spoken && n.Create != nil {
			list = append(list, n.Create)
		}
	}
	return list
}
