package page

import (
	"cmp"
	"slices"
	"strings"

	"samepage/actions/param"
)

// field writes one parameter with its label, controls, hint and errors.
func (w *htmlWriter) field(form *Form, f *param.Field) {
	bad := false
	for _, e := range form.Errors {
		bad = bad || e.Field == f.Name
	}
	if bad {
		w.raw(`<div class="field bad">`)
	} else {
		w.raw(`<div class="field">`)
	}
	w.raw("\n")
	group := cells(f) != nil || f.Kind == param.Choices || f.Kind == param.Grid || f.Kind == param.Choice && len(f.Options) < manyOptions
	switch {
	case group:
		w.raw(`<fieldset`)
		switch {
		case w.standBeside(form, f):
			w.raw(` class="beside"`)
		case slices.ContainsFunc(f.Options, func(o param.Option) bool { return o.Icon != "" }):
			w.raw(` class="choices"`)
		}
		w.fieldRef("id", form, f, "")
		w.described(form, f, bad)
		if cells(f) != nil {
			w.raw("><legend class=\"vh\">")
		} else {
			w.raw("><legend>")
		}
		w.label(form, f)
		w.raw("</legend>\n")
		w.hints(form, f, bad)
		w.options(form, f)
		w.cellInputs(form, f)
		w.raw("</fieldset>\n")
	case f.Kind == param.Flag:
		w.raw(`<input type="checkbox" value="true"`)
		w.control(form, f, bad)
		if f.On() {
			w.raw(" checked")
		}
		w.raw(">\n<label")
		w.fieldRef("for", form, f, "")
		w.raw(">" + label(f.Name) + "</label>\n")
		w.hints(form, f, bad)
	default:
		w.raw("<label")
		w.fieldRef("for", form, f, "")
		w.raw(">")
		w.label(form, f)
		w.raw("</label>\n")
		w.hints(form, f, bad)
		w.input(form, f, bad)
	}
	w.raw("</div>\n")
}

// label writes the label of a field, which says whether the field is optional or needed only for one option of another
// field.
func (w *htmlWriter) label(form *Form, f *param.Field) {
	w.b = appendEscaped(w.b, label(f.Name))
	if !f.Optional {
		return
	}
	for i := range form.Fields {
		if o, ok := f.NeededFor(&form.Fields[i]); ok {
			w.raw(` <span class="optional">(needed for “`)
			w.optionLabel(o)
			w.raw(`”)</span>`)
			return
		}
	}
	w.raw(` <span class="optional">(optional)</span>`)
}

// fieldRef writes an attribute with the id of a field, to which part is added for an element inside the field.
func (w *htmlWriter) fieldRef(attr string, form *Form, f *param.Field, part string) {
	w.raw(" ")
	w.raw(attr)
	w.raw(`="`)
	w.fieldID(form, f.Name)
	w.b = appendEscaped(w.b, part)
	w.raw(`"`)
}

// described writes the attribute that connects a control to its hint and its error, for screen readers.
func (w *htmlWriter) described(form *Form, f *param.Field, bad bool) {
	if hint(f, w.c.zone()) == "" && !bad {
		return
	}
	w.raw(` aria-describedby="`)
	if hint(f, w.c.zone()) != "" {
		w.fieldID(form, f.Name)
		w.raw("-hint")
		if bad {
			w.raw(" ")
		}
	}
	if bad {
		w.fieldID(form, f.Name)
		w.raw("-error")
	}
	w.raw(`"`)
}

// hint returns the help on filling in a field, or "". The argument zone is the name of the zone for times.
func hint(f *param.Field, zone string) string {
	var how string
	switch f.Kind {
	case param.Lines:
		if cells(f) != nil {
			return "" // the labels of the cells are enough
		}
		how = string(append(appendBounds([]byte("One per line"), ", ", f.Min, f.Max, "item"), '.'))
	case param.Markdown:
		how = "Markdown."
	case param.Time:
		how = "A time in the zone " + zone + ", such as tomorrow noon, Fri 14:00 or 2026-11-23 12:00, or in 3 days."
	case param.Duration:
		how = "Such as 90m, 3d or 1w."
	case param.Ref:
		how = "An @handle, a name or a URL."
	case param.Grid:
		if f.Max == 0 || f.Min > 0 {
			how = "1 is best; equal ranks and gaps are fine."
		}
	}
	_, doc := optionHints(f)
	if repeats(doc, f.Name) {
		doc = ""
	}
	if doc == "" || how == "" {
		return doc + how
	}
	return doc + " " + how
}

