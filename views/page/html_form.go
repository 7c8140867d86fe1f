package page

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"samepage/actions/param"
)

// manyOptions is the minimum number of options for a drop-down list. Fewer options, and those on the rows of a table,
// are radio buttons.
const manyOptions = 8

// mostWhole is the maximum number of forms that a page of actions shows whole.
const mostWhole = 3

// only writes the forms of a page of actions, or links to their pages if there are more than mostWhole.
func (w *htmlWriter) only() {
	if len(w.p.Forms) <= mostWhole {
		for i := range w.p.Forms {
			if f := &w.p.Forms[i]; i == 0 || !bare(f) {
				w.raw(`<div class="only" data-extra>`)
				w.action(f)
				w.raw("</div>\n")
			}
		}
		return
	}
	w.raw("<dl class=\"stack\" data-extra>\n")
	for i := range w.p.Forms {
		f := &w.p.Forms[i]
		w.anchor("<div><dt><a class=\"name\"", f.URL)
		w.text(f.title())
		w.raw("</a></dt> <dd class=\"soft\">")
		w.sentence(f.Doc)
		w.raw("</dd></div>\n")
	}
	w.raw("</dl>\n")
}

// bare reports whether the form of an action is nothing but its button.
func bare(f *Form) bool { return len(f.Fields) == 0 && !f.Destructive }

// beside returns the bare forms with buttons beside the button of f: those after f, if f is the first form of a page
// that shows only forms.
func (w *htmlWriter) beside(f *Form) (list []*Form) {
	if !w.p.Only || f != &w.p.Forms[0] || len(w.p.Forms) > mostWhole {
		return nil
	}
	for i := range w.p.Forms[1:] {
		if other := &w.p.Forms[i+1]; bare(other) {
			list = append(list, other)
		}
	}
	return list
}

func (f *Form) button() string { return cmp.Or(f.Button, f.title()) }

func (f *Form) title() string {
	if f.Title != "" {
		return f.Title
	}
	return label(f.Name)
}

func label(name string) string { return cmp.Or(param.InWords(name), blank) }

// action writes a form under a heading, unless the heading would repeat the title of the page or the form is
// [htmlWriter.sole].
func (w *htmlWriter) action(f *Form) {
	switch {
	case !w.p.Only:
		w.heading(f.title())
		w.raw("\n")
	case f.title() != w.p.Title && !w.sole(f):
		w.tagged("<h2>", f.title(), "</h2>\n")
	}
	w.form(f)
}

// sole reports whether f, with the forms beside it, is alone on a page without a sidebar, and so needs no heading.
func (w *htmlWriter) sole(f *Form) bool {
	return w.c.Side == nil && len(w.p.Forms) == 1+len(w.beside(f))
}

func (w *htmlWriter) form(f *Form) {
	if f.Doc != "" {
		w.raw(`<p class="doc">`)
		w.sentence(f.Doc)
		w.raw("</p>\n")
	}
	if f.Destructive {
		w.raw("<p class=\"warning\">This cannot be undone.</p>\n")
	}
	w.summary(f)
	if slices.Contains(w.answered, f) {
		w.openForm(f, f.Key, "answer", "f-"+f.Name)
	} else {
		w.openForm(f, f.Key)
	}
	if len(f.Fields) > 0 && w.takesOne(f, &f.Fields[0]) {
		// The Enter key presses the first button of a form. This hidden button keeps the key from choosing the first
		// option.
		w.raw("<button class=\"vh\" type=\"submit\" tabindex=\"-1\" aria-hidden=\"true\"></button>\n")
	}
	w.rest(f, 0)
	w.submit(f, "")
}

// rest writes the fields of a form from the given position on, the [htmlWriter.rare] ones last.
func (w *htmlWriter) rest(f *Form, from int) {
	for i := from; i < len(f.Fields); i++ {
		if !w.rare(f, &f.Fields[i]) {
			w.field(f, &f.Fields[i])
		}
	}
	if from < len(f.Fields) {
		w.fold(f, f.Fields[from:])
	}
}

// submit writes the button of a form with an optional hint, and the buttons of the forms beside it. It ends the form.
func (w *htmlWriter) submit(f *Form, hint string) {
	w.raw(`<p class="buttons submit"><button type="submit" class="`)
	if f.Destructive {
		w.raw("danger")
	} else {
		w.raw("main")
	}
	w.tagged(`">`, f.button(), "</button>")
	if hint != "" {
		w.raw(` <span class="hint">`)
		w.sentence(hint)
		w.raw("</span>")
	}
	others := w.beside(f)
	for _, other := range others {
		w.raw(` <button type="submit"`)
		w.attr("form", "f-"+other.Name)
		w.raw(">")
		w.text(other.button())
		w.raw(`</button> <span class="hint">`)
		w.sentence(other.Doc)
		w.raw("</span>")
	}
	w.raw("</p>\n</form>\n")
	for _, other := range others {
		w.openForm(other, other.Key, "bare", "f-"+other.Name)
		w.raw("</form>\n")
	}
}

