package param

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// Input has the values that a caller sent, by field name. Their types are those of a form or of JSON; [Decode] accepts
// both.
type Input map[string]any

// FromForm converts a submitted form. A field with only empty values becomes "", which clears the value. If only some
// values of a field are empty, those are dropped. Control fields have names with a leading underscore, and are left
// out. If the form contains the version of the page, the input counts as a complete form, in which an absent checkbox
// was not ticked. A cell of a grid is sent as name.option=number.
func FromForm(values url.Values, files map[string]Upload) Input {
	in := make(Input, len(values)+len(files)+1)
	if values.Get("_if_version") != "" {
		in[wholeForm] = marker{}
	}
	for name, list := range values {
		if strings.HasPrefix(name, "_") {
			continue
		}
		list = given(list)
		var v any = list
		switch len(list) {
		case 0:
			v = ""
		case 1:
			v = list[0]
		}
		grid, option, ok := strings.Cut(name, ".")
		if !ok || values.Has(grid) {
			in[name] = v
			continue
		}
		cells, _ := in[grid].(map[string]any)
		if cells == nil {
			cells = map[string]any{}
			in[grid] = cells
		}
		if v != "" {
			cells[option] = v
		}
	}
	for _, name := range strings.Fields(strings.Join(values[noneOf], " ")) {
		if _, sent := in[name]; !sent {
			in[name] = []string{}
		}
	}
	for name, list := range values {
		of, picks := strings.CutPrefix(name, picked)
		if _, sent := in[of]; picks && sent && list[0] != "" && list[0] != values.Get(unpicked+of) {
			in[of] = list[0]
		}
	}
	addCells(in, values)
	for name, file := range files {
		text, sent := in[name]
		switch {
		case file.Size() == 0 && file.Name == "", strings.HasPrefix(name, "_"):
		case sent && !empty(text):
			in[name] = textAndFile{}
		default:
			in[name] = file
		}
	}
	return in
}

// noneOf is the name of a control field. Its value has the names of fields with checkboxes in the form, separated by
// spaces. A browser sends nothing for such a field if no box is ticked; with noneOf, [FromForm] makes it an empty list.
const noneOf = "_none"

// picked and unpicked are prefixes of two control fields beside a text field: the value of a picker, such as a
// calendar, and its value when the form was loaded. A picker's value that is new and not empty replaces the text.
const (
	picked   = "_pick."
	unpicked = "_was."
)

// cellOf is the beginning of the name of a form control for one [Cell].
const cellOf = "_cell."

// CellControl returns the name of the control of a cell in a form.
func CellControl(f *Field, c *Cell) string { return cellOf + f.Name + "." + c.Title }

// addCells adds a line such as "Price: 12" to a field for each form control of a [Cell], in the order of the titles. A
// cell without a value also gets a line, such as "Price: ", which clears its value.
func addCells(in Input, values url.Values) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		cell, ok := strings.CutPrefix(name, cellOf)
		field, title, named := strings.Cut(cell, ".")
		if !ok || !named {
			continue
		}
		list, _ := in[field].([]string)
		in[field] = append(list, title+": "+values.Get(name))
	}
}

// Controls are the names of the control fields of a form, except those of pickers and cells (see [OfPart]).
var Controls = []string{"_dry_run", "_if_version", "_idempotency_key", "_why", "_then", noneOf}

// OfPart reports whether a form field only controls a part of another field: a picker or a cell.
func OfPart(name string) bool {
	return strings.HasPrefix(name, picked) || strings.HasPrefix(name, unpicked) || strings.HasPrefix(name, cellOf)
}

// given returns list without its empty values. It does not change list.
func given(list []string) []string {
	for i, s := range list {
		if s != "" {
			continue
		}
		rest := append([]string(nil), list[:i]...)
		for _, s := range list[i:] {
			if s != "" {
				rest = append(rest, s)
			}
		}
		return rest
	}
	return list
}

// wholeForm is the key that marks an [Input] as a complete form, in which an absent checkbox was not ticked. No JSON
// can contain a value of the type marker.
const wholeForm = "_form"

type marker struct{}

// textAndFile is the value of a field for which a form sends both a text and a file.
type textAndFile struct{}

// Keep returns the input, completed with the present values of the fields that it lacks. In a complete form, absent
// checkboxes stay unticked.
func Keep(fields []Field, in Input) Input {
	_, whole := in[wholeForm].(marker)
	kept := maps.Clone(in)
	if kept == nil {
		kept = Input{}
	}
	for i := range fields {
		f := &fields[i]
		if _, sent := in[f.Name]; sent || whole && (f.Kind == Flag || f.Kind == Choices) {
			continue
		}
		switch {
		case f.Kind == Grid && f.Values != nil:
			cells := map[string]any{}
			for _, v := range f.Values {
				option, n, _ := strings.Cut(v, "=")
				cells[option] = n
			}
			kept[f.Name] = cells
		case f.Values != nil:
			kept[f.Name] = f.Values
		case f.Value != "":
			kept[f.Name] = f.Value
		}
	}
	return kept
}

// Emptied returns the fields that have a present value and are sent empty, which clears the value. It leaves out false
// and empty lists of choices, because these are values.
func Emptied(fields []Field, in Input) (list []Field) {
	for i := range fields {
		f := &fields[i]
		raw, sent := in[f.Name]
		if !sent || !empty(raw) || f.Value == "" && f.Values == nil {
			continue
		}
		switch raw.(type) {
		case bool:
			continue
		case []any, []string:
			if f.Kind == Choices || f.Kind == Flag {
				continue
			}
		}
		list = append(list, *f)
	}
	return list
}

// Limits of JSON params: the depth of nesting and the number of values. They bound the memory, because a value takes up
// to thirty times the memory of its JSON.
const (
	maxDepth  = 16
	maxValues = 10_000
)

// FromJSON decodes a JSON object into an input. It also accepts a JSON string that contains an object, because some MCP
// clients send that. Empty data and null count as an empty object. It refuses duplicate names (RFC 8259 §4 leaves their
// meaning open), more than 16 levels, more than 10,000 values, data after the object, and text that is not UTF-8.
// Errors are sentences for the caller.
func FromJSON(data []byte) (Input, error) {
	return fromJSON(data, true)
}

func fromJSON(data []byte, mayQuote bool) (Input, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return Input{}, nil
	}
	if !utf8.Valid(data) { // encoding/json would replace invalid bytes by U+FFFD
		return nil, errors.New("params are not valid UTF-8")
	}
	if !json.Valid(data) {
		var whole json.RawMessage
		return nil, fmt.Errorf("params are not valid JSON: %w", json.Unmarshal(data, &whole))
	}
	v, err := (&parser{rest: data}).value(1)
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case nil:
		return Input{}, nil
	case map[string]any:
		return v, nil
	case string:
		if mayQuote {
			return fromJSON([]byte(v), false)
		}
	}
	return nil, fmt.Errorf("params must be a JSON object, not %s", typeName(v))
}
