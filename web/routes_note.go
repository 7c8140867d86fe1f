package web

import (
	"slices"

	"samepage/actions"
	"samepage/actions/action"
	"samepage/store"
	"samepage/views"
)

var noteNoun = noun{
	routes: noteRoutes,
	create: actions.CreateNote,
	begin:  views.ToNote,
	answer: map[string]views.Verb{store.WaitsForReminder: verbOf(actions.MarkNoteDone)},
}

// noteRoutes are the notes of a studio.
func noteRoutes() []*boundRoute {
	return slices.Concat([]*boundRoute{
		route[*store.Studio, *store.ItemsPage]{
			pattern: "/studios/{studio}/notes",
			query:   []string{"after"},
			find:    findStudio,
			show: func(tx *store.Tx, by store.Actor, s *store.Studio, at *location) (*store.ItemsPage, error) {
				return tx.ShowItems(by, s, store.NoteKind.Name, at.query.Get("after"))
			},
			view: views.Items,
		}.close(),
		route[*store.Note, *store.ReadersPage]{
			pattern: "/studios/{studio}/n/{id}/readers",
			kind:    store.NoteKind.Name,
			query:   []string{"after"},
			find:    findNote,
			show:    from("after", (*store.Tx).ShowReaders),
			view:    views.Readers,
		}.close(),
	},
		versions("/studios/{studio}/n/{id}", store.NoteKind.Name, findNote),
		items(route[*store.Note, *store.NotePage]{
			pattern: "/studios/{studio}/n/{id}",
			kind:    store.NoteKind.Name,
			find:    findNote,
			query:   []string{"where", "sort", "after"},
			show: func(tx *store.Tx, by store.Actor, n *store.Note, at *location) (*store.NotePage, error) {
				return tx.ShowNote(by, n, store.TableQuery{Where: at.query["where"], Sort: at.query.Get("sort"),
					After: at.query.Get("after")})
			},
			view:    views.Note,
			preview: views.NotePreview,
			actions: []*action.Spec[*store.Note]{actions.PublishNote, actions.MarkNoteDone, actions.AddRow,
				actions.UpdateRow, actions.DeleteRow, actions.ConfirmRead, actions.EditNote, actions.DeleteNote},
		}, actions.CommonNote),
	)
}

func findNote(tx *store.Tx, by store.Actor, at *location) (*store.Note, error) {
	return tx.FindNote(by, at.arg("studio"), at.arg("id"))
}

// versions returns the pages of the earlier texts of a kind of item.
func versions[S actions.Item](pattern, kind string,
	find func(*store.Tx, store.Actor, *location) (S, error)) []*boundRoute {
	return []*boundRoute{
		route[S, *store.VersionsPage]{
			pattern: pattern + "/versions",
			kind:    kind,
			query:   []string{"before"},
			find:    find,
			show: func(tx *store.Tx, _ store.Actor, s S, at *location) (*store.VersionsPage, error) {
				return tx.ShowVersions(s.Common(), at.query.Get("before"))
			},
			view: views.Versions,
		}.close(),
		route[S, *store.VersionPage]{
			pattern: pattern + "/versions/{n}",
			kind:    kind,
			find:    find,
			show: func(tx *store.Tx, _ store.Actor, s S, at *location) (*store.VersionPage, error) {
				return tx.ShowVersion(s.Common(), at.arg("n"))
			},
			view: views.Version,
		}.close(),
	}
}
