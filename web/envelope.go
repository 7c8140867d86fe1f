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

// members are the members of a call as JSON.
var members = []string{"params", "dry_run", "if_version", "idempotency_key", "why"}

// alsoParams are other names of params that models use.
var alsoParams = []string{"parameters", "args", "arguments", "input"}

// viewKeys are the keys of a query that select a view of any page. An action does not depend on them.
var viewKeys = []string{"full", "wait", "since"}

// findParams returns the params of a call among the members of its JSON, and notes for the caller
// about members that are no part of the contract. Parameters that are not inside params are read as
// params if there are no params; a member that is a misspelt name is refused; any other member, such
// as one that a client adds by itself, is ignored and noted (contracts.md §4). d is nil for an
// unknown action.
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

// misspelt refuses a name that is nearly the name of a member or of a parameter.
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

// nearestName returns the name that was probably meant, or "".
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

// named joins the first of the caller's names, cut short.
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

// checkControls refuses a form with an unknown control field, or with one that is there twice.
func checkControls(form url.Values) error {
	for _, name := range slices.Sorted(maps.Keys(form)) {
		switch {
		case !strings.HasPrefix(name, "_"):
		case !slices.Contains(param.Controls, name):
			return store.Errorf(store.Invalid, "%s is not a control field. There are %s.", wire.Clip(name, 40),
				strings.Join(param.Controls, ", "))
		case len(form[name]) > 1 && name != "_none":
			return store.Errorf(store.Invalid, "%s was given more than once. Send it once.", name)
		}
	}
	return nil
}

// checkQuery refuses a call with values in its address: they fill in the form of the action's page,
// and an action does not read them.
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
