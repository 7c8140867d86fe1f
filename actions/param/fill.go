package param

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// FillIn returns the fields, prefilled from an earlier input; it does not change the given slice. If whole is true, the
// input is a complete form, and a field without input becomes empty. Secrets and files are never prefilled.
func FillIn(fields []Field, in Input, whole bool) []Field {
	if len(in) == 0 && !whole {
		return fields
	}
	fields = append([]Field(nil), fields...)
	for i := range fields {
		f := &fields[i]
		v, ok := in[f.Name]
		if !ok && !whole || f.Kind == Secret || f.Kind == File {
			continue
		}
		f.Value, f.Values, f.Proposed = "", nil, true
		switch v := v.(type) {
		case nil:
		case []string:
			f.Values = v
		case []any:
			for _, item := range v {
				f.Values = append(f.Values, fmt.Sprint(item))
			}
		case map[string]any:
			for _, option := range slices.Sorted(maps.Keys(v)) {
				f.Values = append(f.Values, fmt.Sprintf("%s=%v", option, v[option]))
			}
		default:
			f.Value = fmt.Sprint(v)
			if f.Kind == Choices || f.Kind == Lines {
				f.Values = []string{f.Value}
			}
		}
	}
	return fields
}

// ErrorsOf returns the errors about single fields in err, or nil if err has another cause.
func ErrorsOf(err error) Errors {
	fields, _ := errors.AsType[Errors](err)
	return fields
}
