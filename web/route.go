package web

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"samepage/actions"
	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/views"
	"samepage/views/page"
)

// location is a URL of ours, taken apart: the page it names, what its pattern's names stand for, and its declared query.
type location struct {
	route *boundRoute
	path  string     // of the page, canonical, root-relative
	name  string     // of the action, if the URL is that of one
	list  bool       // the URL is the page's list of actions
	args  []string   // what the names of the pattern stand for, in their order
	query url.Values // which view of the page is meant
	fill  url.Values // what fills in the form of an action
}

// arg is what a name of the pattern stands for.
func (at *location) arg(name string) string {
	if i := slices.Index(at.route.names, name); i >= 0 {
		return at.args[i]
	}
	return ""
}

// route declares one page: where it is, how its subject is found and the rest loaded, how it looks, and what can be done
// there. The compiler refuses an action whose subject is not the page's.
type route[S action.Subject, V any] struct {
	pattern string
	query   []string // the keys that mean something here
	wide    bool     // it shows what is of other organizations than the actor's
	search  bool     // it counts as a search
	moving  bool     // some of its addresses mean another subject tomorrow: they lead to the subject's own
	version basis
	// find gets what guards and offers need, cheaply; it runs again inside the transaction that acts.
	find func(tx *store.Tx, by store.Actor, at *location) (S, error)
	// show gets the rest of what the page shows.
	show    func(tx *store.Tx, by store.Actor, s S, at *location) (V, error)
	view    func(by store.Actor, v V) page.Page
	actions []*action.Spec[S]
	// kind is the kind of item that the page is about, if it is about one, and due what the scheduler does to it when its
	// time has come.
	kind string
	due  *action.Spec[S]
	// overdue names the pages whose time has come, where they are not about items.
	overdue func(tx *store.Tx, limit int) ([]string, error)
	file    file[S] // the zero value is none
	// preview is what a link to the page shows of its subject; nil shows the page's title and state.
	preview func(S) page.Preview
}

// boundRoute is a route with its types closed over.
type boundRoute struct {
	pattern string
	names   []string // in the pattern
	readers Readers
	query   []string
	wide    bool
	moving  bool
	search  bool
	version basis
	kind    string
	due     string
	overdue func(tx *store.Tx, limit int) ([]string, error)
	file    *boundFile
	preview func(s action.Subject) page.Preview
	decls   []action.Decl
	find    func(tx *store.Tx, by store.Actor, at *location) (action.Subject, error)
	view    func(tx *store.Tx, by store.Actor, s action.Subject, at *location) (page.Page, error)
	allowed func(i int, by store.Actor, s action.Subject) error
	offered func(i int, by store.Actor, s action.Subject) []param.Field
	prepare []func(st *store.Store, s action.Subject, in param.Input, clock param.Clock) (any, error) // of each action; nil where nothing is prepared
	do      func(i int, tx *store.Tx, by store.Actor, s action.Subject, in param.Input, clock param.Clock, ready any) (action.Done, error)
}

