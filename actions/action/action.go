// Package action declares actions. From one declaration of an [Action] come the form, the
// markdown list item, the JSON Schema, the check when a page is listed and again when the action
// is taken, the decoding and the catalogue.
package action

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"samepage/actions/param"
	"samepage/store"
)

// Subject is a noun that actions are taken on. Ref names it in the journal, and Record is the
// state that the journal keeps.
type Subject interface {
	Ref() store.Ref
	Record() any
	// Relation returns the actor's relations to the subject.
	Relation(by store.Actor) store.Relation
}

// Action is an action on a subject S with params P, a struct with tags that package param reads.
type Action[S Subject, P any] struct {
	Name  string
	Title string // imperative, for people
	Doc   string // one or two sentences for an actor that considers the action
	// Past completes the journal's sentence between the actor and the subject's title, as in
	// "commented on".
	Past       string
	Scope      store.Scope
	AllowedFor store.Relation // the relations that are allowed in any state; the guard refuses further cases
	Aliases    []string       // names in other systems

	HumanOnly   bool // no token may ever take it
	Sensitive   bool // the person must have proved their identity recently; the log keeps that the action was taken
	Destructive bool // cannot be undone: asks for confirmation, and is never resolved from a bare name
	ByClock     bool // the scheduler may take it too
	Silent      bool // changes only the actor's own view; nothing is journalled
	Discreet    bool // the log of refused calls leaves out the input
	Side        bool // every item has it, and few calls need it: pages list it by its name only
	// Versioned is for actions on a form that shows the present values: the form sends back its
	// version, and a field that is left out keeps its value.
	Versioned bool
	Asks      bool // an agent always needs a person's approval
	Ballot    bool // casts or retracts a vote; the organization decides whether agents may

	// Effects are the changes that approval is asked for; none stands for an effect of the action's own name.
	Effects []Effect
	// Undo says in at most 12 words how to undo the action or change its effect. It is part of each
	// answer to an agent. Empty for an action that is Destructive, and for those of the scheduler.
	Undo string

	// Guard returns the reason why this actor may not take the action on this subject now. It
	// runs when the page is listed, and again in the transaction that acts.
	Guard func(by store.Actor, s S) error
	// Offers returns the changes of the fields for this actor and subject.
	Offers func(by store.Actor, s S) param.Offers
	// Check returns the errors in decoded params. The errors of decoding are in bad, and those
	// fields are zero in p. All errors are reported together; an error of Check about a field in
	// bad is dropped.
	Check func(tx *store.Tx, by store.Actor, s S, p P, bad param.Errors) param.Errors
	// Prepare does slow work that may be done twice, such as writing a file to disk, before the
	// transaction. It sees the subject as of a moment before, and it does not run for approved
	// actions. It runs only if the action is on offer. In a dry run, which keeps nothing, st is
	// nil. Fields of the params without a kind carry its findings to Check and Run.
	Prepare func(st *store.Store, s S, p *P) error
	// Run takes the action after all checks. The subject is read in this transaction, and the
	// journal records the returned value.
	Run func(tx *store.Tx, by store.Actor, s S, p P) (Done, error)
}

// Done is the effect of an action.
type Done struct {
	Message string        // past tense, for the actor
	Echo    string        // what was done, as the actor gave it: "Your ballot: Cargo, Wagon."; stored nowhere
	URL     string        // the page to continue on; empty for the subject's page
	Made    []Subject     // created nouns, each with its own journal entry instead of the subject's
	Secret  string        // shown once and stored nowhere
	Notice  *store.Notice // the recipients of notifications; nil for none
	// Unlinked removes the link between a ballot or secret and its actor from every record: the
	// input and its digest are left out.
	Unlinked bool
	Before   any // the journal's record of the previous state, if it is not the subject's record
	After    any // the journal's record of the new state, if the actor can no longer see the subject
	Also     []Also
}

// Also is a noun that changed together with the subject. It has its own journal entry.
type Also struct {
	Subject Subject // the present state
	Before  any     // the journal's record of the previous state
	Past    string  // as [Action.Past]
	Notice  *store.Notice
}

// Decl is an action's declaration without its types. Forms, lists and the catalogue use it.
type Decl struct {
	Name, Title, Doc string
	Noun             string // of the subjects, in lower case
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
	Side             bool
	Versioned        bool
	Asks             bool
	Ballot           bool
	Effects          []Effect
	Undo             string
	Fields           []param.Field
}

// Spec is an action on subjects of type S. The type of its params is hidden in closures.
type Spec[S Subject] struct {
	Decl
	// Prepare runs [Action.Prepare] before the transaction and returns the prepared params for
	// [Spec.Do]; nil if the action has none.
	Prepare func(st *store.Store, s S, in param.Input, clock param.Clock) (ready any, err error)

	guard  func(by store.Actor, s S) error
	offers func(by store.Actor, s S) param.Offers
	run    func(tx *store.Tx, by store.Actor, s S, fields []param.Field, in param.Input, clock param.Clock, ready any) (Done, error)
}

var name = regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)

// declared lists the names of all actions, so that the start fails on an action without a page.
// It grows while packages are initialized and is read-only afterwards.
var declared []string

// Unplaced lists the declared actions that are not on the site map.
func Unplaced(placed func(name string) bool) []string {
	var list []string
	for _, n := range declared {
		if !placed(n) {
			list = append(list, n)
		}
	}
	return list
}

