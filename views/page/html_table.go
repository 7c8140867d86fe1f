package page

import (
	"slices"
	"strconv"
	"strings"
)

func (b Table) html(w *htmlWriter) {
	if len(b.Columns) == 0 {
		return
	}
	ballot := w.ballot(&b)
	buttons := w.offersRows(b.Rows, ballot) || slices.ContainsFunc(b.Rows, func(r Row) bool { return r.Act.URL != "" })
	rings := false
	for i := range b.Rows {
		rings = rings || b.Rows[i].Ring != nil
	}
	most := b.largest()
	w.markHints(ballot)
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
		w.tagged(`<th scope="col" class="mark" data-extra>`, label(f.Name), "</th>")
	}
	for i := range b.Columns {
		w.raw(`<th scope="col"`)
		w.align(b.Columns[i])
		w.columnTitle(&b.Columns[i])
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
			w.rowButtons(&b.Rows[i], b.Groups, ballot)
			w.act(&b.Rows[i])
			w.raw("</td>")
		}
		w.raw("</tr>\n")
	}
	w.raw("</tbody>\n</table></div>\n")
	w.marked = ballot
}

// columnTitle writes a column's title and the rest of its opening tag.
func (w *htmlWriter) columnTitle(c *Column) {
	if c.Sorted != "" {
		w.attr("aria-sort", c.Sorted)
	}
	w.raw(">")
	if c.Sort == "" {
		w.text(c.Title)
		return
	}
	w.anchor("<a", c.Sort)
	w.text(c.Title)
	w.raw("</a>")
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

// follows reports whether row i of a table with groups has the same heading as the row before it.
func (b *Table) follows(i int) bool {
	return b.Groups && i > 0 && slices.Equal(b.Rows[i].Cells[0], b.Rows[i-1].Cells[0])
}

func unlinked(in []Inline) []Inline {
	in = slices.Clone(in)
	for i := range in {
		if in[i].kind == inlineLink {
			in[i].kind, in[i].url = inlineText, ""
		}
	}
	return in
}

func (w *htmlWriter) cells(b *Table, i int, most []float64, ballot *ballot) {
	r := &b.Rows[i]
	for j := range b.Columns {
		column := b.Columns[j]
		repeated := j == 0 && b.follows(i)
		column.Quiet = column.Quiet || repeated
		if (column.Whole || column.End) && j < len(r.Cells) && isNone(r.Cells[j]) {
			column.Quiet = true // only screen readers get the dash
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
				w.sentence(r.Won)
				w.raw("</span>")
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

// nameColumn returns the index of the first cell that is not a button, which has the name of the row.
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
	case c.Date:
		w.raw(` class="date"`)
	}
}

// bar draws a number as a bar, which screen readers ignore. It is an SVG picture, because the Content-Security-Policy
// allows no inline style.
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
	w.raw(`" height="8" rx="4"/>`)
	if b.At > 0 {
		w.raw(`<line y1="0" y2="16" x1="`)
		w.percent(b.At, b.Of)
		w.raw(`" x2="`)
		w.percent(b.At, b.Of)
		w.raw(`"/>`)
	}
	w.raw("</svg>\n")
}

func (w *htmlWriter) percent(n, of int) {
	w.decimal(min(max(100*n/of, 0), 100))
	w.raw("%")
}

// largest returns for each column with bars the number of a full bar, or nil if no column has bars.
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

// amount returns the number with which a cell begins, or 0.
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
