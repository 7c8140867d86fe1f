package page

import (
	"slices"
	"strconv"
	"strings"

	"samepage/actions/param"
)

func (b Table) html(w *htmlWriter) {
	if len(b.Columns) == 0 {
		return
	}
	buttons := w.offersRows(b.Rows) || slices.ContainsFunc(b.Rows, func(r Row) bool { return r.Act.URL != "" })
	ballot := w.ballot(&b)
	rings := false
	for i := range b.Rows {
		rings = rings || b.Rows[i].Ring != nil
	}
	most := b.largest()
	w.raw(`<div class="scroll" tabindex="0" role="group"`)
	if b.Caption != "" {
		w.attr("aria-label", clean(b.Caption, lineLimit))
	} else {
		w.raw(` aria-label="Table"`)
	}
	w.raw("><table")
	switch {
	case b.Lines && b.Groups:
		w.raw(` class="lines rings groups"`)
	case b.Lines && slices.ContainsFunc(b.Columns, func(c Column) bool { return c.End }):
		w.raw(` class="lines rings ends"`)
	case b.Lines && rings:
		w.raw(` class="lines rings"`)
	case b.Lines:
		w.raw(` class="lines"`)
	case ballot != nil:
		w.raw(` class="ballot"`)
	}
	w.raw(">\n<thead><tr>")
	for _, f := range ballot.fields() {
		w.raw(`<th scope="col" class="mark" data-extra>`)
		w.text(label(f.Name))
		w.raw("</th>")
	}
	for i := range b.Columns {
		w.raw(`<th scope="col"`)
		w.align(b.Columns[i])
		w.raw(">")
		w.text(b.Columns[i].Title)
		w.raw("</th> ")
	}
	if buttons {
		w.raw(`<th scope="col" class="do" data-extra><span class="vh">Action</span></th>`)
	}
	w.raw("</tr></thead>\n<tbody>\n")
	for i := range b.Rows {
		w.openRow(&b, i)
		for _, f := range ballot.fields() {
			w.mark(ballot.form, f, &b.Rows[i], b.Rows[i].Key)
		}
		w.cells(&b, i, most, ballot)
		if buttons {
			w.raw(`<td class="do" data-extra>`)
			w.rowButtons(&b.Rows[i], b.Groups)
			w.act(&b.Rows[i])
			w.raw("</td>")
		}
		w.raw("</tr>\n")
	}
	w.raw("</tbody>\n</table></div>\n")
	w.marked = ballot
}

func (w *htmlWriter) openRow(b *Table, i int) {
	switch r := &b.Rows[i]; {
	case r.Mark:
		w.raw(`<tr class="marked">`)
	case b.follows(i) && r.New:
		w.raw(`<tr class="more new">`)
	case b.follows(i):
		w.raw(`<tr class="more">`)
	case r.New:
		w.raw(`<tr class="new">`)
	default:
		w.raw("<tr>")
	}
}

// follows reports whether row i has the same heading as the row before it.
func (b *Table) follows(i int) bool {
	return b.Groups && i > 0 && slices.Equal(b.Rows[i].Cells[0], b.Rows[i-1].Cells[0])
}

// unlinked returns a line without its links.
func unlinked(in []Inline) []Inline {
	in = slices.Clone(in)
	for i := range in {
		if in[i].kind == inlineLink {
			in[i].kind, in[i].url = inlineText, ""
		}
	}
	return in
}

// cells writes the cells of a row.
func (w *htmlWriter) cells(b *Table, i int, most []float64, ballot *ballot) {
	r := &b.Rows[i]
	for j := range b.Columns {
		column := b.Columns[j]
		repeated := j == 0 && b.follows(i)
		column.Quiet = column.Quiet || repeated
		if (column.Whole || column.End) && j < len(r.Cells) && isNone(r.Cells[j]) {
			column.Quiet = true // a dash gets no column of its own
		}
		w.raw("<td")
		w.align(column)
		w.raw(">")
		if j == nameColumn(r) && r.Ring != nil && !repeated {
			w.ring(r.Ring)
		}
		if j < len(r.Cells) {
			labelled := ballot != nil && !b.Columns[j].Number && j <= 1 && r.Key != ""
			if labelled {
				w.raw("<label")
				w.markID("for", ballot.form, ballot.choices[0], r.Key)
				w.raw(">")
			}
			if repeated {
				w.inlines(unlinked(r.Cells[j]), false)
			} else {
				w.inlines(w.until(b, r.Cells[j]), r.Mark)
			}
			if labelled {
				w.raw("</label>")
			}
			if r.Won != "" && !b.Columns[j].Number && j <= 1 {
				w.raw(` <span class="pill open" data-extra>`)
				w.icon("check")
				w.raw(r.Won + "</span>")
			}
			if b.Columns[j].Bar {
				w.bar(amount(r.Cells[j]), most[j])
			}
		}
		w.raw("</td> ")
	}
}

