package page

import (
	"unicode"
	"unicode/utf8"
)

// underEnd is the full stop at the end of an [Under].
const underEnd = `<span class="vh">.</span>`

// sentence returns the line with a full stop, unless the line is empty.
func (b Under) sentence() []Inline {
	if len(b) == 0 {
		return nil
	}
	return append(b[:len(b):len(b)], T("."))
}

// under writes a line with the audience and, if the first block is an [Under] or a text with an author and no ID, that
// block's line about the author. It returns the blocks of the page without that line.
func (w *htmlWriter) under() []Block {
	left := w.p.Blocks
	var by []Inline
	end := ""
	if len(left) > 0 {
		switch b := left[0].(type) {
		case Under:
			if left = left[1:]; len(b) > 0 {
				by, end = b, underEnd
			}
		case Prose:
			if b.ID == "" && b.author() != nil {
				by, end = b.Lead, `<span class="vh">:</span>`
				b.Lead = nil
				left = append([]Block{b}, left[1:]...)
			}
		}
	}
	if by == nil && w.p.Audience == "" {
		return left
	}
	w.raw(`<p class="under">`)
	if by != nil {
		w.raw("<span>")
		w.line(by, false)
		w.raw(end + "</span> ")
	}
	if w.p.Audience != "" {
		w.raw(`<span data-extra>`)
		w.icon("eye")
		w.tagged(` <span class="vh">Visible to </span>`, capital(w.p.Audience), "</span>")
	}
	w.raw("</p>\n")
	return left
}

func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// leadLine writes the line above a comment or message. The commas between its parts are only for screen readers.
func (w *htmlWriter) leadLine(in []Inline) {
	w.lead = true
	defer func() { w.lead = false }()
	from := 0
	for i := range in {
		rest, ok := cutComma(in[i])
		if !ok {
			continue
		}
		w.inlines(in[from:i], false)
		w.raw(`<span class="vh">, </span>`)
		if from = i + 1; rest != "" {
			w.raw("<span>")
			w.inlines(Line(T(rest)), false)
			w.raw("</span>")
		}
	}
	w.inlines(in[from:], false)
}

// cutComma returns the text of an inline without the comma at its start, or false if there is none.
func cutComma(in Inline) (rest string, ok bool) {
	if in.kind != inlineText || in.look != lookPlain || len(in.text) < 2 || in.text[:2] != ", " {
		return "", false
	}
	return in.text[2:], true
}

func (b Faces) markdown(w *mdWriter) {
	var line Para
	for i, p := range b.People {
		if i > 0 {
			line = append(line, T(", "))
		}
		line = append(line, p)
	}
	line.markdown(w)
}

func (b Faces) html(w *htmlWriter) {
	if len(b.People) == 0 {
		return
	}
	if b.Not {
		w.raw("<ul class=\"faces not\">\n")
	} else {
		w.raw("<ul class=\"faces\">\n")
	}
	for i := range b.People {
		w.raw("<li>")
		w.inlines(b.People[i:i+1], false)
		if i < len(b.People)-1 {
			w.raw(`<span class="vh">,</span>`)
		}
		w.raw("</li> ")
	}
	w.raw("</ul>\n")
}
