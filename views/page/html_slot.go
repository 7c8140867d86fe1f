package page

import (
	"slices"
	"strings"

	"samepage/actions/param"
)

// hasSlot reports whether one of the blocks is the slot or the section with this id.
func hasSlot(bs []Block, id string) bool {
	for b := range inner(bs) {
		switch b := b.(type) {
		case Slot:
			if b.ID == id {
				return true
			}
		case Section:
			if b.ID == id {
				return true
			}
		}
	}
	return false
}

// jump writes a link to the form in a slot, if it is the reader's turn to use the form. On a narrow screen the link
// stays at the bottom until the form is visible.
func (w *htmlWriter) jump(slot string) {
	for i := range w.p.State {
		in := &w.p.State[i]
		if in.look != lookTurn || slot == "" || in.url != "#"+slot {
			continue
		}
		if f := w.inSlot(slot); f != nil && !w.p.Only {
			w.anchor(`<nav class="jump" aria-label="This page" data-extra><a`, in.url)
			w.text(f.button())
			w.raw("</a></nav>\n")
		}
		return
	}
}

// jumpBack writes a link to the section with buttons that wait for the reader, if it is the reader's turn. On a narrow
// screen the link stays at the bottom, because the section is at the top.
func (w *htmlWriter) jumpBack() {
	for i := range w.p.State {
		if in := &w.p.State[i]; in.look == lookTurn && w.asks(in.url) && !w.p.Only {
			w.anchor(`<nav class="jump" aria-label="This page" data-extra><a`, in.url)
			w.text(strings.Trim(in.text, " ."))
			w.raw("</a></nav>\n")
			return
		}
	}
}

// inSlot returns the first form in a slot, or nil.
func (w *htmlWriter) inSlot(slot string) *Form {
	for i := range w.spots {
		if f := &w.p.Forms[i]; w.spots[i] == inSlot && f.Slot == slot {
			return f
		}
	}
	return nil
}

// asks reports whether the section with the anchor asks the reader to press one of its buttons.
func (w *htmlWriter) asks(anchor string) bool {
	for b := range inner(w.p.Blocks) {
		s, ok := b.(Section)
		if !ok || !s.Calls || "#"+s.ID != anchor {
			continue
		}
		return slices.ContainsFunc(s.Blocks, func(b Block) bool {
			p, ok := b.(Presses)
			return ok && len(p.List) > 0
		})
	}
	return false
}

func (b Slot) html(w *htmlWriter) {
	if w.p.Only {
		if !w.shown && slices.ContainsFunc(w.p.Forms, func(f Form) bool { return f.Slot == b.ID }) {
			w.only()
			w.shown = true
		}
		return
	}
	if w.inSlot(b.ID) == nil {
		return
	}
	w.jump(b.ID)
	w.answers(&b)
	class := "slot"
	switch {
	case b.Calls && b.Stays:
		class = "slot call stays"
	case b.Calls:
		class = "slot call"
	case b.Stays:
		class = "slot write stays"
	}
	w.raw(`<div class="` + class + `" data-extra`)
	w.id(b.ID)
	w.raw(">\n")
	w.calls = b.Calls
	w.hosted(b.ID)
	w.calls = false
	w.raw("</div>\n")
}

// answers writes a button for each form of a slot that calls for an answer, if there are several and none is
// destructive or has a required field. On a narrow screen the buttons stay at the bottom until the forms are visible.
func (w *htmlWriter) answers(b *Slot) {
	var list []*Form
	for i := range w.spots {
		if f := &w.p.Forms[i]; b.Calls && w.spots[i] == inSlot && f.Slot == b.ID {
			if f.Destructive || slices.ContainsFunc(f.Fields, func(g param.Field) bool { return !g.MayBeLeftOut() }) {
				return
			}
			list = append(list, f)
		}
	}
	if len(list) < 2 {
		return
	}
	w.raw("<div class=\"jump answers\" data-extra>")
	for _, f := range list {
		w.answered = append(w.answered, f)
		w.raw(`<button type="submit"`)
		w.attr("form", "f-"+f.Name)
		w.tagged(">", f.button(), `<span class="vh"> at once</span></button>`)
	}
	w.raw("</div>\n")
}

