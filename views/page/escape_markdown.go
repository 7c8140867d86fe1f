package page

import (
	"bytes"
	"strconv"
	"strings"
)

// position is the place of a text in a markdown document.
type position uint8

const (
	inLine    position = iota // a paragraph or a list item
	inCell                    // a table's cell
	inHeading                 // after "# "
)

// escaper appends texts to a line of markdown so that no part of a text becomes markup or a link. It writes few
// needless backslashes, because agents and people read the source.
type escaper struct {
	dst      []byte
	start    int // the start of the line's content in dst
	position position
	label    bool // whether the text is inside the text of a link
}

// mayBeSpecial has the characters that [escaper.special] may report.
var mayBeSpecial = func() (t [256]bool) {
	for _, b := range "\\`*_[]<>&|~:.@)-+=#" {
		t[b] = true
	}
	return
}()

// text appends one piece of text, which must be cleaned and not empty.
func (e *escaper) text(s string) {
	from := 0
	for i := 0; i < len(s); i++ {
		b := s[i]
		if !mayBeSpecial[b] {
			continue
		}
		e.dst = append(e.dst, s[from:i]...)
		from = i
		if e.special(b, s[i+1:]) {
			e.dst = append(e.dst, '\\')
		}
	}
	e.dst = append(e.dst, s[from:]...)
}

// special reports whether the byte b needs a backslash at this place. The argument rest is the text after b in the same
// piece. If rest is empty, special assumes that the next piece makes b special.
func (e *escaper) special(b byte, rest string) bool {
	var next byte // the next character, or 0 at the end of the piece
	if rest != "" {
		next = rest[0]
	}
	atStart := len(e.dst) == e.start && e.position == inLine
	ends := next == 0 || next == ' '
	switch b {
	case '*', '`', '[', '~':
		return true
	case '\\':
		return next == 0 || edge(rune(next))
	case '_':
		return !flanks(rune(e.prev())) || !flanks(rune(next))
	case ']':
		return e.label
	case '|':
		return e.position == inCell
	case '<':
		return next == 0 || next == '/' || next == '!' || next == '?' || flanks(rune(next))
	case '&':
		return startsEntity(rest)
	case '>':
		return atStart
	case '#':
		return atStart && (ends || next == '#') || e.position == inHeading && closesHeading(e.prev(), rest)
	case '-', '+', '=':
		return atStart && (ends || next == b)
	case ':':
		return atStart && ends || (next == '/' || next == 0) && e.endsFold("http", "https", "ftp")
	case '.':
		return e.endsFold("www") || ends && e.numbered()
	case ')':
		return ends && e.numbered()
	case '@':
		return next != ' ' && inMail(e.prev())
	}
	return false
}

// closesHeading reports whether a "#" between prev and rest could end a heading, as a run of "#" after a space does at
// the end of a line.
func closesHeading(prev byte, rest string) bool {
	rest = strings.TrimLeft(rest, "#")
	return (prev == 0 || prev == ' ' || prev == '#') && (rest == "" || rest[0] == ' ')
}

func inMail(b byte) bool {
	return flanks(rune(b)) || b != 0 && strings.IndexByte(".!#$%&'*+/=?^_`{|}~-", b) >= 0
}

// prev returns the last byte of the line, or 0 at the start.
func (e *escaper) prev() byte {
	if len(e.dst) == e.start {
		return 0
	}
	return e.dst[len(e.dst)-1]
}

// numbered reports whether the line so far is a number, which a full stop or ")" would turn into the start of a list.
func (e *escaper) numbered() bool {
	line := e.dst[e.start:]
	if e.position != inLine || len(line) == 0 || len(line) > 9 {
		return false
	}
	for _, b := range line {
		if b < '0' || b > '9' {
			return false
		}
	}
	return true
}

