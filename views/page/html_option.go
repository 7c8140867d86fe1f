package page

import (
	"slices"
	"strings"
	"unicode/utf8"

	"samepage/actions/param"
)

// optionHints splits the help on a choice into hints for its options and the rest. A sentence that begins with an
// option's value is the hint for that option. The result said has the hints by option, without the option's value.
func optionHints(f *param.Field) (said []string, rest string) {
	rest = f.Doc
	if f.Kind != param.Choice && f.Kind != param.Choices {
		return nil, rest
	}
	for i, o := range f.Options {
		name := label(o.Value) + " "
		from := strings.Index(rest, name)
		if from < 0 || from > 0 && !strings.HasSuffix(rest[:from], ". ") {
			continue
		}
		hint, after, _ := strings.Cut(rest[from+len(name):], ". ")
		if said == nil {
			said = make([]string, len(f.Options))
		}
		said[i] = capital(strings.TrimSuffix(hint, "."))
		rest = strings.TrimSpace(rest[:from] + after)
	}
	return said, rest
}

// mostOnButton is the maximum number of characters of an option's label that stands on the button of the option.
const mostOnButton = 24

func (w *htmlWriter) optionLabel(o param.Option) {
	if strings.TrimSpace(o.Label) == "" {
		w.text(o.Value)
	} else {
		w.text(o.Label)
	}
}

// options writes a radio button, a checkbox or a number field for each option of a field.
func (w *htmlWriter) options(form *Form, f *param.Field) {
	hints, _ := optionHints(f)
	for i, o := range f.Options {
		w.raw(`<div class="option">`)
		switch f.Kind {
		case param.Grid:
			w.raw(`<input type="number" step="1"`)
			w.optionID("id", form, f, i)
			w.attr("name", f.Name+"."+o.Value)
			if f.Max > 0 {
				w.bounds(f)
			} else {
				w.raw(` min="1"`)
			}
			if v := cellValue(f, o.Value); v != "" {
				w.attr("value", v)
			}
		default:
			if f.Kind == param.Choice {
				w.raw(`<input type="radio"`)
			} else {
				w.raw(`<input type="checkbox"`)
			}
			w.optionID("id", form, f, i)
			w.attr("name", f.Name)
			w.attr("value", o.Value)
			if f.Kind == param.Choice && !f.Optional {
				w.raw(" required")
			}
			only := f.Kind == param.Choice && !f.Optional && !form.Ballot && len(f.Options) == 1
			if present(f, o.Value) || only {
				w.raw(" checked")
			}
		}
		if i == 0 {
			w.focus(form, f)
		}
		w.raw("> <label")
		w.optionID("for", form, f, i)
		w.raw(">")
		w.optionLabel(o)
		if len(hints) > i && hints[i] != "" {
			w.raw(" <small>")
			w.sentence(hints[i])
			w.raw("</small>")
		}
		w.raw("</label>")
		if o.Icon != "" {
			w.icon(o.Icon)
		}
		if w.takesOne(form, f) && !form.needsMore(f, o.Value) {
			w.raw(`<button class="small soft now" type="submit" formnovalidate`)
			w.attr("name", f.Name)
			w.attr("value", o.Value)
			w.raw(">")
			short := f.Kind == param.Choice && utf8.RuneCountInString(o.Label) <= mostOnButton
			if short {
				w.raw(`<span class="vh">`)
			}
			if f.Kind == param.Choices {
				w.raw("Only this")
			} else {
				w.text(form.button())
			}
			if short {
				w.raw(": </span>")
				w.optionLabel(o)
				w.raw("</button>")
			} else {
				w.raw(`<span class="vh">: `)
				w.optionLabel(o)
				w.raw("</span></button>")
			}
		}
		w.raw("</div>\n")
	}
}

// standBeside reports whether the options of a field are side by side. It ignores the length of labels, because members
// write some of them.
func (w *htmlWriter) standBeside(form *Form, f *param.Field) bool {
	return f.Kind == param.Choice && len(f.Options) >= 2 && len(f.Options) <= 4 && !w.takesOne(form, f)
}

// needsMore reports whether an option of a choice needs another field, see [param.Field.Needed]. Such an option has no
// button of its own, because the form would be refused.
func (f *Form) needsMore(choice *param.Field, value string) bool {
	return slices.ContainsFunc(f.Fields, func(g param.Field) bool {
		o, ok := g.NeededFor(choice)
		return ok && o.Value == value
	})
}

// takesOne reports whether the options of a field have buttons that send the form with one option alone. The field must
// be the form's first, with no other required field. The page must be that of a vote, or ask the reader to take the
// action and to choose between options of which none is filled in.
func (w *htmlWriter) takesOne(form *Form, f *param.Field) bool {
	asks := w.p.Only && form.Ballot || w.calls && f.Kind == param.Choice && !f.Optional && f.Value == "" && len(f.Options) > 1
	if !asks || f.Kind != param.Choice && f.Kind != param.Choices || f != &form.Fields[0] {
		return false
	}
	return !slices.ContainsFunc(form.Fields[1:], func(g param.Field) bool { return !g.MayBeLeftOut() })
}

// optionID writes an attribute with the id of an option's control. The id has the option's index, because the value may
// contain characters that an id may not.
func (w *htmlWriter) optionID(attr string, form *Form, f *param.Field, i int) {
	w.raw(" ")
	w.raw(attr)
	w.raw(`="`)
	w.fieldID(form, f.Name)
	w.raw("-")
	w.decimal(i + 1)
	w.raw(`"`)
}
