package web

import (
	"samepage/store"
	"samepage/views"
)

const searchURL = "/search"

// searchRoutes are the search page.
func searchRoutes() []*boundRoute {
	return []*boundRoute{
		route[here, *store.SearchPage]{
			pattern: searchURL,
			search:  true,
			query:   []string{"q", "after"},
			wide:    true,
			find:    signedIn,
			show: func(tx *store.Tx, by store.Actor, _ here, at *location) (*store.SearchPage, error) {
				return tx.Search(by, at.query.Get("q"), at.query.Get("after"))
			},
			view: views.Search,
		}.close(),
	}
}
