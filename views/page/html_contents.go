package page

import (
	"bytes"
	"cmp"
	"strconv"
)

const fewestHeadings = 3

// headingID begins the id of a heading in a member's text. It begins with fn, like the ids of footnotes, so that
// [findPrefixes] finds both.
const headingID = "fnh-"

// contents writes links to the headings of the first text outside sections, if it has at least fewestHeadings.
func (w *htmlWriter) contents() {
	for _, b := range w.p.Blocks {
		text, ok := b.(Prose)
		if !ok {
			continue
		}
		prefix := cmp.Or(text.ID, "q1")
		w.headings(converted.Get(proseKey{text.Text, uint8(w.level)}).html, prefix)
		return
	}
}

// headings writes links to the headings of a converted text. On the page, their ids have the given prefix.
func (w *htmlWriter) headings(html []byte, prefix string) {
	lead := []byte(` id="` + headingID)
	if !bytes.Contains(html, lead) {
		return
	}
	w.raw(`<nav class="toc" aria-label="Contents" data-extra><ol>` + "\n")
	for n := 1; ; n++ {
		i := bytes.Index(html, lead)
		if i < 3 {
			break
		}
		level := html[i-1]
		html = html[i:]
		html = html[bytes.IndexByte(html, '>')+1:]
		end := bytes.Index(html, []byte{'<', '/', 'h', level, '>'})
		if end < 0 {
			break
		}
		w.raw(`<li class="l` + string(rune(level)) + `"><a href="#` + prefix + "-" + headingID + strconv.Itoa(n) + `">`)
		w.b = appendUntagged(w.b, html[:end])
		w.raw("</a></li>\n")
		html = html[end:]
	}
	w.raw("</ol></nav>\n")
}

func appendUntagged(dst, html []byte) []byte {
	tag := false
	for _, c := range html {
		switch {
		case c == '<':
			tag = true
		case !tag:
			dst = append(dst, c)
		case c == '>':
			tag = false
		}
	}
	return dst
}
