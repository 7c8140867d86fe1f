package param

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Clock has the time of the call, and the zone for times that name no zone. A nil Zone means UTC.
type Clock struct {
	Now  time.Time
	Zone *time.Location
}

// Decode sets the params struct to which dst points from the input. The fields must be those of the struct, from
// [Fields] or [Apply]. A field without input keeps its value in dst.
//
// For bad input, Decode returns [Errors] with one error for each bad field, in the order of the fields, and then for
// unknown names. It sets the other fields even then.
//
// An empty value counts as not sent: "", null, [] for lines, {} for a grid, and spaces except in a secret or a file.
// For choices, an empty list sets an empty slice, not nil. A text becomes one line without spaces around it. Markdown
// gets LF as line ends and loses white space at its end. Lines are trimmed, and empty lines are dropped. A ref loses
// all leading @. Choices also accept a single option instead of a list, and a JSON number as the option with that
// value. A flag that is not optional must be true. Times have one of [TimeForms]; they are converted to UTC and rounded
// up to the whole minute.
func Decode(fields []Field, in Input, clock Clock, dst any) error {
	v := reflect.ValueOf(dst).Elem()
	p := planOf(v.Type())
	var errs Errors
	next, known := 0, 0
	for i := range p.fields {
		name := p.fields[i].Name
		raw, sent := in[name]
		if sent {
			known++
		}
		if next == len(fields) || fields[next].Name != name {
			if sent && !empty(raw) {
				errs = append(errs, Error{name, "does not apply here; leave it out"})
			}
			continue
		}
		f := &fields[next]
		next++
		if problem := f.decode(raw, clock, v.FieldByIndex(p.index[i])); problem != "" {
			errs = append(errs, Error{name, problem})
		}
	}
	if next != len(fields) {
		panic(fmt.Sprintf("param: field %q is not one of %s's, or not in its order", fields[next].Name, v.Type()))
	}
	if _, ok := in[wholeForm].(marker); ok {
		known++
	}
	if known < len(in) {
		errs = append(errs, unknown(p.fields, fields, in)...)
	}
	if len(errs) > 0 {
		return errs
	}
	return nil
}

// decode sets v to the value of the field. If the value is bad, it returns the problem in words that can follow the
// field's name.
func (f *Field) decode(raw any, clock Clock, v reflect.Value) (problem string) {
	given := false
	if _, both := raw.(textAndFile); both {
		return givenTwice
	}
	if list, several := raw.([]string); several && f.Kind != Lines && f.Kind != Choices {
		if len(list) > 0 {
			return givenTwice
		}
		raw = nil
	}
	switch f.Kind {
	case Text, Markdown, Ref, Secret:
		var s string
		if s, problem = f.text(raw); problem == "" && s != "" {
			given = true
			v.SetString(s)
		}
	case Lines:
		var list []string
		if list, problem = f.lines(raw); problem == "" && len(list) > 0 {
			given = true
			*v.Addr().Interface().(*[]string) = list
		}
	case Number:
		var n int
		if n, given, problem = f.number(raw); given {
			v.SetInt(int64(n))
		}
	case Flag:
		var on bool
		if on, given, problem = flag(raw); given {
			if !on && !f.Optional {
				return "must be true to go on"
			}
			v.SetBool(on)
		}
	case Choice:
		var s string
		if s, problem = f.choice(raw); problem == "" && s != "" {
			given = true
			v.SetString(s)
		}
	case Choices:
		var list []string
		if list, problem = f.choices(raw); problem == "" && list != nil {
			given = len(list) > 0
			*v.Addr().Interface().(*[]string) = list
		}
	case Grid:
		var cells map[string]int
		if cells, problem = f.grid(raw); problem == "" && len(cells) > 0 {
			given = true
			*v.Addr().Interface().(*map[string]int) = cells
		}
	case Time:
		var t time.Time
		if t, problem = moment(raw, clock); problem == "" && !t.IsZero() {
			given = true
			*v.Addr().Interface().(*time.Time) = t
		}
	case Duration:
		var d time.Duration
		if d, problem = duration(raw); problem == "" && d != 0 {
			given = true
			v.SetInt(int64(d))
		}
	case File:
		var u Upload
		if u, problem = f.file(raw); problem == "" && u.Size() > 0 {
			given = true
			*v.Addr().Interface().(*Upload) = u
		}
	}
	if problem == "" && !given && !f.Optional {
		return "is required" + f.form()
	}
	return problem
}

// maxUnknown is the largest number of unknown names with an error of their own. One more error counts the rest.
const maxUnknown = 10

func unknown(declared, offered []Field, in Input) (errs Errors) {
	var names []string
	for name, raw := range in {
		if _, ok := raw.(marker); ok {
			continue
		}
		if !Has(declared, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for i, name := range names {
		if i == maxUnknown {
			return append(errs, Error{"params", fmt.Sprintf("have %d more unknown names", len(names)-i)})
		}
		errs = append(errs, Error{short(name), "is not a parameter here" + suggestion(offered, name)})
	}
	return errs
}

func suggestion(offered []Field, name string) string {
	if len(offered) == 0 {
		return "; it takes none"
	}
	best, least := "", 1+max(2, len(name)/3)
	var names []string
	for _, f := range offered {
		if d := Distance(strings.ToLower(name), f.Name); d < least {
			best, least = f.Name, d
		}
		names = append(names, f.Name)
	}
	if best != "" && least < len(best) {
		return "; did you mean " + best + "?"
	}
	return "; it takes " + listed(names, len(names))
}

// Distance returns the Levenshtein distance of a and b in bytes, or 65 if either text has 65 bytes or more.
func Distance(a, b string) int {
	var row [65]int
	if len(a) >= len(row) || len(b) >= len(row) {
		return len(row)
	}
	for j := range len(b) + 1 {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
