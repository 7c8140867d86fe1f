package param

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"strings"
	"unicode/utf8"
)

// Input is the input of a caller by the name of the field, in the notation of a form or of JSON.
// [Decode] takes both.
type Input map[string]any

// FromForm reads a submitted form. An emptied field is kept as "", which clears the value; among
// several values empty ones are dropped. Names that begin with an underscore are control fields
// (contracts.md H9) and are ignored here, except for the version that a form sends back: it marks
// a form with all fields, see [Keep]. A grid is sent as name.option=number.
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
	for name, file := range files {
		if file.Size() > 0 && !strings.HasPrefix(name, "_") {
			in[name] = file
		}
	}
	return in
}

// noneOf is the control field of a form that names its fields with choices, with spaces between: if
// no choice of a field is ticked, the form sends an empty list, while a form without this field does not say anything about them.
const noneOf = "_none"

// Controls are the control fields of a form (contracts.md H9).
var Controls = []string{"_dry_run", "_if_version", "_idempotency_key", "_why", noneOf}

// given drops the empty values; it copies only if there are any.
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

// wholeForm is the name of the mark on an [Input] from a form with all fields: a box that is
// absent from such a form was unticked. No JSON has a value of the type marker.
const wholeForm = "_form"

type marker struct{}

// Keep adds the present values of the fields that are absent from the input, so that a change of
// one field leaves the others as they are. Empty input stays empty.
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

// Limits on the nesting of JSON params and on the number of their values. Params are flat and a
// grid is one level; the rest is for a clear error. A value takes up to thirty times as much
// memory as its JSON.
const (
	maxDepth  = 16
	maxValues = 10_000
)

// FromJSON reads a JSON object, or a JSON string with one, because some MCP clients send that.
// Empty input and null are an empty object. Errors are sentences for the caller: duplicate names
// (RFC 8259 §4 leaves their meaning open), nesting deeper than 16, more than 10,000 values,
// anything after the object, text that is not UTF-8.
func FromJSON(data []byte) (Input, error) {
	return fromJSON(data, true)
}

func fromJSON(data []byte, mayQuote bool) (Input, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return Input{}, nil
	}
	if !utf8.Valid(data) { // encoding/json would replace it by U+FFFD
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
