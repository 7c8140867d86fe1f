package web_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"samepage/actions/param"
)

// These are the faults of a parameter.
const (
	misplaced  = "misplaced"
	misspelled = "misspelt"
	otherType  = "of another type"
	isMissing  = "missing"
	isEmpty    = "empty"
	isNull     = "null"
	doubled    = "doubled"
	notHere    = "not offered"
)

var faults = []string{misplaced, misspelled, otherType, isMissing, isEmpty, isNull, doubled, notHere}

// try sends the parameter with every fault through every door.
func (f *faultyField) try() {
	f.t.Helper()
	clientOf(f.w, f.actor).Get(f.path, "application/json") // an agent must have read what it changes
	rest := map[string]any{}
	for _, d := range f.decl.Fields {
		if _, given := f.right[d.Name]; given && d.Name != f.field.Name {
			rest[d.Name] = f.value(d)
		}
	}
	name := f.field.Name
	if !f.offered {
		f.nested(faultyCall{fault: notHere, says: []string{"leave it out"}}, with(rest, name, "banana"))
		return
	}
	value := f.value(f.field)
	f.tryNames(rest, value)
	f.tryTypes(rest, value)
	f.tryAbsence(rest)
	f.tryTwice(rest, value)
}

// tryNames sends the parameter in a wrong place and under a wrong name.
func (f *faultyField) tryNames(rest map[string]any, value any) {
	name, typo := f.field.Name, misspelling(f.field.Name)
	right := with(rest, name, value)
	beside := faultyCall{fault: misplaced, body: object(with(right, "dry_run", true)), means: right, note: "Read as params: "}
	both := faultyCall{fault: misplaced, body: object(map[string]any{"params": rest, name: value}), says: []string{"inside params"}}
	address := faultyCall{fault: misplaced, query: "?" + formOf(map[string]any{name: value}).Encode(), says: []string{"parameter"}}
	f.members(beside)
	f.members(both)
	f.nested(address, rest)
	nested := formOf(rest)
	nested.Set("params["+name+"]", "1")
	f.check(byForm, faultyCall{fault: misplaced, form: nested})

	f.nested(faultyCall{fault: misspelled, says: []string{typo}}, with(rest, typo, value))
	f.members(faultyCall{fault: misspelled, body: object(map[string]any{"params": rest, typo: value}),
		says: []string{typo}})
}

// tryTypes sends values of other types in place of the right one. A value with only one possible meaning is accepted.
func (f *faultyField) tryTypes(rest map[string]any, value any) {
	name, kind := f.field.Name, f.field.Kind
	says := []string{rightForm[kind]}
	for _, v := range append(otherTypes[kind], map[string]any{"a": []int{1}}) {
		body := object(map[string]any{"params": with(rest, name, v)})
		f.members(faultyCall{fault: otherType, body: body, says: says})
	}
	for _, pair := range wrongTexts(name, kind) {
		form := formOf(rest)
		form.Set(pair[0], pair[1])
		f.check(byForm, faultyCall{fault: otherType, form: form, says: says})
	}
	alike := func(other, same any) {
		right := with(rest, name, same)
		f.members(faultyCall{fault: otherType, means: right,
			body: object(map[string]any{"params": with(rest, name, other), "dry_run": true})})
	}
	switch kind {
	case param.Text:
		alike(4, "4")
	case param.Number:
		alike(fmt.Sprint(value), value)
		alike(fmt.Sprint(value)+".0", value)
	case param.Flag:
		alike("true", true)
		alike(1, true)
	case param.Choices:
		alike(value.([]any)[0], value)
	case param.Lines:
		alike(value.([]any)[0], value.([]any)[:1])
	}
}

// rightForm holds, by the kind of the parameter, a part of every message about a value of another type.
var rightForm = map[param.Kind]string{
	param.Text: "must be text", param.Markdown: "must be text", param.Ref: "must be text", param.Secret: "must be text",
	param.Lines: "must be", param.Number: "number", param.Flag: "must be true or false", param.Choice: "the options are",
	param.Choices: "the options are", param.Grid: "the options are", param.Time: "A time such as",
	param.Duration: "A duration such as", param.File: "must be a file or its text",
}

// otherTypes holds JSON values that a parameter of a kind cannot have. tryTypes adds an object that no kind accepts.
var otherTypes = map[param.Kind][]any{
	param.Text:     {true, []any{"a", "b"}},
	param.Markdown: {4, true, []any{"a", "b"}},
	param.Ref:      {4, true, []any{"a", "b"}},
	param.Secret:   {4, true, []any{"a", "b"}},
	param.Lines:    {4, true, []any{map[string]any{"a": 1}}, []any{[]any{"a"}}, []any{4}},
	param.Number:   {"banana", 1.5, true, []any{1}},
	param.Flag:     {"banana", 7, []any{true}},
	param.Choice:   {"no such thing", 987654, true, []any{"a", "b"}},
	param.Choices:  {"no such thing", 987654, true, []any{true}, []any{"no such thing"}},
	param.Grid:     {"banana", 4, true, []any{"a", "b"}, map[string]any{"no such thing": 1}},
	param.Time:     {"banana", 4, true, []any{"a", "b"}},
	param.Duration: {"banana", 4, true, []any{"a", "b"}},
	param.File:     {4, true, []any{"a", "b"}},
}

