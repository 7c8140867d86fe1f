package views

import (
	"strings"
	"unicode"

	"samepage/store"
	"samepage/views/page"
)

// The length of a snippet, and how much of what is before the first match it shows, in runes.
const (
	snippetLength = 180
	snippetLead   = 50
)

// snippet is the part of a text in which the words are, on one line, with the words strong. Where none is found, it is the
// beginning.
func snippet(markdown string, words []store.SearchWord) []page.Inline {
	text := []rune(unmarked(markdown))
	if len(text) == 0 {
		return nil
	}
	wanted := map[string]bool{}
	for _, w := range words {
		if w.Not {
			continue
		}
		for _, term := range store.SearchTerms(w.Text) {
			wanted[term] = true
		}
	}
	var matches [][2]int
	for from, to := nextWord(text, 0); from < to && len(wanted) > 0; from, to = nextWord(text, to) {
		if len(matches) > 0 && from > matches[0][0]+snippetLength {
			break
		}
		if wanted[store.Fold(string(text[from:to]))] {
			matches = append(matches, [2]int{from, to})
		}
	}
	begin := 0
	if len(matches) > 0 && matches[0][0] > snippetLead && len(text) > snippetLength {
		begin = wordBoundary(text, min(matches[0][0]-snippetLead, len(text)-snippetLength))
	}
	end := len(text)
	if end-begin > snippetLength {
		end = wordBoundary(text, begin+snippetLength)
	}
	var line []page.Inline
	at := begin
	add := func(to int, in func(string) page.Inline) {
		if at < to {
			line = append(line, in(string(text[at:to])))
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

// plainText is the words of a line.
func plainText(in []page.Inline) string {
	var b strings.Builder
	for i := range in {
		b.WriteString(in[i].Text())
	}
	return b.String()
}

// nextWord finds the word that begins at or after a place; an empty one is the end.
func nextWord(text []rune, from int) (int, int) {
	for from < len(text) && !store.IsTermRune(text[from]) {
		from++
	}
	to := from
	for to < len(text) && store.IsTermRune(text[to]) {
		to++
	}
	return from, to
}

// wordBoundary is the end of the word before a place, or the place itself in a word of its own length.
func wordBoundary(text []rune, at int) int {
	for i := at; i > 0 && i > at-30; i-- {
		if unicode.IsSpace(text[i]) {
			return i + 1
		}
	}
	return at
}

var unstyled = strings.NewReplacer("**", "", "__", "", "`", "", "*", "")

// unmarked is markdown on one line without most of its marks. It is for reading, and written as text: nothing rests on it.
func unmarked(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		trimmed := strings.TrimLeft(line, "#>-*+| ")
		if strings.HasPrefix(line, "```") || trimmed == "" || strings.Trim(trimmed, "-=|: ") == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(unlinked(unstyled.Replace(trimmed)))
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// unlinked leaves the texts of links and drops their addresses.
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
