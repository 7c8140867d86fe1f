// Package action declares what people and agents can do. One declaration of an [Action] is the source of its form, its
// item in a markdown list, its JSON Schema, its entry in the catalogue, and the decoding of its input.
package action

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"

	"samepage/actions/param"
	"samepage/store"
)

// Subject is something on which actions can be taken, such as a decision.
type Subject interface {
	Ref() store.Ref
	Record() any
	Relation(by store.Actor) store.Relation
}

// Action declares an action on a subject of type S. P is the type of its params, a struct with the tags of package
// param.
type Action[S Subject, P any] struct {
	Name  string
	Title string // in the imperative, for people
	Doc   string // sentences for an actor that considers the action
	// Past is the verb of a journal entry, between the actor and the subject's title, such as "commented on". It is
	// required unless the action is Silent.
	Past string
	// Told replaces Past in notifications, such as "added you to"; empty to keep Past.
	Told       string
	Scope      store.Scope
	AllowedFor store.Relation // actors but the scheduler need one of these relations; the guard may still refuse
	Aliases    []string       // names of the action in other systems; calls may use them too

	HumanOnly   bool // no agent may take it
	Sensitive   bool // the person must have proved their identity recently
	Destructive bool // cannot be undone
	ByClock     bool // the scheduler may take it too
	Silent      bool // the journal has no entry about it, for example because only the actor sees the change
	Hidden      bool // a Silent action that neither refreshes the actor's pages nor wakes the actor's agents
	Discreet    bool // the input is secret: a call that waits for approval is stored encrypted
	Side        bool // rarely needed: a markdown page has only its name unless the page is requested in full
	Tool        bool // without fields, it has a button at the top of the HTML page, if there is room
	// Button is the text of the button; empty for the title.
	Button string
	// Ends is the name of the action that this action undoes, such as "pin" in the declaration of "unpin". While the
	// page does not offer the action in Ends, HTML shows this action's button as pressed, with the text On.
	Ends, On string
	// Slot is the id of the part of the page in which HTML shows the form, if the page has that part.
	Slot string
	// Probing reports whether the errors of a refused call reveal something that the caller may not see. If they do,
	// and the caller is a person, the refused call is journalled. If Probing is nil, it is not.
	Probing func(param.Errors) bool
	// Keeps means that a field left out of a call keeps its present value. A call that leaves all fields at their
	// present values is answered without Run, unless the action is Silent.
	Keeps bool
	// Versioned implies Keeps. The form also sends back the version of the subject that it shows.
	Versioned  bool
	Structural bool // changes studios, roles or the owners of policies; a topic can propose it
	Carried    bool // a topic can propose it, although it is not Structural
	Ballot     bool // casts or retracts a vote

	// Effects lists the changes for which rules may require approval. If it is nil, the only effect has the name of the
	// action.
	Effects []Effect
	// Undo says in at most 12 words how to undo or change the effect. It is empty for a Destructive action and for an
	// action of the scheduler.
	Undo string

	// Guard returns the reason why this actor may not take the action on this subject now, or nil. It is called when a
	// page lists the action, and again in the transaction that takes it.
	Guard func(by store.Actor, s S) error
	// Offers returns changes to the declared fields for this actor and subject.
	Offers func(by store.Actor, s S) param.Offers
	// Fill returns more offers for a partly filled form. Calls that take the action are decoded without them.
	Fill func(tx *store.Tx, s S, in param.Input) (param.Offers, error)
	// Check returns the errors in decoded params. Fields with an error in bad, which has the errors of decoding, are
	// zero in p, and further errors of these fields are dropped.
	Check func(tx *store.Tx, by store.Actor, s S, p P, bad param.Errors) param.Errors
	// Prepare does slow work before the transaction, such as writing a file to disk. The work may be done twice, and
	// the subject may change before Run. In a dry run st is nil, and nothing may be stored. For an agent's call that a
	// person approves, s is zero. Results are passed to Check and Run in fields with the tag param:"-". Only a
	// HumanOnly action that no topic can propose may have such fields, because they are not stored with a call that
	// waits for approval or for the acceptance of a topic.
	Prepare func(st *store.Store, s S, p *P) error
	// Run takes the action. The subject was read in the same transaction.
	Run func(tx *store.Tx, by store.Actor, s S, p P) (Done, error)
}

// Decl is the declaration of an action without its types.
type Decl struct {
	Name, Title, Doc string
	Noun             *Noun // the type of the subjects
	Past, Told       string
	Scope            store.Scope
	AllowedFor       store.Relation
	Aliases          []string
	HumanOnly        bool
	Sensitive        bool
	Destructive      bool
	ByClock          bool
	Silent           bool
	Hidden           bool
	Discreet         bool
	Side             bool
	Tool             bool
	Button           string
	Ends, On         string
	Slot             string
	Probing          func(param.Errors) bool
	Keeps            bool
	Versioned        bool
	Structural       bool
	Carried          bool
	Ballot           bool
	Effects          []Effect
	Undo             string
	Fields           []param.Field
}

