package page

import "strings"

// This file is a shortcut for texts without any markup, which needs no parser.

// appendSimpleQuote appends the quotation of a text that consists of plain sentences in paragraphs. For any other text
// it returns false.
func appendSimpleQuote(dst []byte, s string) ([]byte, bool) {
	if !sentences(s) {
		return dst, false
	}
	for line := range strings.SplitSeq(s, "\n") {
		dst = append(dst, '>')
		if line != "" {
			dst = append(append(dst, ' '), line...)
		}
		dst = append(dst, '\n')
	}
	return dst, true
}

// appendSimpleHTML appends the HTML of a text that consists of plain sentences in paragraphs. For any other text it
// returns false.
func appendSimpleHTML(dst []byte, s string) ([]byte, bool) {
	if !sentences(s) {
		return dst, false
	}
	for paragraph := range strings.SplitSeq(s, "\n\n") {
		dst = append(append(append(dst, "<p>"...), paragraph...), "</p>\n"...)
	}
	return dst[:len(dst)-1], true
}

// The constants are the classes of bytes in a plain sentence. A text with a refused byte is not plain.
const (
	refused = iota
	letter
	w // may begin "www."
	sign
	space
	colon
	newline
)

var signs = func() (t [256]uint8) {
	for b := range t {
		switch c := byte(b); {
		case c|0x20 == 'w':
			t[b] = w
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			t[b] = letter
		case c >= '0' && c <= '9', strings.IndexByte(".,;?!-()%", c) >= 0:
			t[b] = sign
		}
	}
	t[' '], t[':'], t['\n'] = space, colon, newline
	return t
}()

// sentences reports whether a text consists of plain sentences in paragraphs, in which a markdown parser would find no
// markup. Each line must begin with an ASCII letter. Two spaces or two empty lines in a row, white space at the end,
// letters outside of ASCII, an empty text and a text of more than proseLimit bytes are refused.
func sentences(s string) bool {
	if s == "" || len(s) > proseLimit || signs[s[len(s)-1]] >= space && s[len(s)-1] != ':' {
		return false
	}
	before := uint8(newline)
	for i := range len(s) {
		is := signs[s[i]]
		if is != letter {
			switch {
			case is == refused, before == newline && is != w && is != newline,
				before == space && (is == space || is == newline):
				return false
			case is == newline && before == newline: // only one empty line may be between two paragraphs
				if i == 0 || s[i-2] == '\n' {
					return false
				}
			case is == w && i+3 < len(s) && strings.EqualFold(s[i:i+4], "www."):
				return false
			case is == colon && i+1 < len(s) && s[i+1] != ' ' && s[i+1] != '\n':
				return false
			}
		}
		before = is
	}
	return true
}
