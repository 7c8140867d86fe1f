package page

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

func (b Para) markdown(w *mdWriter) {
	if !slices.ContainsFunc(b, func(in Inline) bool { return in.look != lookExtra }) {
		return
	}
	w.dst = append(w.dst, '\n')
	w.line(b, inLine, false)
	w.dst = append(w.dst, '\n')
}

func (b Under) markdown(w *mdWriter) { Para(b.sentence()).markdown(w) }

func (b Banner) markdown(w *mdWriter) {
	if len(b) == 0 {
		return
	}
	w.dst = append(w.dst, '\n')
	w.line(b, inLine, true)
	w.dst = append(w.dst, '\n')
}

func (b Warning) markdown(w *mdWriter) {
	if b.titled() {
		Para(b).markdown(w)
		return
	}
	Banner(b).markdown(w)
}

// titled reports whether the warning begins with important text, which is its title.
func (b Warning) titled() bool { return len(b) > 1 && b[0].kind == inlineStrong }

func (b Notice) markdown(w *mdWriter) { Para(b.Line).markdown(w) }

func (b Section) markdown(w *mdWriter) {
	if b.Extra {
		return
	}
	was := w.few
	w.few = b.Few
	line := b.State
	if len(line) > 0 && len(b.Note) > 0 {
		line = append(line[:len(line):len(line)], T(", "))
	}
	if line = append(line, b.Note...); len(line) > 0 {
		b.Blocks = append([]Block{Para(line)}, b.Blocks...)
	}
	w.section(b.Title, b.Blocks)
	w.few = was
}

func (b Details) markdown(w *mdWriter) {
	if len(b.Note) > 0 {
		b.Blocks = append([]Block{Para(b.Note)}, b.Blocks...)
	}
	w.section(b.Title, b.Blocks)
}

func (b Rail) markdown(w *mdWriter) { w.blocks(b) }

func (Slot) markdown(*mdWriter) {}

func (Gauge) markdown(*mdWriter) {}

func (w *mdWriter) section(title string, bs []Block) {
	w.list = 0
	w.dst = append(w.dst, '\n')
	for range w.level {
		w.dst = append(w.dst, '#')
	}
	w.dst = append(w.dst, ' ')
	w.start, w.position = len(w.dst), inHeading
	w.word(title)
	w.dst = append(w.dst, '\n')
	was := w.level
	w.level = min(was+1, 6)
	w.blocks(bs)
	w.level = was
}

func (b Facts) markdown(w *mdWriter) {
	if len(b) == 0 {
		return
	}
	w.dst = append(w.dst, '\n')
	marker := w.marker()
	for i := range b {
		w.dst = append(w.dst, marker...)
		w.dst = append(w.dst, "**"...)
		w.start, w.position = len(w.dst), inLine
		w.word(b[i].Label)
		w.dst = append(w.dst, "**: "...)
		w.line(b[i].Value, inLine, false)
		w.dst = append(w.dst, '\n')
		w.cut()
	}
}

func (b List) markdown(w *mdWriter) {
	if len(b) == 0 {
		return
	}
	left := len(b) - w.most(len(b))
	if w.few.Last {
		w.left(left)
		b, left = b[left:], 0
	}
	w.dst = append(w.dst, '\n')
	marker := w.marker()
	for _, item := range b[:len(b)-left] {
		w.dst = append(w.dst, marker...)
		w.line(item, inLine, false)
		w.dst = append(w.dst, '\n')
		w.cut()
	}
	w.left(left)
}

// most returns how many of n lines or rows are shown. A single one is never left out, because a notice about it would
// be as long.
func (w *mdWriter) most(n int) int {
	most := w.few.Most
	if rows := w.allow.rows; rows > 0 && (most == 0 || rows < most) {
		most = rows
	}
	if w.c.Full || most == 0 || n <= most+1 {
		return n
	}
	return most
}

// left writes that n lines or rows are not shown, with a link to all. It writes nothing if n is 0.
func (w *mdWriter) left(n int) {
	if n == 0 {
		return
	}
	url := w.few.More
	if url == "" {
		url = w.fullURL()
	}
	which := " more"
	if w.few.Last {
		which = " earlier"
	}
	Para{Link(strconv.Itoa(n)+which, url)}.markdown(w)
	w.list = 0
}

func (b Tree) markdown(w *mdWriter) {
	b = b.lean()
	if len(b) == 0 {
		return
	}
	w.dst = append(w.dst, '\n')
	all := b.count()
	room := w.most(all)
	left := all - room
	b.lines(w, w.marker(), 0, &room)
	w.left(left)
}

func (b Tree) lean() Tree {
	if !b.extra() {
		return b
	}
	var lean Tree
	for i := range b {
		if below := b[i].Below.lean(); b[i].Extra {
			lean = append(lean, below...)
		} else {
			lean = append(lean, Branch{Line: b[i].Line, Below: below})
		}
	}
	return lean
}

// extra reports whether only HTML has one of the lines.
func (b Tree) extra() bool {
	return slices.ContainsFunc(b, func(c Branch) bool { return c.Extra || c.Below.extra() })
}

func (b Tree) count() int {
	n := len(b)
	for i := range b {
		n += b[i].Below.count()
	}
	return n
}

// lines writes the lines of a tree until room is used up.
func (b Tree) lines(w *mdWriter, marker string, depth int, room *int) {
	for i := range b {
		if *room == 0 {
			return
		}
		*room--
		for range depth {
			w.dst = append(w.dst, "  "...)
		}
		w.dst = append(w.dst, marker...)
		w.line(b[i].Line, inLine, false)
		w.dst = append(w.dst, '\n')
		w.cut()
		b[i].Below.lines(w, marker, min(depth+1, deepest), room)
	}
}