// wrongTexts returns fields of a form with values that a parameter of a kind cannot have.
func wrongTexts(name string, kind param.Kind) [][2]string {
	list := [][2]string{{name + ".a", "1"}}
	switch kind {
	case param.Number, param.Flag, param.Choice, param.Choices, param.Grid, param.Time, param.Duration:
		list = append(list, [2]string{name, "banana"})
	}
	return list
}

// tryAbsence leaves out the parameter, or sends it without a value.
func (f *faultyField) tryAbsence(rest map[string]any) {
	name, required := f.field.Name, []string{"is required"}
	if f.must && f.field.Explicit || f.explicit() {
		required = []string{"[]"}
	}
	if f.must {
		f.nested(faultyCall{fault: isMissing, says: required}, rest)
	}
	_, given := f.right[name]
	for _, empty := range empties[f.field.Kind] {
		c := faultyCall{fault: isEmpty, says: required}
		if _, list := empty.([]any); list && f.explicit() {
			continue // an explicit empty list is the right way to choose nothing
		}
		switch {
		case f.must, given:
		case f.decl.Keeps: // TestEmptiedParams tests these actions
			c.says, c.means = nil, with(rest, name, empty)
		default: // an empty value counts as missing
			c.says, c.means = nil, rest
		}
		if empty == nil {
			c.fault = isNull
		} else if _, text := empty.(string); text {
			f.nested(c, with(rest, name, empty))
			continue
		}
		params := map[string]any{"params": with(rest, name, empty)}
		if c.means != nil {
			params["dry_run"] = true
		}
		c.body = object(params)
		f.members(c)
	}
}

// empties holds the empty values of each kind. A secret or a file can consist of spaces.
var empties = map[param.Kind][]any{
	param.Text: {"", "  ", nil}, param.Markdown: {"", " \n", nil}, param.Ref: {"", "  ", nil}, param.Secret: {"", nil},
	param.Lines: {"", "  ", []any{}, []any{" "}, nil}, param.Number: {"", "  ", nil}, param.Flag: {"", nil},
	param.Choice: {"", "  ", nil}, param.Choices: {"", []any{}, []any{""}, nil},
	param.Grid: {"", "  ", map[string]any{}, nil}, param.Time: {"", "  ", nil}, param.Duration: {"", "  ", nil},
	param.File: {"", nil},
}

// explicit reports whether a call must name its choices, even to choose none.
func (f *faultyField) explicit() bool {
	return f.must && f.field.Optional && f.field.Kind == param.Choices
}

// tryTwice sends the parameter twice.
func (f *faultyField) tryTwice(rest map[string]any, value any) {
	name, kind, sent := f.field.Name, f.field.Kind, object(value)
	end := strings.TrimPrefix(object(rest), "{")
	if end != "}" {
		end = "," + end
	}
	twice := `"` + name + `":` + sent + `,"` + name + `":` + sent + end
	f.members(faultyCall{fault: doubled, body: `{"params":{` + twice + "}", says: []string{"twice"}})
	f.members(faultyCall{fault: doubled, body: "{" + twice, says: []string{"once"}})
	f.members(faultyCall{fault: doubled, body: object(map[string]any{"params": with(rest, name, value), name: value}),
		says: []string{"inside params"}})

	form, says := formOf(rest), []string{"more than once"}
	key := name
	for k, list := range formOf(map[string]any{name: value}) {
		form[k], key = append(slices.Clone(list), list...), k
	}
	switch kind {
	case param.Lines:
		f.check(byForm, faultyCall{fault: doubled, form: dry(form), means: with(rest, name,
			append(slices.Clone(value.([]any)), value.([]any)...))})
		return
	case param.Choices:
		says = []string{"twice"}
	case param.File:
		form.Del(key)
		upload := map[string]param.Upload{name: {Name: "a.txt", Data: []byte("a")}}
		both := url.Values{name: {"b"}}
		for k, list := range form {
			both[k] = list
		}
		f.check(byForm, faultyCall{fault: doubled, form: both, files: upload, says: says})
		form[key] = []string{"a", "b"}
	}
	f.check(byForm, faultyCall{fault: doubled, form: form, says: says})
}

// nested sends a call with these parameters through every door.
func (f *faultyField) nested(c faultyCall, params map[string]any) {
	f.t.Helper()
	body, form := map[string]any{"params": params}, formOf(params)
	if c.means != nil {
		body["dry_run"], form = true, dry(form)
	}
	c.body, c.form = object(body), form
	f.members(c)
	f.check(byForm, c)
}

// members sends a call by JSON, and also over MCP if the action is offered to an agent.
func (f *faultyField) members(c faultyCall) {
	f.t.Helper()
	f.check(byJSON, c)
	if f.mayMCP() {
		f.check(byMCP, c)
	}
}

// value returns a value for a field, as it is sent in JSON.
func (f *offeredForm) value(d param.Field) any {
	v, ok := f.right[d.Name]
	if !ok {
		v = sensible(f.decl, d, f.schema.Properties[d.Name], f.visit)
	}
	if u, ok := v.(param.Upload); ok {
		return string(u.Data)
	}
	return v
}

// formOf returns parameters as the fields of a form.
func formOf(params map[string]any) url.Values {
	form := url.Values{}
	for name, v := range params {
		switch v := v.(type) {
		case []any:
			for _, x := range v {
				form.Add(name, fmt.Sprint(x))
			}
		case map[string]any:
			for k, x := range v {
				form.Set(name+"."+k, fmt.Sprint(x))
			}
		default:
			form.Set(name, fmt.Sprint(v))
		}
	}
	return form
}

func dry(form url.Values) url.Values {
	form.Set("_dry_run", "1")
	return form
}