// isNone reports whether a cell has only a dash, which stands for an empty value.
func isNone(cell []Inline) bool { return len(cell) == 1 && cell[0].text == "–" }

// nameColumn returns the index of the cell with the name of a row: the first cell that is not a button.
func nameColumn(r *Row) int {
	if len(r.Cells) > 1 && len(r.Cells[0]) == 1 && r.Cells[0][0].kind == inlineButton {
		return 1
	}
	return 0
}

func (w *htmlWriter) align(c Column) {
	switch {
	case c.Quiet:
		w.raw(` class="vh"`)
	case c.Whole:
		w.raw(` class="whole"`)
	case c.End:
		w.raw(` class="when"`)
	case c.Bar:
		w.raw(` class="bars"`)
	case c.Number:
		w.raw(` class="r"`)
	}
}

// bar draws a number as a bar next to its text. The bar is an SVG picture, because the security
// policy allows no inline style. It is hidden from screen readers, which read the number itself.
func (w *htmlWriter) bar(n, most float64) {
	if most <= 0 || n < 0 {
		return
	}
	w.raw(` <svg class="bar" width="100%" height="6" aria-hidden="true"><rect class="track" width="100%" height="6" rx="3"/><rect width="`)
	w.b = strconv.AppendFloat(w.b, min(float64(int(1000*n/most))/10, 100), 'f', -1, 64)
	w.raw(`%" height="6" rx="3"/></svg>`)
}

func (b Gauge) html(w *htmlWriter) {
	if b.Of <= 0 {
		return
	}
	w.raw(`<svg class="gauge" width="100%" height="16" aria-hidden="true">` +
		`<rect class="track" y="4" width="100%" height="8" rx="4"/><rect y="4" width="`)
	w.percent(b.Value, b.Of)
	w.raw(`" height="8" rx="4"/><line y1="0" y2="16" x1="`)
	w.percent(b.At, b.Of)
	w.raw(`" x2="`)
	w.percent(b.At, b.Of)
	w.raw("\"/></svg>\n")
}

func (w *htmlWriter) percent(n, of int) {
	w.decimal(min(max(100*n/of, 0), 100))
	w.raw("%")
}

// largest returns for each column with bars the number of a full bar: the column's own maximum, or the largest number
// in it. The result is nil if no column has bars.
func (b *Table) largest() []float64 {
	var most []float64
	for j := range b.Columns {
		if !b.Columns[j].Bar {
			continue
		}
		if most == nil {
			most = make([]float64, len(b.Columns))
		}
		if most[j] = float64(b.Columns[j].Of); most[j] > 0 {
			continue
		}
		for i := range b.Rows {
			if j < len(b.Rows[i].Cells) {
				most[j] = max(most[j], amount(b.Rows[i].Cells[j]))
			}
		}
	}
	return most
}

// amount returns the number with which a cell begins, or 0 if there is none.
func amount(cell []Inline) float64 {
	if len(cell) == 0 {
		return 0
	}
	s := strings.TrimSpace(cell[0].text)
	n := strings.IndexFunc(s, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
	if n >= 0 {
		s = s[:n]
	}
	f, _ := strconv.ParseFloat(s, 64)
	return f
}

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

// ballot returns the section's form, and those of its fields with an option for each row of the table. Each of these
// fields has a control in every row. It returns nil if there is no such form.
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

// hasRows reports whether every option of a field is the key of a row.
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

// mark writes the cell with the control of a field for one row. The control belongs to the form under
// the table.
func (w *htmlWriter) mark(form *Form, f *param.Field, r *Row, key string) {
	w.raw(`<td class="mark" data-extra>`)
	offered := false
	for i := range f.Options {
		offered = offered || f.Options[i].Value == key
	}
	if !offered {
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

// rowName returns the text of the first cell of a row that is not only a number.
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
	if f.Doc != "" {
		w.raw(`<p class="hint">`)
		w.sentence(f.Doc)
		w.raw("</p>\n")
	}
	w.summary(f)
	w.openForm(f, f.Key, "ballot", "f-"+f.Name)
	for _, c := range b.choices {
		if h := hint(c, w.c.zone()); h != "" {
			w.raw(`<p class="hint">`)
			w.sentence(label(c.Name) + ": " + h)
			w.raw("</p>\n")
		}
	}
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
	w.submit(f)
}
