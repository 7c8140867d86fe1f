// Package param turns a tagged struct into the parts that an action's parameters need: the fields
// of a form, the lines of a markdown page, a JSON Schema, and one decoder for forms and JSON
// alike that reports every bad field at once.
//
// A field is declared by a struct tag:
//
//	Reason string `param:"reason,markdown,optional" max:"2000" doc:"Why, in a sentence or two."`
//
// The first word is the name, the second the [Kind]; "optional" may follow, or "more": optional
// and rarely needed. Params are flat, because a form must be able to carry the same values as
// JSON.
package param

import "slices"

// Kind is the kind of values of a field. It determines how the field is shown, described and
// decoded.
type Kind string

// The kinds of field, with the Go type each decodes into.
const (
	Text     Kind = "text"     // string: one line
	Markdown Kind = "markdown" // string: prose, kept as written
	Lines    Kind = "lines"    // []string: one text per line of a form, or a JSON list
	Number   Kind = "number"   // int
	Flag     Kind = "flag"     // bool
	Choice   Kind = "choice"   // string: one of the offered options
	Choices  Kind = "choices"  // []string: any of the offered options
	Grid     Kind = "grid"     // map[string]int: offered option to a rank or a number of points
	Ref      Kind = "ref"      // string: a member, studio or page named by handle or URL
	Time     Kind = "time"     // time.Time: absolute, or a distance from now such as 3d
	Duration Kind = "duration" // time.Duration: 90m, 3d, 1w
	Secret   Kind = "secret"   // string: never shown, journalled or prefilled
	File     Kind = "file"     // param.Upload
)

// Field is one parameter of an action, as offered to one actor on one subject.
type Field struct {
	Name     string
	Kind     Kind
	Doc      string // a sentence for filling in the field
	Optional bool
	// Explicit is for choices without which a call would mean that none is chosen: the caller must
	// send them, and an empty list for none. The action checks it.
	Explicit bool
	Kept     bool // it has a value that it keeps if it is left out
	// runes of a text, items of lines or choices, bytes, value of a number or grid cell; Max 0: see Limit
	Min, Max int
	Options  []Option // the options of choice, choices and grid
	// options that cannot be chosen any more, each with the reason in words that follow "it"
	Refused map[string]string
	Value   string   // prefills the field, in the form's notation
	Values  []string // prefills lines, choices and grid ("option=rank")
	More    bool     // rarely needed: a form folds it away
	// Fill is the value that a browser may fill in by itself (HTML's autocomplete), such as
	// username. Empty means none, and for a secret a new one.
	Fill string
}

// Option is one option: Value is a server id and safe anywhere, Label is members' text.
type Option struct{ Value, Label string }

// Offered is the difference between a field for this actor and subject and its declaration.
type Offered struct {
	Omit     bool   // the field does not apply here
	Required bool   // it is not optional here
	Explicit bool   // see [Field]
	Doc      string // replaces the declared one, if not empty
	Min, Max int    // tighter limits, if not zero
	Options  []Option
	Refused  map[string]string
	Value    string
	Values   []string
}

// Offers maps the names of fields to their offers; other fields are offered as declared.
type Offers map[string]*Offered

// Error is the error in one field, with the right form in its message.
type Error struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// Errors lists every bad field of one call, in the order of the fields.
type Errors []Error

// Has reports whether one of the errors is about the field.
func (e Errors) Has(field string) bool {
	return slices.ContainsFunc(e, func(f Error) bool { return f.Field == field })
}

// Merge adds the errors of more for fields without an error yet. The result is in the order of
// the fields, with errors of no field last.
func (e Errors) Merge(fields []Field, more Errors) Errors {
	merged := slices.Clone(e)
	for _, f := range more {
		if !e.Has(f.Field) {
			merged = append(merged, f)
		}
	}
	at := func(name string) int {
		if i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name }); i >= 0 {
			return i
		}
		return len(fields)
	}
	slices.SortStableFunc(merged, func(a, b Error) int { return at(a.Field) - at(b.Field) })
	return merged
}

func (e Errors) Error() string {
	s := ""
	for i, f := range e {
		if i > 0 {
			s += "; "
		}
		s += f.Field + ": " + f.Message
	}
	return s
}
