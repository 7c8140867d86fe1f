package page

import (
	"strings"

	"samepage/store/memo"
)

// proseBytes is the memory for converted prose, in bytes.
const proseBytes = 16 << 20

// ours, added to a heading level in a cache key, marks the server's own markdown.
const ours = 0x80

// converted caches converted texts. The conversion depends only on the text and the level.
var converted = memo.New(proseBytes, func(k proseKey) *prose { return convert(k.text, k.level) })

// prose is converted markdown, ready for a page.
type prose struct {
	// in markdown: every line after "> "; the plain text if it is the server's own
	quote []byte
	html  []byte
	marks []mark // in html, in order
}

type proseKey struct {
	text  string
	level uint8 // the first heading's level in HTML, 0 for markdown only; ours may be added
}

// Size implements [memo.Key].
func (k proseKey) Size() int { return len(k.text) }

// Clone implements [memo.Key].
func (k proseKey) Clone() proseKey { return proseKey{strings.Clone(k.text), k.level} }

// Size implements [memo.Answer].
func (p *prose) Size() int { return cap(p.quote) + cap(p.html) + 48*cap(p.marks) }
