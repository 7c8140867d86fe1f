package page

import "samepage/actions/param"

// rowForm is an action that needs nothing but the choice of a row: it becomes a button on each row it can be done to.
type rowForm struct {
	form   *Form
	choice *param.Field // whose options are keys of rows
}

// findRowForms looks for the actions whose one required field is a choice. What cannot be undone gets no button.
func (w *htmlWriter) findRowForms() {
	if w.p.Only {
		return
	}
	for i := range w.p.Forms {
		f := &w.p.Forms[i]
		var choice *param.Field
		ok := !f.Destructive
		for j := range f.Fields {
			field := &f.Fields[j]
			switch {
			case field.Optional || field.Kind == param.Flag:
			case field.Kind == param.Choice && choice == nil:
				choice = field
			default:
				ok = false
			}
		}
		if ok && choice != nil {
			w.rows = append(w.rows, rowForm{f, choice})
		}
	}
}

// names says whether the row of that key can be chosen.
func (r *rowForm) names(key string) bool {
	if key != "" {
		for i := range r.choice.Options {
			if r.choice.Options[i].Value == key {
				return true
			}
		}
	}
	return false
}

// offersRows says whether one of the rows gets a button.
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

// rowButtons writes the actions on a row with the row filled in, each as one button. The idempotency key names the row:
// the same action on two rows is not the same call.
func (w *htmlWriter) rowButtons(r *Row) {
	for i := range w.rows {
		rf := &w.rows[i]
		if !rf.names(r.Key) {
			continue
		}
		key := rf.form.Key
		if key != "" {
			key += "." + r.Key
		}
		w.openForm(rf.form, key)
		w.hidden(rf.choice.Name, r.Key)
		w.raw(`<button type="submit" class="small">`)
		w.text(rf.form.title())
		if len(r.Cells) > 0 {
			w.raw(`<span class="vh">: `)
			w.b = appendEscaped(w.b, w.plain(r.Cells[0]))
			w.raw("</span>")
		}
		w.raw("</button></form>")
	}
}
