package page

import "bytes"

// demote lowers every heading of a help page by one level if a heading has the top level, which is for the page's
// title.
func demote(src []byte) []byte {
	top := false
	var at []int
	pos, fenced := 0, false
	for line := range bytes.Lines(src) {
		switch {
		case bytes.HasPrefix(line, []byte("```")):
			fenced = !fenced
		case !fenced && line[0] == '#':
			at = append(at, pos)
			top = top || bytes.HasPrefix(line, []byte("# "))
		}
		pos += len(line)
	}
	out := make([]byte, 0, len(src)+len(at)+1)
	if top {
		from := 0
		for _, p := range at {
			out = append(append(out, src[from:p]...), '#')
			from = p
		}
		out = append(out, src[from:]...)
	} else {
		out = append(out, src...)
	}
	return append(bytes.Trim(out, "\n"), '\n')
}
