// Package param derives all representations of an action's parameters from a tagged struct: the fields of a form, the
// lines of a markdown page, a JSON Schema, and one decoder for forms and JSON. The decoder reports all bad fields at
// once.
//
// A field is declared by a struct tag:
//
//	Reason string `param:"reason,markdown,optional" max:"2000" doc:"Why, in a sentence or two."`
//
// The first word is the name of the field, and the second is its [Kind]. The third word may be "optional", "shown" or
// "more", and each of these makes the field optional. A form may hide optional fields at first: never one with "shown",
// and always one with "more", which is rarely needed. Params are not nested, because a form must be able to send the
// same values as JSON.
package param

import (
	"slices"
	"strings"
)

// Kind determines how a field is shown, described and decoded.
type Kind string

// The kinds of fields, each with the Go type of its decoded values.
const (
	Text     Kind = "text"     // string of one line
	Markdown Kind = "markdown" // string of several lines, stored as written
	Lines    Kind = "lines"    // []string, one text for each line of a form or item of a JSON list
	Number   Kind = "number"   // int
	Flag     Kind = "flag"     // bool
	Choice   Kind = "choice"   // string, one of the offered options
	Choices  Kind = "choices"  // []string, any number of the offered options
	Grid     Kind = "grid"     // map[string]int, from an option to its rank or points
	Ref      Kind = "ref"      // string that names a page, for example by a handle, a URL or a title
	Time     Kind = "time"     // time.Time; callers may send a distance from now such as 3d
	Duration Kind = "duration" // time.Duration, sent as 90m, 3d or 1w
	Secret   Kind = "secret"   // string that is never shown, prefilled, or recorded in the journal
	File     Kind = "file"     // param.Upload
)

// Field is one parameter of an action, as offered to one actor on one subject.
type Field struct {
	Name     string
	Kind     Kind
	Doc      string // sentences on the value to fill in
	Optional bool
	// Needed has a choice and one of its options, such as "position=objection". With that option, this otherwise
	// optional field needs a value. The action itself checks this.
	Needed string
	// Explicit means that the caller must send the choices, and an empty list to choose none. Otherwise a call that
	// forgets the field would choose none. The action itself checks this.
	Explicit bool
	Kept     bool // a call without the field keeps the present value
	// Min and Max limit the characters of a text, the items of lines or choices, the bytes of a file, or the value of a
	// number or grid cell. If Max is 0, [Field.Limit] returns the default.
	Min, Max int
	Options  []Option // options of a choice, choices or grid
	// Refused has options that can no longer be chosen, each with a reason that can follow "it", such as "has expired
	// already".
	Refused map[string]string
	Value   string   // prefills the field, as a caller would write it
	Values  []string // prefill lines, choices and grids ("option=rank")
	// Proposed means that Value and Values are only in a form: a call without the field does not get them.
	Proposed bool
	Shown    bool // optional, but no form hides it
	More     bool // rarely needed, so a form hides it at first
	// Fill is the field's value of HTML's attribute autocomplete, such as username. For a secret, the default is
	// new-password.
	Fill string
	// Cells are labelled lines of a field of the kind lines, such as "Price: 12". A form shows one control for each
	// cell. Values has the lines of the cells that have a value.
	Cells []Cell
	// As is the kind of a text, for the input control of a form: "email", "zone" for a time zone, "clock" for a time of
	// day, "colour", or "" for any other.
	As string
}

// Cell is a labelled line of a field. Title is the text before the colon, which a member may have written. As is the
// kind of the value: "number", "date", "flag", "choice" for one of the options, or "" for any text.
type Cell struct {
	Title, As string
	Options   []string
}

// NeededFor returns the option of the choice that makes a value of the field f necessary, or false.
func (f *Field) NeededFor(choice *Field) (Option, bool) {
	if name, value, ok := strings.Cut(f.Needed, "="); ok && name == choice.Name {
		if o := choice.Option(value); o != nil {
			return *o, true
		}
	}
	return Option{}, false
}

// Option is an option of a field. A caller sends Value to choose it. Label is a text that a member may have written.
// Icon is the name of a symbol at the end of the option, or "".
type Option struct{ Value, Label, Icon string }

// Offered says how a field differs from its declaration for one actor and subject.
type Offered struct {
	Omit     bool   // does not apply to this actor and subject
	Required bool   // not optional for this actor and subject
	Explicit bool   // sets [Field.Explicit]
	Doc      string // replaces the declared Doc unless empty
	Min, Max int    // stricter limits; 0 leaves a limit unchanged
	Options  []Option
	Refused  map[string]string
	Value    string
	Values   []string
	Proposed bool // sets [Field.Proposed]
	Cells    []Cell
}

// Offers has the offers of fields by name. A field without one is offered as declared.
type Offers map[string]*Offered

// Error is an error about one field. The message says what a valid value looks like.
type Error struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// Errors lists all bad fields of one call, in the order of the fields.
type Errors []Error

// Bad returns the error of one field with the message of err, or nil if err is nil. The message is for readers of the
// form, so err must not be an internal error.
func Bad(field string, err error) Errors {
	if err == nil {
		return nil
	}
	return Errors{{Field: field, Message: err.Error()}}
}

// Has reports whether one of the errors is about the field.
func (e Errors) Has(field string) bool {
	return slices.ContainsFunc(e, func(f Error) bool { return f.Field == field })
}

// Merge returns the errors in e and in more, in the order of the fields; errors of no field come last. If both lists
// have errors of a field, only those in e stay.
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