// close closes over the types of a route. It panics if an action is named twice on one page, and if nobody said who may read it.
func (r route[S, V]) close() *boundRoute {
	readers := readersOf(r.pattern)
	if readers == "" {
		panic(fmt.Sprintf("route %s: say in readers who may read it", r.pattern))
	}
	p := &boundRoute{
		pattern: r.pattern,
		readers: readers,
		query:   r.query,
		wide:    r.wide,
		moving:  r.moving,
		search:  r.search,
		version: r.version,
		kind:    r.kind,
		file:    r.file.close(),
		find: func(tx *store.Tx, by store.Actor, at *location) (action.Subject, error) {
			s, err := r.find(tx, by, at)
			if err != nil {
				return nil, err
			}
			return s, readers.admit(by, s)
		},
		view: func(tx *store.Tx, by store.Actor, s action.Subject, at *location) (page.Page, error) {
			v, err := r.show(tx, by, s.(S), at)
			if err != nil {
				return page.Page{}, err
			}
			return r.view(by, v), nil
		},
		allowed: func(i int, by store.Actor, s action.Subject) error { return r.actions[i].Allowed(by, s.(S)) },
		offered: func(i int, by store.Actor, s action.Subject) []param.Field { return r.actions[i].Offered(by, s.(S)) },
		do: func(i int, tx *store.Tx, by store.Actor, s action.Subject, in param.Input, clock param.Clock, ready any) (action.Done, error) {
			return r.actions[i].Do(tx, by, s.(S), in, clock, ready)
		},
	}
	for part := range strings.SplitSeq(r.pattern, "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			p.names = append(p.names, strings.TrimSuffix(name, "}"))
		}
	}
	if r.preview != nil {
		p.preview = func(s action.Subject) page.Preview { return r.preview(s.(S)) }
	}
	if r.due != nil {
		p.due, p.overdue = r.due.Name, r.overdue
	}
	if p.overdue == nil {
		p.overdue = func(tx *store.Tx, limit int) ([]string, error) { return tx.DueItems(r.kind, limit) }
	}
	for _, a := range r.actions {
		if p.index(a.Name) >= 0 {
			panic(fmt.Sprintf("route %s: action %s is listed twice", r.pattern, a.Name))
		}
		p.decls = append(p.decls, a.Decl)
		p.prepare = append(p.prepare, nil)
		if a.Prepare != nil {
			p.prepare[len(p.prepare)-1] = func(st *store.Store, s action.Subject, in param.Input, clock param.Clock) (any, error) {
				subject, _ := s.(S) // none for what was held: what it is done to is found when it is done
				return a.Prepare(st, subject, in, clock)
			}
		}
	}
	return p
}

// items are the pages of one kind of item: its own, with the verbs that all items share behind its own, and those under it.
func items[S actions.Item, V any](r route[S, V], shared []*action.Spec[S]) []*boundRoute {
	find := r.find
	r.find = func(tx *store.Tx, by store.Actor, at *location) (S, error) {
		s, err := find(tx, by, at)
		if err == nil {
			err = tx.FindPreviewLinks(by, s.Common())
		}
		return s, err
	}
	r.actions = append(r.actions, shared...)
	slices.SortStableFunc(r.actions, func(a, b *action.Spec[S]) int { return last(a.Destructive) - last(b.Destructive) })
	comments := route[S, *store.CommentsPage]{
		pattern: r.pattern + "/comments",
		query:   []string{"before"},
		kind:    r.kind,
		find:    find,
		show: func(tx *store.Tx, _ store.Actor, s S, at *location) (*store.CommentsPage, error) {
			return tx.ShowComments(s.Common(), at.query.Get("before"))
		},
		view: views.Comments,
	}
	own := r.close()
	own.tombstoneView()
	return []*boundRoute{own, comments.close()}
}

// tombstoneView makes the page of a removed item show what is left of it, and offer nothing but redaction.
func (p *boundRoute) tombstoneView() {
	view, allowed := p.view, p.allowed
	p.view = func(tx *store.Tx, by store.Actor, s action.Subject, at *location) (page.Page, error) {
		if i := s.(actions.Item).Common(); i.Removed() {
			d, err := tx.ShowDiscussion(by, i)
			return views.Removed(i, d), err
		}
		return view(tx, by, s, at)
	}
	p.allowed = func(i int, by store.Actor, s action.Subject) error {
		err := allowed(i, by, s)
		if err == nil && p.decls[i].Name != actions.Redact && s.(actions.Item).Common().Removed() {
			return store.Errorf(store.Conflict, "This page was removed, so nothing can be done here any more.")
		}
		return err
	}
}

func last(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// index is the position of the action with this name or alias, or -1.
func (p *boundRoute) index(name string) int {
	for i := range p.decls {
		if p.decls[i].Name == name || slices.Contains(p.decls[i].Aliases, name) {
			return i
		}
	}
	return -1
}

// files names the fields of an action of this page that take a file.
func (p *boundRoute) files(action string) (names []string) {
	i := p.index(action)
	if i < 0 {
		return nil
	}
	for _, f := range p.decls[i].Fields {
		if f.Kind == param.File {
			names = append(names, f.Name)
		}
	}
	return names
}

// here is the subject of pages that are about no noun: home, help, who you are.
type here struct{}

func (here) Ref() store.Ref                         { return store.Ref{} }
func (here) Record() any                            { return nil }
func (here) Relation(by store.Actor) store.Relation { return 0 }

func same[S any](_ *store.Tx, _ store.Actor, s S, _ *location) (S, error) { return s, nil }
