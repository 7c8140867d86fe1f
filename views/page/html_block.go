package page

import (
	"bytes"
	"strconv"
	"strings"
)

func (b Para) html(w *htmlWriter) { w.para("<p>", b, false, "</p>\n") }

func (b Banner) html(w *htmlWriter) { w.para(`<p class="banner">`, b, true, "</p>\n") }

func (b Warning) html(w *htmlWriter) { w.para(`<p class="banner caution">`, b, true, "</p>\n") }

func (w *htmlWriter) para(open string, in []Inline, bold bool, end string) {
	if len(in) > 0 {
		w.raw(open)
		w.line(in, bold)
		w.raw(end)
	}
}

func (b Section) html(w *htmlWriter) {
	w.raw("<section")
	w.id(b.ID)
	w.raw(">\n")
	w.heading(b.Title)
	w.raw("\n")
	w.nested(b.Blocks)
	w.raw("</section>\n")
}

func (b Details) html(w *htmlWriter) {
	w.raw("<details")
	w.id(b.ID)
	w.raw("><summary>")
	w.heading(b.Title)
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
		w.raw("<div><dt>")
		w.text(b[i].Label)
		w.raw(`<span class="vh">:</span></dt> <dd>`)
		w.line(b[i].Value, false)
		w.raw("</dd></div>\n")
	}
	w.raw("</dl>\n")
}

func (b List) html(w *htmlWriter) {
	if len(b) == 0 {
		return
	}
	w.raw("<ul>\n")
	for _, item := range b {
		w.raw("<li>")
		w.line(item, false)
		w.raw("</li>\n")
	}
	w.raw("</ul>\n")
}

func (b Tree) html(w *htmlWriter) {
	if len(b) == 0 {
		return
	}
	w.raw("<ul>\n")
	b.branches(w, 0)
	w.raw("</ul>\n")
}

func (b Tree) branches(w *htmlWriter, depth int) {
	for i := range b {
		w.raw("<li>")
		w.line(b[i].Line, false)
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

var hands = [...]string{ByPerson: " person", ByAgent: " agent"}

func (b Prose) html(w *htmlWriter) {
	w.quotes++
	w.raw(`<div class="quote"`)
	w.id(b.ID)
	w.raw(">\n")
	if len(b.Lead) > 0 {
		w.raw(`<p class="by`)
		w.raw(hands[b.By])
		w.raw(`">`)
		w.line(b.Lead, false)
		w.raw(`<span class="vh">:</span></p>
`)
	}
	w.raw("<blockquote class=\"prose\">\n")
	if html, ok := appendSimpleHTML(w.b, b.Text); ok {
		w.b = html
	} else if strings.TrimSpace(b.Text) == "" {
		w.raw("<p>" + blank + "</p>")
	} else {
		w.prose(converted.Get(proseKey{b.Text, uint8(w.level)}), b.ID)
	}
	w.raw("\n</blockquote>\n</div>\n")
}

// prose writes a member's text, which was converted to HTML before. At each mark it inserts the
// prefix that makes an id unique on the page, or turns a name that the page knows into a link.
func (w *htmlWriter) prose(p *prose, id string) {
	from := int32(0)
	for i := range p.marks {
		m := &p.marks[i]
		w.b = append(w.b, p.html[from:m.at]...)
		from = m.at
		switch {
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
	w.raw(`<pre class="scroll" tabindex="0"><code`)
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

func (b Table) html(w *htmlWriter) {
	if len(b.Columns) == 0 {
		return
	}
	buttons := w.offersRows(b.Rows)
	most := b.largest()
	w.raw(`<div class="scroll" tabindex="0" role="group"`)
	if b.Caption != "" {
		w.attr("aria-label", clean(b.Caption, lineLimit))
	} else {
		w.raw(` aria-label="Table"`)
	}
	w.raw("><table")
	if b.Lines {
		w.raw(` class="lines"`)
	}
	w.raw(">\n<thead><tr>")
	for i := range b.Columns {
		w.raw(`<th scope="col"`)
		w.align(b.Columns[i])
		w.raw(">")
		w.text(b.Columns[i].Title)
		w.raw("</th> ")
	}
	if buttons {
		w.raw(`<th scope="col" data-extra><span class="vh">Action</span></th>`)
	}
	w.raw("</tr></thead>\n<tbody>\n")
	for i := range b.Rows {
		w.cells(&b, &b.Rows[i], most)
		if buttons {
			w.raw(`<td class="do" data-extra>`)
			w.rowButtons(&b.Rows[i])
			w.raw("</td>")
		}
		w.raw("</tr>\n")
	}
	w.raw("</tbody>\n</table></div>\n")
}

// cells writes a table row without its closing tag, so that the caller can add a cell.
func (w *htmlWriter) cells(b *Table, r *Row, most []float64) {
	w.raw("<tr")
	if r.Mark {
		w.raw(` class="marked"`)
	}
	w.raw(">")
	for j := range b.Columns {
		w.raw("<td")
		w.align(b.Columns[j])
		w.raw(">")
		if j < len(r.Cells) {
			w.inlines(r.Cells[j], r.Mark)
			if b.Columns[j].Bar {
				w.bar(amount(r.Cells[j]), most[j])
			}
		}
		w.raw("</td> ")
	}
}

func (w *htmlWriter) align(c Column) {
	switch {
	case c.Bar:
		w.raw(` class="bars"`)
	case c.Number:
		w.raw(` class="r"`)
	}
}

// bar draws a number as a bar next to its text. The bar is an SVG picture, because the security
// policy allows no inline style. It is hidden from screen readers, which read the number itself.
func (w *htmlWriter) bar(n, most float64) {
	if most <= 0 || n < 0 {
		return
	}
	w.raw(` <svg class="bar" width="100%" height="8" aria-hidden="true"><rect class="track" width="100%" height="8" rx="4"/><rect width="`)
	w.b = strconv.AppendFloat(w.b, float64(int(1000*n/most))/10, 'f', -1, 64)
	w.raw(`%" height="8" rx="4"/></svg>`)
}

// largest returns the largest number of each column that shows bars. The result is nil if no column
// shows bars.
func (b *Table) largest() []float64 {
	var most []float64
	for j := range b.Columns {
		if !b.Columns[j].Bar {
			continue
		}
		if most == nil {
			most = make([]float64, len(b.Columns))
		}
		for i := range b.Rows {
			if j < len(b.Rows[i].Cells) {
				most[j] = max(most[j], amount(b.Rows[i].Cells[j]))
			}
		}
	}
	return most
}

// amount returns the number with which a cell begins, or 0 if there is none.
func amount(cell []Inline) float64 {
	if len(cell) == 0 {
		return 0
	}
	s := strings.TrimSpace(cell[0].text)
	n := strings.IndexFunc(s, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
	if n >= 0 {
		s = s[:n]
	}
	f, _ := strconv.ParseFloat(s, 64)
	return f
}
