package web

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strings"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/web/wire"
)

// members are the keys at the top level of a call in JSON.
var members = []string{"params", "dry_run", "if_version", "idempotency_key", "why"}

// alsoParams are names that models use for params by mistake.
var alsoParams = []string{"parameters", "args", "arguments", "input"}

// viewKeys are the query keys that every page takes. They do not influence actions.
var viewKeys = []string{"full", waitKey, sinceKey}

// findParams returns the params of a call in JSON. They are the value of the key params, or else of a key in
// alsoParams, or else the parameters at the top level. A call that has more than one of these is refused, and so is a
// call with a misspelt key. Any other unknown key is ignored. The notes tell the caller which keys were read as params
// or ignored; a key that begins with an underscore is ignored without a note. The declaration d is nil for an unknown
// action.
func findParams(all map[string]json.RawMessage, d *action.Decl) (params json.RawMessage, notes []string, err error) {
	var fields, other []string
	if d != nil {
		for i := range d.Fields {
			fields = append(fields, d.Fields[i].Name)
		}
	}
	params, given := all["params"], len(all["params"]) > 0 && string(all["params"]) != "null"
	from, lifted := "params", map[string]json.RawMessage{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		switch {
		case slices.Contains(members, name) || strings.HasPrefix(name, "_"):
		case slices.Contains(fields, name):
			lifted[name] = all[name]
		case slices.Contains(alsoParams, name) && given:
			return nil, nil, store.Errorf(store.Invalid, "The call has %s and %s. Send params alone.", from, name)
		case slices.Contains(alsoParams, name):
			params, given, from = all[name], true, name
			notes = append(notes, name+" was read as params.")
		default:
			other = append(other, name)
		}
	}
	for _, name := range other {
		if err := misspelt(name, fields); err != nil {
			return nil, nil, err
		}
	}
	if len(other) > 0 {
		notes = append(notes, "Ignored: "+named(other)+".")
	}
	if len(lifted) == 0 {
		return params, notes, nil
	}
	names := slices.Sorted(maps.Keys(lifted))
	if given {
		return nil, nil, store.Errorf(store.Invalid,
			`%s must be inside params: send {"params": {"%s": …}} with all parameters.`, named(names), names[0])
	}
	params, err = json.Marshal(lifted)
	return params, append(notes, "Read as params: "+named(names)+"."), err
}

// misspelt returns an error if the name is nearly that of a member or of a parameter.
func misspelt(name string, fields []string) error {
	near := nearestName(name, slices.Concat(fields, members, alsoParams))
	switch {
	case near == "":
		return nil
	case slices.Contains(fields, near):
		return store.Errorf(store.Invalid,
			`%s is not a member of a call. If you mean the parameter %s, send {"params": {"%s": …}}.`,
			wire.Clip(name, 40), near, near)
	}
	return store.Errorf(store.Invalid, "%s is not a member of a call. Did you mean %s?", wire.Clip(name, 40), near)
}

// nearestName returns the element of names that differs least from name, or "" if all are more than two edits away. An
// element of one or two letters must be fewer edits away than it has letters. Hyphens, underscores and spaces are not
// counted as edits; they only decide between elements that are equally near. If several elements are still equally
// near, the result is the first of them.
func nearestName(name string, names []string) (nearest string) {
	const most = 2
	plain := strings.NewReplacer("_", "", "-", "", " ", "")
	name = strings.ToLower(name)
	bare, least := plain.Replace(name), math.MaxInt
	for _, n := range names {
		p := plain.Replace(n)
		d := param.Distance(bare, p)
		if d > min(most, len(p)-1) {
			continue
		}
		if d = 100*d + param.Distance(name, n); d < least {
			nearest, least = n, d
		}
	}
	return nearest
}

