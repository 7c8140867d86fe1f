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

// Location is a URL of this site: its page, the arguments of the pattern, and the declared query.
type Location struct {
	route *BoundRoute
	path  string     // of the page, canonical, root-relative
	name  string     // of the action, if the URL names one
	list  bool       // the URL is the page's list of actions
	args  []string   // the values of the pattern's names, in their order
	Query url.Values // selects a view of the page
	fill  url.Values // fills in the form of an action
}

// Arg returns the value of a name in the pattern.
func (at *Location) Arg(name string) string {
	if i := slices.Index(at.route.names, name); i >= 0 {
		return at.args[i]
	}
	return ""
}

// Route declares one page: its address, its loaders, its view and its actions. The compiler refuses
// an action on another type of subject.
type Route[S action.Subject, V any] struct {
	Pattern string
	Query   []string // the declared query keys
	wide    bool     // the page shows data of other organizations than the actor's
	search  bool     // the page counts as a search
	moving  bool     // an address may mean another subject tomorrow, so it redirects to the subject's own
	version basis
	// Find loads the parts of the subject that guards and offers need. It runs again inside the
	// transaction that acts, so it must be cheap.
	Find func(tx *store.Tx, by store.Actor, at *Location) (S, error)
	// Show loads the rest of the page.
	Show    func(tx *store.Tx, by store.Actor, s S, at *Location) (V, error)
	View    func(by store.Actor, v V) page.Page
	Actions []*action.Spec[S]
	// Kind is the kind of the page's item, or nil. Due is the action that the
	// scheduler takes on the item at its time.
	Kind *store.Kind
	Due  *action.Spec[S]
	// overdue returns the pages that are due, for pages that are not about items.
	overdue func(tx *store.Tx, limit int) ([]string, error)
	file    file[S] // the zero value is none
	// Preview returns the preview of a link to the page; without it, previews show the page's title
	// and state.
	Preview func(S) page.Preview
}

// BoundRoute is a route with its types closed over.
type BoundRoute struct {
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
	find    func(tx *store.Tx, by store.Actor, at *Location) (action.Subject, error)
	view    func(tx *store.Tx, by store.Actor, s action.Subject, at *Location) (page.Page, error)
	allowed func(i int, by store.Actor, s action.Subject) error
	offered func(i int, by store.Actor, s action.Subject) []param.Field
	// prepare has the Prepare of each action, or nil.
	prepare []func(st *store.Store, s action.Subject, in param.Input, clock param.Clock) (any, error)
	do      func(i int, tx *store.Tx, by store.Actor, s action.Subject, in param.Input, clock param.Clock,
		ready any) (action.Done, error)
}

// Close closes over the types of a route. It panics if an action is listed twice on one page, or if
// no readers are declared.
func (r Route[S, V]) Close() *BoundRoute {
	readers := readersOf(r.Pattern)
	if readers == "" {
		panic(fmt.Sprintf("route %s: say in readers who may read it", r.Pattern))
	}
	p := &BoundRoute{
		pattern: r.Pattern,
		readers: readers,
		query:   r.Query,
		wide:    r.wide,
		moving:  r.moving,
		search:  r.search,
		version: r.version,
		file:    r.file.close(),
		find: func(tx *store.Tx, by store.Actor, at *Location) (action.Subject, error) {
			s, err := r.Find(tx, by, at)
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
		do: func(i int, tx *store.Tx, by store.Actor, s action.Subject, in param.Input, clock param.Clock,
			ready any) (action.Done, error) {
			return r.Actions[i].Do(tx, by, s.(S), in, clock, ready)
		},
	}
	if r.Kind != nil {
		p.kind = r.Kind.Name
	}
	for part := range strings.SplitSeq(r.Pattern, "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			p.names = append(p.names, strings.TrimSuffix(name, "}"))
		}
	}
	if r.Preview != nil {
		p.preview = func(s action.Subject) page.Preview { return r.Preview(s.(S)) }
	}
	if r.Due != nil {
		p.due, p.overdue = r.Due.Name, r.overdue
	}
	if p.overdue == nil {
		p.overdue = func(tx *store.Tx, limit int) ([]string, error) { return tx.DueItems(p.kind, limit) }
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
				subject, _ := s.(S) // nil for a held call; the approval finds its subject
				return a.Prepare(st, subject, in, clock)
			}
		}
	}
	return p
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

// decl returns the declaration of an action of the page, or nil.
func (p *BoundRoute) decl(name string) *action.Decl {
	if i := p.index(name); i >= 0 {
		return &p.decls[i]
	}
	return nil
}

// files returns the fields of a page's action that take a file.
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

// noSubject is the subject of pages without a noun: home, help, whoami.
type noSubject struct{}

func (noSubject) Ref() store.Ref                         { return store.Ref{} }
func (noSubject) Record() any                            { return nil }
func (noSubject) Relation(by store.Actor) store.Relation { return 0 }

// Same is a Show for a page whose subject is all that it shows.
func Same[S any](_ *store.Tx, _ store.Actor, s S, _ *Location) (S, error) { return s, nil }