// Spec is an action on subjects of type S. Closures hide the type of its params.
type Spec[S Subject] struct {
	Decl
	// Prepare calls [Action.Prepare] and returns the prepared params for [Spec.Do]. It is nil if Action.Prepare is nil.
	Prepare func(st *store.Store, s S, in param.Input, clock param.Clock) (ready any, err error)

	fill   func(tx *store.Tx, s S, in param.Input) (param.Offers, error)
	guard  func(by store.Actor, s S) error
	offers func(by store.Actor, s S) param.Offers
	run    func(tx *store.Tx, by store.Actor, s S, fields []param.Field, in param.Input, clock param.Clock,
		ready any) (Done, error)
}

var name = regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)

// declared lists the names of all actions. It grows only while packages are initialized.
var declared []string

// Unplaced lists the declared actions that no page offers. The function placed reports whether a page offers an action.
func Unplaced(placed func(name string) bool) []string {
	var list []string
	for _, n := range declared {
		if !placed(n) {
			list = append(list, n)
		}
	}
	return list
}

// New checks a declaration and returns it as a [Spec]. It panics on a wrong declaration.
func New[S Subject, P any](a Action[S, P]) *Spec[S] {
	switch {
	case !name.MatchString(a.Name):
		panic(fmt.Sprintf("action %q: a name is words of lower-case letters joined by underscores", a.Name))
	case a.Title == "" || a.Doc == "":
		panic(fmt.Sprintf("action %s: Title and Doc are required", a.Name))
	case a.Scope != store.ScopeRunner && !slices.Contains(store.Scopes(), a.Scope):
		panic(fmt.Sprintf("action %s: no scope is declared", a.Name))
	case a.AllowedFor == 0:
		panic(fmt.Sprintf("action %s: AllowedFor is required: declare a relation", a.Name))
	case a.Past == "" && !a.Silent:
		panic(fmt.Sprintf("action %s: Past is required, for the journal", a.Name))
	case a.Guard == nil || a.Run == nil:
		panic(fmt.Sprintf("action %s: Guard and Run are required", a.Name))
	case a.Prepare != nil && (!a.HumanOnly || a.Carried || a.Structural) && prepared(reflect.TypeFor[P]()):
		panic(fmt.Sprintf(`action %s: a call that waits would lose the params with the tag param:"-" that Prepare sets; `+
			"make it HumanOnly, and not Carried or Structural", a.Name))
	}
	declared = append(declared, a.Name)
	a.Keeps = a.Keeps || a.Versioned
	if len(a.Effects) == 0 {
		a.Effects = []Effect{Effect(a.Name)}
	}
	if !a.HumanOnly {
		open[a.Name] = append(open[a.Name], a.Effects...)
	}
	fields := param.Fields(reflect.TypeFor[P]())
	spec := &Spec[S]{
		Decl: a.decl(nounFor[S](), fields),
		guard: func(by store.Actor, s S) error {
			if err := a.Guard(by, s); err != nil {
				return err
			}
			noted, has := by.Noted(), s.Relation(by)
			if !by.System && has&a.AllowedFor == 0 {
				return store.Errorf(store.Forbidden, "This is for %s.", a.AllowedFor)
			}
			by.Settle(noted, has, a.AllowedFor)
			return nil
		},
		offers: a.Offers,
		fill:   a.Fill,
		run: func(
			tx *store.Tx, by store.Actor, s S, fields []param.Field, in param.Input, clock param.Clock, ready any,
		) (Done, error) {
			p, _ := ready.(P)
			if a.Keeps {
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
			if a.Keeps && !a.Silent && keepsAll(fields, clock, p) {
				return Done{Message: unchanged, Unchanged: true}, nil
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

// unchanged is the answer to a call that changes nothing.
const unchanged = "Nothing is changed: it is like this already."

// keepsAll reports whether the params of a call have the present values of all fields, as a call without params has
// them. If a field needs a value and has none, it returns false.
func keepsAll[P any](fields []param.Field, clock param.Clock, p P) bool {
	var present P
	return param.Decode(fields, param.Keep(fields, nil), clock, &present) == nil && reflect.DeepEqual(p, present)
}

func prepared(t reflect.Type) bool {
	return slices.ContainsFunc(reflect.VisibleFields(t),
		func(f reflect.StructField) bool { return f.Tag.Get("param") == "-" })
}

func (a Action[S, P]) decl(noun *Noun, fields []param.Field) Decl {
	return Decl{
		Noun:        noun,
		Name:        a.Name,
		Title:       a.Title,
		Doc:         a.Doc,
		Past:        a.Past,
		Told:        a.Told,
		Scope:       a.Scope,
		AllowedFor:  a.AllowedFor,
		Aliases:     a.Aliases,
		HumanOnly:   a.HumanOnly,
		Sensitive:   a.Sensitive,
		Destructive: a.Destructive,
		ByClock:     a.ByClock,
		Silent:      a.Silent,
		Hidden:      a.Hidden,
		Discreet:    a.Discreet,
		Side:        a.Side,
		Tool:        a.Tool,
		Button:      a.Button,
		Ends:        a.Ends,
		On:          a.On,
		Slot:        a.Slot,
		Probing:     a.Probing,
		Keeps:       a.Keeps,
		Versioned:   a.Versioned,
		Structural:  a.Structural,
		Carried:     a.Carried || a.Structural,
		Ballot:      a.Ballot,
		Effects:     a.Effects,
		Undo:        a.Undo,
		Fields:      fields,
	}
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
		return personOnly(by, store.Errorf(store.Forbidden, "Only a person can do this."), a.inPerson(by, s))
	case !by.Has(a.Scope):
		return store.Errorf(store.Forbidden,
			"This token does not carry the scope %s. Ask @%s for a token that does.", a.Scope,
			by.Member.Handle)
	case a.Ballot && by.IsAgent() && by.Rules.Ballots == store.BallotsOff:
		return personOnly(by, store.Errorf(store.Forbidden, "In %s agents do not vote.", by.Member.OrgName),
			a.inPerson(by, s))
	}
	if err := a.possible(by, s); err != nil {
		if by.IsAgent() && store.CodeOf(err) == store.Forbidden && a.inPerson(by, s) == nil {
			return personOnly(by, err, nil)
		}
		return err
	}
	if !by.Limited() {
		return nil
	}
	return by.Covers(s.Ref(), a.Made())
}

// possible returns the reason why the actor's member may not take the action now, or nil. If the organization's
// governance is [store.GovernanceConsent], only an accepted topic may take a Structural action.
func (a *Spec[S]) possible(by store.Actor, s S) error {
	if a.Structural && by.ByConsent == "" && by.Member != nil && by.Member.Governance == store.GovernanceConsent {
		return store.Errorf(store.Conflict, "In %s this takes an accepted topic. Propose one at %s.", by.Member.OrgName,
			store.Address(topicsAt(s.Ref().URL, by.Member.Org)))
	}
	return a.guard(by, s)
}

// topicsAt returns the path of the studio for topics about the page at url: the studio of the page, or else the
// organization's general studio.
func topicsAt(url, org string) string {
	return "/studios/" + cmp.Or(store.StudioOf(url), org)
}

func (a *Spec[S]) inPerson(by store.Actor, s S) error { return a.possible(by.Member.InPerson(), s) }

// Offered returns the action's fields for this actor and subject.
func (a *Spec[S]) Offered(by store.Actor, s S) []param.Field {
	if a.offers == nil {
		return a.Fields
	}
	fields := param.Apply(a.Fields, a.offers(by, s))
	if a.Keeps {
		fields = slices.Clone(fields) // all requests share the declared fields
		for i := range fields {
			fields[i].Kept = fields[i].Value != "" || fields[i].Values != nil
		}
	}
	return fields
}

// Filled returns the fields with the further offers of [Action.Fill] for this input.
func (a *Spec[S]) Filled(tx *store.Tx, s S, fields []param.Field, in param.Input) ([]param.Field, error) {
	if a.fill == nil || len(in) == 0 {
		return fields, nil
	}
	o, err := a.fill(tx, s, in)
	return param.Apply(fields, o), err
}

// Do checks again whether the action is allowed, decodes the input, and takes the action. The argument ready is the
// result of [Spec.Prepare], or nil. The error is a [param.Errors] with all bad fields if params are not valid.
func (a *Spec[S]) Do(tx *store.Tx, by store.Actor, s S, in param.Input, clock param.Clock, ready any) (Done, error) {
	noting := by.Noting()
	if err := a.Allowed(noting, s); err != nil {
		return Done{}, err
	}
	var err error
	if by.As, err = tx.NameRole(noting.Noted()); err != nil {
		return Done{}, err
	}
	done, err := a.run(tx, by, s, a.Offered(by, s), in, clock, ready)
	if done.As.As == "" || by.ByConsent != "" {
		done.As = by.As
	} else if err == nil {
		done.As, err = tx.NameRole(done.As)
	}
	return done, err
}
