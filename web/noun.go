package web

import (
	"cmp"
	"maps"
	"slices"

	"samepage/actions"
	"samepage/actions/action"
	"samepage/store"
	"samepage/views"
	"samepage/views/page"
)

// Noun has the routes and some actions of one kind of item, such as decisions or notes.
type Noun struct {
	Kind   *store.Kind
	Routes func() []*BoundRoute
	Create *action.Spec[*store.Studio] // creates an item, on the page of a studio; nil for a [store.Kind.Numbered] kind
	Fill   *action.Spec[*store.Role]   // an action that the noun adds to the page of a role; nil for none
	// Answer maps each [store.Wait].For of this kind to the action that ends such a wait.
	Answer map[string]views.Verb
}

// nouns returns all nouns in the order in which a studio offers to create their items.
func nouns() []*Noun { return append([]*Noun{&decisionNoun, &noteNoun, &commitmentNoun}, declared...) }

var declared []*Noun

// DeclareNoun adds the noun of another package to every site that is made afterwards. It panics if the noun lacks a
// part, if its kind already has a noun, or if its action creates items of another kind.
func DeclareNoun(n Noun) *Noun {
	n.check(nouns())
	declared = append(declared, &n)
	return &n
}

// DeclareRoutes adds routes of another package to every site that is made afterwards. The routes are those of pages
// that are not about a kind of item.
func DeclareRoutes(routes func() []*BoundRoute) func() []*BoundRoute {
	others = append(others, routes)
	return routes
}

var others []func() []*BoundRoute

func (n *Noun) check(others []*Noun) {
	switch {
	case n.Kind == nil || n.Routes == nil || (n.Create == nil) != (n.Kind.Numbered != ""):
		panic("a noun lacks its kind, its routes or the action that makes one")
	case n.Create != nil && n.Create.Made() != n.Kind.Name:
		panic("the action " + n.Create.Name + " does not make the kind " + n.Kind.Name)
	case slices.ContainsFunc(others, func(o *Noun) bool { return o.Kind.Name == n.Kind.Name }):
		panic("the kind " + n.Kind.Name + " has two nouns")
	}
	for _, w := range n.Kind.Waits {
		if n.Answer[w.For].Name == "" {
			panic("the noun of the kind " + n.Kind.Name + " names no action that ends the wait for " + w.For)
		}
	}
}

// checkNouns panics if a noun lacks a part, or if a kind of item has no noun here or in package views.
func checkNouns() {
	list := nouns()
	for i, n := range list {
		n.check(list[:i])
	}
	for _, k := range store.ItemKinds() {
		_, ok := views.NounOf(k.Name)
		if !ok || !slices.ContainsFunc(list, func(n *Noun) bool { return n.Kind == k }) {
			panic("the kind " + k.Name + " has no noun in web or in views")
		}
	}
}

// fills returns the actions that nouns add to the page of a role.
func fills() (list []*action.Spec[*store.Role]) {
	for _, n := range nouns() {
		if n.Fill != nil {
			list = append(list, n.Fill)
		}
	}
	return list
}

// verbs returns the actions that a home page suggests, by the keys that [views.Home] expects.
func verbs() map[string]views.Verb {
	list := map[string]views.Verb{
		views.ToName:    {Name: actions.UpdateSettings.Name, Title: "Name it"},
		views.ToInvite:  {Name: actions.Invite.Name, Title: actions.Invite.Title},
		views.ToConnect: {Name: actions.CreateToken.Name, Title: "Connect an agent"},

		views.ToMarkRead: VerbOf(actions.MarkAllRead),
	}
	for _, n := range nouns() {
		if n.Create != nil {
			list[n.Kind.Name] = VerbOf(n.Create)
		}
		maps.Copy(list, n.Answer)
	}
	return list
}

// VerbOf returns the name and the title of an action, for a page that does not offer the action itself.
func VerbOf[S action.Subject](a *action.Spec[S]) views.Verb {
	return views.Verb{Name: a.Name, Title: a.Title}
}

// ButtonOf is like [VerbOf], with the text of the button as the title.
func ButtonOf[S action.Subject](a *action.Spec[S]) views.Verb {
	return views.Verb{Name: a.Name, Title: cmp.Or(a.Button, a.Title)}
}

// ItemPattern returns the URL pattern of the pages of a kind of item.
func ItemPattern(k *store.Kind) string {
	if k.Numbered != "" {
		return store.NumberedURL("{org}", k) + "/{number}"
	}
	return "/studios/{studio}/" + k.Letter + "/{id}"
}

