package web

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/views/page"
)

// Location is a page or an action of this site, as a URL refers to it.
type Location struct {
	route *BoundRoute
	path  string     // canonical path of the page, without scheme and host
	name  string     // name of the action in the URL, or empty
	list  bool       // whether the URL is that of the list of actions
	args  []string   // values of the names in the route's pattern, in the same order
	Query url.Values // selects a view of the page
	odd   []string   // sentences about parts of the query that are ignored or not valid
	fill  url.Values // fills in the form of an action
}

// Arg returns the value of a name in the route's pattern, or the empty string if the pattern does not have the name.
func (at *Location) Arg(name string) string {
	if i := slices.Index(at.route.names, name); i >= 0 {
		return at.args[i]
	}
	return ""
}

// Route declares one page: its URL, the functions that load its data, its view and its actions. S is the type of the
// page's subject.
type Route[S action.Subject, V any] struct {
	Pattern string
	// Query has the query keys that select a view of the page: a key alone, such as "after", a key with its possible
	// values, such as "show=read|unread", or a key for a time, such as "since=TIME", see [Location.Since].
	Query  []string
	wide   bool // whether the page depends on more than the journals of the actor's organizations
	search bool // whether a request for the page counts against the limit for searches
	// moving means that the URL may not be the subject's own one, to which it then redirects.
	moving  bool
	Version Basis
	// Quiet means that runners change the page without journal entries. The ETag of the page then depends on the
	// version of its subject, or on the bytes of the page if there is no such version or Version is not [BySubject].
	Quiet bool
	// Find loads the parts of the subject that decide which actors may read the page and which actions it offers. Find
	// also runs in the transaction of each action, so it must be cheap.
	Find func(tx *store.Tx, by store.Actor, at *Location) (S, error)
	// Show loads the rest of the data that the view needs.
	Show    func(tx *store.Tx, by store.Actor, s S, at *Location) (V, error)
	View    func(by store.Actor, v V) page.Page
	Actions []*action.Spec[S]
	// ForRunner means that the token of a runner may read the page. A runner can read no other pages.
	ForRunner bool
	// Kind is the kind of item that the page shows, or nil. Due is the action that the scheduler takes on a subject
	// that is due, or nil.
	Kind *store.Kind
	Due  *action.Spec[S]
	// Overdue returns the URLs of subjects that are due. It is nil for items.
	Overdue func(tx *store.Tx, limit int) ([]string, error)
	// soon returns the URLs of subjects that need a reminder. It is nil for items.
	soon func(tx *store.Tx, limit int) ([]string, error)
	file file[S] // a file with the subject for other programs; the zero value means none
	// InSight returns a function that stores that a person has the page in sight, or nil if there is nothing to store.
	// InSight may be nil.
	InSight func(by store.Actor, s S, at *Location) func(*store.Tx) error
	// Preview returns the preview of links to the page. If it is nil, a preview shows at most the page's title and
	// state.
	Preview func(S) page.Preview
}

// BoundRoute is a route without its type parameters, so that routes of all types fit into one list.
type BoundRoute struct {
	pattern string
	names   []string
	readers Readers
	query   []string
	values  map[string][]string // possible values of the keys that take only certain values
	wide    bool
	moving  bool
	search  bool
	version Basis
	quiet   bool
	kind    string
	due     string
	overdue func(tx *store.Tx, limit int) ([]string, error)
	soon    func(tx *store.Tx, limit int) ([]string, error)
	file    *boundFile
	preview func(s action.Subject) page.Preview
	inSight func(by store.Actor, s action.Subject, at *Location) func(*store.Tx) error
	decls   []action.Decl
	find    func(tx *store.Tx, by store.Actor, at *Location) (action.Subject, error)
	view    func(tx *store.Tx, by store.Actor, s action.Subject, at *Location) (page.Page, error)
	allowed func(i int, by store.Actor, s action.Subject) error
	offered func(i int, by store.Actor, s action.Subject) []param.Field
	filled  func(i int, tx *store.Tx, s action.Subject, fields []param.Field, in param.Input) ([]param.Field, error)
	// prepare holds the Prepare function of each action, or nil.
	prepare []func(st *store.Store, s action.Subject, in param.Input, clock param.Clock) (any, error)
	do      func(i int, tx *store.Tx, by store.Actor, s action.Subject, in param.Input, clock param.Clock,
		ready any) (action.Done, error)
}

