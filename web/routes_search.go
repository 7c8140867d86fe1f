package web

import (
	"samepage/store"
	"samepage/views"
)

const searchURL = "/search"

func searchRoutes() []*BoundRoute {
	return []*BoundRoute{
		Route[noSubject, *store.SearchPage]{
			Pattern: searchURL,
			search:  true,
			Query:   []string{"q", "after"},
			wide:    true,
			Find:    signedIn,
			Show: func(tx *store.Tx, by store.Actor, _ noSubject, at *Location) (*store.SearchPage, error) {
				return tx.Search(by, at.Query.Get("q"), at.Query.Get("after"))
			},
			View: views.Search,
		}.Close(),
	}
}