// item returns the handle of the studio and the id of the item in the URL of a page below [ItemPattern]. Numbered items
// are in the general studio, which has the handle of the organization.
func (at *Location) item() (studio, id string) {
	if org := at.Arg("org"); org != "" {
		return org, store.NumberedID(org, at.Arg("number"))
	}
	return at.Arg("studio"), at.Arg("id")
}

// ByID returns a finder for the pages of a kind, which calls find with the studio and the ID from the URL.
func ByID[S actions.Item](
	find func(tx *store.Tx, by store.Actor, studio, id string) (S, error),
) func(*store.Tx, store.Actor, *Location) (S, error) {
	return func(tx *store.Tx, by store.Actor, at *Location) (S, error) {
		studio, id := at.item()
		return find(tx, by, studio, id)
	}
}

// Items returns the routes of one kind of item: its list in a studio, and those of [SpokenItems].
func Items[S actions.Item, V any](r Route[S, V], shared []*action.Spec[S]) []*BoundRoute {
	kind := r.Kind
	words, _ := views.NounOf(kind.Name)
	return append([]*BoundRoute{
		Route[*store.Studio, *store.ItemsPage]{
			Pattern: "/studios/{studio}" + words.Path,
			Query:   []string{"show=open", "after"},
			Find:    FindStudio,
			Show: func(tx *store.Tx, by store.Actor, s *store.Studio, at *Location) (*store.ItemsPage, error) {
				return tx.ShowItems(by, s, kind.Name, at.Query.Get("show") == "open", at.path, at.Query.Get("after"))
			},
			View: views.Items,
		}.Close(),
	}, SpokenItems(r, shared)...)
}

// SpokenItems returns the routes of one kind of item without a list: the page of an item and its comments. The page
// offers the actions of the route, then the shared ones, and the destructive ones last.
func SpokenItems[S actions.Item, V any](r Route[S, V], shared []*action.Spec[S]) []*BoundRoute {
	find, kind := r.Find, r.Kind
	r.Pattern = ItemPattern(kind)
	r.Find = func(tx *store.Tx, by store.Actor, at *Location) (S, error) {
		s, err := find(tx, by, at)
		if err == nil {
			err = tx.FindPreviewLinks(by, s.Common())
		}
		return s, err
	}
	r.Actions = append(r.Actions, shared...)
	slices.SortStableFunc(r.Actions, func(a, b *action.Spec[S]) int {
		return bit(a.Destructive) - bit(b.Destructive)
	})
	own := r.Close()
	own.tombstoneView()
	return []*BoundRoute{
		own,
		Route[S, *store.CommentsPage]{
			Pattern: r.Pattern + "/comments",
			Query:   []string{"before"},
			Kind:    kind,
			Find:    find,
			Show: func(tx *store.Tx, _ store.Actor, s S, at *Location) (*store.CommentsPage, error) {
				return tx.ShowComments(s.Common(), at.Query.Get("before"))
			},
			View: views.Comments,
		}.Close(),
	}
}

// tombstoneView makes the page of a removed item show only its tombstone and its discussion, and offer no action but
// redaction.
func (p *BoundRoute) tombstoneView() {
	view, allowed := p.view, p.allowed
	p.view = func(tx *store.Tx, by store.Actor, s action.Subject, at *Location) (page.Page, error) {
		if i := s.(actions.Item).Common(); i.Removed() {
			d, err := tx.ShowDiscussion(by, i)
			return views.Removed(by, i, d), err
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

// Briefed has the data of an item's briefing, with the actions that the item's page offers to the reader.
type Briefed[B any] struct {
	Brief   B
	Offered []views.Verb
}

// Briefing returns the route of the page that sums up an item. The argument own is the route of the item's page. The
// briefing only links to the actions that the item's page offers.
func Briefing[S actions.Item, V, B any](own Route[S, V], show func(*store.Tx, store.Actor, S) (B, error),
	view func(store.Actor, B, []views.Verb) page.Page) *BoundRoute {
	r := Route[S, Briefed[B]]{
		Pattern: ItemPattern(own.Kind) + "/briefing",
		Kind:    own.Kind,
		Find:    own.Find,
		Show: func(tx *store.Tx, by store.Actor, s S, _ *Location) (b Briefed[B], err error) {
			for _, a := range own.Actions {
				if !(by.IsAgent() && a.HumanOnly) && a.Allowed(by, s) == nil {
					b.Offered = append(b.Offered, VerbOf(a))
				}
			}
			b.Brief, err = show(tx, by, s)
			return b, err
		},
		View: func(by store.Actor, b Briefed[B]) page.Page { return view(by, b.Brief, b.Offered) },
	}.Close()
	r.tombstoneView()
	return r
}
