package web

import (
	"slices"

	"samepage/actions"
	"samepage/actions/action"
	"samepage/store"
	"samepage/store/governance"
	"samepage/views"
)

var noteNoun = Noun{
	Kind:   governance.NoteKind,
	Routes: noteRoutes,
	Create: actions.CreateNote,
	Answer: map[string]views.Verb{store.WaitsForReminder: VerbOf(actions.MarkNoteDone)},
}

func noteRoutes() []*BoundRoute {
	return slices.Concat([]*BoundRoute{
		Route[*governance.Note, *governance.ReadersPage]{
			Pattern: ItemPattern(governance.NoteKind) + "/readers",
			Kind:    governance.NoteKind,
			Query:   []string{"after"},
			Find:    findNote,
			Show:    From("after", governance.ShowReaders),
			View:    views.Readers,
		}.Close(),
	},
		Versions(governance.NoteKind, findNote),
		Items(Route[*governance.Note, *governance.NotePage]{
			Kind:  governance.NoteKind,
			Find:  findNote,
			Query: []string{"q", "where", "sort", "after"},
			Show: func(tx *store.Tx, by store.Actor, n *governance.Note, at *Location) (*governance.NotePage, error) {
				return governance.ShowNote(tx, by, n, governance.TableQuery{Text: at.Query.Get("q"), Where: at.Query["where"],
					Sort: at.Query.Get("sort"), After: at.Query.Get("after")})
			},
			View:    views.Note,
			Preview: views.NotePreview,
			Actions: []*action.Spec[*governance.Note]{actions.PublishNote, actions.MarkNoteDone, actions.AddRow,
				actions.UpdateRow, actions.DeleteRow, actions.ConfirmRead, actions.EditNote,
				actions.TickBox, actions.UntickBox, actions.DeleteNote},
		}, actions.CommonNote),
	)
}

var findNote = ByID(governance.FindNote)

// Versions returns the routes of the pages about earlier versions of an item's text.
func Versions[S actions.Item](kind *store.Kind,
	find func(*store.Tx, store.Actor, *Location) (S, error)) []*BoundRoute {
	return []*BoundRoute{
		Route[S, *governance.VersionsPage]{
			Pattern: ItemPattern(kind) + "/versions",
			Kind:    kind,
			Query:   []string{"before"},
			Find:    find,
			Show: func(tx *store.Tx, _ store.Actor, s S, at *Location) (*governance.VersionsPage, error) {
				return governance.ShowVersions(tx, s.Common(), at.Query.Get("before"))
			},
			View: views.Versions,
		}.Close(),
		Route[S, *governance.VersionPage]{
			Pattern: ItemPattern(kind) + "/versions/{n}",
			Kind:    kind,
			Find:    find,
			Show: func(tx *store.Tx, _ store.Actor, s S, at *Location) (*governance.VersionPage, error) {
				return governance.ShowVersion(tx, s.Common(), at.Arg("n"))
			},
			View: views.Version,
		}.Close(),
	}
}
