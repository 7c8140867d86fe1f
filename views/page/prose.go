package page

import (
	"strings"

	"samepage/store/memo"
)

// proseBytes is the maximum memory of the cache of converted texts, in bytes.
const proseBytes = 16 << 20

// ours is a flag in the level of a [proseKey]. It says that the text is the server's own markdown.
const ours = 0x80

// converted caches converted texts.
var converted = memo.New(proseBytes, func(k proseKey) *prose { return convert(k.text, k.level) })

// prose is converted markdown.
type prose struct {
	// quote is the text in markdown, quoted unless the text is the server's own.
	quote []byte
	html  []byte
	marks []mark // positions in html, ascending
}

type proseKey struct {
	text  string
	level uint8 // level of the first heading in HTML, or 0 for markdown only; the flag ours may be added
}

// Size returns the length of the text in bytes. It implements [memo.Key].
func (k proseKey) Size() int { return len(k.text) }

// Clone returns a key with a copy of the text. It implements [memo.Key].
func (k proseKey) Clone() proseKey { return proseKey{strings.Clone(k.text), k.level} }

// Size returns the memory of the converted text in bytes. It implements [memo.Answer].
func (p *prose) Size() int { return cap(p.quote) + cap(p.html) + 48*cap(p.marks) }
