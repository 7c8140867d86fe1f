package action

import (
	"reflect"
	"slices"
	"strings"

	"samepage/actions/param"
	"samepage/store"
)

// Effect is a change that an action causes: a verb and a kind, such as opens:decision, or the name of the action.
type Effect string

const (
	makes = "makes:"
	opens = "opens:"
)

// Makes returns the effect of an action that creates something of the kind, even as a draft.
func Makes(kind string) Effect { return Effect(makes + kind) }

// Opens returns the effect of an action that shows an item of the kind to members other than its author.
func Opens(kind string) Effect { return Effect(opens + kind) }

// Edits returns the effect of an action that changes the contents or the rules of an item of the kind.
func Edits(kind string) Effect { return Effect("edits:" + kind) }

// Deletes returns the effect of an action that deletes an item of the kind.
func Deletes(kind string) Effect { return Effect("deletes:" + kind) }

// open maps the name of each action that is not HumanOnly to its declared effects. Actions with the same name share an
// entry.
var open = map[string][]Effect{}

// Askable reports whether a rule can require approval for this name of an action or effect.
func Askable(name string) bool {
	if open[name] != nil {
		return true
	}
	for _, effects := range open {
		if slices.Contains(effects, Effect(name)) {
			return true
		}
	}
	return false
}

// AskedBy reports whether a rule with these names requires approval for a call with these params. Each name is an
// effect, or an action, which stands for all its effects.
func (d *Decl) AskedBy(names store.Set[string], in param.Input) bool {
	for _, name := range names {
		for _, e := range d.effectsOf(in) {
			if string(e) == name || slices.Contains(open[name], e) {
				return true
			}
		}
	}
	return false
}

// HoldRule returns the rule by which an agent's call must wait for a person's approval: [store.AskOrganization],
// [store.AskGrant], or "" if the call need not wait.
func (d *Decl) HoldRule(by store.Actor, ref store.Ref, in param.Input) string {
	switch {
	case !by.IsAgent() || d.Silent || ref.OrgID == "" || ref.Kind == "approval":
		return ""
	case d.AskedBy(by.Rules.Asks, in) || d.Ballot && by.Rules.Ballots == store.BallotsAsk:
		return store.AskOrganization
	case d.AskedBy(by.Grant.Asks, in):
		return store.AskGrant
	}
	return ""
}

// effectsOf returns the effects of a call with these params. A call that makes a draft does not open the item. If the
// param draft cannot be decoded, all effects count.
func (d *Decl) effectsOf(in param.Input) []Effect {
	known := slices.ContainsFunc(d.Fields, func(f param.Field) bool { return f.Name == "draft" && f.Kind == param.Flag })
	given, ok := in["draft"]
	var p draftParams
	if !known || !ok || param.Decode(draftFields, param.Input{"draft": given}, param.Clock{}, &p) != nil || !p.Draft {
		return d.Effects
	}
	return slices.DeleteFunc(slices.Clone(d.Effects), func(e Effect) bool { return strings.HasPrefix(string(e), opens) })
}

type draftParams struct {
	Draft bool `param:"draft,flag,optional" doc:"Keep it as a draft."`
}

var draftFields = param.Fields(reflect.TypeFor[draftParams]())

// Made returns the kind of the item that the action creates, or "" if the action creates no item.
func (d *Decl) Made() string {
	for _, e := range d.Effects {
		if kind, ok := strings.CutPrefix(string(e), makes); ok {
			return kind
		}
	}
	return ""
}
