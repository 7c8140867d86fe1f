package page

import (
	"bytes"
	"strconv"
	"strings"
)

func (b Para) html(w *htmlWriter) { w.para("<p>", b, false, "</p>\n") }

func (b Under) html(w *htmlWriter) { w.para(`<p class="under">`, b, false, underEnd+"</p>\n") }

// html writes a banner. Important text at its start, such as an outcome, is in large letters.
func (b Banner) html(w *htmlWriter) {
	if len(b) < 2 || b[0].kind != inlineStrong {
		w.para(`<p class="notice good banner">`, b, true, "</p>\n")
		return
	}
	if b[0].tone == Good {
		w.outcome(b, "good ", "check")
	} else {
		w.outcome(b, "", "")
	}
}

// outcome writes a paragraph with its first words in large letters, and with an icon if icon is not empty.
func (w *htmlWriter) outcome(b []Inline, class, icon string) {
	w.raw(`<p class="notice ` + class + `outcome">`)
	if icon != "" {
		w.icon(icon)
	}
	w.inlines(b[:1], true)
	rest := b[1:]
	in := rest[0]
	words := in.kind == inlineText || in.kind == inlineSentence
	if words && in.look == lookPlain && in.text != "" && strings.ContainsRune(".:", rune(in.text[0])) {
		w.raw(`<span class="vh">` + in.text[:1] + "</span>")
		in.text = in.text[1:]
		rest = append(Line(in), rest[1:]...)
		w.raw(" ")
	} else if strings.HasPrefix(in.text, " ") {
		w.raw(" ")
	}
	w.raw("<span>")
	w.inlines(rest, false)
	w.raw("</span></p>\n")
}

func (b Warning) html(w *htmlWriter) {
	if !b.titled() {
		w.para(`<p class="notice bad banner">`, b, true, "</p>\n")
		return
	}
	w.outcome(b, "bad ", "caution")
}

func (b Notice) html(w *htmlWriter) {
	if len(b.Line) < 2 {
		w.para(`<p class="notice">`, b.Line, true, "</p>\n")
		return
	}
	w.outcome(b.Line, "", b.Icon)
}

func (w *htmlWriter) para(open string, in []Inline, bold bool, end string) {
	if len(in) > 0 {
		w.raw(open)
		w.line(in, bold)
		w.raw(end)
	}
}

func (b Section) html(w *htmlWriter) {
	w.jump(b.ID)
	w.raw("<section")
	w.id(b.ID)
	if b.Extra {
		w.raw(" data-extra")
	}
	if b.Calls {
		w.raw(` class="call"`)
	}
	w.raw(">\n")
	switch {
	case len(b.Note) > 0 || len(b.State) > 0:
		w.raw("<div class=\"title-row\">")
		if b.By.look == lookPerson || b.By.look == lookAgent {
			w.face(&b.By, 24)
		}
		w.heading(b.Title)
		if len(b.State) > 0 {
			w.para(` <p>`, b.State, false, `<span class="vh">, </span></p>`)
		}
		w.para(` <p class="when">`, b.Note, false, "</p>")
		b.Presses.beside(w)
		w.raw("</div>")
	case b.Ring != nil:
		w.raw("<div class=\"title-row ringed\">")
		w.ring(b.Ring)
		w.heading(b.Title)
		w.raw("</div>")
	default:
		w.heading(b.Title)
	}
	w.raw("\n")
	outer := w.slot
	w.slot = b.ID
	w.nested(b.Blocks)
	w.level++
	w.hosted(b.ID)
	w.level--
	w.slot = outer
	w.raw("</section>\n")
}

func (b Details) html(w *htmlWriter) {
	w.raw("<details class=\"fold\"")
	w.id(b.ID)
	w.raw("><summary>")
	w.heading(b.Title)
	if len(b.Note) > 0 {
		w.para(` <span class="hint">`, b.Note, false, "</span>")
	}
	w.raw("</summary>\n")
	w.nested(b.Blocks)
	w.raw("</details>\n")
}

func (w *htmlWriter) heading(title string) {
	level := byte('0' + w.level)
	w.b = append(append(w.b, "<h"...), level, '>')
	w.text(title)
	w.b = append(append(w.b, "</h"...), level, '>')
}

func (w *htmlWriter) nested(bs []Block) {
	was := w.level
	w.level = min(was+1, 6)
	w.blocks(bs)
	w.level = was
}

func (w *htmlWriter) id(id string) {
	if id != "" {
		w.attr("id", id)
	}
}

func (b Facts) html(w *htmlWriter) {
	if len(b) == 0 {
		return
	}
	w.raw("<dl class=\"facts\">\n")
	for i := range b {
		w.tagged("<div><dt>", b[i].Label, `<span class="vh">:</span></dt> <dd>`)
		w.line(b[i].Value, false)
		w.raw("</dd></div>\n")
	}
	w.raw("</dl>\n")
}

func (b List) html(w *htmlWriter) {
	if len(b) == 0 {
		return
	}
	switch {
	case b.people():
		w.raw("<ul class=\"faces\">\n")
	case b.ofPeople():
		w.raw("<ul class=\"people\">\n")
	default:
		w.raw("<ul>\n")
	}
	for _, item := range b {
		w.raw("<li>")
		w.line(item, false)
		w.raw("</li>\n")
	}
	w.raw("</ul>\n")
}

// people reports whether each line is only the name of a person or an agent.
func (b List) people() bool {
	for _, line := range b {
		if len(line) != 1 || line[0].look != lookPerson && line[0].look != lookAgent {
			return false
		}
	}
	return true
}

