package page

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"
	"unicode/utf8"

	"samepage/actions/param"
)

func findBoxes(html []byte) (marks []mark) {
	for at := 0; ; {
		i := bytes.Index(html[at:], []byte(boxOpen[:len(`<span class="tickbox`)]))
		if i < 0 {
			return marks
		}
		at += i
		m := mark{at: int32(at), box: int32(len(marks) + 1)}
		switch {
		case bytes.HasPrefix(html[at:], []byte(boxOpen)):
			m.end = int32(at + len(boxOpen))
		case bytes.HasPrefix(html[at:], []byte(boxDone)):
			m.end, m.done = int32(at+len(boxDone)), true
		}
		marks = append(marks, m)
		at++
	}
}

// boxField returns the field of an action that takes the number of a checkbox, or nil.
func boxField(f *Form) *param.Field {
	if len(f.Fields) == 1 && f.Fields[0].Kind == param.Choice && f.Fields[0].Name == "box" {
		return &f.Fields[0]
	}
	return nil
}

// boxForm returns the form that ticks or unticks the checkbox with this number, or nil.
func (w *htmlWriter) boxForm(box int32) *Form {
	for i := range w.p.Forms {
		f := &w.p.Forms[i]
		if field := boxField(f); field != nil && field.Option(strconv.Itoa(int(box))) != nil {
			return f
		}
	}
	return nil
}

// coversBoxes reports whether the text has exactly the checkboxes that the actions can change. In rare cases, the
// markdown parser and the actions find different checkboxes.
func (w *htmlWriter) coversBoxes() bool {
	offered := 0
	for i := range w.p.Forms {
		if field := boxField(&w.p.Forms[i]); field != nil {
			offered += len(field.Options)
		}
	}
	for b := range inner(w.p.Blocks) {
		text, _ := b.(Prose)
		if !text.Boxes || w.p.Only {
			continue
		}
		var of [2]*Form // the actions that tick and untick boxes
		for _, m := range converted.Get(proseKey{text.Text, uint8(w.level)}).marks {
			if m.box == 0 {
				continue
			}
			f, state := w.boxForm(m.box), 0
			if m.done {
				state = 1
			}
			if offered--; f == nil || of[state] != nil && of[state] != f {
				return false
			}
			of[state] = f
		}
		return offered == 0 && of[0] != of[1]
	}
	return false
}

// boxButton writes a checkbox as a button that ticks or unticks the box. It writes nothing and returns false if the
// page has no such action for this text.
func (w *htmlWriter) boxButton(p *prose, m *mark) bool {
	f := w.boxForm(m.box)
	if !w.ticks || f == nil || w.spotOf(f) != onBoxes {
		return false
	}
	w.raw(`<button type="submit" role="checkbox" data-extra class="tickbox`)
	if m.done {
		w.raw(` done" aria-checked="true"`)
	} else {
		w.raw(`" aria-checked="false"`)
	}
	w.attr("form", "f-"+f.Name)
	w.attr("name", boxField(f).Name)
	w.number("value", int(m.box))
	w.raw(` aria-label="`)
	w.raw(afterBox(p.html[m.end:]))
	w.raw(`"></button>`)
	return true
}

// enoughOfBox is the number of bytes after which the name of a checkbox button ends at the next tag. A name never has
// more than twice as many.
const enoughOfBox = 200

// beginning returns at most limit bytes of HTML, and no part of a character or of an entity such as &amp; at its end.
func beginning(html []byte, limit int) []byte {
	if len(html) <= limit {
		return html
	}
	for limit > 0 && !utf8.RuneStart(html[limit]) {
		limit--
	}
	html = html[:limit]
	if i := bytes.LastIndexByte(html, '&'); i > bytes.LastIndexByte(html, ';') {
		html = html[:i]
	}
	return html
}

// afterBox returns the text after a checkbox up to the end of the line, as HTML without tags, or "Box" for no text.
func afterBox(html []byte) string {
	line, _, _ := bytes.Cut(beginning(html, 2*enoughOfBox), []byte("\n"))
	line, _, _ = bytes.Cut(line, []byte("</li>"))
	var text strings.Builder
	for len(line) > 0 && text.Len() < enoughOfBox {
		said, rest, _ := bytes.Cut(line, []byte("<"))
		text.Write(said)
		_, line, _ = bytes.Cut(rest, []byte(">"))
	}
	name := strings.TrimSpace(strings.ReplaceAll(text.String(), `"`, "&#34;"))
	return cmp.Or(name, "Box")
}

// boxForms writes the forms of the checkbox buttons.
func (w *htmlWriter) boxForms() {
	w.placed(onBoxes, false, func(f *Form) {
		w.openForm(f, f.Key, "boxes", "f-"+f.Name)
		w.raw("</form>\n")
	})
}

func (w *htmlWriter) spotOf(f *Form) spot {
	for i := range w.spots {
		if &w.p.Forms[i] == f {
			return w.spots[i]
		}
	}
	return inMenu
}
