// Package action is the machinery of verbs: an [Action] is declared once, and from its declaration come the form, the
// markdown list item, the JSON Schema, the check at listing and again at execution, the decoding and the catalogue.
package action

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"

	"samepage/actions/param"
	"samepage/store"
)

// Subject is a noun that can be acted on: named for the journal, with what the journal keeps of it.
type Subject interface {
	Ref() store.Ref
	Record() any
	// Related is what the actor is to it.
	Relation(by store.Actor) store.Relation
}

// Action is a verb on a subject S with params P, a struct whose tags package param reads.
type Action[S Subject, P any] struct {
	Name       string
	Title      string // imperative, for people
	Doc        string // a sentence or two for whoever considers it
	Past       string // what was done, between who did it and the title of what they did it to, as in "commented on"
	Scope      store.Scope
	AllowedFor store.Relation // whom it is for, whatever the state; the guard can only refuse some of them
	Aliases    []string       // what other systems call it

	HumanOnly   bool // no token may ever hold it
	Sensitive   bool // a person must have proved of late who they are; the log keeps that it was done
	Destructive bool // cannot be undone: asks to confirm, and is never resolved from a bare name
	ByClock     bool // the scheduler may do it too
	Silent      bool // it changes only what the actor alone sees: nothing is journalled
	Discreet    bool // the log of refused calls does not repeat what it was given
	Versioned   bool // it changes what its form shows: a form sends back the version it was made from, and what is left out stays
	Asks        bool // of an agent it is always held until a person approves
	Ballot      bool // it casts or takes back a vote: an organization says whether agents may

	Makes string // the kind of what it makes, if that is not the kind of what it is done to
	Undo  string // how to undo it, in a sentence, where the journal's before is not enough

	// Guard refuses, with the reason, what this actor may not do to this subject now. It is asked when the page is listed
	// and again in the transaction that acts.
	Guard func(by store.Actor, s S) error
	// Offers says how the fields differ for this actor and subject.
	Offers func(by store.Actor, s S) param.Offers
	// Check names what is wrong with params that decoded, beside what is wrong with those that did not, so that every bad
	// field is named at once: bad has these, and they hold nothing in p. What it says about one of them is dropped.
	Check func(tx *store.Tx, by store.Actor, s S, p P, bad param.Errors) param.Errors
	// Prepare does what is slow and may be done twice, such as keeping a file on the disk, before the transaction begins, for the
	// subject as it was a moment before; none for what was held. It is asked for only where the action is on offer. In a dry run,
	// which keeps nothing, there is no store. Fields of the params without a kind hand on to Check and Run what it found out.
	Prepare func(st *store.Store, s S, p *P) error
	// Run does it, if nothing is wrong with the params. The subject is as found in this transaction; what it returns is journalled.
	Run func(tx *store.Tx, by store.Actor, s S, p P) (Done, error)
}

// Done says what an action has done.
type Done struct {
	Message string        // past tense, for whoever acted
	URL     string        // the page to go on to; empty for the page acted on
	Made    []Subject     // what was created, each with an entry of its own in the journal in place of the subject's
	Secret  string        // shown once and kept nowhere
	Notice  *store.Notice // whom it concerns; nil for nobody
	// Unlinked leaves out of every record what would tell who said what: the call's words and digest.
	Unlinked bool
	Before   any // what the journal keeps of how it was, where that is not the subject's record
	After    any // what the journal keeps as the subject's record, where the actor can no longer see the subject
	Also     []Also
}

// Also is a noun that changed along with the subject: it has an entry of its own in the journal.
type Also struct {
	Subject Subject // as it is now
	Before  any     // what the journal keeps of how it was
	Past    string  // what was done to it, as [Action.Past]
	Notice  *store.Notice
}

