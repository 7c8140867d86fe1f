package page

import "strings"

// Most remarks are sentences without any markup. What they look like can be told without a parser, a hundred times faster, so
// they need no place in the cache either. A test holds both ways to the same bytes.

// appendSimpleQuote appends the quotation of a text that is nothing but sentences in paragraphs; any other is refused.
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

// appendSimpleHTML appends the HTML of such a text.
func appendSimpleHTML(dst []byte, s string) ([]byte, bool) {
	if !sentences(s) {
		return dst, false
	}
	for paragraph := range strings.SplitSeq(s, "\n\n") {
		dst = append(append(append(dst, "<p>"...), paragraph...), "</p>\n"...)
	}
	return dst[:len(dst)-1], true
}

// sentences reports that every line begins with a letter and holds nothing that could mean anything to a parser.
func sentences(s string) bool {
	if s == "" || len(s) > proseLimit {
		return false
	}
	start := true // of a line
	for i := range len(s) {
		b := s[i]
		letter := b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
		switch {
		case letter:
			if (b|0x20) == 'w' && i+3 < len(s) && strings.EqualFold(s[i:i+4], "www.") {
				return false
			}
		case start:
			if b != '\n' || i == 0 || i+1 == len(s) || i > 1 && s[i-2] == '\n' {
				return false // only one empty line between two paragraphs
			}
		case b == '\n':
			if s[i-1] == ' ' {
				return false
			}
		case b == ' ':
			if s[i-1] == ' ' {
				return false
			}
		case b == ':':
			if i+1 < len(s) && s[i+1] != ' ' && s[i+1] != '\n' {
				return false
			}
		case b >= '0' && b <= '9', b == '.', b == ',', b == ';', b == '?', b == '!', b == '-', b == '(', b == ')', b == '%':
		default:
			return false
		}
		start = b == '\n'
	}
	last := s[len(s)-1]
	return last != ' ' && last != '\n'
}
