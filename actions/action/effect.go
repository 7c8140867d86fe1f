package action

import (
	"slices"
	"strings"

	"samepage/store"
)

// Effect is a change that an action brings about: a verb and a kind, such as opens:decision, or the name of the action if
// no other action has the effect. A rule that asks for an effect holds each action with that effect.
type Effect string

const makes = "makes:"

// Makes is the effect of an action that creates a noun of the kind, drafts included.
func Makes(kind string) Effect { return Effect(makes + kind) }

// Opens is the effect of an action that shows an item of the kind to others than its author.
func Opens(kind string) Effect { return Effect("opens:" + kind) }

// Edits is the effect of an action that changes the contents or the rules of an item of the kind.
func Edits(kind string) Effect { return Effect("edits:" + kind) }

// Deletes is the effect of an action that deletes an item of the kind.
func Deletes(kind string) Effect { return Effect("deletes:" + kind) }

// open maps the name of each action that a token may take to its effects. Actions of several nouns may share a name.
var open = map[string][]Effect{}

// Askable reports whether a rule can name this: an action that a token may take, or an effect of one.
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

// AskedBy reports whether a rule with these names holds the action. A name is an effect, or an action, which stands
// for all its effects.
func (d *Decl) AskedBy(names store.Set[string]) bool {
	for _, name := range names {
		for _, e := range d.Effects {
			if string(e) == name || slices.Contains(open[name], e) {
				return true
			}
		}
	}
	return false
}

// Made returns the kind of noun that the action creates; empty for none.
func (d *Decl) Made() string {
	for _, e := range d.Effects {
		if kind, ok := strings.CutPrefix(string(e), makes); ok {
			return kind
		}
	}
	return ""
}
