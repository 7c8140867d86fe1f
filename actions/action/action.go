// Package action declares what people and agents can do. One declaration of an [Action] is the source of its form, its
// item in a markdown list, its JSON Schema, its entry in the catalogue, and the decoding of its input. The conditions
// of a declaration are checked when a page lists the action, and again when the action is taken.
package action

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"samepage/actions/param"
	"samepage/store"
)

// Subject is something on which actions can be taken, such as a decision. Ref identifies the subject in the journal.
// Record returns the state of the subject as the journal stores it.
type Subject interface {
	Ref() store.Ref
	Record() any
	// Relation returns the actor's relations to the subject, such as author.
	Relation(by store.Actor) store.Relation
}

// Action declares an action on a subject of type S. P is the type of its params, a struct with the tags that
// package param reads.
type Action[S Subject, P any] struct {
	Name  string
	Title string // in the imperative, for people
	Doc   string // one or two sentences for an actor that considers the action
	// Past is the verb in the sentence of a journal entry. It stands between the actor and the title of the subject,
	// such as "commented on". It is required unless the action is silent.
	Past string
	// Told replaces Past in notifications, such as "added you to". If Told is empty, notifications use Past.
	Told       string
	Scope      store.Scope
	AllowedFor store.Relation // relations of the actors that may take the action; the guard may still refuse an actor
	Aliases    []string       // names of the action in other systems, which calls may use too

	HumanOnly   bool // no agent may take it, even with a token that permits its scope
	Sensitive   bool // the person must have proved their identity recently; the server logs the action
	Destructive bool // cannot be undone: rows of tables have no button for it, and a call over MCP must name its page
	ByClock     bool // the scheduler may take it too
	Silent      bool // the journal has no entry about the subject, for example because only the actor sees the change
	Hidden      bool // a Silent action that neither refreshes the actor's own pages nor wakes the actor's agents
	Discreet    bool // the log of refused calls does not contain the input
	Side        bool // few callers need it, so pages list only its name
	Tool        bool // people take it with one click, so HTML shows its button at the top of the page
	// Button is the text of the action's button, and begins with a verb. If it is empty, the button has the title.
	Button string
	// Ends names an action whose lasting effect this action ends: "pin" for the action "unpin". While the page offers
	// this action and not the one in Ends, HTML shows this action's button as pressed, with the text On.
	Ends, On string
	// Slot is the id of the part of the page in which HTML shows the form. On a page without that part,
	// and if Slot is empty, a menu leads to the form.
	Slot string
	// Probing reports whether a refusal reveals something that the caller may not see. A person's call that was
	// refused in this way is journalled. Refused calls of agents are logged in any case. Probing may be nil.
	Probing func(param.Errors) bool
	// Keeps means that the form shows the present values, and that a field left out of a call keeps its value.
	Keeps bool
	// Versioned implies Keeps. The form also sends back the version of the subject that it shows.
	Versioned  bool
	Structural bool // changes studios, roles or the owners of policies; a topic can propose it
	Carried    bool // a topic can propose it, although it is not Structural
	Ballot     bool // casts or retracts a vote; the organization decides whether agents may do that

	// Effects lists the changes for which rules may require approval. An action without Effects has one effect, with
	// the name of the action.
	Effects []Effect
	// Undo says in at most 12 words how to undo or change the effect of the action. Each answer to an agent contains
	// this text. Undo is empty for a Destructive action and for an action of the scheduler.
	Undo string

	// Guard returns an error with the reason why this actor may not take the action on this subject now, or
	// nil. It is called when a page lists the action, and again in the transaction that takes the action.
	Guard func(by store.Actor, s S) error
	// Offers returns the changes to the declared fields for this actor and subject.
	Offers func(by store.Actor, s S) param.Offers
	// Fill returns more offers for a form in which some fields are filled in, such as the number of a row. Only forms
	// use these offers: a call that takes the action is decoded without them.
	Fill func(tx *store.Tx, s S, in param.Input) (param.Offers, error)
	// Check returns the errors in decoded params. The argument bad has the errors of decoding, and the fields with
	// such errors are zero in p. The caller receives all errors together. An error of Check is dropped if bad has an
	// error of the same field.
	Check func(tx *store.Tx, by store.Actor, s S, p P, bad param.Errors) param.Errors
	// Prepare does slow work before the transaction, such as writing a file to disk. The work may be done twice.
	// Prepare is called only if the action is possible. The subject may change between Prepare and Run. In a dry run,
	// which stores nothing, st is nil. For an agent's call that a person approves, s is zero. Params fields with the
	// tag param:"-" carry results of Prepare to Check and Run. Only a HumanOnly action that no topic can propose may
	// have such fields, because the results do not reach a call that was held or proposed.
	Prepare func(st *store.Store, s S, p *P) error
	// Run takes the action after all checks. The subject was read in the same transaction. The journal records
	// the returned value.
	Run func(tx *store.Tx, by store.Actor, s S, p P) (Done, error)
}

