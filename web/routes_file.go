package web

import (
	"samepage/actions"
	"samepage/actions/action"
	"samepage/store"
	"samepage/views"
)

// fileRoutes are the attached files.
func fileRoutes() []*boundRoute {
	return []*boundRoute{
		route[*store.FilePage, *store.FilePage]{
			pattern: "/files/{file}",
			find:    findFile,
			show:    whole((*store.Tx).ShowFile),
			view:    views.File,
			actions: []*action.Spec[*store.FilePage]{actions.Detach},
		}.close(),
	}
}

func findFile(tx *store.Tx, by store.Actor, at *location) (*store.FilePage, error) {
	return tx.FindFile(by, at.arg("file"))
}
