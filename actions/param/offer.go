package param

import "strings"

// Apply returns the declared fields, changed by the offers for one actor and subject, without the fields that do not
// apply to them. An offer can only make a limit stricter. If o is empty, the result is the slice fields itself, and
// otherwise a copy.
func Apply(fields []Field, o Offers) []Field {
	if len(o) == 0 {
		return fields
	}
	most := len(fields)
	for _, by := range o {
		if by != nil && by.Omit {
			most--
		}
	}
	offered := make([]Field, 0, max(most, 0))
	for i := range fields {
		by := o[fields[i].Name]
		if by != nil && by.Omit {
			continue
		}
		offered = append(offered, fields[i])
		if by != nil {
			by.apply(&offered[len(offered)-1])
		}
	}
	return offered
}

func (by *Offered) apply(f *Field) {
	if by.Required {
		f.Optional = false
	}
	f.Explicit = f.Explicit || by.Explicit
	f.Proposed = f.Proposed || by.Proposed
	if by.Doc != "" {
		f.Doc = by.Doc
	}
	if by.Min != 0 {
		f.Min = max(f.Min, by.Min)
	}
	if limit := f.Limit(); by.Max != 0 && (limit == 0 || by.Max < limit) {
		f.Max = by.Max
	}
	if by.Options != nil {
		f.Options = by.Options
	}
	if by.Refused != nil {
		f.Refused = by.Refused
	}
	if by.Cells != nil {
		f.Cells = by.Cells
	}
	if f.Kind == Secret || f.Kind == File {
		return // secrets and files are never prefilled
	}
	if by.Value != "" {
		f.Value = by.Value
	}
	if by.Values != nil {
		f.Values = by.Values
	}
}

// MayBeLeftOut reports whether a caller may leave the field out.
func (f *Field) MayBeLeftOut() bool { return (f.Optional || f.Kept) && !f.Explicit }

// Applies reports whether a call without the field gets the value with which a form is filled in.
func (f *Field) Applies() bool { return f.MayBeLeftOut() && !f.Proposed }

// Limit returns the maximum of the field: Max, or the default of the kind. It returns 0 for kinds without a default,
// such as a choice, which only its options limit.
func (f Field) Limit() int {
	if f.Max != 0 {
		return f.Max
	}
	switch f.Kind {
	case Text:
		return MaxText
	case Markdown:
		return MaxMarkdown
	case Lines:
		return MaxLines
	case Number, Grid:
		return MaxNumber
	case Ref:
		return MaxRef
	case Secret:
		return MaxSecret
	case File:
		return MaxFile
	}
	return 0
}

// Label returns the field's name in words, such as "Closes at" for closes_at.
func (f Field) Label() string { return InWords(f.Name) }

// InWords turns a name into words, such as "due_at" into "Due at".
func InWords(name string) string {
	if name == "" {
		return ""
	}
	return strings.ToUpper(name[:1]) + strings.ReplaceAll(name[1:], "_", " ")
}

// Option returns the field's option with the value, or nil.
func (f *Field) Option(value string) *Option {
	for i := range f.Options {
		if o := &f.Options[i]; o.Value == value {
			return o
		}
	}
	return nil
}