// repeats reports whether the help on a field says no more than its label, such as "Your password." on a password.
func repeats(doc, name string) bool {
	said := strings.Split(name, "_")
	for word := range strings.FieldsSeq(strings.ToLower(strings.TrimSuffix(doc, "."))) {
		if !slices.Contains([]string{"your", "which", "address"}, word) && !slices.Contains(said, word) {
			return false
		}
	}
	return true
}

func (w *htmlWriter) hints(form *Form, f *param.Field, bad bool) {
	if h := hint(f, w.c.zone()); h != "" {
		w.raw(`<p class="hint"`)
		w.fieldRef("id", form, f, "-hint")
		w.raw(">")
		w.sentence(h)
		w.raw("</p>\n")
	}
	if bad {
		w.raw(`<p class="error"`)
		w.fieldRef("id", form, f, "-error")
		w.raw(">")
		first := true
		for _, e := range form.Errors {
			if e.Field == f.Name {
				if !first {
					w.raw(" ")
				}
				first = false
				w.sentence(e.Message)
			}
		}
		w.raw("</p>\n")
	}
}

// control writes the attributes of a field with only one control.
func (w *htmlWriter) control(form *Form, f *param.Field, bad bool) {
	w.fieldRef("id", form, f, "")
	w.attr("name", f.Name)
	w.described(form, f, bad)
	if bad {
		w.raw(` aria-invalid="true"`)
	}
	if !f.Optional && f.Kind != param.Flag && f.Kind != param.Time { // the calendar beside a time may set it
		w.raw(" required")
	}
	w.focus(form, f)
}

// focus gives the first field the focus on the page of a single action, unless there are errors to read first.
func (w *htmlWriter) focus(form *Form, f *param.Field) {
	if w.p.Only && len(w.p.Forms) == 1 && len(form.Errors) == 0 && f == &form.Fields[0] {
		w.raw(" autofocus")
	}
}

func (w *htmlWriter) input(form *Form, f *param.Field, bad bool) {
	switch f.Kind {
	case param.Markdown, param.Lines:
		w.raw("<textarea")
		w.control(form, f, bad)
		if f.Kind == param.Markdown {
			w.raw(` rows="5"`)
			w.minLength(f)
		} else {
			w.raw(` rows="4"`)
		}
		w.raw(">\n") // HTML ignores the first newline in a textarea
		value := f.Value
		if f.Kind == param.Lines && value == "" {
			value = strings.Join(f.Values, "\n")
		}
		w.b = appendEscaped(w.b, value)
		w.raw("</textarea>\n")
	case param.Choice:
		w.raw("<select")
		w.control(form, f, bad)
		w.raw(">\n<option value=\"\">")
		if f.Optional {
			w.raw("–")
		} else {
			w.raw("Choose…")
		}
		w.raw("</option>\n")
		for _, o := range f.Options {
			w.raw("<option")
			w.attr("value", o.Value)
			if f.Value == o.Value {
				w.raw(" selected")
			}
			w.raw(">")
			w.optionLabel(o)
			w.raw("</option>\n")
		}
		w.raw("</select>\n")
	default:
		w.raw("<input")
		w.inputType(f)
		w.control(form, f, bad)
		if f.Value != "" && f.Kind != param.Secret && f.Kind != param.File {
			w.attr("value", f.Value)
		}
		if f.As == "zone" || suggests(f) {
			w.fieldRef("list", form, f, "-list")
		}
		w.raw(">\n")
		w.picker(form, f)
	}
}

func (w *htmlWriter) inputType(f *param.Field) {
	switch f.Kind {
	case param.Number:
		w.raw(` type="number" step="1"`)
		w.bounds(f)
	case param.Secret:
		fill := cmp.Or(f.Fill, "new-password")
		w.raw(` type="password"`)
		w.attr("autocomplete", fill)
		w.minLength(f)
	case param.File:
		w.raw(` type="file"`)
	case param.Time, param.Duration, param.Ref:
		w.raw(` type="text" autocomplete="off"`)
	default:
		switch {
		case f.Fill == "username" || f.As == "email":
			w.raw(` type="email"`)
		case f.As == "clock":
			w.raw(` type="time"`)
			return
		default:
			w.raw(` type="text"`)
		}
		if f.Fill != "" {
			w.attr("autocomplete", f.Fill)
		}
		w.minLength(f)
	}
}

// minLength writes the minimum length of a text. There is no maximum, at which a browser would cut what is pasted
// without a word: the server refuses a long text and says how long it is.
func (w *htmlWriter) minLength(f *param.Field) {
	if f.Min > 1 {
		w.number("minlength", f.Min)
	}
}

func (w *htmlWriter) bounds(f *param.Field) {
	if f.Min != 0 || f.Max != 0 {
		w.number("min", f.Min)
	}
	if f.Max != 0 {
		w.number("max", f.Max)
	}
}