// ofPeople reports whether each line begins with the name of a person or an agent, which HTML shows with a picture.
func (b List) ofPeople() bool {
	for _, line := range b {
		if len(line) == 0 || line[0].look != lookPerson && line[0].look != lookAgent && line[0].look != lookFace {
			return false
		}
	}
	return true
}

func (b Tree) html(w *htmlWriter) {
	if len(b) == 0 {
		return
	}
	w.raw("<ul class=\"branches\">\n")
	b.branches(w, 0)
	w.raw("</ul>\n")
}

func (b Tree) branches(w *htmlWriter, depth int) {
	for i := range b {
		w.raw("<li>")
		if b[i].Extra {
			w.raw("<span data-extra>")
			w.line(b[i].Line, false)
			w.raw("</span>")
		} else {
			w.line(b[i].Line, false)
		}
		if len(b[i].Below) > 0 && depth < deepest {
			w.raw("\n<ul>\n")
			b[i].Below.branches(w, depth+1)
			w.raw("</ul>\n")
		}
		w.raw("</li>\n")
		if depth == deepest {
			b[i].Below.branches(w, depth)
		}
	}
}

// html writes a contribution, which has an author and an ID, next to the picture of its author. Any other text has its
// lead above it.
func (b Prose) html(w *htmlWriter) {
	w.quotes++
	author := b.author()
	switch {
	case author != nil && b.ID != "":
		w.raw(`<div class="said"`)
		w.id(b.ID)
		w.raw(">")
		w.face(author, 32)
		w.raw("\n<div>\n<p class=\"lead\">")
		w.leadLine(b.Lead)
		w.raw(`<span class="vh">:</span></p>
<blockquote class="prose brief">
`)
		w.words(&b)
		w.raw("\n</blockquote>\n")
		w.onContribution(&b, author)
		w.replies(b.Under)
		w.raw("</div>\n</div>\n")
		return
	case b.Brief:
		w.raw("<div class=\"quote\"")
		w.id(b.ID)
		w.raw(">\n<p class=\"vh\">")
		w.line(b.Lead, false)
		w.raw(":</p>\n")
	case len(b.Lead) > 0:
		w.raw("<div class=\"quote\"")
		w.id(b.ID)
		w.raw(">\n<p class=\"under by\">")
		w.line(b.Lead, false)
		w.raw("<span class=\"vh\">:</span></p>\n")
	default:
		w.raw("<div class=\"quote\"")
		w.id(b.ID)
		w.raw(">\n")
	}
	if b.Brief {
		w.raw("<blockquote class=\"prose brief\">\n")
	} else {
		w.raw("<blockquote class=\"prose\">\n")
	}
	w.ticks = b.Boxes
	w.words(&b)
	w.ticks = false
	w.raw("\n</blockquote>\n</div>\n")
	if b.Boxes {
		w.boxForms()
	}
}

// author returns the name of the author in the lead of a text, or nil.
func (b *Prose) author() *Inline {
	for i := range b.Lead {
		if l := b.Lead[i].look; l == lookPerson || l == lookAgent {
			return &b.Lead[i]
		}
	}
	return nil
}

func (w *htmlWriter) words(b *Prose) {
	if html, ok := appendSimpleHTML(w.b, b.Text); ok {
		w.b = html
	} else if strings.TrimSpace(b.Text) == "" {
		w.raw("<p>" + blank + "</p>")
	} else {
		w.prose(converted.Get(proseKey{b.Text, uint8(w.level)}), b.ID)
	}
}

// prose writes a converted text. At each [mark] it may insert a prefix that makes an id unique, a link for a known
// name, or a button for a checkbox.
func (w *htmlWriter) prose(p *prose, id string) {
	from := int32(0)
	for i := range p.marks {
		m := &p.marks[i]
		w.b = append(w.b, p.html[from:m.at]...)
		from = m.at
		switch {
		case m.box > 0:
			if w.boxButton(p, m) {
				from = m.end
			}
			continue
		case m.name != "":
			if w.nameLink(m.name) {
				from = m.end
			}
			continue
		case id != "":
			w.b = appendEscaped(w.b, id)
		default:
			w.b = strconv.AppendInt(append(w.b, 'q'), int64(w.quotes), 10)
		}
		w.raw("-")
	}
	w.b = append(w.b, p.html[from:]...)
}

func (b Code) html(w *htmlWriter) {
	w.raw(`<pre class="scroll" tabindex="0"`)
	if !b.Read {
		w.raw(" data-copy")
	}
	w.raw("><code")
	if l := language(b.Language); l != "" {
		w.attr("class", "language-"+l)
	}
	w.raw(">")
	w.b = appendEscaped(w.b, strings.Trim(lines(b.Text), "\n"))
	w.raw("</code></pre>\n")
}

func (b Doc) html(w *htmlWriter) {
	w.quotes++
	w.raw("<div class=\"prose doc\">\n")
	at := len(w.b)
	w.prose(converted.Get(proseKey{string(b), uint8(w.level) | ours}), "")
	if o := w.c.Origin; o != "" && o != ExampleOrigin && bytes.Contains(w.b[at:], []byte(ExampleOrigin)) {
		var here []byte
		here = appendEscaped(here, o)
		w.b = append(w.b[:at], bytes.ReplaceAll(w.b[at:], []byte(ExampleOrigin), here)...)
	}
	w.raw("\n</div>\n")
}
