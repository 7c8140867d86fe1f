package param

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
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

// Fit returns the part of an input that a form with the offered fields can show, as the form shows it: an option's
// title becomes its value. The errors are about the rest, in the order of the names.
func Fit(declared, offered []Field, in Input) (Input, Errors) {
	fit := Input{}
	errs := unknown(declared, offered, in)
	for _, name := range slices.Sorted(maps.Keys(in)) {
		i := slices.IndexFunc(offered, func(f Field) bool { return f.Name == name })
		if i < 0 {
			if Has(declared, name) {
				errs = append(errs, Error{name, "does not apply here"})
			}
			continue
		}
		v, problem := offered[i].fit(in[name])
		if problem != "" {
			errs = append(errs, Error{name, problem})
			continue
		}
		fit[name] = v
	}
	return fit, errs
}

// fit returns the value as the control of the field in a form shows it. It returns a problem if the control would show
// nothing or something else.
func (f *Field) fit(raw any) (v any, problem string) {
	if list, several := raw.([]string); several && len(list) > 1 && f.Kind != Lines && f.Kind != Choices {
		return nil, givenTwice
	}
	switch {
	case f.Kind == Secret || f.Kind == File:
		return nil, "is never filled in"
	case empty(raw):
		return raw, ""
	case f.Kind == Choice:
		v, problem = f.choice(raw)
	case f.Kind == Choices:
		v, problem = f.choices(raw)
	case f.Kind == Flag:
		_, _, problem = flag(raw)
		v = raw
	case f.Kind == Number:
		v, _, problem = whole(raw)
	case f.Kind == Grid:
		var cells map[string]int
		cells, problem = f.grid(raw)
		byOption := make(map[string]any, len(cells))
		for option, n := range cells {
			byOption[option] = n
		}
		v = byOption
	case f.As == "clock":
		at, err := time.Parse("15:04", fmt.Sprint(raw))
		if err != nil {
			problem = "must be a time of day such as 08:00"
		}
		v = at.Format("15:04")
	default:
		v = raw
	}
	return v, problem
}

// ErrorsOf returns the errors about single fields in err, or nil if err has another cause.
func ErrorsOf(err error) Errors {
	fields, _ := errors.AsType[Errors](err)
	return fields
}
