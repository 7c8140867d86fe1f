package views

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"samepage/store"
	"samepage/views/page"
)

// snippetLength is the maximum length of a snippet without its ellipses, and snippetLead about the length before its
// first match, in runes. A word of more than snippetWord runes may be cut.
const (
	snippetLength = 180
	snippetLead   = 50
	snippetWord   = 29
)

// snippet returns the part of a text with the first words for which found returns true, on one line, with these words
// in bold. If found is nil or there are no such words, it returns the beginning of the text.
func snippet(markdown string, found func(word string) bool) []page.Inline {
	text := unmarked(markdown)
	if text == "" {
		return nil
	}
	var matches [][2]int
	last := len(text) // end of the shown text
	for from, to := nextWord(text, 0); from < to && from <= last && found != nil; from, to = nextWord(text, to) {
		if found(text[from:to]) {
			if matches = append(matches, [2]int{from, to}); len(matches) == 1 {
				last = forward(text, from, snippetLength)
			}
		}
	}
	begin := 0
	if len(matches) > 0 {
		begin = min(back(text, matches[0][0], snippetLead), back(text, len(text), snippetLength))
	}
	begin = wordBoundary(text, begin)
	end := forward(text, begin, snippetLength)
	if end < len(text) {
		end = wordBoundary(text, end)
	}
	var line []page.Inline
	at := begin
	add := func(to int, in func(string) page.Inline) {
		if at < to {
			line = append(line, in(text[at:to]))
		}
		at = to
	}
	if begin > 0 {
		line = append(line, page.T("… "))
	}
	for _, m := range matches {
		if m[0] >= at && m[1] <= end {
			add(m[0], page.T)
			add(m[1], page.Strong)
		}
	}
	add(end, page.T)
	if end < len(text) {
		line = append(line, page.T("…"))
	}
	return line
}

// sentenceNaming returns a text's first sentence that mentions the handle, or else its first sentence, on one line. A
// sentence of more than snippetLength runes is shortened.
func sentenceNaming(markdown, handle string) string {
	text := unmarked(markdown)
	begin, end := 0, sentenceEnd(text, 0)
	for from := 0; from < len(text); {
		to := sentenceEnd(text, from)
		if slices.Contains(store.Mentions(text[from:to]), any(handle)) {
			begin, end = from, to
			break
		}
		from = to
	}
	said := strings.TrimFunc(text[begin:end], func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsGraphic(r) })
	if most := forward(said, 0, snippetLength); most < len(said) {
		from := 0
		if at := strings.Index(said, "@"+handle); at > 0 {
			from = wordBoundary(said, min(back(said, at, snippetLead), back(said, len(said), snippetLength)))
		}
		if most = forward(said, from, snippetLength); most < len(said) {
			said = strings.TrimSpace(said[:wordBoundary(said, most)]) + "…"
		}
		if said = said[from:]; from > 0 {
			said = "… " + said
		}
	}
	return said
}

// sentenceEnd returns the position after the sentence at text[from] and the space behind it.
func sentenceEnd(text string, from int) int {
	for i := from; i+1 < len(text); i++ {
		if text[i+1] == ' ' && (text[i] == '.' || text[i] == '!' || text[i] == '?') {
			return i + 2
		}
	}
	return len(text)
}

// forward moves a byte position forward by a number of runes, at most to the end of the text.
func forward(text string, at, runes int) int {
	for ; runes > 0 && at < len(text); runes-- {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at
}

func back(text string, at, runes int) int {
	for ; runes > 0 && at > 0; runes-- {
		_, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
	}
	return at
}

// plainText returns the text of a line, without formatting or addresses.
func plainText(in []page.Inline) string {
	var b strings.Builder
	for i := range in {
		b.WriteString(in[i].Text())
	}
	return b.String()
}

// nextWord returns the start and the end of the first word at or after text[from]. If there is none, both are
// len(text).
func nextWord(text string, from int) (int, int) {
	from = whileTerm(text, from, false)
	return from, whileTerm(text, from, true)
}

// whileTerm returns the position after a word, if term is true, or after the runes between two words.
func whileTerm(text string, at int, term bool) int {
	for at < len(text) {
		r, size := rune(text[at]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[at:])
		}
		if store.IsTermRune(r) != term {
			break
		}
		at += size
	}
	return at
}

// wordBoundary returns the start of the word at a position, or the position itself in the middle of a word longer than
// [snippetWord]. The text must have only single spaces.
func wordBoundary(text string, at int) int {
	from := back(text, at, snippetWord)
	if i := strings.LastIndexByte(text[from:min(at+1, len(text))], ' '); i >= 0 || from == 0 {
		return from + i + 1
	}
	return at
}

const styles = "*_`"

var unstyled = strings.NewReplacer("**", "", "__", "", "`", "", "*", "")

// unmarked returns markdown text on one line, without most of its markup. The result is not safe as markdown.
func unmarked(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		trimmed := strings.TrimLeft(line, "#>-*+| ")
		if strings.HasPrefix(line, "```") || trimmed == "" || strings.Trim(trimmed, "-=|: ") == "" {
			continue
		}
		if strings.ContainsAny(trimmed, styles) {
			trimmed = unstyled.Replace(trimmed)
		}
		for word := range strings.FieldsSeq(unlinked(trimmed)) {
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(word)
		}
	}
	return b.String()
}

func unlinked(s string) string {
	for {
		open, rest, ok := strings.Cut(s, "](")
		if !ok {
			return s
		}
		from := strings.LastIndexByte(open, '[')
		_, after, closed := strings.Cut(rest, ")")
		if from < 0 || !closed {
			return s
		}
		s = strings.TrimSuffix(open[:from], "!") + open[from+1:] + after
	}
}
