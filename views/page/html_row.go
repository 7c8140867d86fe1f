package page

import (
	"regexp"

	"samepage/actions/param"
)

// rowForm is an action on the rows of a table. A row gets a button if the action needs only the choice of the row, and
// otherwise a link to the form with the row filled in.
type rowForm struct {
	form *Form
	// choice is the parameter for the row: a choice between keys of rows, or a number named "row", for which any key is
	// valid.
	choice *param.Field
	more   bool
}

// findRowForms finds the actions on rows. It leaves out destructive actions, because a button would act without
// confirmation.
func (w *htmlWriter) findRowForms() {
	if w.p.Only {
		return
	}
	for i := range w.p.Forms {
		f := &w.p.Forms[i]
		var choice *param.Field
		ok, more := !f.Destructive, false
		for j := range f.Fields {
			field := &f.Fields[j]
			switch {
			case field.Optional || field.Kind == param.Flag:
			case numbersRow(field), field.Kind == param.Choice && choice == nil:
				choice = field
			default:
				more = true
			}
		}
		if ok && choice != nil && (!more || numbersRow(choice)) {
			w.rows = append(w.rows, rowForm{f, choice, more})
		}
	}
}

func numbersRow(f *param.Field) bool { return f.Kind == param.Number && f.Name == "row" }

// names reports whether the action is offered for the row with the key.
func (r *rowForm) names(key string) bool {
	return key != "" && (numbersRow(r.choice) || r.choice.Option(key) != nil)
}

// offersRows reports whether any of the rows gets a button or a link. The form of the ballot, in the argument marked,
// does not count.
func (w *htmlWriter) offersRows(rows []Row, marked *ballot) bool {
	for i := range w.rows {
		for j := range rows {
			if w.rows[i].names(rows[j].Key) && !marked.has(w.rows[i].form) {
				return true
			}
		}
	}
	return false
}

// rowButtons writes the actions offered for a row. The idempotency key of a button includes the row, because the same
// action on two rows is two calls.
func (w *htmlWriter) rowButtons(r *Row, icons bool, marked *ballot) {
	for i := range w.rows {
		rf := &w.rows[i]
		if !rf.names(r.Key) || marked.has(rf.form) {
			continue
		}
		if rf.more {
			w.raw(`<a class="button small"`)
			w.attr("href", withParam(rf.form.URL, rf.choice.Name, r.Key))
			w.raw(">")
			w.rowTitle(rf, r)
			w.raw("</a> ")
			continue
		}
		key := rf.form.Key
		if key != "" {
			key += "." + r.Key
		}
		w.openForm(rf.form, key)
		w.hidden(rf.choice.Name, r.Key)
		if icons {
			w.raw(`<button type="submit" class="small icon"`)
			w.attr("title", rf.form.title())
			w.raw(">")
			w.icon(iconOf(rf.form.Name))
			w.raw(`<span class="vh">`)
			w.rowTitle(rf, r)
			w.raw("</span></button></form>")
			continue
		}
		w.raw(`<button type="submit" class="small">`)
		w.rowTitle(rf, r)
		w.raw("</button></form>")
	}
}

// ofOne matches a title such as "Pause a token". On a row with a token, the verb alone is clear.
var ofOne = regexp.MustCompile(`^(\pL+) (an? \pL+)$`)

// rowTitle writes the title of an action and, for screen readers only, the first cell of the row.
func (w *htmlWriter) rowTitle(rf *rowForm, r *Row) {
	title := rf.form.title()
	if short := ofOne.FindStringSubmatch(title); short != nil {
		w.text(short[1])
		title = short[2]
		w.tagged(`<span class="vh"> `, title, "</span>")
	} else {
		w.text(title)
	}
	if len(r.Cells) > 0 {
		w.raw(`<span class="vh">: `)
		w.b = appendEscaped(w.b, w.plain(r.Cells[0]))
		w.raw("</span>")
	}
}

// act writes a row's button, with the row's first cell for screen readers.
func (w *htmlWriter) act(r *Row) {
	if r.Act.URL == "" {
		return
	}
	w.anchor(`<a class="button small"`, r.Act.URL)
	w.text(r.Act.Title)
	w.raw(`<span class="vh">: `)
	w.b = appendEscaped(w.b, w.plain(r.Cells[0]))
	w.raw("</span></a>")
}

// until writes the due time at the start of a cell in a list, such as "due in 2 days". It returns the rest of the cell,
// or the whole cell if there is no such time.
func (w *htmlWriter) until(b *Table, cell []Inline) []Inline {
	if !b.Lines || b.Groups || len(cell) < 2 || cell[0].text != "due " || cell[1].kind != inlineTime {
		return cell
	}
	w.raw(`<span class="until">`)
	w.inlines(cell[:2], false)
	w.raw("</span>")
	if len(cell) == 2 {
		return nil
	}
	rest, ok := cutComma(cell[2])
	if !ok {
		return cell[2:]
	}
	w.raw(`<span class="comma">, </span>`)
	return append(Line(T(rest)), cell[3:]...)
}
