package page

import (
	"cmp"
	"slices"
	"strings"

	"samepage/actions/param"
)

// cells returns the cells of a field, each with a control. A line of the field, such as "Colour: red", has the title
// and the value of a cell. If a line fits no cell, cells returns nil, because no control could show the line.
func cells(f *param.Field) []param.Cell {
	for _, line := range f.Values {
		if title, _, ok := strings.Cut(line, ":"); !ok || !hasCell(f.Cells, title) {
			return nil
		}
	}
	return f.Cells
}

func hasCell(list []param.Cell, title string) bool {
	return slices.ContainsFunc(list, func(c param.Cell) bool { return sameTitle(c.Title, title) })
}

func sameTitle(a, b string) bool {
	return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b))
}

// valueOf returns the value of a cell, from the last line with the cell's title.
func valueOf(f *param.Field, c *param.Cell) (value string) {
	for _, line := range f.Values {
		if title, v, _ := strings.Cut(line, ":"); sameTitle(title, c.Title) {
			value = strings.TrimSpace(v)
		}
	}
	return value
}

var cellInput = map[string]string{"number": `<input type="number" step="any"`, "date": `<input type="date"`}

func (w *htmlWriter) cellInputs(form *Form, f *param.Field) {
	list := cells(f)
	if list == nil {
		return
	}
	w.raw("<div class=\"cells\">\n")
	for i := range list {
		c := &list[i]
		w.raw("<div><label")
		w.optionID("for", form, f, i)
		w.tagged(">", c.Title, "</label>")
		options := c.Options
		switch c.As {
		case "flag":
			options = []string{"yes", "no"}
			fallthrough
		case "choice":
			w.raw("<select")
			w.cellName(form, f, i)
			w.raw("><option value=\"\">–</option>")
			for _, o := range options {
				w.raw("<option")
				if o == valueOf(f, c) {
					w.raw(" selected")
				}
				w.raw(">")
				w.b = appendEscaped(w.b, o)
				w.raw("</option>")
			}
			w.raw("</select>")
		default:
			w.raw(cmp.Or(cellInput[c.As], `<input type="text" autocomplete="off"`))
			w.cellName(form, f, i)
			w.attr("value", valueOf(f, c))
			w.raw(">")
		}
		w.raw("</div>\n")
	}
	w.raw("</div>\n")
}

// cellName writes the id and the name of the control of cell i, and may give the first cell the focus.
func (w *htmlWriter) cellName(form *Form, f *param.Field, i int) {
	w.optionID("id", form, f, i)
	w.attr("name", param.CellControl(f, &f.Cells[i]))
	if i == 0 {
		w.focus(form, f)
	}
}
