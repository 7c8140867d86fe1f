package page

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"samepage/actions/param"
)

// cells returns the cells of a field, each with a control. A line of the field, such as "Colour: red", has the title
// and the value of a cell. If a line fits no cell, cells returns nil, because no control could show the line.
func cells(f *param.Field) []param.Cell {
	for _, line := range f.Values {
		title, value, ok := strings.Cut(line, ":")
		i := slices.IndexFunc(f.Cells, func(c param.Cell) bool { return sameTitle(c.Title, title) })
		if !ok || i < 0 || !shows(&f.Cells[i], strings.TrimSpace(value)) {
			return nil
		}
	}
	return f.Cells
}

// flagValues are the values of a cell that is a flag.
var flagValues = []string{"yes", "no"}

// shows reports whether the control of a cell can show a value.
func shows(c *param.Cell, value string) bool {
	var err error
	switch {
	case value == "":
	case c.As == "flag":
		return slices.Contains(flagValues, value)
	case c.As == "choice":
		return slices.Contains(c.Options, value)
	case c.As == "number":
		_, err = strconv.ParseFloat(value, 64)
	case c.As == "date":
		_, err = time.Parse(time.DateOnly, value)
	}
	return err == nil
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
			options = flagValues
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