// named joins the first ten names, each clipped.
func named(names []string) string {
	const most = 10
	list := make([]string, 0, most+1)
	for i, n := range names {
		if i == most {
			list = append(list, fmt.Sprintf("%d more", len(names)-most))
			break
		}
		list = append(list, wire.Clip(n, 40))
	}
	return strings.Join(list, ", ")
}

// checkControls returns an error if a form has an unknown control field, or has a control field other than _none twice.
// Control fields are form fields that begin with _, such as _why.
func checkControls(form url.Values) error {
	for _, name := range slices.Sorted(maps.Keys(form)) {
		switch {
		case !strings.HasPrefix(name, "_"), param.OfPart(name) && len(form[name]) == 1:
		case !slices.Contains(param.Controls, name):
			return store.Errorf(store.Invalid, "%s is not a control field. There are %s.", wire.Clip(name, 40),
				strings.Join(param.Controls, ", "))
		case len(form[name]) > 1 && name != "_none":
			return store.Errorf(store.Invalid, "%s was given more than once. Send it once.", name)
		}
	}
	return nil
}

// checkQuery refuses a call if the query of its URL has values that fill in a form, which the call would silently
// ignore.
func (at *Location) checkQuery() error {
	for _, name := range slices.Sorted(maps.Keys(at.fill)) {
		if !slices.Contains(viewKeys, name) {
			return store.Errorf(store.Invalid,
				"The address carries %s. It only fills in the form: send it as a parameter, in the body.",
				wire.Clip(name, 40))
		}
	}
	return nil
}

// emptied is a field that had a value when a call sent an empty one.
type emptied struct {
	field param.Field  // before the action
	now   *param.Field // after the action; nil if it is unknown
}

// emptied returns the fields that have a value and for which the call sends an empty one. It returns none unless the
// form of the action shows the present values; see [action.Action.Keeps].
func (p *BoundRoute) emptied(i int, by store.Actor, subject action.Subject, call Call) (list []emptied) {
	if !p.decls[i].Keeps || len(call.Params) == 0 {
		return nil
	}
	for _, f := range param.Emptied(p.offered(i, by, subject), call.Params) {
		list = append(list, emptied{field: f})
	}
	return list
}

// lookAgain finds the values that the fields have after the action. A value stays unknown if the actor can no longer
// find the subject at the same address, or if the action no longer offers the field.
func (p *BoundRoute) lookAgain(list []emptied, i int, tx *store.Tx, by store.Actor, at *Location) error {
	if len(list) == 0 {
		return nil
	}
	subject, err := p.find(tx, by, at)
	if err != nil {
		if code := store.CodeOf(err); code == store.Internal || code == store.Unavailable {
			return err
		}
		return nil
	}
	fields := p.offered(i, by, subject)
	for n := range list {
		if at := slices.IndexFunc(fields, func(f param.Field) bool { return f.Name == list[n].field.Name }); at >= 0 {
			list[n].now = &fields[at]
		}
	}
	return nil
}

// sayEmptied returns sentences about the fields that a call sent empty: whether the action cleared, kept or replaced
// each value. The function name returns the name of a field.
func sayEmptied(list []emptied, name func(param.Field) string) string {
	var cleared, unknown, sentences []string
	for _, e := range list {
		switch n := name(e.field); {
		case e.now == nil:
			unknown = append(unknown, n)
		case e.now.Value == "" && len(e.now.Values) == 0:
			cleared = append(cleared, n)
		case e.now.Value == e.field.Value && slices.Equal(e.now.Values, e.field.Values):
			sentences = append(sentences, n+" was sent empty and stays as it was.")
		default:
			sentences = append(sentences, n+" was sent empty and is "+e.now.Value+strings.Join(e.now.Values, ", ")+" now.")
		}
	}
	return joined(listing("Cleared: ", cleared), listing("Sent empty: ", unknown), joined(sentences...))
}

// listing returns the names as a sentence that starts with begin, or "" if there are no names.
func listing(begin string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	return begin + strings.Join(names, ", ") + "."
}
