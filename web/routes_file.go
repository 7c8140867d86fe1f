package web

import (
	"samepage/actions"
	"samepage/actions/action"
	"samepage/store"
	"samepage/views"
)

func fileRoutes() []*BoundRoute {
	return []*BoundRoute{
		Route[*store.FilePage, *store.FilePage]{
			Pattern: "/files/{file}",
			Find:    ByArg("file", (*store.Tx).FindFile),
			Show:    Whole((*store.Tx).ShowFile),
			View:    views.File,
			Actions: []*action.Spec[*store.FilePage]{actions.Detach},
		}.Close(),
	}
}
