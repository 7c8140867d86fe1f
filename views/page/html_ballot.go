package page

import (
	"strings"

	"samepage/actions/param"
)

// ballot is a form with controls on the rows of a table.
type ballot struct {
	form    *Form
	choices []*param.Field // fields with a control on each row
}

func (b *ballot) fields() []*param.Field {
	if b == nil {
		return nil
	}
	return b.choices
}

func (b *ballot) has(f *Form) bool { return b != nil && b.form == f }

// ballot returns the first form of the present section with a field in which every option is the key of a row. Each
// such field of the form gets a control on the rows. If there is no such form, ballot returns nil.
func (w *htmlWriter) ballot(t *Table) *ballot {
	if w.slot == "" || w.p.Only {
		return nil
	}
	for i := range w.p.Forms {
		f := &w.p.Forms[i]
		if f.Slot != w.slot {
			continue
		}
		b := &ballot{form: f}
		for j := range f.Fields {
			if named := &f.Fields[j]; t.hasRows(named) {
				b.choices = append(b.choices, named)
			}
		}
		if len(b.choices) > 0 {
			return b
		}
	}
	return nil
}

// hasRows reports whether a field is a choice or a grid, and every option is the key of a row.
func (t *Table) hasRows(f *param.Field) bool {
	if f.Kind != param.Choice && f.Kind != param.Choices && f.Kind != param.Grid || len(f.Options) == 0 {
		return false
	}
	for i := range f.Options {
		found := false
		for j := range t.Rows {
			found = found || t.Rows[j].Key == f.Options[i].Value
		}
		if !found {
			return false
		}
	}
	return true
}

// mark writes the cell with the control of a field for one row.
func (w *htmlWriter) mark(form *Form, f *param.Field, r *Row, key string) {
	w.raw(`<td class="mark" data-extra>`)
	if f.Option(key) == nil {
		w.raw("</td>")
		return
	}
	name := f.Name
	switch f.Kind {
	case param.Grid:
		name += "." + key
		w.raw(`<input type="number" step="1"`)
		if f.Max > 0 {
			w.bounds(f)
		} else {
			w.raw(` min="1"`)
		}
		if v := cellValue(f, key); v != "" {
			w.attr("value", v)
		}
	case param.Choice:
		w.raw(`<input type="radio"`)
		w.attr("value", key)
		if !f.Optional {
			w.raw(" required")
		}
	default:
		w.raw(`<input type="checkbox"`)
		w.attr("value", key)
	}
	w.attr("name", name)
	w.attr("form", "f-"+form.Name)
	w.markID("id", form, f, key)
	w.attr("aria-label", label(f.Name)+": "+w.rowName(r))
	if f.Kind != param.Grid && present(f, key) {
		w.raw(" checked")
	}
	w.raw("></td>")
}

// rowName returns the first cell that is not only a number, or else the row's key.
func (w *htmlWriter) rowName(r *Row) string {
	for i := range r.Cells {
		if text := w.plain(r.Cells[i]); strings.Trim(text, "0123456789 ") != "" {
			return text
		}
	}
	return r.Key
}

func (w *htmlWriter) markID(attr string, form *Form, f *param.Field, key string) {
	i := 0
	for i < len(f.Options) && f.Options[i].Value != key {
		i++
	}
	w.optionID(attr, form, f, i)
}

// ballotForm writes the form to which the controls on the rows belong, with its other fields.
func (w *htmlWriter) ballotForm(b *ballot) {
	f := b.form
	w.summary(f)
	w.openForm(f, f.Key, "ballot", "f-"+f.Name)
	left := *f
	left.Fields = nil
	for i := range f.Fields {
		on := false
		for _, c := range b.choices {
			on = on || c == &f.Fields[i]
		}
		if !on {
			left.Fields = append(left.Fields, f.Fields[i])
		}
	}
	w.rest(&left, 0)
	w.submit(f, f.Doc)
}

// markHints writes the hints for the controls on the rows. A field of kind Choice needs no hint.
func (w *htmlWriter) markHints(b *ballot) {
	for _, c := range b.fields() {
		h := hint(c, w.c.zone())
		if h == "" || c.Kind == param.Choice {
			continue
		}
		w.raw(`<p class="hint" data-extra>`)
		if len(b.choices) > 1 {
			h = label(c.Name) + ": " + h
		}
		w.sentence(h)
		w.raw("</p>\n")
	}
}