// New checks a declaration and hides its types in closures. It panics on a wrong declaration,
// because the program must not start with one.
func New[S Subject, P any](a Action[S, P]) *Spec[S] {
	switch {
	case !name.MatchString(a.Name):
		panic(fmt.Sprintf("action %q: a name is words of lower-case letters joined by underscores", a.Name))
	case a.Title == "" || a.Doc == "":
		panic(fmt.Sprintf("action %s: Title and Doc are required", a.Name))
	case !slices.Contains(store.Scopes(), a.Scope):
		panic(fmt.Sprintf("action %s: no scope is declared", a.Name))
	case a.AllowedFor == 0:
		panic(fmt.Sprintf("action %s: AllowedFor is required: declare a relation", a.Name))
	case a.Guard == nil || a.Run == nil:
		panic(fmt.Sprintf("action %s: Guard and Run are required", a.Name))
	}
	declared = append(declared, a.Name)
	if len(a.Effects) == 0 {
		a.Effects = []Effect{Effect(a.Name)}
	}
	if !a.HumanOnly {
		open[a.Name] = append(open[a.Name], a.Effects...)
	}
	fields := param.Fields(reflect.TypeFor[P]())
	spec := &Spec[S]{
		Decl: a.decl(nounOf(reflect.TypeFor[S]()), fields),
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
		run: func(
			tx *store.Tx, by store.Actor, s S, fields []param.Field, in param.Input, clock param.Clock, ready any,
		) (Done, error) {
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
			// Errors of decoding are reported later, together with those of Check.
			if _, bad := errors.AsType[param.Errors](err); err == nil || bad {
				err = a.Prepare(st, s, &p)
			}
			return p, err
		}
	}
	return spec
}

// nounOf returns the name of a type of subjects in words; a page or a state of a noun counts as the noun.
func nounOf(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
		if t.Kind() == reflect.Struct && t.NumField() > 0 && t.Field(0).Anonymous && t.Field(0).Type.Kind() == reflect.Pointer {
			t = t.Field(0).Type
		}
	}
	name := strings.TrimSuffix(t.Name(), "Page")
	var words strings.Builder
	for i, r := range name {
		if i > 0 && unicode.IsUpper(r) {
			words.WriteByte(' ')
		}
		words.WriteRune(unicode.ToLower(r))
	}
	return words.String()
}

// decl returns the declaration without its types.
func (a Action[S, P]) decl(noun string, fields []param.Field) Decl {
	return Decl{
		Noun:        noun,
		Name:        a.Name,
		Title:       a.Title,
		Doc:         a.Doc,
		Past:        a.Past,
		Scope:       a.Scope,
		AllowedFor:  a.AllowedFor,
		Aliases:     a.Aliases,
		HumanOnly:   a.HumanOnly,
		Sensitive:   a.Sensitive,
		Destructive: a.Destructive,
		ByClock:     a.ByClock,
		Silent:      a.Silent,
		Discreet:    a.Discreet,
		Side:        a.Side,
		Versioned:   a.Versioned,
		Asks:        a.Asks,
		Ballot:      a.Ballot,
		Effects:     a.Effects,
		Undo:        a.Undo,
		Fields:      fields,
	}
}

// Lift offers an action of one noun on the pages of another. The function `to` returns the
// action's subject, or the reason why the action cannot be taken from that page now.
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
		run: func(
			tx *store.Tx, by store.Actor, t T, fields []param.Field, in param.Input, clock param.Clock, ready any,
		) (Done, error) {
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
				return nil // the guard reports the error
			}
			return a.offers(by, s)
		}
	}
	return lifted
}

// Allowed returns the reason why this actor may not take the action on this subject now, or nil.
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
		return a.refuseAgent(by, s, "Only a person can do this")
	case !by.Has(a.Scope):
		return store.Errorf(store.Forbidden,
			"This token does not carry the scope %s. Ask @%s for a token that does.", a.Scope,
			by.Member.Handle)
	case a.Ballot && by.IsAgent() && by.Rules.Ballots == store.BallotsOff:
		return a.refuseAgent(by, s, "In "+by.Member.OrgName+" agents do not vote")
	}
	if err := a.guard(by, s); err != nil || !by.Limited() {
		return err
	}
	return by.Covers(s.Ref(), a.Made())
}

// PersonOnly is the refusal of an action that a person may take and no agent. Reason is the reason why
// the agent's own member may not take it either, or nil.
type PersonOnly struct {
	err    error
	Reason error
}

// Error is the sentence for the agent.
func (e *PersonOnly) Error() string { return e.err.Error() }

// Unwrap returns the error with its code.
func (e *PersonOnly) Unwrap() error { return e.err }

// refuseAgent returns the refusal for an agent, with the answer of the guard to its member.
func (a *Spec[S]) refuseAgent(by store.Actor, s S, why string) error {
	e := &PersonOnly{Reason: a.guard(by.Member.InPerson(), s)}
	if e.Reason == nil {
		e.err = store.Errorf(store.Forbidden, "%s. Ask @%s to do it in a browser.", why, by.Member.Handle)
	} else {
		e.err = store.Errorf(store.Forbidden, "%s, and @%s may not: %s", why, by.Member.Handle, e.Reason)
	}
	return e
}

// Offered returns the action's fields for this actor and subject.
func (a *Spec[S]) Offered(by store.Actor, s S) []param.Field {
	if a.offers == nil {
		return a.Fields
	}
	fields := param.Apply(a.Fields, a.offers(by, s))
	if a.Versioned {
		for i := range fields { // a copy, as the offers are not empty
			f := &fields[i]
			f.Kept = f.Value != "" || f.Values != nil
		}
	}
	return fields
}

// Do runs the guard again, decodes the input and runs the action with the value of Prepare. Bad
// params return [param.Errors] with every bad field.
func (a *Spec[S]) Do(tx *store.Tx, by store.Actor, s S, in param.Input, clock param.Clock, ready any) (Done, error) {
	if err := a.Allowed(by, s); err != nil {
		return Done{}, err
	}
	return a.run(tx, by, s, a.Offered(by, s), in, clock, ready)
}