// deepest is the maximum indentation of a tree's lines, in levels.
const deepest = 8

func (b Table) markdown(w *mdWriter) {
	if len(b.Columns) == 0 {
		return
	}
	w.dst = append(w.dst, '\n')
	for i := range b.Columns {
		w.dst = append(w.dst, "| "...)
		w.start, w.position = len(w.dst), inCell
		w.word(b.Columns[i].Title)
		w.dst = append(w.dst, ' ')
	}
	w.dst = append(w.dst, "|\n"...)
	for i := range b.Columns {
		if b.Columns[i].Number {
			w.dst = append(w.dst, "| ---: "...)
		} else {
			w.dst = append(w.dst, "| --- "...)
		}
	}
	w.dst = append(w.dst, "|\n"...)
	shown := w.most(len(b.Rows))
	for i := range b.Rows[:shown] {
		cells := b.Rows[i].Cells
		for j := range b.Columns {
			w.dst = append(w.dst, "| "...)
			if j < len(cells) {
				cell := cells[j]
				if j == 0 && b.follows(i) {
					cell = unlinked(cell)
				}
				w.line(cell, inCell, b.Rows[i].Mark)
			}
			if w.dst[len(w.dst)-1] != ' ' {
				w.dst = append(w.dst, ' ')
			}
		}
		w.dst = append(w.dst, "|\n"...)
		w.cut()
	}
	w.left(len(b.Rows) - shown)
}

// markdown writes the prose as a quotation under its lead. The line after the quotation is empty and has no quotation
// marker. So a code fence, HTML block or list that the author left open ends with the quotation.
func (b Prose) markdown(w *mdWriter) {
	if len(b.Lead) > 0 {
		w.dst = append(w.dst, '\n')
		w.line(b.Lead, inLine, false)
		w.dst = append(w.dst, ":\n"...)
	}
	text, whole := cutLines(b.Text, w.allow.prose)
	if strings.TrimSpace(text) != "" {
		w.dst = append(w.dst, '\n')
		if quote, ok := appendSimpleQuote(w.dst, text); ok {
			w.dst = quote
		} else {
			w.dst = append(w.dst, converted.Get(proseKey{text, 0}).quote...)
		}
	} else if whole {
		w.dst = append(w.dst, "\n> "+blank+"\n"...)
	}
	if !whole {
		w.notice("Cut here:", cmp.Or(b.More, w.fullURL()))
	}
	w.blocks(b.Under)
}

// notice writes that a text is cut, with a link to the whole text.
func (w *mdWriter) notice(text, url string) {
	w.cut()
	Para{Sentence(text), T(" "), Link("the whole text", url)}.markdown(w)
}

func (b Code) markdown(w *mdWriter) {
	most := w.allow.prose
	if most > 0 {
		most *= 2
	}
	text, whole := cutLines(b.Text, most)
	if b.End && !whole {
		w.notice("Only the end is here:", w.fullURL())
		text = lastLines(b.Text, most)
	}
	if text = strings.Trim(lines(text), "\n"); text != "" || whole {
		fence := fence(text)
		w.dst = append(append(append(w.dst, '\n'), fence...), language(b.Language)...)
		w.dst = append(append(append(w.dst, '\n'), text...), '\n')
		w.dst = append(append(w.dst, fence...), '\n')
	}
	if !whole && !b.End {
		w.notice("Cut here:", w.fullURL())
	}
}

// fence returns a code fence with more backticks than any run in the text, so that no line of the text can end it.
func fence[S string | []byte](text S) string { return strings.Repeat("`", max(3, ticks(text)+1)) }

// language returns s if it can be the name of a programming language, or else "".
func language(s string) string {
	for i := 0; i < len(s); i++ {
		if b := s[i]; !flanks(rune(b)) && b != '-' && b != '+' && b != '#' || i > 30 {
			return ""
		}
	}
	return s
}

func (b Doc) markdown(w *mdWriter) {
	source := converted.Get(proseKey{string(b), uint8(w.level) | ours}).quote
	if w.c.Origin != "" {
		source = bytes.ReplaceAll(source, []byte("](/"), []byte("]("+w.c.Origin+"/"))
	}
	if w.c.Address != "" {
		source = bytes.ReplaceAll(source, []byte(ExampleOrigin), []byte(w.c.Address))
	}
	w.dst = append(w.dst, '\n')
	fenced := false
	for line := range bytes.Lines(source) {
		if bytes.HasPrefix(line, []byte("```")) {
			fenced = !fenced
		}
		w.dst = append(w.dst, line...)
		if len(line) == 1 && !fenced {
			w.cut()
		}
	}
}

// lastLines returns at most limit bytes from the end of a text that has at least as many, from the beginning of a line
// if possible.
func lastLines(text string, limit int) string {
	text = strings.ToValidUTF8(text[len(text)-limit:], "")
	if _, rest, ok := strings.Cut(text, "\n"); ok {
		return rest
	}
	return text
}

// cutLines returns at most limit runes from the beginning of text, and whether that is the whole text. It cuts at the
// end of a line if that keeps more than a third of the length, or else at a space. A negative limit means no limit.
func cutLines(text string, limit int) (string, bool) {
	if limit < 0 || len(text) <= limit || utf8.RuneCountInString(text) <= limit {
		return text, true
	}
	text = cutRunes(text, limit)
	if at := strings.LastIndexAny(text, "\n\r"); at > len(text)/3 {
		return text[:at+1], false
	}
	if at := strings.LastIndexByte(text, ' '); at > 0 {
		text = text[:at]
	}
	return text, false
}
