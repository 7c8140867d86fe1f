package page

// Presses are buttons that take an action of another page at once, each with a value of its own. Markdown does not
// have them, because the other page has the action.
type Presses struct {
	URL   string // root-relative URL of the action
	Field string // name of the field that takes the values
	Then  string // root-relative URL of the page to which HTML returns after the action
	List  []Press
}

// Press is one button of [Presses].
type Press struct {
	Value, Text string
	Refuses     bool // whether the button refuses the request
	Main        bool // whether it is the usual answer
}

func (Presses) markdown(*mdWriter) {}

func (b Presses) html(w *htmlWriter) {
	if len(b.List) == 0 || w.p.Only {
		return
	}
	w.raw("<div class=\"buttons\" data-extra>\n")
	for i := range b.List {
		p := &b.List[i]
		w.openForm(&Form{URL: b.URL}, w.c.keyOf(b.URL+"#"+p.Value))
		w.hidden(b.Field, p.Value)
		w.hidden("_then", b.Then)
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

func (c *Context) keyOf(call string) string {
	if c.Key == nil {
		return ""
	}
	return c.Key(call)
}
