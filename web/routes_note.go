package web

import (
	"slices"

	"samepage/actions"
	"samepage/actions/action"
	"samepage/store"
	"samepage/views"
)

var noteNoun = Noun{
	Kind:   store.NoteKind,
	Routes: noteRoutes,
	Create: actions.CreateNote,
	Answer: map[string]views.Verb{store.WaitsForReminder: VerbOf(actions.MarkNoteDone)},
}

// noteRoutes are the notes of a studio.
func noteRoutes() []*BoundRoute {
	return slices.Concat([]*BoundRoute{
		Route[*store.Note, *store.ReadersPage]{
			Pattern: ItemPattern(store.NoteKind) + "/readers",
			Kind:    store.NoteKind,
			Query:   []string{"after"},
			Find:    findNote,
			Show:    From("after", (*store.Tx).ShowReaders),
			View:    views.Readers,
		}.Close(),
	},
		Versions(store.NoteKind, findNote),
		Items(Route[*store.Note, *store.NotePage]{
			Kind:  store.NoteKind,
			Find:  findNote,
			Query: []string{"where", "sort", "after"},
			Show: func(tx *store.Tx, by store.Actor, n *store.Note, at *Location) (*store.NotePage, error) {
				return tx.ShowNote(by, n, store.TableQuery{Where: at.Query["where"], Sort: at.Query.Get("sort"),
					After: at.Query.Get("after")})
			},
			View:    views.Note,
			Preview: views.NotePreview,
			Actions: []*action.Spec[*store.Note]{actions.PublishNote, actions.MarkNoteDone, actions.AddRow,
				actions.UpdateRow, actions.DeleteRow, actions.ConfirmRead, actions.EditNote, actions.DeleteNote},
		}, actions.CommonNote),
	)
}

var findNote = ByID((*store.Tx).FindNote)

// Versions returns the pages of the earlier texts of a kind of item.
func Versions[S actions.Item](kind *store.Kind,
	find func(*store.Tx, store.Actor, *Location) (S, error)) []*BoundRoute {
	return []*BoundRoute{
		Route[S, *store.VersionsPage]{
			Pattern: ItemPattern(kind) + "/versions",
			Kind:    kind,
			Query:   []string{"before"},
			Find:    find,
			Show: func(tx *store.Tx, _ store.Actor, s S, at *Location) (*store.VersionsPage, error) {
				return tx.ShowVersions(s.Common(), at.Query.Get("before"))
			},
			View: views.Versions,
		}.Close(),
		Route[S, *store.VersionPage]{
			Pattern: ItemPattern(kind) + "/versions/{n}",
			Kind:    kind,
			Find:    find,
			Show: func(tx *store.Tx, _ store.Actor, s S, at *Location) (*store.VersionPage, error) {
				return tx.ShowVersion(s.Common(), at.Arg("n"))
			},
			View: views.Version,
		}.Close(),
	}
}
