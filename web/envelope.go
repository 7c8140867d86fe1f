package web

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/web/wire"
)

// members are the keys that the JSON body of a call may have at its top level.
var members = []string{"params", "dry_run", "if_version", "idempotency_key", "why"}

// alsoParams are names that models use for params by mistake.
var alsoParams = []string{"parameters", "args", "arguments", "input"}

// viewKeys are the query keys that select a view of any page. They have no influence on an action.
var viewKeys = []string{"full", "wait", "since"}

// findParams returns the params of a call in JSON, and notes for the caller about unknown members of the call.
// Parameters outside params are read as params if the call has no params. A member with a misspelt name is refused.
// Any other unknown member, such as one that a client adds by itself, is ignored, with a note. The declaration d is
// nil for an unknown action.
func findParams(all map[string]json.RawMessage, d *action.Decl) (params json.RawMessage, notes []string, err error) {
	var fields, other []string
	if d != nil {
		for i := range d.Fields {
			fields = append(fields, d.Fields[i].Name)
		}
	}
	params, given := all["params"], len(all["params"]) > 0 && string(all["params"]) != "null"
	lifted := map[string]json.RawMessage{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		switch {
		case slices.Contains(members, name) || strings.HasPrefix(name, "_"):
		case slices.Contains(fields, name):
			lifted[name] = all[name]
		case slices.Contains(alsoParams, name) && given:
			return nil, nil, store.Errorf(store.Invalid, "The call has params and %s. Send params alone.", name)
		case slices.Contains(alsoParams, name):
			params, given = all[name], true
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

// misspelt returns an error if the name is nearly the name of a member or of a parameter.
func misspelt(name string, fields []string) error {
	if near := nearestName(name, slices.Concat(members, alsoParams)); near != "" {
		return store.Errorf(store.Invalid, "%s is not a member of a call. Did you mean %s?", wire.Clip(name, 40), near)
	}
	if near := nearestName(name, fields); near != "" {
		return store.Errorf(store.Invalid,
			`%s is not a member of a call. If you mean the parameter %s, send {"params": {"%s": …}}.`,
			wire.Clip(name, 40), near, near)
	}
	return nil
}

// nearestName returns the first of the names that differs little enough to be meant, or "".
func nearestName(name string, names []string) string {
	plain := strings.NewReplacer("_", "", "-", "", " ", "")
	name = plain.Replace(strings.ToLower(name))
	for _, n := range names {
		if p := plain.Replace(n); param.Distance(name, p) <= min(2, len(p)-1) {
			return n
		}
	}
	return ""
}

// named joins the first ten names from a caller's input, each clipped.
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

// checkControls returns an error if a form has an unknown control field, or the same control field twice. Control
// fields are form fields that begin with _, such as _why.
func checkControls(form url.Values) error {
	for _, name := range slices.Sorted(maps.Keys(form)) {
		switch {
		case !strings.HasPrefix(name, "_"), param.OfPicker(name) && len(form[name]) == 1:
		case !slices.Contains(param.Controls, name):
			return store.Errorf(store.Invalid, "%s is not a control field. There are %s.", wire.Clip(name, 40),
				strings.Join(param.Controls, ", "))
		case len(form[name]) > 1 && name != "_none":
			return store.Errorf(store.Invalid, "%s was given more than once. Send it once.", name)
		}
	}
	return nil
}

// checkQuery refuses a call with values in the query of its URL. Such values fill in the form on the action's page, and
// a call would silently ignore them.
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
