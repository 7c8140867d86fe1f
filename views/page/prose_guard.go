package page

import "bytes"

// The limits bound the cost of converting one text. A text beyond proseLimit is cut, and beyond cellLimit it has no
// tables. Beyond any other limit it is shown without markup, because goldmark, the markdown parser, needs more than
// linear time or memory for it.
const (
	proseLimit = 32 << 10 // bytes; longer text is cut
	htmlLimit  = 1 << 20  // bytes of HTML that one prose may become
	nestLimit  = 32       // quotations and lists that begin on one line
	delimLimit = 4000     // characters that may begin or end inline markup
	// cellLimit limits the number of lines times the greatest number of table columns. The parser fills each row of a
	// table up to the width of the head.
	cellLimit   = 20_000
	indentLimit = 200 // columns of indentation before a nested list
)

// guard reports whether a text is too costly to parse with tables, and whether it is too costly to parse at all.
func guard(src []byte) (noTables, plain bool) {
	var pipes, rows, delims int
	for line := range bytes.Lines(src) {
		rows++
		pipes = max(pipes, bytes.Count(line, []byte{'|'}))
		nest, indent, open := 0, 0, true
		for _, b := range line {
			switch b {
			case '*', '_', '~', '[', ']', '<', '`', '&', '!', '$', '@':
				delims++
			}
			if !open {
				continue
			}
			switch b {
			case ' ':
				indent++
			case '>', '-', '*', '+', ':', '.', ')':
				nest++
			case '\n', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			default:
				open = false
			}
		}
		// Only ">" and list markers with a space after them nest. A horizontal rule does not.
		if nest > nestLimit &&
			(bytes.Count(line, []byte{'>'}) > nestLimit || bytes.Count(line, []byte{' '}) > nestLimit) {
			plain = true
		}
		if indent > indentLimit && nest > 0 {
			plain = true
		}
	}
	return (pipes+1)*rows > cellLimit, plain || delims > delimLimit
}