// rare reports whether a form folds a field at first. Rarely needed fields are always folded. An optional choice or
// list that is not declared to be shown is folded if the page asks the reader to take the action and the form has more
// than two fields.
func (w *htmlWriter) rare(f *Form, field *param.Field) bool {
	return field.More || w.calls && len(f.Fields) > 2 && field.Optional && !field.Shown &&
		(field.Kind == param.Choice || field.Kind == param.Lines)
}

// fold writes a folded group with those of the given fields that are rare. The group is open if one of them has an
// error.
func (w *htmlWriter) fold(f *Form, fields []param.Field) {
	var hidden []*param.Field
	wrong := false
	for i := range fields {
		if field := &fields[i]; w.rare(f, field) {
			hidden = append(hidden, field)
			wrong = wrong || f.Errors.Has(field.Name)
		}
	}
	if len(hidden) == 0 {
		return
	}
	w.raw(`<details class="more"`)
	if wrong {
		w.raw(" open")
	}
	w.raw("><summary>More settings</summary>\n")
	for _, field := range hidden {
		w.field(f, field)
	}
	w.raw("</details>\n")
}

// openForm begins the form of an action with an idempotency key. The names, if any, are the form's class and id.
func (w *htmlWriter) openForm(f *Form, key string, names ...string) {
	w.raw(`<form method="post"`)
	for i, name := range names {
		w.attr([]string{"class", "id"}[i], name)
	}
	w.raw(` action="`)
	at := len(w.b)
	w.b = escapeTail(appendURL(w.b, f.URL, "", w.p.URL), at)
	w.raw(`"`)
	var choices []string
	sendsFile := false
	for i := range f.Fields {
		switch field := &f.Fields[i]; {
		case field.Kind == param.File:
			sendsFile = true
		case field.Kind == param.Choices, field.Kind == param.Flag && field.Kept && f.Version == "":
			choices = append(choices, field.Name)
		}
	}
	if sendsFile {
		w.raw(` enctype="multipart/form-data"`)
	}
	if f.Undo != "" {
		w.attr("data-undo", f.Undo)
	}
	if key == f.Key && f.Doc != "" { // not on the rows of a table, where it would be repeated
		w.attr("data-doc", f.Doc)
	}
	w.raw(">\n")
	w.hidden("_idempotency_key", key)
	w.hidden("_if_version", f.Version)
	w.hidden("_none", strings.Join(choices, " "))
}

func (w *htmlWriter) hidden(name, value string) {
	if value != "" {
		w.raw(`<input type="hidden"`)
		w.attr("name", name)
		w.attr("value", value)
		w.raw(">\n")
	}
}

func (w *htmlWriter) summary(f *Form) {
	if len(f.Errors) == 0 {
		return
	}
	w.raw("<div class=\"errors\" role=\"alert\">\n<p>Not done. Please look at:</p>\n<ul>\n")
	for _, e := range f.Errors {
		w.raw("<li>")
		if param.Has(f.Fields, e.Field) {
			w.raw(`<a href="#`)
			w.fieldID(f, e.Field)
			w.tagged(`">`, label(e.Field), "</a>: ")
		} else {
			w.tagged("<code>", e.Field, "</code> ")
		}
		w.sentence(e.Message)
		w.raw("</li>\n")
	}
	w.raw("</ul>\n</div>\n")
}

// fieldID appends the id of a field's element. It is the same whenever the page is shown, and unique because no two
// actions of a page have the same name.
func (w *htmlWriter) fieldID(f *Form, name string) {
	w.raw("f-")
	w.b = appendEscaped(w.b, f.Name)
	w.raw("-")
	w.b = appendEscaped(w.b, name)
}

func present(f *param.Field, value string) bool {
	if f.Kind == param.Choice {
		return f.Value == value
	}
	return slices.Contains(f.Values, value)
}

// cellValue returns the number in a grid field for an option, or "".
func cellValue(f *param.Field, option string) string {
	for _, v := range f.Values {
		if name, n, _ := strings.Cut(v, "="); name == option {
			return n
		}
	}
	return ""
}

func (w *htmlWriter) decimal(n int) { w.b = strconv.AppendInt(w.b, int64(n), 10) }
