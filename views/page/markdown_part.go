package page

import (
	"hash/maphash"
	"slices"
)

// Part identifies the content of a part of a page, such as a block. Parts with the same words and links are equal. The
// value is valid until the process ends.
type Part uint64

var partSeed = maphash.MakeSeed()

// parts writes the blocks of the page, and only the titles of those that the reader has read already.
func (w *mdWriter) parts() {
	var same []string // titles of the blocks that are left out
	for _, b := range w.p.Blocks {
		from, cuts, list := len(w.dst), len(w.cuts), w.list
		w.block(b)
		if w.seen(from) {
			w.cuts, w.list, w.short = w.cuts[:cuts], list, true
			if title := title(b); title != "" {
				same = append(same, title)
			}
		}
	}
	from := len(w.dst)
	w.people(w.p.People)
	if w.strangers = !w.seen(from); w.strangers {
		w.dst = w.dst[:from]
	} else {
		w.short, same = true, append(same, "For people")
	}
	if !w.short {
		return
	}
	if slices.ContainsFunc(w.p.Forms, func(f Form) bool { return f.Known }) {
		same = append(same, "the other actions")
	}
	line := Para{Sentence("The rest is as you read it")}
	for i, t := range same {
		if i == 0 {
			line = append(line, T(": "))
		} else {
			line = append(line, T(", "))
		}
		line = append(line, T(t))
	}
	w.block(append(line, T(". "), Link("The whole page", w.p.URL), T(".")))
}

// seen reports whether the reader has already read the block in w.dst[from:]. If so, it removes the block.
func (w *mdWriter) seen(from int) bool {
	part := Part(maphash.Bytes(partSeed, w.dst[from:]))
	w.shown = append(w.shown, part)
	if w.c.Full || len(w.dst) == from || !slices.Contains(w.c.Seen, part) {
		return false
	}
	w.dst = w.dst[:from]
	return true
}

// title returns the heading of a block, or "".
func title(b Block) string {
	switch b := b.(type) {
	case Section:
		return b.Title
	case Details:
		return b.Title
	}
	return ""
}
