package param

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Describe calls each for every field that the input sets, in the order of the fields, and then for every unknown name.
// The values are texts for a person: one for each item of a list or each cell of a grid, and a single one for other
// kinds. The text for a secret does not contain its value.
func Describe(fields []Field, in Input, each func(f *Field, values []string)) {
	known := map[string]bool{wholeForm: true}
	for i := range fields {
		f := &fields[i]
		known[f.Name] = true
		if v, ok := in[f.Name]; ok {
			each(f, f.describe(v))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(in)) {
		if !known[name] {
			f := &Field{Name: name}
			each(f, f.describe(in[name]))
		}
	}
}

func (f *Field) describe(v any) []string {
	if f.Kind == Secret {
		return []string{"(a secret)"}
	}
	switch v := v.(type) {
	case []string:
		return f.describeAll(len(v), func(i int) any { return v[i] })
	case []any:
		return f.describeAll(len(v), func(i int) any { return v[i] })
	case map[string]any:
		keys := slices.Sorted(maps.Keys(v))
		return f.describeAll(len(keys), func(i int) any { return f.option(keys[i]) + ": " + fmt.Sprint(v[keys[i]]) })
	case nil:
		return []string{"(nothing)"}
	case Upload:
		return []string{fmt.Sprintf("%s (%d bytes)", v.Name, v.Size())}
	case bool:
		if v {
			return []string{"yes"}
		}
		return []string{"no"}
	case string:
		if v == "" {
			return []string{"(empty)"}
		}
		return []string{f.option(v)}
	case json.Number:
		return []string{f.option(v.String())}
	}
	return []string{fmt.Sprint(v)}
}

func (f *Field) describeAll(n int, at func(int) any) []string {
	if n == 0 {
		return []string{"(none)"}
	}
	list := make([]string, n)
	for i := range list {
		list[i] = strings.Join(f.describe(at(i)), " · ")
	}
	return list
}

func (f *Field) option(value string) string {
	for _, o := range f.Options {
		if o.Value == value && o.Label != "" && o.Label != value {
			return value + " (" + o.Label + ")"
		}
	}
	return value
}
