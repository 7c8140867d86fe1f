package page

// appendEscaped appends s with the special characters of HTML escaped, for text between tags and in a quoted attribute.
// Every text of a member that is not converted from markdown gets into a page's HTML through this function.
func appendEscaped(dst []byte, s string) []byte {
	from := 0
	for i := 0; i < len(s); i++ {
		var to string
		switch s[i] {
		case '&':
			to = "&amp;"
		case '<':
			to = "&lt;"
		case '>':
			to = "&gt;"
		case '"':
			to = "&#34;"
		case '\'':
			to = "&#39;"
		case 0:
			to = "\uFFFD"
		default:
			continue
		}
		dst = append(dst, s[from:i]...)
		dst = append(dst, to...)
		from = i + 1
	}
	return append(dst, s[from:]...)
}