func (e *escaper) endsFold(words ...string) bool {
	line := e.dst[e.start:]
	for _, w := range words {
		if len(line) >= len(w) && bytes.EqualFold(line[len(line)-len(w):], []byte(w)) {
			return true
		}
	}
	return false
}

func startsEntity(rest string) bool {
	for i := 0; i < len(rest); i++ {
		switch b := rest[i]; {
		case b == ';':
			return i > 0
		case b == '#' && i == 0, flanks(rune(b)):
		default:
			return false
		}
	}
	return true
}

func ticks[S string | []byte](s S) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// code appends s as a code span, with more backticks than s has in a row, so that s cannot end the span.
func (e *escaper) code(s string) {
	longest := ticks(s)
	for range longest + 1 {
		e.dst = append(e.dst, '`')
	}
	pad := s[0] == '`' || s[len(s)-1] == '`' || s[0] == ' ' && s[len(s)-1] == ' '
	if pad {
		e.dst = append(e.dst, ' ')
	}
	for i := 0; i < len(s); i++ {
		if s[i] == '|' && e.position == inCell {
			e.dst = append(e.dst, '\\')
		}
		e.dst = append(e.dst, s[i])
	}
	if pad {
		e.dst = append(e.dst, ' ')
	}
	for range longest + 1 {
		e.dst = append(e.dst, '`')
	}
}

// link appends a link with a safe address.
func (e *escaper) link(text, url, origin, self string) {
	if e.prev() == '!' { // "!" before "[" would make an image of it
		e.dst[len(e.dst)-1] = '\\'
		e.dst = append(e.dst, '!')
	}
	e.dst = append(e.dst, '[')
	e.label = true
	if from := len(e.dst); text == "x" || text == "X" { // "[x]" at the start of an item would be a checkbox
		e.dst = append(e.dst, "&#"...)
		e.dst = strconv.AppendInt(e.dst, int64(text[0]), 10)
		e.dst = append(e.dst, ';')
	} else if e.text(text); text == url && string(e.dst[from:]) != text {
		e.dst = e.dst[:from]
		e.code(text) // without backslashes, so that readers can copy the address
	}
	e.label = false
	e.dst = append(e.dst, "]("...)
	e.dst = appendURL(e.dst, url, origin, self)
	e.dst = append(e.dst, ')')
}

// appendURL appends the address of a link, with the origin before a root-relative one. A query or an anchor alone is
// added to self, the address of the page. An address that is neither root-relative nor allowed by [allowedScheme] is
// replaced by self. Characters that could end the address are percent-encoded.
func appendURL(dst []byte, url, origin, self string) []byte {
	switch {
	case url == "" || url[0] == '#' || url[0] == '?':
		dst = append(append(dst, origin...), self...)
	case url[0] == '/':
		if len(url) > 1 && (url[1] == '/' || url[1] == '\\') {
			return append(append(dst, origin...), self...)
		}
		dst = append(dst, origin...)
	case !allowedScheme(url):
		return append(append(dst, origin...), self...)
	}
	const hex = "0123456789ABCDEF"
	for i := 0; i < len(url); i++ {
		switch b := url[i]; {
		case b <= ' ' || b >= 0x7f || b == '(' || b == ')' || b == '<' || b == '>' || b == '"' ||
			b == '\\' || b == '`' ||
			b == '|' || b == '^' || b == '{' || b == '}' || b == '[' || b == ']' || b == ';' || b == '\'' || b == '*':
			dst = append(dst, '%', hex[b>>4], hex[b&15])
		default:
			dst = append(dst, b)
		}
	}
	return dst
}

// allowedScheme reports whether an absolute address is a web address with a host or a mail address, and so may become a
// link.
func allowedScheme(url string) bool {
	for _, s := range []string{"https://", "http://", "mailto:"} {
		if len(url) > len(s) && strings.EqualFold(url[:len(s)], s) {
			b := url[len(s)]
			return flanks(rune(b)) || b == '[' || b == '%' || b >= 0x80
		}
	}
	return false
}
