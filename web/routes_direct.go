package web

import (
	"strconv"

	"samepage/actions"
	"samepage/actions/action"
	"samepage/store"
	"samepage/views"
)

// directRoutes returns the routes of the pages with direct messages, which exist for people only.
func directRoutes() []*BoundRoute {
	return []*BoundRoute{
		Route[*store.DirectTalks, *store.DirectTalks]{
			Pattern: "/orgs/{org}/dm",
			version: byOwn,
			Find: func(tx *store.Tx, by store.Actor, at *Location) (*store.DirectTalks, error) {
				return tx.FindDirectTalks(by, at.Arg("org"))
			},
			Show: Same[*store.DirectTalks],
			View: views.DirectTalks,
		}.Close(),
		Route[*store.DirectTalk, *store.DirectPage]{
			Pattern: "/orgs/{org}/dm/{handle}",
			Query:   []string{"before"},
			moving:  true,
			Find: func(tx *store.Tx, by store.Actor, at *Location) (*store.DirectTalk, error) {
				return tx.FindDirectTalk(by, at.Arg("org"), at.Arg("handle"))
			},
			Show: func(tx *store.Tx, by store.Actor, d *store.DirectTalk, at *Location) (*store.DirectPage, error) {
				before, _ := strconv.Atoi(at.Query.Get("before")) // text that is not a number means the newest messages
				return tx.ShowDirectTalk(by, d, before)
			},
			View:    views.DirectTalk,
			Actions: []*action.Spec[*store.DirectTalk]{actions.SendDirectMessage, actions.EditDirectMessage, actions.DeleteDirectMessage},
			InSight: func(_ store.Actor, d *store.DirectTalk, at *Location) func(*store.Tx) error {
				if d.Unheard() == 0 || at.Query.Has("before") {
					return nil
				}
				return func(tx *store.Tx) error { return tx.HearDirect(d) }
			},
		}.Close(),
	}
}