// Decl is an action's declaration without its types: what forms, lists and the catalogue are made from.
type Decl struct {
	Name, Title, Doc string
	Past             string
	Scope            store.Scope
	AllowedFor       store.Relation
	Aliases          []string
	HumanOnly        bool
	Sensitive        bool
	Destructive      bool
	ByClock          bool
	Silent           bool
	Discreet         bool
	Versioned        bool
	Asks             bool
	Ballot           bool
	Makes            string
	Undo             string
	Fields           []param.Field
}

// Spec is an action on subjects of type S, with the type of its params closed over.
type Spec[S Subject] struct {
	Decl
	// Prepare does what the action wants done before the transaction that does it, and returns what is ready for [Spec.Do]; nil
	// for nothing.
	Prepare func(st *store.Store, s S, in param.Input, clock param.Clock) (ready any, err error)

	guard  func(by store.Actor, s S) error
	offers func(by store.Actor, s S) param.Offers
	run    func(tx *store.Tx, by store.Actor, s S, fields []param.Field, in param.Input, clock param.Clock, ready any) (Done, error)
}

var name = regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)

// declared names every action there is, so that one that no page offers is noticed at the start. It grows while packages
// are initialized and is only read afterwards.
var declared []string

// agents names the declared actions that a token may hold.
var agents = map[string]bool{}

// OpenToAgents reports whether there is an action of this name that a token may hold.
func OpenToAgents(name string) bool { return agents[name] }

// Unplaced names the declared actions that are not among those on the site map.
func Unplaced(placed func(name string) bool) []string {
	var list []string
	for _, n := range declared {
		if !placed(n) {
			list = append(list, n)
		}
	}
	return list
}

// New checks a declaration and closes over its types. It panics on a wrong one, because that must stop the start.
func New[S Subject, P any](a Action[S, P]) *Spec[S] {
	switch {
	case !name.MatchString(a.Name):
		panic(fmt.Sprintf("action %q: a name is words of lower-case letters joined by underscores", a.Name))
	case a.Title == "" || a.Doc == "":
		panic(fmt.Sprintf("action %s: Title and Doc are required", a.Name))
	case !slices.Contains(store.Scopes(), a.Scope):
		panic(fmt.Sprintf("action %s: no scope is declared", a.Name))
	case a.AllowedFor == 0:
		panic(fmt.Sprintf("action %s: AllowedFor is missing: declare whom it is for", a.Name))
	case a.Guard == nil || a.Run == nil:
		panic(fmt.Sprintf("action %s: Guard and Run are required", a.Name))
	}
	declared = append(declared, a.Name)
	if !a.HumanOnly {
		agents[a.Name] = true
	}
	fields := param.Fields(reflect.TypeFor[P]())
	spec := &Spec[S]{
		Decl: Decl{Name: a.Name, Title: a.Title, Doc: a.Doc, Past: a.Past, Scope: a.Scope, AllowedFor: a.AllowedFor, Aliases: a.Aliases, HumanOnly: a.HumanOnly, Sensitive: a.Sensitive,
			Destructive: a.Destructive, ByClock: a.ByClock, Silent: a.Silent, Discreet: a.Discreet, Versioned: a.Versioned, Asks: a.Asks, Ballot: a.Ballot,
			Makes: a.Makes, Undo: a.Undo, Fields: fields},
		guard: func(by store.Actor, s S) error {
			if err := a.Guard(by, s); err != nil {
				return err
			}
			if !by.System && s.Relation(by)&a.AllowedFor == 0 {
				return store.Errorf(store.Forbidden, "This is for %s.", a.AllowedFor)
			}
			return nil
		},
		offers: a.Offers,
		run: func(tx *store.Tx, by store.Actor, s S, fields []param.Field, in param.Input, clock param.Clock, ready any) (Done, error) {
			p, _ := ready.(P)
			if a.Versioned {
				in = param.Keep(fields, in)
			}
			err := param.Decode(fields, in, clock, &p)
			bad, ok := errors.AsType[param.Errors](err)
			if err != nil && !ok {
				return Done{}, err
			}
			if a.Check != nil {
				bad = bad.Merge(fields, a.Check(tx, by, s, p, bad))
			}
			if len(bad) > 0 {
				return Done{}, bad
			}
			return a.Run(tx, by, s, p)
		},
	}
	if a.Prepare != nil {
		spec.Prepare = func(st *store.Store, s S, in param.Input, clock param.Clock) (any, error) {
			var p P
			err := param.Decode(fields, in, clock, &p)
			if _, bad := errors.AsType[param.Errors](err); err == nil || bad { // what is wrong with the others is said with what Check says
				err = a.Prepare(st, s, &p)
			}
			return p, err
		}
	}
	return spec
}

