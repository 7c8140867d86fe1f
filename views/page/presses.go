package page

import "strings"

// Presses are buttons for an action of another page, for HTML only. One click takes the action with the value of the
// button.
type Presses struct {
	URL   string // root-relative URL of the action
	Field string // name of the field for the values, or empty
	Then  string // root-relative URL to which HTML returns after the action
	List  []Press
}

// Press is one button of [Presses].
type Press struct {
	Value, Text string
	Refuses     bool // whether the button refuses the request
	Main        bool // whether the button is that of the usual answer
}

func (Presses) markdown(*mdWriter) {}

func (b Presses) html(w *htmlWriter) {
	if len(b.List) == 0 || w.p.Only {
		return
	}
	w.raw("<div class=\"buttons\" data-extra>\n")
	for i := range b.List {
		p := &b.List[i]
		b.open(w, p)
		switch {
		case p.Refuses:
			w.raw(`<button type="submit" class="bad">`)
		case p.Main:
			w.raw(`<button type="submit" class="main">`)
		default:
			w.raw(`<button type="submit">`)
		}
		w.text(p.Text)
		w.raw("</button></form>\n")
	}
	w.raw("</div>\n")
}

func (b *Presses) open(w *htmlWriter, p *Press) {
	w.openForm(&Form{URL: b.URL}, w.c.keyOf(b.URL+"#"+p.Value))
	w.hidden(b.Field, p.Value)
	w.hidden("_then", b.Then)
}

// beside writes the buttons as small ones with an icon, in the line of a title.
func (b *Presses) beside(w *htmlWriter) {
	if w.p.Only {
		return
	}
	for i := range b.List {
		w.raw(" ")
		b.open(w, &b.List[i])
		w.raw(`<button class="tool" type="submit">`)
		w.icon(iconOf(b.URL[strings.LastIndexByte(b.URL, '/')+1:]))
		w.tagged(`<span class="label">`, b.List[i].Text, "</span></button></form>")
	}
}

func (c *Context) keyOf(call string) string {
	if c.Key == nil {
		return ""
	}
	return c.Key(call)
}
