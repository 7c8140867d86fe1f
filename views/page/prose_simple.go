package page

import "strings"

// Most remarks are sentences without any markup. What they look like can be told without a parser, a hundred times faster, so
// that a page whose proses are not in memory costs little more than one whose are. A test holds both ways to the same bytes.

// simple converts a text of nothing but sentences in paragraphs; any other is refused.
func simple(s string, level uint8) (*prose, bool) {
	if s == "" || len(s) > proseLimit || !sentences(s) {
		return nil, false
	}
	if level == 0 {
		quote := make([]byte, 0, len(s)+2*strings.Count(s, "\n")+3)
		for line := range strings.SplitSeq(s, "\n") {
			quote = append(quote, '>')
			if line != "" {
				quote = append(append(quote, ' '), line...)
			}
			quote = append(quote, '\n')
		}
		return &prose{quote: quote}, true
	}
	html := make([]byte, 0, len(s)+8*strings.Count(s, "\n\n")+16)
	for paragraph := range strings.SplitSeq(s, "\n\n") {
		html = append(append(append(html, "<p>"...), paragraph...), "</p>\n"...)
	}
	return &prose{html: html[:len(html)-1]}, true
}

// sentences reports that every line begins with a letter and holds nothing that could mean anything to a parser.
func sentences(s string) bool {
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
