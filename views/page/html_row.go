package page

import (
	"strings"

	"samepage/actions/param"
)

// rowForm is an action on a row. An action that needs only the choice of the row becomes a button
// on each row that it is offered for; one that needs more becomes a link to its form with the row
// filled in.
type rowForm struct {
	form *Form
	// The options of choice are keys of rows; a number called row may be any key.
	choice *param.Field
	more   bool
}

// findRowForms finds the actions with a choice as their one required field, and those with the
// number of a row. A destructive action gets no button.
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

// names reports whether the action is offered for the row with that key.
func (r *rowForm) names(key string) bool {
	if key != "" {
		if numbersRow(r.choice) {
			return true
		}
		for i := range r.choice.Options {
			if r.choice.Options[i].Value == key {
				return true
			}
		}
	}
	return false
}

// offersRows reports whether any of the rows gets a button.
func (w *htmlWriter) offersRows(rows []Row) bool {
	for i := range w.rows {
		for j := range rows {
			if w.rows[i].names(rows[j].Key) {
				return true
			}
		}
	}
	return false
}

// rowButtons writes the actions on a row with the row filled in, each as one button. The
// idempotency key includes the row, because the same action on two rows is not the same call.
func (w *htmlWriter) rowButtons(r *Row) {
	for i := range w.rows {
		rf := &w.rows[i]
		if !rf.names(r.Key) {
			continue
		}
		if rf.more {
			w.raw("<a")
			join := "?" // the form's URL may have a query already
			if strings.Contains(rf.form.URL, join) {
				join = "&"
			}
			w.attr("href", rf.form.URL+join+rf.choice.Name+"="+r.Key)
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
		w.raw(`<button type="submit" class="small">`)
		w.rowTitle(rf, r)
		w.raw("</button></form>")
	}
}

// rowTitle names an action and, for screen readers, the row.
func (w *htmlWriter) rowTitle(rf *rowForm, r *Row) {
	w.text(rf.form.title())
	if len(r.Cells) > 0 {
		w.raw(`<span class="vh">: `)
		w.b = appendEscaped(w.b, w.plain(r.Cells[0]))
		w.raw("</span>")
	}
}
