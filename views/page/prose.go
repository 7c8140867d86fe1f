package page

import (
	"strings"
	"sync"
)

// proseBytes is how much memory converted prose may take, in bytes.
const proseBytes = 16 << 20

// ours, added to a heading level in a cache key, says that the markdown is the server's own.
const ours = 0x80

// converted is a memo of a pure function: what a prose looks like depends on nothing but its text.
var converted = newProseCache(proseBytes)

// prose is somebody's markdown, ready to be put on a page.
type prose struct {
	quote []byte // in markdown: every line after "> "; of the server's own text: the text
	html  []byte
	marks []int32 // where in html the prefix goes that makes an id the only one of its name on the page
}

type proseKey struct {
	text  string
	level uint8 // the first heading's level in HTML, 0 for markdown only; perhaps with ours
}

func (k proseKey) size() int { return len(k.text) + 128 }

func (p *prose) size() int { return cap(p.quote) + cap(p.html) + 4*cap(p.marks) }

// proseCache keeps what was used lately in two generations of half the size each: when the young one is full it becomes
// the old one, and what is used again moves back. That is nearly as good as a list of recent uses, and reading costs a
// shared lock only.
type proseCache struct {
	mu         sync.RWMutex
	half, size int
	young, old map[proseKey]*prose
}

func newProseCache(bytes int) *proseCache {
	return &proseCache{half: bytes / 2, young: map[proseKey]*prose{}}
}

// get returns text converted for a page whose next heading has the given level.
func (c *proseCache) get(text string, level uint8) *prose {
	k := proseKey{text, level}
	c.mu.RLock()
	p := c.young[k]
	aged := p == nil && c.old != nil
	if aged {
		p = c.old[k]
	}
	c.mu.RUnlock()
	if p == nil {
		p = convert(text, level)
	} else if !aged {
		return p
	}
	c.put(k, p)
	return p
}

func (c *proseCache) put(k proseKey, p *prose) {
	k.text = strings.Clone(k.text) // it may be a piece of something large
	size := k.size() + p.size()
	if size > c.half/2 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.young[k] != nil {
		return
	}
	if c.size+size > c.half {
		c.old, c.young, c.size = c.young, make(map[proseKey]*prose, len(c.young)), 0
	}
	c.young[k] = p
	c.size += size
}
