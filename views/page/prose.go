package page

import (
	"strings"

	"samepage/store/memo"
)

// proseBytes is how much memory converted prose may take, in bytes.
const proseBytes = 16 << 20

// ours, added to a heading level in a cache key, says that the markdown is the server's own.
const ours = 0x80

// converted are texts as they are put on a page, which depends on nothing but the text.
var converted = memo.New(proseBytes, func(k proseKey) *prose { return convert(k.text, k.level) })

// prose is somebody's markdown, ready to be put on a page.
type prose struct {
	quote []byte // in markdown: every line after "> "; of the server's own text: the text
	html  []byte
	marks []mark // in html, in order
}

type proseKey struct {
	text  string
	level uint8 // the first heading's level in HTML, 0 for markdown only; perhaps with ours
}

// Size implements [memo.Key].
func (k proseKey) Size() int { return len(k.text) }

// Clone implements [memo.Key].
func (k proseKey) Clone() proseKey { return proseKey{strings.Clone(k.text), k.level} }

// Size implements [memo.Answer].
func (p *prose) Size() int { return cap(p.quote) + cap(p.html) + 48*cap(p.marks) }
