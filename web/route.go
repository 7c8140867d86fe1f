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

// location is a URL of this site: its page, the arguments of the pattern, and the declared query.
type location struct {
	route *boundRoute
	path  string     // of the page, canonical, root-relative
	name  string     // of the action, if the URL names one
	list  bool       // the URL is the page's list of actions
	args  []string   // the values of the pattern's names, in their order
	query url.Values // selects a view of the page
	fill  url.Values // fills in the form of an action
}

// arg returns the value of a name in the pattern.
func (at *location) arg(name string) string {
	if i := slices.Index(at.route.names, name); i >= 0 {
		return at.args[i]
	}
	return ""
}

// route declares one page: its address, its loaders, its view and its actions. The compiler refuses
// an action on another type of subject.
type route[S action.Subject, V any] struct {
	pattern string
	query   []string // the declared query keys
	wide    bool     // the page shows data of other organizations than the actor's
	search  bool     // the page counts as a search
	moving  bool     // an address may mean another subject tomorrow, so it redirects to the subject's own
	version basis
	// find loads the parts of the subject that guards and offers need. It runs again inside the
	// transaction that acts, so it must be cheap.
	find func(tx *store.Tx, by store.Actor, at *location) (S, error)
	// show loads the rest of the page.
	show    func(tx *store.Tx, by store.Actor, s S, at *location) (V, error)
	view    func(by store.Actor, v V) page.Page
	actions []*action.Spec[S]
	// kind is the kind of the page's item, if the page is about one. due is the action that the
	// scheduler takes on the item at its time.
	kind string
	due  *action.Spec[S]
	// overdue returns the pages that are due, for pages that are not about items.
	overdue func(tx *store.Tx, limit int) ([]string, error)
	file    file[S] // the zero value is none
	// preview returns the preview of a link to the page; without it, previews show the page's title
	// and state.
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
	// prepare has the Prepare of each action, or nil.
	prepare []func(st *store.Store, s action.Subject, in param.Input, clock param.Clock) (any, error)
	do      func(i int, tx *store.Tx, by store.Actor, s action.Subject, in param.Input, clock param.Clock,
		ready any) (action.Done, error)
}

// close closes over the types of a route. It panics if an action is listed twice on one page, or if
// no readers are declared.
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
		do: func(i int, tx *store.Tx, by store.Actor, s action.Subject, in param.Input, clock param.Clock,
			ready any) (action.Done, error) {
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
			p.prepare[len(p.prepare)-1] = func(st *store.Store, s action.Subject, in param.Input,
				clock param.Clock) (any, error) {
				subject, _ := s.(S) // nil for a held call; the approval finds its subject
				return a.Prepare(st, subject, in, clock)
			}
		}
	}
	return p
}

// items returns the pages of one kind of item: its own page, with the shared actions after its own,
// and the pages under it.
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
	slices.SortStableFunc(r.actions, func(a, b *action.Spec[S]) int {
		return last(a.Destructive) - last(b.Destructive)
	})
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

// tombstoneView makes the page of a removed item show its remains and offer only redaction.
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

// index returns the position of the action with this name or alias, or -1.
func (p *boundRoute) index(name string) int {
	for i := range p.decls {
		if p.decls[i].Name == name || slices.Contains(p.decls[i].Aliases, name) {
			return i
		}
	}
	return -1
}

// files returns the fields of a page's action that take a file.
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

// here is the subject of pages without a noun: home, help, whoami.
type here struct{}

func (here) Ref() store.Ref                         { return store.Ref{} }
func (here) Record() any                            { return nil }
func (here) Relation(by store.Actor) store.Relation { return 0 }

func same[S any](_ *store.Tx, _ store.Actor, s S, _ *location) (S, error) { return s, nil }