// Lift offers an action on one noun on the pages of another, which leads to that noun, or refuses with the reason why it
// cannot be done from there now.
func Lift[T, S Subject](a *Spec[S], to func(T) (S, error)) *Spec[T] {
	lifted := &Spec[T]{
		Decl: a.Decl,
		guard: func(by store.Actor, t T) error {
			s, err := to(t)
			if err != nil {
				return err
			}
			return a.guard(by, s)
		},
		run: func(tx *store.Tx, by store.Actor, t T, fields []param.Field, in param.Input, clock param.Clock, ready any) (Done, error) {
			s, err := to(t)
			if err != nil {
				return Done{}, err
			}
			return a.run(tx, by, s, fields, in, clock, ready)
		},
	}
	if a.offers != nil {
		lifted.offers = func(by store.Actor, t T) param.Offers {
			s, err := to(t)
			if err != nil {
				return nil // the guard has said so
			}
			return a.offers(by, s)
		}
	}
	return lifted
}

// Allowed refuses, with the reason, what this actor may not do to this subject now.
func (a *Spec[S]) Allowed(by store.Actor, s S) error {
	switch {
	case by.System:
		if !a.ByClock {
			return store.Errorf(store.Forbidden, "The scheduler does not do this.")
		}
	case by.Anonymous():
		return store.Errorf(store.Unauthenticated, "Sign in to do this.")
	case by.Member == nil:
		return store.Errorf(store.Forbidden, "Only members of this organization can do this.")
	case a.HumanOnly && by.IsAgent():
		return store.Errorf(store.Forbidden, "Only a person can do this. Ask @%s to do it in a browser.%s", by.Member.Handle, link{s, a.Name})
	case !by.Has(a.Scope):
		return store.Errorf(store.Forbidden, "This token does not carry the scope %s. Ask @%s for a token that does.", a.Scope, by.Member.Handle)
	case a.Ballot && by.IsAgent() && by.Rules.Ballots == store.BallotsOff:
		return store.Errorf(store.Forbidden, "In %s agents do not vote. Ask @%s to vote in person.%s", by.Member.OrgName, by.Member.Handle, link{s, a.Name})
	}
	if err := a.guard(by, s); err != nil || !by.Limited() {
		return err
	}
	return by.Covers(s.Ref(), a.Makes)
}

// link says where a person can do it, if somebody asks.
type link struct {
	subject Subject
	action  string
}

func (l link) String() string {
	u := l.subject.Ref().URL
	if u == "" {
		return ""
	}
	return " Give them this link: " + store.ActionURL(u, l.action)
}

// Offered is the fields that the action has for this actor on this subject.
func (a *Spec[S]) Offered(by store.Actor, s S) []param.Field {
	if a.offers == nil {
		return a.Fields
	}
	return param.Apply(a.Fields, a.offers(by, s))
}

// Do asks the guard again, decodes and runs, with what Prepare made ready. Bad params: [param.Errors], naming every bad field.
func (a *Spec[S]) Do(tx *store.Tx, by store.Actor, s S, in param.Input, clock param.Clock, ready any) (Done, error) {
	if err := a.Allowed(by, s); err != nil {
		return Done{}, err
	}
	return a.run(tx, by, s, a.Offered(by, s), in, clock, ready)
}