// Decl is the declaration of an action without its types, for forms, lists and the catalogue.
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

// Spec is an action on subjects of type S. The type of its params is hidden in closures.
type Spec[S Subject] struct {
	Decl
	// Prepare calls [Action.Prepare] before the transaction, and returns the prepared params for [Spec.Do]. It
	// is nil if the action has no Prepare.
	Prepare func(st *store.Store, s S, in param.Input, clock param.Clock) (ready any, err error)

	fill   func(tx *store.Tx, s S, in param.Input) (param.Offers, error)
	guard  func(by store.Actor, s S) error
	offers func(by store.Actor, s S) param.Offers
	run    func(tx *store.Tx, by store.Actor, s S, fields []param.Field, in param.Input, clock param.Clock, ready any) (Done, error)
}

var name = regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)

// declared lists the names of all actions. The server does not start if the list has an action that no page offers. The
// list grows only while packages are initialized.
var declared []string

// Unplaced lists the declared actions that no page offers. The argument placed reports whether a page offers the action
// with the given name.
func Unplaced(placed func(name string) bool) []string {
	var list []string
	for _, n := range declared {
		if !placed(n) {
			list = append(list, n)
		}
	}
	return list
}

// New checks a declaration and returns it as a [Spec]. It panics on a wrong declaration, so that the program does not
// start with one.
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

// prepared reports whether a params type has fields for results of [Action.Prepare].
func prepared(t reflect.Type) bool {
	return slices.ContainsFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool { return f.Tag.Get("param") == "-" })
}

// decl returns the declaration of the action without its types, and with the given fields of its params.
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

// Allowed returns an error with the reason why this actor may not take the action on this subject now, or nil.
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
		return personOnly(by, store.Errorf(store.Forbidden, "In %s agents do not vote.", by.Member.OrgName), a.inPerson(by, s))
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

// possible returns the reason why the actor's member may not take the action now, or nil. If governance is by
// consent, only an accepted topic may take a structural action.
func (a *Spec[S]) possible(by store.Actor, s S) error {
	if a.Structural && by.ByConsent == "" && by.Member != nil && by.Member.Governance == store.GovernanceConsent {
		return store.Errorf(store.Conflict, "In %s this takes an accepted topic. Propose one at %s.", by.Member.OrgName,
			store.Address(topicsAt(s.Ref().URL, by.Member.Org)))
	}
	return a.guard(by, s)
}

// topicsAt returns the path of the studio in which a change of the page at url is proposed: the studio of the page, or
// the general studio of the organization.
func topicsAt(url, org string) string {
	if part := strings.Split(url, "/"); len(part) > 2 && part[1] == "studios" {
		return "/studios/" + part[2]
	}
	return "/studios/" + org
}

// inPerson returns the reason why the agent's member may not take the action now, or nil.
func (a *Spec[S]) inPerson(by store.Actor, s S) error { return a.possible(by.Member.InPerson(), s) }

// Offered returns the fields of the action as they are offered to this actor on this subject.
func (a *Spec[S]) Offered(by store.Actor, s S) []param.Field {
	if a.offers == nil {
		return a.Fields
	}
	fields := param.Apply(a.Fields, a.offers(by, s))
	if a.Keeps {
		fields = slices.Clone(fields) // with no offers, these are the declared fields, which all requests share
		for i := range fields {
			fields[i].Kept = fields[i].Value != "" || fields[i].Values != nil
		}
	}
	return fields
}

// Filled returns the given fields, which are those of [Spec.Offered], with the further offers of [Action.Fill] for a
// form in which the input is filled in.
func (a *Spec[S]) Filled(tx *store.Tx, s S, fields []param.Field, in param.Input) ([]param.Field, error) {
	if a.fill == nil || len(in) == 0 {
		return fields, nil
	}
	o, err := a.fill(tx, s, in)
	return param.Apply(fields, o), err
}

// Do checks again whether the action is allowed, decodes the input, and takes the action. The argument ready is the
// result of [Spec.Prepare], or nil. Do returns [param.Errors] with all bad fields if the params are not valid.
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