func (w *htmlWriter) hosted(slot string) {
	if slot == "" || w.p.Only {
		return
	}
	for i := range w.spots {
		f := &w.p.Forms[i]
		if w.spots[i] != inSlot || f.Slot != slot {
			continue
		}
		w.raw("<div class=\"action\" data-extra>\n")
		switch {
		case w.marked != nil && w.marked.form == f:
			w.ballotForm(w.marked)
		case composes(f):
			w.compose(f)
		default:
			w.action(f)
		}
		w.raw("</div>\n")
	}
}

// composes reports whether a form shows only one field at first, a required text of several lines.
func composes(f *Form) bool {
	return len(f.Fields) > 0 && f.Fields[0].Kind == param.Markdown && !f.Fields[0].Optional &&
		(len(f.Fields) == 1 || f.Fields[1].More)
}

// compose writes a form that shows only a required text at first, with a low text area next to the reader's picture.
func (w *htmlWriter) compose(f *Form) {
	field := &f.Fields[0]
	w.summary(f)
	w.openForm(f, f.Key, "compose")
	if w.c.Side != nil && w.c.Side.Reader != "" {
		w.avatar(w.c.Side.Reader, "", 32)
	}
	w.raw("<div class=\"box\">\n<label class=\"vh\"")
	w.fieldRef("for", f, field, "")
	w.raw(">")
	w.label(f, field)
	w.raw("</label>\n<textarea")
	w.control(f, field, f.Errors.Has(field.Name))
	w.raw(` rows="2"`)
	w.attr("placeholder", f.title())
	w.minLength(field)
	w.raw(">\n")
	w.b = appendEscaped(w.b, field.Value)
	w.raw("</textarea>\n")
	w.hints(f, field, f.Errors.Has(field.Name))
	others := *f
	clip := slices.IndexFunc(f.Fields, func(g param.Field) bool { return g.Kind == param.File })
	if clip >= 0 {
		others.Fields = slices.Delete(slices.Clone(f.Fields), clip, clip+1)
	}
	w.rest(&others, 1)
	if clip >= 0 {
		w.clip(f, &f.Fields[clip])
	}
	w.raw(`<p class="buttons">`)
	if i := slices.IndexFunc(w.p.Forms, takesFile); clip < 0 && i >= 0 {
		w.anchor(`<a class="tool"`, w.p.Forms[i].URL)
		w.icon(iconOf(w.p.Forms[i].Name))
		w.tagged(`<span class="label">`, w.p.Forms[i].title(), "</span></a> ")
	}
	w.tagged(`<button class="main small" type="submit">`, f.button(), "</button></p>\n</div></form>\n")
}

// clip writes a form's field for a file, folded under a button.
func (w *htmlWriter) clip(f *Form, field *param.Field) {
	w.raw(`<details class="clip"`)
	if f.Errors.Has(field.Name) {
		w.raw(" open")
	}
	w.raw(`><summary class="tool">`)
	w.icon("clip")
	w.raw("<span class=\"label\">Attach a file</span></summary>\n")
	w.field(f, field)
	w.raw("</details>\n")
}

// takesFile reports whether the purpose of a form is to add a file to the page.
func takesFile(f Form) bool {
	return !f.Destructive && len(f.Fields) > 0 && f.Fields[0].Kind == param.File && !f.Fields[0].Optional
}

func (b Rail) html(w *htmlWriter) {
	if len(b) == 0 {
		return
	}
	w.raw("<div class=\"rail\">\n")
	w.contents()
	w.blocks(b)
	w.raw("</div>\n")
}

// isWide reports whether the blocks have a table or a board that needs more room than a text.
func isWide(bs []Block) bool {
	for _, b := range bs {
		switch b := b.(type) {
		case Table:
			if len(b.Columns) > 5 && !b.Lines {
				return true
			}
		case Board:
			return true
		case Section:
			if isWide(b.Blocks) {
				return true
			}
		}
	}
	return false
}

func hasRail(bs []Block) bool {
	for _, b := range bs {
		if r, ok := b.(Rail); ok && len(r) > 0 {
			return true
		}
	}
	return false
}