// Close returns the route without its type parameters. It panics if an action is listed twice or if no readers are
// declared for the pattern.
func (r Route[S, V]) Close() *BoundRoute {
	readers := readersOf(r.Pattern)
	if readers == "" {
		panic(fmt.Sprintf("route %s: say in readers who may read it", r.Pattern))
	}
	p := &BoundRoute{
		pattern: r.Pattern,
		readers: readers,
		values:  map[string][]string{},
		wide:    r.wide,
		moving:  r.moving,
		search:  r.search,
		version: r.Version,
		quiet:   r.Quiet,
		file:    r.file.close(),
		find: func(tx *store.Tx, by store.Actor, at *Location) (action.Subject, error) {
			s, err := r.findFor(tx, by, at)
			if err != nil {
				return nil, err
			}
			return s, readers.admit(by, s)
		},
		view: func(tx *store.Tx, by store.Actor, s action.Subject, at *Location) (page.Page, error) {
			v, err := r.Show(tx, by, s.(S), at)
			if err != nil {
				return page.Page{}, err
			}
			return r.View(by, v), nil
		},
		allowed: func(i int, by store.Actor, s action.Subject) error { return r.Actions[i].Allowed(by, s.(S)) },
		offered: func(i int, by store.Actor, s action.Subject) []param.Field { return r.Actions[i].Offered(by, s.(S)) },
		filled: func(i int, tx *store.Tx, s action.Subject, fields []param.Field, in param.Input) ([]param.Field, error) {
			return r.Actions[i].Filled(tx, s.(S), fields, in)
		},
		do: func(i int, tx *store.Tx, by store.Actor, s action.Subject, in param.Input, clock param.Clock,
			ready any) (action.Done, error) {
			return r.Actions[i].Do(tx, by, s.(S), in, clock, ready)
		},
	}
	p.takes(r.Query)
	if r.Kind != nil {
		p.kind = r.Kind.Name
	}
	for part := range strings.SplitSeq(r.Pattern, "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			p.names = append(p.names, strings.TrimSuffix(name, "}"))
		}
	}
	p.inSight = r.closeInSight()
	if r.Preview != nil {
		p.preview = func(s action.Subject) page.Preview { return r.Preview(s.(S)) }
	}
	if r.Due != nil {
		p.due, p.overdue = r.Due.Name, r.Overdue
	}
	if p.overdue == nil {
		p.overdue = func(tx *store.Tx, limit int) ([]string, error) { return tx.DueItems(p.kind, limit) }
	}
	if p.soon = r.soon; p.soon == nil {
		p.soon = func(tx *store.Tx, limit int) ([]string, error) { return tx.SoonItems(p.kind, limit) }
	}
	for _, a := range r.Actions {
		if p.index(a.Name) >= 0 {
			panic(fmt.Sprintf("route %s: action %s is listed twice", r.Pattern, a.Name))
		}
		p.decls = append(p.decls, a.Decl)
		p.prepare = append(p.prepare, nil)
		if a.Prepare != nil {
			p.prepare[len(p.prepare)-1] = func(st *store.Store, s action.Subject, in param.Input,
				clock param.Clock) (any, error) {
				subject, _ := s.(S) // nil for a held call, because its subject is found at the approval
				return a.Prepare(st, subject, in, clock)
			}
		}
	}
	return p
}

func (p *BoundRoute) takes(query []string) {
	for _, declared := range query {
		key, values, ok := strings.Cut(declared, "=")
		if p.query = append(p.query, key); ok {
			p.values[key] = strings.Split(values, "|")
		}
	}
}

// findFor finds the subject. For the token of a runner, it returns [store.Missing] unless the route is ForRunner.
func (r Route[S, V]) findFor(tx *store.Tx, by store.Actor, at *Location) (s S, err error) {
	if by.Runs() && !r.ForRunner {
		return s, store.Missing()
	}
	return r.Find(tx, by, at)
}

func (r Route[S, V]) closeInSight() func(by store.Actor, s action.Subject, at *Location) func(*store.Tx) error {
	if r.InSight == nil {
		return nil
	}
	return func(by store.Actor, s action.Subject, at *Location) func(*store.Tx) error {
		return r.InSight(by, s.(S), at)
	}
}

// index returns the position of the action with this name or alias, or -1.
func (p *BoundRoute) index(name string) int {
	for i := range p.decls {
		if p.decls[i].Name == name || slices.Contains(p.decls[i].Aliases, name) {
			return i
		}
	}
	return -1
}

// decl returns the declaration of the action with this name or alias, or nil.
func (p *BoundRoute) decl(name string) *action.Decl {
	if i := p.index(name); i >= 0 {
		return &p.decls[i]
	}
	return nil
}

// files returns the names of an action's fields that take a file.
func (p *BoundRoute) files(action string) (names []string) {
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

// noSubject is the subject of pages that are not about anything stored, such as home and help.
type noSubject struct{}

func (noSubject) Ref() store.Ref                         { return store.Ref{} }
func (noSubject) Record() any                            { return nil }
func (noSubject) Relation(by store.Actor) store.Relation { return 0 }

// Same is the Show function of a page that needs no data beside its subject.
func Same[S any](_ *store.Tx, _ store.Actor, s S, _ *Location) (S, error) { return s, nil }
